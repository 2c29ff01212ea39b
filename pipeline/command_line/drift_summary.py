"""What the watch on drift found, on the terminal: each day that the anchor was judged, against the pinned one."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from resources.home import Home


def show_drift(home: Home, console: Console) -> None:
    """The table `drift`, the newest day last."""
    drift = pd.read_parquet(str(home.tables / "fidelity" / "drift.parquet"))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("day (UTC)", "objects", "shift [95 % CI]", "ICC(A,1)", "what changed"):
        table.add_column(heading, justify="left" if heading in ("day (UTC)", "what changed") else "right")
    for row in drift.to_dict("records"):
        pinned = " (pinned)" if row["occasion"] == row["pinned"] else ""
        table.add_row(
            f"{row['occasion']}{pinned}",
            f"{row['n_objects']} of {row['n_pinned']}",
            _shift(row),
            "-" if pd.isna(row["icc"]) else f"{row['icc']:.3f}",
            "" if pd.isna(row["changes"]) else str(row["changes"]),
        )
    console.print(table)


def _shift(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["shift"]):
        return "-"
    bounds = "" if pd.isna(row["shift_low"]) else f" [{row['shift_low']:+.3f}, {row['shift_high']:+.3f}]"
    return f"{row['shift']:+.3f}{bounds}"
