"""What an evaluation found, on the terminal: data sets side by side, comparisons, and where the tables lie."""

from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from resources.home import Home


def show_evaluation(home: Home, console: Console) -> None:
    """The tables `evaluation_summary` and `metric_comparison`."""
    tables = home.tables / "evaluation"
    summary = pd.read_parquet(str(tables / "evaluation_summary.parquet"))
    console.print()
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("data set", "statistic", "value [95 % CI]", "n", "of"):
        table.add_column(heading, justify="left" if heading in ("data set", "statistic") else "right", no_wrap=True)
    for row in summary.to_dict("records"):
        counts = (str(row["n_used"]), str(row["n_total"]))
        table.add_row(str(row["dataset"]), str(row["statistic"]), with_interval(row), *counts)
    console.print(table)
    for row in summary[summary["undefined"].notna()].to_dict("records"):
        console.print(f"{row['dataset']}, {row['statistic']}: {row['undefined']}", highlight=False)
    compared = pd.read_parquet(str(tables / "metric_comparison.parquet"))
    for row in compared[compared["statistic"] == "srcc"].to_dict("records"):
        row["value"] = row["difference"]
        told = "differ" if row["significant"] else "are not told apart"
        console.print(
            f"SRCC of {row['first']} and {row['second']} {told}: difference {with_interval(row)}, n = {row['n_used']}.",
            highlight=False,
        )
    console.print(f"Tables, as Parquet, in {tables}", soft_wrap=True, highlight=False)
    outputs = home.outputs / "evaluation"
    console.print(f"Results as JSON, pictures as PNG and SVG: {outputs}/{{data set}}/", soft_wrap=True, highlight=False)


def with_interval(row: dict[Any, Any]) -> str:
    """A number with its bounds, or a dash."""
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if pd.isna(value):
        return "-"
    return f"{value:.3f}" if pd.isna(low) else f"{value:.3f} [{low:.3f}, {high:.3f}]"
