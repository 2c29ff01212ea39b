"""Table `category_breakdown`: the headline number in each group of samples, subtotals included."""

from typing import Any

import dagster as dg
import pandas as pd

from assets.evaluation.logic.groups import breakdown_rows
from assets.evaluation.logic.outputs import shown_and_saved
from assets.evaluation.logic.rows import as_table
from assets.shared.partitions import DATASETS, ONE_RUN, each_dataset
from reports.evaluation.plots.evaluation import forest
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.evaluation import CATEGORY_BREAKDOWN
from resources.tables.parquet_tables import Frames

WHOLE: tuple[tuple[str, ...], ...] = ((),)


@dg.asset(
    group_name="evaluation_people", partitions_def=DATASETS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def category_breakdown(
    context: dg.AssetExecutionContext, evaluation_samples: Frames, study: dg.ResourceParam[Study]
) -> Frames:
    """One row per group: SRCC or accuracy for the whole and for each value of the configured fields."""
    known, resampling = known_datasets(study.evaluation), study.evaluation.resampling

    def make(name: str) -> pd.DataFrame:
        samples, dataset = evaluation_samples[name], known[name]
        groupings = dict.fromkeys(dataset.group_by or WHOLE)
        rows = [row for fields in groupings for row in breakdown_rows(samples, fields, dataset, resampling)]
        return as_table(CATEGORY_BREAKDOWN, name, rows)

    return each_dataset(context, make, lambda frame: headline(frame, study.home))


def headline(frame: pd.DataFrame, home: Home) -> dict[str, Any]:
    """The whole, the extremes, and the groups at a glance."""
    whole = frame[frame["level"] == 0].iloc[0]
    named: dict[str, Any] = {
        str(standing): "; ".join(f"{row.group} {row.value:.3f} (n = {row.n_used})" for row in rows.itertuples())
        for standing, rows in frame.groupby("standing")
    }
    name = frame["dataset"].iloc[0]
    plot = shown_and_saved(home, name, "groups", forest(frame)) if len(frame) > 1 else {}
    whole_numbers: dict[str, Any] = {str(whole["statistic"]): whole["value"], "n_used": whole["n_used"]}
    return whole_numbers | named | plot
