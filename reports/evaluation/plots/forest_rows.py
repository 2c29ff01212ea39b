"""The rows of a forest plot: which groups are drawn, subgroups below their group, and the words next to them."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reports.evaluation.plots.scatter import floats
from reports.shared.words import natural, short

WHOLE = "(all)"
BETWEEN = " / "
MOST_ROWS = 60


@dataclass(frozen=True)
class ForestRow:
    """One group: value and interval (NaN where there is none) and what is written next to them.

    `outer`: other groups of the plot lie inside it.
    """

    name: str
    label: str
    outer: bool
    value: float
    low: float
    high: float
    small: bool
    standing: str
    undefined: str

    @property
    def numbers(self) -> str:
        """Value and interval, and whether it is the best or the worst."""
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if np.isfinite([self.low, self.high]).all() else ""
        return f"{self.value:.3f}{interval}{f'  {self.standing}' if self.standing else ''}"


def forest_rows(rows: pd.DataFrame) -> tuple[list[ForestRow], int]:
    """The groups from the top down, and how many are left out."""
    kept = _most_telling(rows.reset_index(drop=True))
    numbers = {name: floats(kept[name]) for name in ("value", "ci_low", "ci_high")}
    records = sorted(kept.assign(**numbers).to_dict("records"), key=lambda record: natural(record["group"]))
    innermost = max((record["level"] for record in records), default=0)
    found = [_row(records[place], name, records[place]["level"] < innermost) for place, name in _nested(records)]
    return found, len(rows) - len(kept)


def _most_telling(rows: pd.DataFrame) -> pd.DataFrame:
    """All groups, or those left when the innermost and then the smallest are dropped; extremes stay."""
    if len(rows) <= MOST_ROWS:
        return rows
    # A level is drawn whole or not at all, so that no group seems to have fewer subgroups than it has.
    drawn = [level for level in sorted(set(rows["level"])) if (rows["level"] <= level).sum() <= MOST_ROWS]
    extreme = rows["standing"].notna()
    if drawn and max(drawn) > 0:
        return rows[(rows["level"] <= max(drawn)) | extreme]
    largest = rows[rows["level"] <= 1].sort_values(["level", "n_used"], ascending=[True, False], kind="stable")
    return rows[rows.index.isin(largest.index[:MOST_ROWS]) | extreme]


def _nested(records: list[dict[Hashable, Any]]) -> list[tuple[int, str]]:
    """Place and own name of every row, each subgroup right after its group."""
    found: list[tuple[int, str]] = []
    placed: set[int] = set()

    def descend(beginning: str, level: int) -> None:
        for place, record in enumerate(records):
            inside = record["level"] == level and str(record["group"]).startswith(beginning)
            if inside and place not in placed:
                placed.add(place)
                found.append((place, str(record["group"]).removeprefix(beginning)))
                descend("" if level == 0 else f"{record['group']}{BETWEEN}", level + 1)

    for level in sorted({record["level"] for record in records}):
        descend("", level)
    return found


def _row(record: dict[Hashable, Any], own_name: str, outer: bool) -> ForestRow:
    def words(name: str) -> str:
        return "" if pd.isna(record[name]) else str(record[name])

    return ForestRow(
        str(record["group"]),
        f"{short(own_name, 32)} (n={int(record['n_used']):,})",
        outer,
        record["value"],
        record["ci_low"],
        record["ci_high"],
        bool(record["small"]),
        words("standing"),
        words("undefined"),
    )
