"""The clustered bootstrap: how often each observation occurs in each resample, and intervals from it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHUNK = 100
FEWEST_CLUSTERS = 5
RELIABLE_CLUSTERS = 10
UNDEFINED_SHARE_LIMIT = 0.05
RESAMPLES = 1000


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


def resample_counts(clusters: ArrayLike, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """How often each observation occurs in each resample, whole clusters drawn with replacement.

    A resample draws as many clusters as there are. Every chunk of 100 resamples has a child seed of its own, so chunk
    3 is the same whoever computes it and however many chunks there are.

    Args:
        clusters: Shape ``(n,)``, the cluster of each observation.
        resamples: How many resamples in all.
        seed: The same seed gives the same resamples.

    Yields:
        Shape ``(chunk, n)`` with ``chunk`` at most 100: row r holds how often each observation occurs in resample r.

    Raises:
        ValueError: Fewer than one resample, or clusters that `cluster_index` refuses.

    Source:
        Field and Welsh (2007), J. R. Stat. Soc. B 69:369-390 (cluster bootstrap).
    """
    if resamples < 1:
        raise ValueError(f"at least 1 resample is needed, got {resamples}")
    index, n_clusters = cluster_index(clusters)
    children = np.random.SeedSequence(seed).spawn(-(-resamples // CHUNK))
    for number, child in enumerate(children):
        rows = min(CHUNK, resamples - number * CHUNK)
        drawn = np.random.default_rng(child).integers(0, n_clusters, size=(rows, n_clusters))
        cells = (drawn + np.arange(rows)[:, None] * n_clusters).ravel()
        per_cluster = np.bincount(cells, minlength=rows * n_clusters).reshape(rows, n_clusters)
        yield per_cluster[:, index]


def percentile_interval(values: ArrayLike, *, confidence: float, n_clusters: int, resamples: int) -> Interval:
    """The percentile interval of a statistic's resampled values.

    Args:
        values: Shape ``(resamples,)``; NaN marks a resample that does not define the statistic.
        confidence: Between 0 and 1, 0.95 for a 95 % interval.
        n_clusters: How many clusters were resampled.
        resamples: How many resamples were made.

    Returns:
        Bounds by linear interpolation between order statistics. Undefined resamples are dropped and counted; above
        5 % of them, or under 5 clusters, there are no bounds. Under 10 clusters the interval is `unreliable`.

    Raises:
        ValueError: `confidence` outside 0-1, or another number of values than resamples.

    Source:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    array = np.asarray(values, dtype=np.float64)
    _check_confidence(confidence)
    if array.shape != (resamples,):
        raise ValueError(f"expected one value per resample ({resamples}), got shape {array.shape}")
    kept = array[np.isfinite(array)]
    n_dropped = int(array.size - kept.size)
    if n_clusters < FEWEST_CLUSTERS:
        return _no_interval(n_clusters, n_dropped)
    if n_dropped > UNDEFINED_SHARE_LIMIT * resamples:
        why = f"none: undefined in {n_dropped} of {resamples} resamples, more than 5 %"
        return Interval(None, None, why, n_clusters, True, n_dropped)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(kept, [tail, 1.0 - tail])
    method = f"percentile bootstrap, {resamples} resamples, {n_clusters} clusters"
    if n_dropped:
        method += f", {n_dropped} undefined resamples dropped"
    return Interval(float(low), float(high), method, n_clusters, n_clusters < RELIABLE_CLUSTERS, n_dropped)


def clustered_intervals(
    statistics: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    clusters: ArrayLike,
    *,
    resamples: int,
    seed: int,
    confidence: float,
) -> list[Interval]:
    """Percentile intervals of several statistics over the same clustered resamples.

    Args:
        statistics: Takes counts of shape ``(chunk, n)`` and gives shape ``(chunk, m)``, NaN where undefined.
        clusters: Shape ``(n,)``, the cluster of each observation.
        resamples: How many resamples.
        seed: Of the resamples.
        confidence: Between 0 and 1.

    Returns:
        ``m`` intervals, in the order of the columns.

    Raises:
        ValueError: Bad confidence, resamples or clusters.
    """
    _check_confidence(confidence)
    _, n_clusters = cluster_index(clusters)
    values = np.vstack([statistics(counts) for counts in resample_counts(clusters, resamples, seed)])
    return [
        percentile_interval(column, confidence=confidence, n_clusters=n_clusters, resamples=resamples)
        for column in values.T
    ]


def _no_interval(n_clusters: int, n_dropped: int) -> Interval:
    word = "cluster" if n_clusters == 1 else "clusters"
    method = f"none: {n_clusters} {word}, fewer than {FEWEST_CLUSTERS}"
    return Interval(None, None, method, n_clusters, True, n_dropped)


def _check_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
