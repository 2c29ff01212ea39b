"""Table `correlation`: how well predicted scores follow the truth."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least
from assets.evaluation.logic.outputs import scatter_of, shown_and_saved
from assets.evaluation.logic.rows import as_table, correlation_rows, datasets_of
from assets.shared.gate import Kind, gate
from assets.shared.partitions import DATASETS, ONE_RUN, each_dataset
from resources.configuration.evaluation import Dataset
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.evaluation import CORRELATION
from resources.tables.parquet_tables import Frames

HEADLINE = ("srcc", "plcc", "krcc")


@dg.asset(
    group_name="evaluation_people", partitions_def=DATASETS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def correlation(
    context: dg.AssetExecutionContext, evaluation_samples: Frames, study: dg.ResourceParam[Study]
) -> Frames:
    """One row per statistic of a score data set; empty for answers."""
    known, resampling = known_datasets(study.evaluation), study.evaluation.resampling

    def make(name: str) -> pd.DataFrame:
        samples = evaluation_samples[name]
        rows = correlation_rows(samples, known[name], resampling) if is_scores(samples) else []
        return as_table(CORRELATION, name, rows)

    return each_dataset(context, make, lambda frame: headline(frame, evaluation_samples, known, study.home))


def is_scores(samples: pd.DataFrame) -> bool:
    """Whether a data set holds scores, not answers."""
    return len(samples) > 0 and samples["kind"].iloc[0] == "scores"


def headline(frame: pd.DataFrame, samples: Frames, known: dict[str, Dataset], home: Home) -> dict[str, Any]:
    """The three correlations and the scatter plot."""
    if frame.empty:
        return {"n_used": 0, "note": "no scores"}
    name = frame["dataset"].iloc[0]
    rows = frame.set_index("statistic")
    numbers = {statistic: rows.loc[statistic, "value"] for statistic in HEADLINE}
    picture = scatter_of(name, samples[name], frame, known[name])
    return {"n_used": rows["n_used"].iloc[0], **numbers} | shown_and_saved(home, name, "scatter", picture)


@gate(
    correlation,
    Kind.QUALITY,
    to_do="Look in category_breakdown at the groups in which it is low.",
    withheld="nothing.",
    once=datasets_of,
)
def srcc_is_high_enough(correlation: pd.DataFrame, partition: str, once: Mapping[str, Dataset]) -> Gate | None:
    """The scores order samples as people do: SRCC reaches the data set's minimum, where one is set."""
    return srcc_gate(correlation, once[partition])


@gate(correlation, Kind.ADVICE, to_do="Add samples: the interval narrows.", once=datasets_of)
def srcc_is_high_enough_for_sure(correlation: pd.DataFrame, partition: str, once: Mapping[str, Dataset]) -> Gate | None:
    """The lower bound of SRCC reaches it too."""
    return srcc_gate(correlation, once[partition], "ci_low")


def srcc_gate(frame: pd.DataFrame, dataset: Dataset, column: str = "value") -> Gate | None:
    """SRCC or its lower bound against the data set's minimum; none where none is set, failing without scores."""
    if dataset.gates.min_srcc is None:
        return None
    seen, n, reason = None, 0, "the data set has no scores"
    if not frame.empty:
        row = frame[frame["statistic"] == "srcc"].iloc[0]
        seen, n = None if pd.isna(row[column]) else float(row[column]), int(row["n_used"])
        reason = str(row["method"] if pd.isna(row["undefined"]) else row["undefined"])
    return at_least(
        "srcc_is_high_enough" if column == "value" else "srcc_is_high_enough_for_sure",
        seen,
        dataset.gates.min_srcc,
        n=n,
        counted="samples",
        what="SRCC" if column == "value" else "The lower bound of SRCC",
        reason=reason,
        remedy="Set `min_accuracy` instead of `min_srcc`, or correct the data set's `kind`."
        if frame.empty
        else "Look in category_breakdown at the groups in which it is low.",
    )
