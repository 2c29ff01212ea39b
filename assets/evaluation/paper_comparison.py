"""Table `paper_comparison`: our numbers beside a paper's."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.checks import gate_of_each_dataset
from assets.datasets import DATASETS, as_table, each_dataset, known_datasets
from assets.evaluation_papers import comparison_row, numbers_of
from assets.partitions import ONE_RUN
from resources.configuration.evaluation import Dataset
from resources.inputs.paper_baseline import read_baseline
from resources.parquet_tables import Frames
from resources.study import Study
from resources.tables.evaluation import PAPER_COMPARISON


@dg.asset(group_name="evaluation", partitions_def=DATASETS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1")
def paper_comparison(
    context: dg.AssetExecutionContext,
    correlation: Frames,
    category_breakdown: Frames,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per number that the baseline file gives for the data set; empty without a baseline."""
    baseline = read_baseline(study.evaluation.baseline) if study.evaluation.baseline else []

    def make(name: str) -> pd.DataFrame:
        breakdown = category_breakdown[name]
        whole = breakdown[(breakdown["level"] == 0) & (breakdown["statistic"] == "accuracy")].head(1)
        ours = numbers_of([*correlation[name].to_dict("records"), *whole.to_dict("records")])
        wanted = [result for result in baseline if result.dataset == name]
        return as_table(PAPER_COMPARISON, name, [comparison_row(result, ours) for result in wanted])

    return each_dataset(context, make, headline)


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """How many numbers deviate."""
    return {"n_compared": int(frame["delta"].notna().sum()), "n_deviating": int((frame["deviates"] == True).sum())}  # noqa: E712


@dg.asset_check(asset=paper_comparison, partitions_def=DATASETS)
def near_the_paper(
    context: dg.AssetCheckExecutionContext, paper_comparison: Frames, study: dg.ResourceParam[Study]
) -> dg.AssetCheckResult:
    """Our numbers are near the paper's: the largest difference keeps the data set's limit, where one is set."""
    known = known_datasets(study.evaluation)
    return gate_of_each_dataset(context, paper_comparison, lambda name, frame: paper_gate(frame, known[name]))


def paper_gate(frame: pd.DataFrame, dataset: Dataset) -> Gate | None:
    """The largest absolute difference from a paper's number against its limit."""
    differences = frame["delta"].dropna().abs()
    if dataset.gates.max_paper_deviation is None or differences.empty:
        return None
    return at_most(
        "near_the_paper",
        float(differences.max()),
        dataset.gates.max_paper_deviation,
        n=len(differences),
        counted="numbers",
        what="Largest difference from the paper",
        remedy="Compare protocol, split and mapping; the columns name the paper's.",
    )
