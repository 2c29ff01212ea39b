"""What the intervals of each statistic were measured to cover, and what follows for few clusters."""

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("measured.json")
# An interval that misses twice as often as it says is unreliable, one that misses four times as often is none.
UNRELIABLE_BELOW = 0.90
NONE_BELOW = 0.80
FEWEST = 5


def fewest_clusters(kind: str) -> int:
    """The fewest clusters with an interval of that statistic: from there on none of its designs covers under 80 %."""
    return _first_from(kind, NONE_BELOW)


def reliable_from(kind: str, *, near_edge: bool = False) -> int:
    """From how many clusters on the intervals of that statistic cover at least 90 % in every design measured.

    Args:
        kind: The statistic.
        near_edge: Of a share within 0.1 of 0 or 1, which has a row of its own.

    Returns:
        A number of clusters of the measured grid; under it an interval is marked `unreliable`.
    """
    edge = f"{kind} near an edge"
    return _first_from(edge if near_edge and edge in measured()["statistics"] else kind, UNRELIABLE_BELOW)


@lru_cache(maxsize=1)
def measured() -> dict[str, Any]:
    """The table that `tools/coverage.py` wrote: date, seed, data sets, and by statistic its rows by clusters."""
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


@cache
def _first_from(kind: str, level: float) -> int:
    """The first number of clusters from which on every row is at or above the level; beyond the last row: the next."""
    rows = measured()["statistics"].get(kind, [])
    after = [row["clusters"] for row in rows[1:]] + [rows[-1]["clusters"] + 1] if rows else []
    return max((following for row, following in zip(rows, after, strict=True) if row["worst"] < level), default=FEWEST)
