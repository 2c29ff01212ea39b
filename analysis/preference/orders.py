"""The two orders in which a pair was shown: merged, compared, and what the place on the screen did."""

from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals
from analysis.preference.truth import NO_WINNER, vote_counts, winners
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.undefined import UndefinedStatistic

SHOWN = 5


class MergedPairs(NamedTuple):
    """Photo pairs with the votes of both orders added; image 1 is the one with the lower compareID.

    `series`, `lower`, `higher`, `votes_lower`, `votes_higher`, `votes_neither`, `n_orders` have one entry per pair,
    sorted by series and compareIDs. `pair_of_row` and `turned` have one per row of the input: its pair, and whether it
    showed the higher compareID first.
    """

    series: NDArray[Any]
    lower: NDArray[np.int64]
    higher: NDArray[np.int64]
    votes_lower: NDArray[np.int64]
    votes_higher: NDArray[np.int64]
    votes_neither: NDArray[np.int64]
    n_orders: NDArray[np.int64]
    pair_of_row: NDArray[np.intp]
    turned: NDArray[np.bool_]


class PositionEffect(NamedTuple):
    """Whether people prefer what they see first: the share (0-1) of votes for it, 0.5 where the place does nothing.

    `z` and two-sided `p` treat clusters as independent, not votes; none where each cluster splits evenly.
    """

    share: float
    interval: Interval
    z: float | None
    p: float | None
    votes_first: int
    votes: int
    n_clusters: int


def merge_orders(
    series: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    left: ArrayLike,
    right: ArrayLike,
    neither: ArrayLike | None = None,
) -> MergedPairs:
    """The photo pairs behind rows that are one presentation order each.

    Args:
        series: Shape ``(n,)``, the series of each row (text or integers).
        first: Shape ``(n,)``, compareID of the image shown first, whole numbers.
        second: Shape ``(n,)``, compareID of the other.
        left: Shape ``(n,)``, votes for the first.
        right: Shape ``(n,)``, votes for the second.
        neither: Shape ``(n,)``, votes for neither; none: 0.

    Returns:
        One entry per photo pair, whether shown in one order or in both.

    Raises:
        ValueError: Shapes differ, a label is missing, an image is paired with itself, an ordered row occurs twice, or
            votes that `preference_truth.winners` refuses.

    Source:
        docs/statistics.md, Pairwise preference.
    """
    for_first, for_second = vote_counts(left, right, neither)
    for_neither = np.zeros(for_first.size) if neither is None else np.asarray(neither)
    labels, ids = np.asarray(series), [np.asarray(first), np.asarray(second)]
    if any(column.shape != for_first.shape for column in (labels, *ids)):
        raise ValueError(
            f"one series and two compareIDs per row are needed, got shapes {labels.shape}, {ids[0].shape} and "
            f"{ids[1].shape} for {for_first.shape}"
        )
    one, other = (column.astype(np.int64) for column in ids)
    if any(not np.array_equal(column, whole) for column, whole in zip(ids, (one, other), strict=True)):
        raise ValueError("compareIDs must be whole numbers")
    number, _ = cluster_index(labels)
    _refuse(one == other, labels, one, other, "pair an image with itself")
    rows = np.column_stack([number, one, other])
    _, place, times = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    _refuse(times[place] > 1, labels, one, other, "occur more than once in the same order")
    turned = one > other
    low, high = np.minimum(one, other), np.maximum(one, other)
    _, row, pair = np.unique(np.column_stack([number, low, high]), axis=0, return_index=True, return_inverse=True)
    size = row.size
    votes_lower = np.bincount(pair, weights=np.where(turned, for_second, for_first), minlength=size)
    votes_higher = np.bincount(pair, weights=np.where(turned, for_first, for_second), minlength=size)
    return MergedPairs(
        labels[row],
        low[row],
        high[row],
        votes_lower.astype(np.int64),
        votes_higher.astype(np.int64),
        np.bincount(pair, weights=for_neither, minlength=size).astype(np.int64),
        np.bincount(pair, minlength=size),
        pair,
        turned,
    )


def opposite_winners(
    merged: MergedPairs, left: ArrayLike, right: ArrayLike, *, neither: ArrayLike | None = None
) -> NDArray[np.bool_]:
    """Pairs whose two orders have opposite winners: people do not agree with people there.

    Args:
        merged: The pairs behind the rows.
        left: Shape ``(n,)``, votes for the image shown first, rows as they were merged.
        right: Shape ``(n,)``, votes for the other.
        neither: Shape ``(n,)``, votes for neither; none: 0.

    Returns:
        Shape ``(m,)``, one per pair; a tied row has no winner and opposes nothing.

    Raises:
        ValueError: As `preference_truth.winners`, or shapes differ.
    """
    winner = winners(left, right, neither)
    if winner.shape != merged.pair_of_row.shape:
        raise ValueError(f"votes of each merged row are needed, got {winner.shape} for {merged.pair_of_row.shape}")
    counted = winner != NO_WINNER
    lower_wins = (winner == 1) != merged.turned
    size = merged.lower.size
    for_lower = np.bincount(merged.pair_of_row[counted & lower_wins], minlength=size)
    for_higher = np.bincount(merged.pair_of_row[counted & ~lower_wins], minlength=size)
    return (for_lower > 0) & (for_higher > 0)


def position_effect(
    left: ArrayLike, right: ArrayLike, clusters: ArrayLike, *, resampling: Resampling
) -> PositionEffect:
    """How far people prefer the image that they are shown first.

    Args:
        left: Shape ``(n,)``, votes for the image shown first.
        right: Shape ``(n,)``, votes for the other.
        clusters: Shape ``(n,)``, the series of each row, or what several series share, such as a scene.
        resampling: Of the interval.

    Returns:
        ``z = sum D / sqrt(sum D^2)``, D of a cluster its votes for the first - half of all its votes. Only pairs shown
        in both orders balance the place against the images; over all rows it also carries which image came first.

    Raises:
        ValueError: As `preference_truth.winners`, or shapes differ.
        UndefinedStatistic: No row.
    """
    for_first, for_second = vote_counts(left, right)
    if np.shape(clusters) != for_first.shape:
        raise ValueError(f"one cluster per row is needed, got shape {np.shape(clusters)} for {for_first.shape}")
    if for_first.size == 0:
        raise UndefinedStatistic("no row, so there is no vote")
    index, n_clusters = cluster_index(clusters)
    both = for_first + for_second
    sums = np.column_stack([np.bincount(index, weights=column) for column in (for_first, both)])
    [interval] = headline_intervals(
        lambda counts: _ratio((counts @ sums).astype(np.float64)),
        ("share",),
        np.arange(n_clusters),
        resampling=resampling,
        sizes=sums[:, 1],
    )
    surplus = sums[:, 0] - sums[:, 1] / 2.0
    norm_of_surplus = float(np.sqrt(surplus @ surplus))
    z = float(surplus.sum()) / norm_of_surplus if norm_of_surplus else None
    p = None if z is None else float(2.0 * scipy.stats.norm.sf(abs(z)))
    n_first, n_votes = int(for_first.sum()), int(both.sum())
    return PositionEffect(n_first / n_votes, interval, z, p, n_first, n_votes, n_clusters)


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return (sums[:, 0] / sums[:, 1])[:, None]


def _refuse(
    bad: NDArray[np.bool_], series: NDArray[Any], first: NDArray[np.int64], second: NDArray[np.int64], what: str
) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        shown = "; ".join(
            f"series {series[row]}, {first[row]} and {second[row]} (row {row}, counted from 0)" for row in rows[:SHOWN]
        )
        raise ValueError(f"{rows.size} rows {what}: {shown}")
