"""Discordant pairs of many resamples at once, by a merge sort whose moves are the same for every resample."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


class _Level(NamedTuple):
    """Blocks of `2 * half` neighbours in the order of (x, y): how y sorts them, and which come from the right half."""

    half: int
    order: NDArray[np.intp]
    right: NDArray[np.bool_]


def discordance_of_counts(x: NDArray[np.intp], y: NDArray[np.intp]) -> Callable[[Counts], Counts]:
    """A function from counts ``(resamples, n)`` to the number of discordant pairs ``(resamples,)``.

    In the order of (x, y) a pair is discordant when the later one has the smaller y. Every pair meets in one block of
    one level, the earlier one in its left half. There the left ones, each with the right ones before it in the order
    of y (of equal y the left one is first), make up the discordant pairs. Time and memory grow with n log n.

    Args:
        x: Shape ``(n,)``, any numbers with the ties that count.
        y: Shape ``(n,)``, same order.

    Returns:
        The function; its numbers are exact.

    Source:
        Knight (1966), J. Am. Stat. Assoc. 61:436-439, with weights.
    """
    n = len(x)
    order = np.lexsort((y, x))
    levels = list(_levels(y[order]))

    def discordance(counts: Counts) -> Counts:
        ordered = counts.take(order, axis=1)
        before = np.zeros((len(counts), n + 1), dtype=np.int64)
        np.cumsum(ordered, axis=1, out=before[:, 1:])
        pairs = np.zeros(len(counts), dtype=np.int64)
        for level in levels:
            merged = ordered.take(level.order, axis=1)
            right = merged * level.right
            merged -= right
            pairs += np.einsum("ij,ij->i", merged, np.cumsum(right, axis=1)) - _from_earlier_blocks(
                before, level.half, n
            )
        return pairs

    return discordance


def _levels(y: NDArray[np.intp]) -> list[_Level]:
    n = len(y)
    place = np.arange(n)
    levels = []
    half = 1
    while half < n:
        right = (place // half) % 2 == 1
        order = np.lexsort((right, y, place // (2 * half)))
        levels.append(_Level(half, order, right[order]))
        half *= 2
    return levels


def _from_earlier_blocks(before: Counts, half: int, n: int) -> Counts:
    """What a running sum of right halves over all blocks adds to the left ones of later blocks."""
    starts = np.arange(0, n, 2 * half)
    at_start, at_middle = before[:, starts], before[:, np.minimum(starts + half, n)]
    at_end = before[:, np.minimum(starts + 2 * half, n)]
    rights = at_end - at_middle
    return np.asarray(np.vecdot(at_middle - at_start, np.cumsum(rights, axis=1) - rights))
