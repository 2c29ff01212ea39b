"""The shift between two judges: the median of the Walsh averages, with its clustered interval."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.resampling.bootstrap import Estimate, Resampling, cluster_index, clustered_intervals
from analysis.resampling.weighted import Floats
from analysis.significance.signed_rank import finite_differences
from analysis.ties import compare, differences
from analysis.undefined import UndefinedStatistic

# So many distinct differences are looked at one by one in each resample; of more, neighbours stand for each other.
MOST_DISTINCT = 20_000
# Beyond these shares differences are few and far apart: they keep their own values.
MIDDLE = (0.001, 0.999)
# Averages left between two bounds are listed where they are no more than so many for each difference.
LISTED = 4
# Of so few distinct differences all averages are listed and sorted once for all resamples.
FEW_DISTINCT = 256


class _Bound(NamedTuple):
    """An average, how many pairs have at most that, and of how many differences each one is the other half."""

    average: float
    pairs: int
    partners: NDArray[np.intp]


def score_differences(first: ArrayLike, second: ArrayLike) -> Floats:
    """First judge - second judge, document by document.

    Args:
        first: Shape ``(n,)``, scores in any unit.
        second: Shape ``(n,)``, same order.

    Returns:
        Shape ``(n,)``, ties joined.

    Raises:
        ValueError: Shapes differ, or a score is missing or infinite.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(f"both judges need one score per document, got shapes {one.shape} and {two.shape}")
    missing = int(np.count_nonzero(~(np.isfinite(one) & np.isfinite(two))))
    if missing:
        raise ValueError(f"{missing} of {one.size} documents lack a score of a judge; drop and count them")
    return differences(one, two)


def differences_by_query(
    first: ArrayLike, second: ArrayLike, queries: ArrayLike
) -> tuple[Floats, NDArray[np.intp], int]:
    """First judge - second judge with the query of each document.

    Args:
        first: Shape ``(n,)``, scores in any unit.
        second: Shape ``(n,)``, same documents.
        queries: Shape ``(n,)``, the query of each document.

    Returns:
        What `score_differences` gives, each document's query by number, and how many queries there are.

    Raises:
        ValueError: Shapes differ, or a score or a query is missing.
        UndefinedStatistic: No document.
    """
    apart = score_differences(first, second)
    if not apart.size:
        raise UndefinedStatistic("no document that both judges scored")
    index, n_queries = cluster_index(queries)
    if index.shape != apart.shape:
        raise ValueError(f"one query per document is needed, got shapes {index.shape} and {apart.shape}")
    return apart, index, n_queries


def walsh_median(differences: ArrayLike) -> float:
    """By how much differences are shifted away from 0: their Hodges-Lehmann estimate.

    Args:
        differences: Shape ``(n,)``, in any unit, zeros included, as `ties.differences` gives them.

    Returns:
        The median of the n(n+1)/2 averages of two differences, each with itself included, in the differences' unit:
        selected by counting pairs, n log n steps a count, not by listing them.

    Raises:
        ValueError: Not one-dimensional, or a difference is missing.
        UndefinedStatistic: No difference.

    Source:
        Hodges and Lehmann (1963), Ann. Math. Stat. 34:598-611.
    """
    values, repeats = np.unique(_some(differences), return_counts=True)
    return _median_average(values, repeats.astype(np.int64))


def shift(differences: ArrayLike, clusters: ArrayLike, *, resampling: Resampling) -> Estimate:
    """`walsh_median` with its interval over resampled clusters.

    Args:
        differences: Shape ``(n,)``, in any unit, zeros included, as `ties.differences` gives them.
        clusters: Shape ``(n,)``, the query of each difference.
        resampling: Of the interval.

    Returns:
        The exact value. Resamples are exact too where there are at most 20,000 distinct differences; of more, those in
        the middle 99.8 % are put on a grid of 20,000 steps, and the method says so: no resample's shift is off by more
        than half a step.

    Raises:
        ValueError: Shapes that do not fit, a missing difference or cluster, or bad resamples or confidence.
        UndefinedStatistic: No difference.

    Source:
        Hodges and Lehmann (1963), Ann. Math. Stat. 34:598-611; Field and Welsh (2007), J. R. Stat. Soc. B 69:369-390.
    """
    apart = _some(differences)
    value = walsh_median(apart)
    index, n_clusters = cluster_index(clusters)
    if index.shape != apart.shape:
        raise ValueError(f"one cluster per difference is needed, got shapes {index.shape} and {apart.shape}")
    values, place, step = _distinct(apart)
    ones = np.ones(len(index), dtype=np.int64)
    of_value = scipy.sparse.csr_matrix((ones, (place, index)), shape=(len(values), n_clusters))

    few = _every_pair(values) if len(values) <= FEW_DISTINCT else None

    def shifts(counts: NDArray[np.int64]) -> Floats:
        weights = np.ascontiguousarray((of_value @ counts.T).T)
        if few is None:
            return np.array([[_median_average(values[row > 0], row[row > 0])] for row in weights])
        return np.array([[_median_of_listed(*few, row)] for row in weights])

    [interval] = clustered_intervals(shifts, np.arange(n_clusters), resampling=resampling)
    if step and interval.low is not None:
        interval = interval._replace(
            method=message("{method}, on a grid of {step:.2g}", method=interval.method, step=step)
        )
    return Estimate(value, interval)


def _some(differences: ArrayLike) -> Floats:
    values = finite_differences(differences)
    if not values.size:
        raise UndefinedStatistic("no difference, so there is no shift")
    return values


def _distinct(apart: Floats) -> tuple[Floats, NDArray[np.intp], float]:
    """Distinct differences in ascending order, the place of each difference among them, and the step of their grid."""
    values, place = np.unique(apart, return_inverse=True)
    if len(values) <= MOST_DISTINCT:
        return values, place, 0.0
    low, high = np.quantile(apart, MIDDLE)
    step = float(high - low) / MOST_DISTINCT
    inside = (apart >= low) & (apart <= high)
    on_grid = np.where(inside, low + step * np.rint((apart - low) / step), apart)
    values, place = np.unique(on_grid, return_inverse=True)
    return values, place, step


def _median_average(values: Floats, weights: NDArray[np.int64]) -> float:
    """The median of the averages of all pairs of distinct ascending values, each there as often as its weight says."""
    n = int(weights.sum())
    pairs = n * (n + 1) // 2
    first, second = (pairs + 1) // 2, pairs // 2 + 1
    # Halves are exact, and their sums never overflow.
    halves, up_to = values / 2.0, np.r_[0, np.cumsum(weights)]
    below = _Bound(2.0 * float(halves[0]), 0, np.zeros(len(values), dtype=np.intp))
    above = _Bound(2.0 * float(halves[-1]), pairs, np.full(len(values), len(values)))
    left, now = np.inf, len(values) ** 2
    # What is left stops shrinking where many sums are equal, as those of huge differences with small ones.
    while LISTED * len(values) < now < left:
        for guess in (_on_line, _middle_of_rows):
            average = guess(halves, below, above, first)
            partners = _partners(halves, average)
            alone = np.searchsorted(halves, average / 2.0, side="right")
            bound = _Bound(average, (int(weights @ up_to[partners]) + int(up_to[alone])) // 2, partners)
            if bound.pairs < first:
                below = bound
            elif bound.pairs >= second:
                above = bound
            else:
                some, rest = partners > 0, partners < len(values)
                largest = float((halves[some] + halves[partners[some] - 1]).max())
                return _middle(largest, float((halves[rest] + halves[partners[rest]]).min()))
        left, now = now, int((above.partners - below.partners).sum())
    one, other, averages = _listed(halves, below.partners, above.partners)
    places = below.pairs + np.cumsum(_repeats(weights, one, other))
    return _middle(*(float(averages[np.searchsorted(places, place)]) for place in (first, second)))


def _every_pair(values: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """All pairs of distinct values, each with itself too, in ascending order of their averages."""
    n = len(values)
    return _listed(values / 2.0, np.zeros(n, dtype=np.intp), np.full(n, n))


def _median_of_listed(
    one: NDArray[np.intp], other: NDArray[np.intp], averages: Floats, weights: NDArray[np.int64]
) -> float:
    """`_median_average` from what `_every_pair` gives."""
    places = np.cumsum(_repeats(weights, one, other))
    pairs = int(places[-1])
    return _middle(*(float(averages[np.searchsorted(places, place)]) for place in ((pairs + 1) // 2, pairs // 2 + 1)))


def _repeats(weights: NDArray[np.int64], one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.int64]:
    """How often each pair is there."""
    found = weights[one] * weights[other]
    itself = one == other
    found[itself] = (found[itself] + weights[one[itself]]) // 2
    return found


def _middle(lower: float, upper: float) -> float:
    middle = lower / 2.0 + upper / 2.0
    return middle if compare(middle, 0.0, max(abs(lower), abs(upper))) else 0.0


def _on_line(halves: Floats, below: _Bound, above: _Bound, place: int) -> float:
    """Where the pair of that place would be if averages were spread evenly between two bounds."""
    share = (place - below.pairs) / (above.pairs - below.pairs)
    return below.average * (1.0 - share) + above.average * share


def _middle_of_rows(halves: Floats, below: _Bound, above: _Bound, place: int) -> float:
    """An average with at least a quarter of those between two bounds on either side: a median of medians."""
    left = above.partners - below.partners
    rows = np.flatnonzero(left > 0)
    medians = halves[rows] + halves[below.partners[rows] + (left[rows] - 1) // 2]
    order = np.argsort(medians)
    return float(medians[order[np.searchsorted(np.cumsum(left[rows][order]), left.sum() / 2.0)]])


def _partners(halves: Floats, average: float) -> NDArray[np.intp]:
    """With how many others, the smallest first, each difference averages at most that."""
    found = np.searchsorted(halves, average - halves, side="right")
    last = len(halves) - 1
    # The subtraction is off by a bit where the sum is not.
    while True:
        more = (found <= last) & (halves[np.minimum(found, last)] + halves <= average)
        fewer = (found > 0) & (halves[found - 1] + halves > average)
        if not (more.any() or fewer.any()):
            return found
        found = found + more - fewer


def _listed(
    halves: Floats, lowest: NDArray[np.intp], up_to: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """The pairs between two bounds, each once, and their averages in ascending order."""
    left = up_to - lowest
    one = np.repeat(np.arange(len(halves)), left)
    other = np.arange(len(one)) - np.repeat(np.cumsum(left) - left, left) + np.repeat(lowest, left)
    kept = other >= one
    one, other = one[kept], other[kept]
    averages = halves[one] + halves[other]
    order = np.argsort(averages, kind="stable")
    return one[order], other[order], averages[order]
