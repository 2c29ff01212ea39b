"""What the watch on drift found, on the terminal: each day that the anchor was judged, against the pinned one."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from assets.fidelity.drift import NOT_PINNED
from pipeline.command_line.summary import level_of
from resources.configuration.load import load_configuration
from resources.runtime.home import Home


def show_drift(home: Home, console: Console) -> None:
    """The table `drift`, the newest day last."""
    drift = pd.read_parquet(str(home.tables / "fidelity" / "drift.parquet"))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    shift = f"shift [{level_of(load_configuration(home).fidelity)} CI]"
    for heading in ("day (UTC)", "objects", shift, "ICC(A,1)", "what changed"):
        table.add_column(heading, justify="left" if heading in ("day (UTC)", "what changed") else "right")
    rows = drift.to_dict("records")
    for row in rows:
        pinned = " (pinned)" if row["n_pinned"] and row["occasion"] == row["pinned"] else ""
        table.add_row(
            f"{row['occasion']}{pinned}",
            f"{row['n_objects']} of {row['n_pinned']}" if row["n_pinned"] else "-",
            _shift(row),
            "-" if pd.isna(row["icc"]) else f"{row['icc']:.3f}",
            "" if pd.isna(row["changes"]) else str(row["changes"]),
        )
    console.print(table)
    if rows and not rows[-1]["n_pinned"]:
        console.print(f"Nothing to compare with: {NOT_PINNED}.", highlight=False)
    elif rows and pd.isna(rows[-1]["shift"]) and rows[-1]["occasion"] != rows[-1]["pinned"]:
        console.print(f"No comparison on {rows[-1]['occasion']}: {rows[-1]['undefined']}.", highlight=False)


def _shift(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["shift"]):
        return "-"
    bounds = "" if pd.isna(row["shift_low"]) else f" [{row['shift_low']:+.3f}, {row['shift_high']:+.3f}]"
    return f"{row['shift']:+.3f}{bounds}"
