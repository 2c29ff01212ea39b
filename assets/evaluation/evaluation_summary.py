"""Table `evaluation_summary`: all data sets at a glance, and their means."""

from functools import reduce
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.messages import Name, message, message_list
from assets.evaluation.logic.differences import are_same_samples
from assets.evaluation.logic.outputs import save_results, summary_of
from assets.shared.partitions import MADE_SO_FAR
from assets.shared.provenance import provenance_of
from reports.evaluation.plots.evaluation import MEANS
from reports.shared.figure import figure_metadata
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.study import Study
from resources.tables.evaluation import EVALUATION_SUMMARY
from resources.tables.parquet_tables import Frames

RESULTS = ("correlation", "mcq_confusion", "option_rates", "category_breakdown", "paper_comparison")
PLAIN_MEAN, WEIGHTED_MEAN = MEANS
CORRELATIONS = ("srcc", "plcc", "krcc")


@dg.asset(
    group_name="evaluation_people",
    ins=dict.fromkeys(("evaluation_samples", *RESULTS), MADE_SO_FAR),
    kinds={"pandas"},
    code_version="2",
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
    """One row per data set and statistic, then their means; next to it one JSON with all results of each data set."""
    tables = dict(
        zip(RESULTS, (correlation, mcq_confusion, option_rates, category_breakdown, paper_comparison), strict=True)
    )
    known = sorted(known_datasets(study.evaluation))
    made = [name for name in known if all(name in frames for frames in tables.values())]
    source = provenance_of(context, study, study.evaluation)
    for name in made:
        save_results(study.home, name, {table: frames[name] for table, frames in tables.items()}, source)
    rows = [
        row
        for name in made
        for row in dataset_rows(name, evaluation_samples[name], correlation[name], category_breakdown[name])
    ]
    frame = pd.DataFrame(
        rows + mean_rows(rows, evaluation_samples), columns=[column.name for column in EVALUATION_SUMMARY.columns]
    )
    context.add_output_metadata(
        {
            "n_data_sets": len(made),
            "data_sets": sorted(evaluation_samples),
            "results": dg.MetadataValue.path(study.home.outputs / "evaluation"),
            "plot": figure_metadata(summary_of(frame)),
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


def mean_rows(rows: list[dict[str, Any]], samples: Frames) -> list[dict[str, Any]]:
    """Two means of each statistic, of data sets and of samples, where at least two sets of samples define it.

    Args:
        rows: What `dataset_rows` gives for each data set.
        samples: Each data set's `evaluation_samples`. Data sets of the same samples, two metrics of the same pictures,
            count once, with their average and the most samples that one of them used.
    """
    of: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        of.setdefault((row["kind"], row["statistic"]), []).append(row)
    stands_for = first_of_same_samples([row["dataset"] for row in rows], samples)
    means = []
    for (kind, statistic), of_all in sorted(of.items()):
        defined = [row for row in of_all if not pd.isna(row["value"])]
        by_samples: dict[str, list[dict[str, Any]]] = {}
        for row in defined:
            by_samples.setdefault(stands_for[row["dataset"]], []).append(row)
        groups = list(by_samples.values())
        if len(groups) < 2:
            continue
        values = [float(np.mean([row["value"] for row in group])) for group in groups]
        sizes = [max(row["n_used"] for row in group) for group in groups]
        left_out = len(of_all) - len(defined)
        remarks = [message("{n} undefined left out", n=left_out)] if left_out else []
        for group in groups:
            if len(group) > 1:
                names: list[str] = [Name(row["dataset"]) for row in group]
                remarks.append(message("{datasets} count once", datasets=reduce(_and, names)))
        common = {
            "kind": kind,
            "statistic": statistic,
            "n_used": sum(sizes),
            "n_total": sum(max(row["n_total"] for row in group) for group in groups),
            "undefined": message_list(remarks) or None,
        }
        means.append(common | {"dataset": PLAIN_MEAN, "value": float(np.mean(values))})
        means.append(common | {"dataset": WEIGHTED_MEAN, "value": float(np.average(values, weights=sizes))})
    return means


def first_of_same_samples(names: list[str], samples: Frames) -> dict[str, str]:
    """For each data set the first one that is of the same samples, itself where there is none before it."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        others = dict.fromkeys(found.values())
        found[name] = next((one for one in others if are_same_samples(samples[one], samples[name])), name)
    return found


def _and(one: str, other: str) -> str:
    return message("{one} and {other}", one=one, other=other)
