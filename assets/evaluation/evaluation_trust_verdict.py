"""Table `evaluation_trust_verdict`: do a data set's scores agree with people's means well enough?"""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.evaluation.logic.mean_verdicts import mean_verdicts
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, readable
from assets.shared.verdicts import not_worse_gate, verdict_metadata, verdict_table
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.study import Study
from resources.tables.evaluation import EVALUATION_TRUST_VERDICT
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="evaluation_verdict",
    ins={"evaluation_samples": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="2",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="evaluation_over_datasets",
)
def evaluation_trust_verdict(
    context: dg.AssetExecutionContext, evaluation_samples: Frames, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """One row per data set of scores with its verdict, then its condition; answers with a key have none."""
    stated = mean_verdicts(evaluation_samples, known_datasets(study.evaluation), study.evaluation)
    made = verdict_table(stated, EVALUATION_TRUST_VERDICT)
    # By which the sensor sees whether it is of the data sets that are there.
    context.add_output_metadata(readable(verdict_metadata(made) | {"data_sets": sorted(evaluation_samples)}))
    return made


@gate(evaluation_trust_verdict, Kind.ADVICE, to_do="Look at what changed: samples, predictions, truth.")
def verdict_is_not_worse(evaluation_trust_verdict: pd.DataFrame, before: Mapping[str, Any] | None) -> Gate:
    """No data set's verdict is worse than the one before."""
    return not_worse_gate(evaluation_trust_verdict, before)
