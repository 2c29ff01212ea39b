"""What the intervals of each statistic were measured to cover, and what follows for few clusters."""

from collections.abc import Callable

from analysis.intervals.measured_row import Row
from analysis.intervals.measured_rows import STATISTICS

# Unreliable: below the promise over all designs together, or missing twice as often as it says in one of them. None:
# missing four times as often.
PROMISED = 0.93
UNRELIABLE_BELOW = 0.90
NONE_BELOW = 0.80
FEWEST = 5
# A statistic without rows: an interval from 5 clusters on, reliable from 10 on, as with the percentile bootstrap.
UNMEASURED = 10


def fewest_clusters(kind: str) -> int:
    """The fewest clusters with an interval: the grid begins at 5, and a design that covers under 80 % has none."""
    return _after(kind, lambda row: row.worst < NONE_BELOW)


def reliable_from(kind: str, *, near_edge: bool = False) -> int:
    """From how many clusters on intervals cover 93 % over all designs measured, and 90 % in each.

    Args:
        kind: The statistic. One that was not measured is reliable from 10 clusters on.
        near_edge: Of a share within 0.1 of 0 or 1, which has a row of its own.

    Returns:
        A number of clusters of the grid; under it an interval is marked `unreliable`.
    """
    edge = f"{kind} near an edge"
    row_of = edge if near_edge and edge in STATISTICS else kind
    if row_of not in STATISTICS:
        return UNMEASURED
    return _after(row_of, lambda row: row.mean < PROMISED or row.worst < UNRELIABLE_BELOW)


def _after(kind: str, fails: Callable[[Row], bool]) -> int:
    """The number of clusters that follows the last row that fails; beyond the table it is one more than its last."""
    rows = STATISTICS.get(kind, ())
    following = [row.clusters for row in rows[1:]] + [row.clusters + 1 for row in rows[-1:]]
    return max((after for row, after in zip(rows, following, strict=True) if fails(row)), default=FEWEST)
