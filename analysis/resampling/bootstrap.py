"""The clustered bootstrap: how often each observation occurs in each resample, and intervals from it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message, none_because
from analysis.resampling.workers import mapped
from analysis.ties import compare

CHUNK = 100
# So few counts at a time stay in the processor's cache with what is computed from them.
CELLS_AT_ONCE = 16_000
# Fewer rows than this cost more by their calls than by their counts: then three times as many cells.
FEWEST_ROWS = 16
FEWEST_CLUSTERS = 5
RELIABLE_CLUSTERS = 10
UNDEFINED_SHARE_LIMIT = 0.05
RESAMPLES = 1000

# Once a block this large was freed, glibc keeps smaller ones for the next array instead of returning them to the
# system, whose page faults otherwise take a third of a resample's time. Nothing is written to it.
np.empty(2**22, dtype=np.uint8)


Statistics = Callable[[NDArray[np.int64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Resampling:
    """How intervals over clusters are made.

    Attributes:
        seed: Of the resamples, and of the groups of clusters that are left out together above 1,000 of them.
        confidence: Between 0 and 1, 0.95 for a 95 % interval.
        workers: Processes; the results are the same for any number.
        resamples: Of percentile intervals; none: no such interval next to the headline one, and 1,000 resamples where
            it is the headline.
        bca_resamples: Of BCa intervals next to the headline one, 10,000 advised; none: no such intervals.

    Raises:
        ValueError: A confidence that is not between 0 and 1.
    """

    seed: int
    confidence: float = 0.95
    workers: int = 1
    resamples: int | None = None
    bca_resamples: int | None = None

    def __post_init__(self) -> None:
        check_confidence(self.confidence)

    @property
    def headline(self) -> "Resampling":
        """The same without the intervals next to the headline one."""
        return replace(self, resamples=None, bca_resamples=None)


class Interval(NamedTuple):
    """A confidence interval in the statistic's unit; no bounds where the data carry none, and `method` says why."""

    low: float | None
    high: float | None
    method: str
    n_clusters: int
    unreliable: bool
    n_dropped: int


class Estimate(NamedTuple):
    """A number with its interval, both in the same unit."""

    value: float
    interval: Interval


def cluster_index(clusters: ArrayLike) -> tuple[NDArray[np.intp], int]:
    """The number of each observation's cluster, counted from 0 in sorted order of the labels.

    Args:
        clusters: Shape ``(n,)``, one label per observation (text or integers).

    Returns:
        Shape ``(n,)`` and the number of clusters. Labels decide the numbers, so the order of rows does not.

    Raises:
        ValueError: Not one-dimensional, empty, or a label is missing.
    """
    labels = np.asarray(clusters)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"clusters must be one label per observation, got shape {labels.shape}")
    if labels.dtype.kind == "O" and any(label is None for label in labels):
        raise ValueError("a cluster label is missing")
    if labels.dtype.kind in "fcO" and bool(np.any(labels != labels)):
        raise ValueError("a cluster label is missing")
    names, index = np.unique(labels, return_inverse=True)
    return index, len(names)


def resampled_values(
    statistics: Statistics, clusters: ArrayLike, *, resamples: int, seed: int, workers: int = 1
) -> NDArray[np.float64]:
    """Several statistics of every clustered resample, which draws as many whole clusters as there are.

    Args:
        statistics: Takes counts of shape ``(rows, n)`` and gives shape ``(rows, m)``, NaN where undefined. It keeps no
            state: several workers call it at once.
        clusters: Shape ``(n,)``, the cluster of each observation.
        resamples: How many resamples.
        seed: Of the resamples.
        workers: Processes (see `workers.mapped`), each with whole chunks of 100 resamples; the values are the same for
            any number of them.

    Returns:
        Shape ``(resamples, m)``. Every chunk of 100 resamples has a child seed of its own, so that a longer run begins
        with the shorter one.

    Raises:
        ValueError: Bad resamples, workers or clusters.

    Source:
        Field and Welsh (2007), J. R. Stat. Soc. B 69:369-390 (cluster bootstrap).
    """
    index, n_clusters = cluster_index(clusters)

    def of_chunk(chunk: tuple[np.random.SeedSequence, int]) -> NDArray[np.float64]:
        return np.vstack([statistics(counts) for counts in _counts_of_chunk(index, n_clusters, *chunk)])

    return np.vstack(mapped(of_chunk, _chunks(resamples, seed), workers))


def percentile_interval(
    values: ArrayLike, *, confidence: float, n_clusters: int, refuse_constant: bool = False
) -> Interval:
    """The percentile interval of a statistic's resampled values.

    Args:
        values: Shape ``(resamples,)``; NaN marks a resample that does not define the statistic.
        confidence: Between 0 and 1, 0.95 for a 95 % interval.
        n_clusters: How many clusters were resampled.
        refuse_constant: A value that is the same in every resample has no bounds; else both are that value, as a
            difference of 0 needs.

    Returns:
        Bounds by linear interpolation between order statistics. Undefined resamples are dropped and counted; above
        5 % of them, or under 5 clusters, there are no bounds. Under 10 clusters the interval is `unreliable`.

    Raises:
        ValueError: `confidence` outside 0-1.

    Source:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    check_confidence(confidence)
    tail = (1.0 - confidence) / 2.0
    levels = (tail, 1.0 - tail)
    name = message("percentile bootstrap")
    return interval_between(levels, values, name, n_clusters, refuse_constant=refuse_constant)


def interval_between(
    levels: tuple[float, float],
    values: ArrayLike,
    name: str,
    n_clusters: int,
    *,
    refuse_constant: bool = False,
) -> Interval:
    """The interval between two quantiles of a statistic's resampled values.

    Args:
        levels: The lower and the upper quantile, shares of 1.
        values: Shape ``(resamples,)``; NaN marks a resample that does not define the statistic.
        name: Of the kind of bootstrap, which begins the interval's method.
        n_clusters: How many clusters were resampled.
        refuse_constant: As in `percentile_interval`.

    Returns:
        Bounds, or none with the reason, by the rules of `percentile_interval`.
    """
    array = np.asarray(values, dtype=np.float64)
    kept, resamples = array[np.isfinite(array)], array.size
    n_dropped = resamples - kept.size
    if n_clusters < FEWEST_CLUSTERS:
        return no_interval(too_few(n_clusters), n_clusters, n_dropped)
    if n_dropped > UNDEFINED_SHARE_LIMIT * resamples:
        why = message(
            "undefined in {n_dropped} of {resamples} resamples, more than 5 %", n_dropped=n_dropped, resamples=resamples
        )
        return no_interval(why, n_clusters, n_dropped)
    if refuse_constant and _all_the_same(kept):
        return no_interval("the same in every resample", n_clusters, n_dropped)
    low, high = np.quantile(kept, levels)
    method = method_words(name, resamples, n_clusters, n_dropped)
    return Interval(float(low), float(high), method, n_clusters, n_clusters < RELIABLE_CLUSTERS, n_dropped)


def clustered_intervals(statistics: Statistics, clusters: ArrayLike, *, resampling: Resampling) -> list[Interval]:
    """Percentile intervals of several statistics over the same clustered resamples.

    Args:
        statistics: As in `resampled_values`.
        clusters: Shape ``(n,)``, the cluster of each observation.
        resampling: Of the intervals.

    Returns:
        ``m`` intervals, in the order of the columns.

    Raises:
        ValueError: Bad confidence, resamples or clusters.
    """
    resamples = resampling.resamples or RESAMPLES
    _, n_clusters = cluster_index(clusters)
    values = resampled_values(
        statistics, clusters, resamples=resamples, seed=resampling.seed, workers=resampling.workers
    )
    return [percentile_interval(column, confidence=resampling.confidence, n_clusters=n_clusters) for column in values.T]


def too_few(n_clusters: int, fewest: int = FEWEST_CLUSTERS) -> str:
    """Why so few clusters have no interval."""
    return message("{n} cluster, fewer than {fewest}|{n} clusters, fewer than {fewest}", n=n_clusters, fewest=fewest)


def method_words(name: str, resamples: int, n_clusters: int, n_dropped: int) -> str:
    """How a bootstrap interval was made: its kind, from how many resamples of how many clusters."""
    method = message(
        "{name}, {resamples} resamples, {n_clusters} clusters", name=name, resamples=resamples, n_clusters=n_clusters
    )
    if n_dropped:
        return message("{method}, {n_dropped} undefined resamples dropped", method=method, n_dropped=n_dropped)
    return method


def no_interval(reason: str, n_clusters: int, n_dropped: int = 0) -> Interval:
    """An interval without bounds, and why."""
    return Interval(None, None, none_because(reason), n_clusters, True, n_dropped)


def _chunks(resamples: int, seed: int) -> list[tuple[np.random.SeedSequence, int]]:
    """The child seed and the number of resamples of each chunk."""
    if resamples < 1:
        raise ValueError(f"at least 1 resample is needed, got {resamples}")
    children = np.random.SeedSequence(seed).spawn(-(-resamples // CHUNK))
    return [(child, min(CHUNK, resamples - number * CHUNK)) for number, child in enumerate(children)]


def _counts_of_chunk(
    index: NDArray[np.intp], n_clusters: int, child: np.random.SeedSequence, rows: int
) -> Iterator[NDArray[np.int64]]:
    """The counts of one chunk, few rows at once; the draws do not depend on their number."""
    random = np.random.default_rng(child)
    at_once = max(1, CELLS_AT_ONCE // index.size)
    if at_once > 1:
        at_once = min(rows, max(at_once, min(FEWEST_ROWS, 3 * at_once)))
    each_its_own = n_clusters == index.size and bool(np.all(index == np.arange(n_clusters)))
    # Each row's cells follow the last row's; added whole, which takes half the time of a column added to a table.
    before = np.repeat(np.arange(at_once) * n_clusters, n_clusters)
    for start in range(0, rows, at_once):
        size = min(at_once, rows - start) * n_clusters
        cells = random.integers(0, n_clusters, size=size)
        cells += before[:size]
        per_cluster = np.bincount(cells, minlength=size).reshape(-1, n_clusters)
        yield per_cluster if each_its_own else per_cluster.take(index, axis=1)


def _all_the_same(values: NDArray[np.float64]) -> bool:
    """Equal but for the last digits of arithmetic on numbers of their size."""
    return bool(compare(values.max(), values.min(), np.abs(values).max()) == 0)


def check_confidence(confidence: float) -> None:
    """A `ValueError` for a confidence that is not between 0 and 1."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
