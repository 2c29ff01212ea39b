"""Table `pairwise_trust_verdict`: may a method choose between two photos in place of a voter?"""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.pairwise.logic.method_scores import current_pairs_gate
from assets.pairwise.logic.method_verdicts import method_verdicts
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, Frames, readable
from assets.shared.verdicts import not_worse_gate, verdict_metadata, verdict_table
from resources.study import Study
from resources.tables.pairwise import PAIRWISE_TRUST_VERDICT
from resources.tables.pairwise_rows import judged_pairs


@dg.asset(group_name="pairwise_verdict", ins={"pairwise_results": MADE_SO_FAR}, kinds={"pandas"}, code_version="1")
def pairwise_trust_verdict(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    pairwise_results: Frames,
    method_metrics: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per method with its verdict, then its conditions and what a voter reaches on the same pairs."""
    require(current_pairs_gate(pairwise_results, judged_pairs(photo_pairs)))
    stated = method_verdicts(pairwise_results, photo_pairs, method_metrics, study.pairwise)
    made = verdict_table(stated, PAIRWISE_TRUST_VERDICT)
    context.add_output_metadata(readable(verdict_metadata(made)))
    return made


@gate(pairwise_trust_verdict, Kind.ADVICE, to_do="Look at what fails, and at what changed: votes, photos, weights.")
def verdict_is_not_worse(pairwise_trust_verdict: pd.DataFrame, before: Mapping[str, Any] | None) -> Gate:
    """The verdict on the most accurate method is no worse than the one before."""
    return not_worse_gate(pairwise_trust_verdict, before)
