"""Table `paper_comparison`: our numbers beside a paper's."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.bootstrap import Interval
from analysis.gates import Gate, at_most
from analysis.paper_deviation import paper_deviation
from assets.checks import gate_of_each_dataset
from assets.datasets import DATASETS, as_table, each_dataset, known_datasets
from assets.partitions import ONE_RUN
from resources.configuration.evaluation import Dataset
from resources.inputs.paper_baseline import PaperResult, read_baseline
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
        ours = numbers_of(correlation[name], category_breakdown[name])
        wanted = [result for result in baseline if result.dataset == name]
        return as_table(PAPER_COMPARISON, name, [comparison_row(result, ours) for result in wanted])

    return each_dataset(context, make, headline)


def numbers_of(correlation: pd.DataFrame, breakdown: pd.DataFrame) -> dict[str, tuple[float, Interval]]:
    """Our numbers with their intervals, by statistic."""
    whole = breakdown[(breakdown["level"] == 0) & (breakdown["statistic"] == "accuracy")].head(1)
    numbers = {}
    for row in [*correlation.to_dict("records"), *whole.to_dict("records")]:
        if not pd.isna(row["value"]):
            low, high = (None if pd.isna(row[side]) else float(row[side]) for side in ("ci_low", "ci_high"))
            interval = Interval(low, high, str(row["method"]), int(row["n_clusters"]), unreliable=False, n_dropped=0)
            numbers[str(row["statistic"])] = (float(row["value"]), interval)
    return numbers


def comparison_row(result: PaperResult, ours: dict[str, tuple[float, Interval]]) -> dict[str, Any]:
    """One paper's number beside ours; the reason where we have none."""
    row: dict[str, Any] = {
        "statistic": result.metric,
        "model": result.model,
        "tools": result.tools,
        "protocol": result.protocol,
        "paper_value": result.value,
    }
    if result.metric not in ours:
        return row | {"undefined": f"this data set has no {result.metric}"}
    value, interval = ours[result.metric]
    found = paper_deviation(value, interval, result.value)
    return row | {
        "value": value,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "delta": found.delta,
        "relative": found.relative,
        "direction": found.direction,
        "deviates": found.deviates,
        "undefined": None if found.deviates is not None else found.reason,
    }


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
