"""Table `evaluation_summary`: all data sets at a glance, and their means."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from assets.datasets import known_datasets
from assets.evaluation_outputs import save_results
from assets.evaluation_plots import summary_of
from resources.parquet_tables import Frames
from resources.plots.figure import figure_metadata
from resources.study import Study
from resources.tables.evaluation import EVALUATION_SUMMARY

MADE_SO_FAR = dg.AssetIn(metadata={"allow_missing_partitions": True})
RESULTS = ("correlation", "mcq_confusion", "option_rates", "category_breakdown", "paper_comparison")
CORRELATIONS = ("srcc", "plcc", "krcc")


@dg.asset(
    group_name="evaluation",
    ins=dict.fromkeys(("evaluation_samples", "correlation", "category_breakdown"), MADE_SO_FAR),
    kinds={"pandas"},
    code_version="1",
    pool="evaluation_over_datasets",
)
def evaluation_summary(
    context: dg.AssetExecutionContext,
    evaluation_samples: Frames,
    correlation: Frames,
    mcq_confusion: Frames,
    option_rates: Frames,
    category_breakdown: Frames,
    paper_comparison: Frames,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per data set and statistic, then their means; beside it one JSON with all results of each data set."""
    tables = dict(
        zip(RESULTS, (correlation, mcq_confusion, option_rates, category_breakdown, paper_comparison), strict=True)
    )
    known = sorted(known_datasets(study.evaluation))
    made = [name for name in known if all(name in frames for frames in tables.values())]
    for name in made:
        save_results(study.home, name, {table: frames[name] for table, frames in tables.items()})
    rows = [
        row
        for name in made
        for row in dataset_rows(name, evaluation_samples[name], correlation[name], category_breakdown[name])
    ]
    frame = pd.DataFrame(rows + mean_rows(rows), columns=[column.name for column in EVALUATION_SUMMARY.columns])
    picture = summary_of(frame)
    context.add_output_metadata(
        {
            "n_data_sets": len(made),
            "results": dg.MetadataValue.path(study.home.outputs / "evaluation"),
            "plot": figure_metadata(picture.draw, height_in=picture.height_in),
        }
    )
    return frame


def dataset_rows(
    name: str, samples: pd.DataFrame, correlation: pd.DataFrame, breakdown: pd.DataFrame
) -> list[dict[str, Any]]:
    """The correlations of a score data set, the accuracy of an answer data set."""
    kind = str(samples["kind"].iloc[0])
    if kind == "scores":
        source = correlation[correlation["statistic"].isin(CORRELATIONS)]
    else:
        source = breakdown[breakdown["level"] == 0].head(1)
    columns = ["statistic", "value", "ci_low", "ci_high", "n_used", "undefined"]
    counts = {"dataset": name, "kind": kind, "n_total": int(samples["n_rows_in_file"].iloc[0])}
    return [counts | {str(key): value for key, value in row.items()} for row in source[columns].to_dict("records")]


def mean_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two means of each statistic over the data sets that define it: of data sets, and of samples."""
    means = []
    defined = [row for row in rows if not pd.isna(row["value"])]
    for kind, statistic in sorted({(row["kind"], row["statistic"]) for row in rows}):
        of_one = [row for row in defined if (row["kind"], row["statistic"]) == (kind, statistic)]
        left_out = sum((row["kind"], row["statistic"]) == (kind, statistic) for row in rows) - len(of_one)
        named = {
            "kind": kind,
            "statistic": statistic,
            "undefined": f"{left_out} undefined left out" if left_out else None,
        }
        counts = {"n_used": sum(row["n_used"] for row in of_one), "n_total": sum(row["n_total"] for row in of_one)}
        if not of_one:
            reason = {"value": None, "undefined": "no data set defines it"}
            means += [named | counts | {"dataset": name} | reason for name in ("(mean)", "(size-weighted mean)")]
            continue
        values, sizes = [row["value"] for row in of_one], [row["n_used"] for row in of_one]
        means.append(named | counts | {"dataset": "(mean)", "value": float(np.mean(values))})
        weighted = float(np.average(values, weights=sizes))
        means.append(named | counts | {"dataset": "(size-weighted mean)", "value": weighted})
    return means
