"""The shift between two judges: the median of the Walsh averages, with its clustered interval."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from analysis.bootstrap import RESAMPLES, Estimate, cluster_index, clustered_intervals
from analysis.rounding import DECIMALS, rounded
from analysis.signed_rank import finite_differences
from analysis.undefined import UndefinedStatistic

# Differences as whole numbers of the last decimal that counts: sums of two are then exact.
UNITS = 10**DECIMALS
LARGEST = 1000.0
GRID_STEPS = 20_000

PairsUpTo = Callable[[int], int]


class _Grid(NamedTuple):
    """Differences as whole `steps` from `start` on, both start and `step` in units of 1e-12."""

    steps: NDArray[np.int64]
    start: int
    step: int
    exact: bool


def score_differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """First judge - second judge, document by document.

    Args:
        first: Shape ``(n,)``, scores on 0-1.
        second: Shape ``(n,)``, same order.

    Returns:
        Shape ``(n,)``, rounded before and after the subtraction.

    Raises:
        ValueError: Shapes differ, or a score is missing or infinite.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(f"both judges need one score per document, got shapes {one.shape} and {two.shape}")
    missing = int(np.count_nonzero(~(np.isfinite(one) & np.isfinite(two))))
    if missing:
        raise ValueError(f"{missing} of {one.size} documents lack a score of a judge; drop and count them")
    return rounded(rounded(one) - rounded(two))


def differences_by_query(
    first: ArrayLike, second: ArrayLike, queries: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.intp], int]:
    """First judge - second judge with the query of each document.

    Args:
        first: Shape ``(n,)``, scores on 0-1.
        second: Shape ``(n,)``, same documents.
        queries: Shape ``(n,)``, the query of each document.

    Returns:
        What `score_differences` gives, each document's query by number, and how many queries there are.

    Raises:
        ValueError: Shapes differ, or a score or a query is missing.
        UndefinedStatistic: No document.
    """
    differences = score_differences(first, second)
    if not differences.size:
        raise UndefinedStatistic("no document that both judges scored")
    index, n_queries = cluster_index(queries)
    if index.shape != differences.shape:
        raise ValueError(f"one query per document is needed, got shapes {index.shape} and {differences.shape}")
    return differences, index, n_queries


def walsh_median(differences: ArrayLike) -> float:
    """By how much differences are shifted away from 0: their Hodges-Lehmann estimate.

    Args:
        differences: Shape ``(n,)``, -1000 to 1000, zeros included.

    Returns:
        The median of the n(n+1)/2 averages of two differences, each with itself included; in the differences' unit
        and exact for any n: selected by counting pairs, n log n steps a count, not by listing them.

    Raises:
        ValueError: Not one-dimensional, or a difference is missing or beyond 1000.
        UndefinedStatistic: No difference.

    Source:
        Hodges and Lehmann (1963), Ann. Math. Stat. 34:598-611.
    """
    values, repeats = np.unique(_whole(differences), return_counts=True)
    up_to = np.r_[0, np.cumsum(repeats)]

    def pairs_up_to(total: int) -> int:
        ordered = int(repeats @ up_to[np.searchsorted(values, total - values, side="right")])
        return (ordered + int(up_to[np.searchsorted(values, total // 2, side="right")])) // 2

    twice = _twice_middle_sum(pairs_up_to, int(up_to[-1]), 2 * int(values[0]), 2 * int(values[-1]))
    return twice / 4 / UNITS


def shift(
    differences: ArrayLike,
    clusters: ArrayLike,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    workers: int = 1,
) -> Estimate:
    """`walsh_median` with its interval over resampled clusters.

    Args:
        differences: Shape ``(n,)``, -1000 to 1000, zeros included.
        clusters: Shape ``(n,)``, the query of each difference.
        seed: Of the resamples.
        resamples: How many resamples.
        confidence: Between 0 and 1.
        workers: Processes; the interval is the same for any number.

    Returns:
        The exact value. In resamples the differences stand on a grid: the widest that holds all of them, where it has
        at most 20,000 steps (scores of up to four decimals always do), else one of 20,000 steps from the smallest to
        the largest, and the method says so: no resample's shift is off by more than half a step.

    Raises:
        ValueError: Shapes that do not fit, a missing difference or cluster, or bad resamples or confidence.
        UndefinedStatistic: No difference.

    Source:
        Hodges and Lehmann (1963), Ann. Math. Stat. 34:598-611; Field and Welsh (2007), J. R. Stat. Soc. B 69:369-390.
    """
    value, whole = walsh_median(differences), _whole(differences)
    index, n_clusters = cluster_index(clusters)
    if index.shape != whole.shape:
        raise ValueError(f"one cluster per difference is needed, got shapes {index.shape} and {whole.shape}")
    grid = _grid(whole)
    ones = np.ones(len(index), dtype=np.int64)
    of_step = csr_matrix((ones, (grid.steps, index)), shape=(int(grid.steps.max()) + 1, n_clusters))

    def shifts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        weights = np.ascontiguousarray((of_step @ counts.T).T)
        return np.array([[(grid.start + grid.step * _middle_step(row)) / UNITS] for row in weights])

    [interval] = clustered_intervals(
        shifts, np.arange(n_clusters), resamples=resamples, seed=seed, confidence=confidence, workers=workers
    )
    if not grid.exact and interval.low is not None:
        interval = interval._replace(method=f"{interval.method}, on a grid of {grid.step / UNITS:.2g}")
    return Estimate(value, interval)


def _whole(differences: ArrayLike) -> NDArray[np.int64]:
    values = finite_differences(differences)
    if not values.size:
        raise UndefinedStatistic("no difference, so there is no shift")
    if float(np.abs(values).max()) > LARGEST:
        raise ValueError(f"differences must lie between -{LARGEST:g} and {LARGEST:g}")
    return np.rint(values * UNITS).astype(np.int64)


def _grid(whole: NDArray[np.int64]) -> _Grid:
    start = int(whole.min())
    above = whole - start
    widest, span = max(1, int(np.gcd.reduce(above))), int(above.max())
    exact = span // widest <= GRID_STEPS
    step = widest if exact else -(-span // GRID_STEPS)
    return _Grid((2 * above + step) // (2 * step), start, step, exact)


def _middle_step(weights: NDArray[np.int64]) -> float:
    """The Walsh median, in steps from the grid's start, where each step holds so many differences."""
    last = len(weights) - 1
    up_to = np.cumsum(weights)
    # In whole numbers: exact, and not handed to threads that wait for each other, as so short a product of floats is.
    backwards, n = up_to[::-1].copy(), int(up_to[-1])

    def pairs_up_to(total: int) -> int:
        all_below = total - last  # a difference less than so many steps up fits every other
        ordered = n * int(up_to[all_below - 1]) if all_below > 0 else 0
        low, high = max(0, all_below), min(last, total)
        ordered += int(weights[low : high + 1] @ backwards[last - total + low : last - total + high + 1])
        return (ordered + int(up_to[total // 2])) // 2

    return _twice_middle_sum(pairs_up_to, n, 0, 2 * last) / 4


def _twice_middle_sum(pairs_up_to: PairsUpTo, n: int, low: int, high: int) -> int:
    """The two middle sums of all pairs of n whole numbers, added; the same one twice where the pairs are odd."""
    pairs = n * (n + 1) // 2
    lower = _smallest_sum(pairs_up_to, (pairs + 1) // 2, (low - 1, 0), (high, pairs))
    found = pairs_up_to(lower)
    upper_place = pairs // 2 + 1
    if found >= upper_place:
        return 2 * lower
    return lower + _smallest_sum(pairs_up_to, upper_place, (lower, found), (high, pairs))


def _smallest_sum(pairs_up_to: PairsUpTo, place: int, below: tuple[int, int], above: tuple[int, int]) -> int:
    """The smallest sum up to which there are `place` pairs; `below` and `above` are sums with their pairs.

    Every other guess lies where a straight line between the two puts it, which is close where the sums are many and
    spread; halving in between bounds the number of guesses where they are not.
    """
    by_line = True
    while above[0] - below[0] > 1:
        width = above[0] - below[0]
        step = width * (place - below[1]) // (above[1] - below[1]) if by_line else width // 2
        guess = below[0] + min(max(step, 1), width - 1)
        by_line = not by_line
        pairs = pairs_up_to(guess)
        if pairs >= place:
            above = (guess, pairs)
        else:
            below = (guess, pairs)
    return above[0]
