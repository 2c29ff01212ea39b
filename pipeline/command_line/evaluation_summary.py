"""What an evaluation found, on the terminal: data sets side by side, comparisons, and where the tables lie."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

from pipeline.command_line.terminal import grid
from reports.evaluation.plots.evaluation import MEANS
from resources.errors import listing
from resources.runtime.home import Home

COMPARED = {"srcc": "SRCC", "accuracy": "Accuracy", "mean": "Mean"}


def show_evaluation(home: Home, console: Console) -> None:
    """The tables `evaluation_summary` and `metric_comparison`."""
    tables = home.tables / "evaluation"
    summary = pd.read_parquet(str(tables / "evaluation_summary.parquet"))
    means = summary["dataset"].isin(MEANS)
    console.print()
    console.print(table_of(summary[~means], "data set"))
    for row in summary[~means & summary["undefined"].notna()].to_dict("records"):
        console.print(f"{row['dataset']}, {row['statistic']}: {row['undefined']}", highlight=False)
    if means.any():
        console.print("Over the data sets:")
        console.print(table_of(summary[means], "mean"))
        for remark in summary.loc[means, "undefined"].dropna().unique():
            console.print(f"Means: {remark}.", highlight=False)
    for sentence in without_mean(summary[~means], set(summary.loc[means, "statistic"])):
        console.print(sentence, highlight=False)
    compared = pd.read_parquet(str(tables / "metric_comparison.parquet"))
    for row in compared[compared["statistic"].isin(COMPARED)].to_dict("records"):
        row["value"] = row["difference"]
        verb = "differ" if row["significant"] is True else "are not distinguishable"
        pair = f"{COMPARED[row['statistic']]} of {row['first']} and {row['second']}"
        console.print(f"{pair} {verb}: difference {with_interval(row)}, n = {row['n_used']}.", highlight=False)
    report = home.report("evaluation")
    if report.is_file():
        console.print(f"Report: {report}", style="bold", soft_wrap=True, highlight=False, markup=False)
    console.print(f"Tables, as Parquet, in {tables}", soft_wrap=True, highlight=False)
    outputs = home.outputs / "evaluation"
    console.print(f"Results as JSON, pictures as PNG and SVG: {outputs}/{{data set}}/", soft_wrap=True, highlight=False)


def table_of(rows: pd.DataFrame, first: str) -> Table:
    """Rows of `evaluation_summary` side by side; `first` heads the names."""
    table = grid(first, "statistic", ">value, interval", ">n", ">of", wrapped=())
    for row in rows.to_dict("records"):
        counts = (str(row["n_used"]), str(row["n_total"]))
        table.add_row(str(row["dataset"]), str(row["statistic"]), with_interval(row), *counts)
    return table


def without_mean(rows: pd.DataFrame, averaged: set[str]) -> Iterator[str]:
    """Which statistics of several data sets have no mean, and why."""
    defined = rows[rows["value"].notna() & ~rows["statistic"].isin(averaged)]
    n_data_sets = defined.groupby("statistic", sort=False)["dataset"].nunique()
    names = list(n_data_sets[n_data_sets >= 2].index)
    if names:
        yield f"No mean of {listing(names)}: the data sets are of the same samples."


def with_interval(row: dict[Any, Any]) -> str:
    """A number with its bounds, or a dash."""
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if pd.isna(value):
        return "-"
    return f"{value:.3f}" if pd.isna(low) else f"{value:.3f} [{low:.3f}, {high:.3f}]"
