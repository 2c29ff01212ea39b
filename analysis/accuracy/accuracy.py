"""Accuracies with their intervals, and the spread of a difference of two means."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals, left_out, of_jackknife
from analysis.intervals.jackknife import standard_errors
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.significance.wilson import wilson
from analysis.undefined import UndefinedStatistic


class Spread(NamedTuple):
    """How far a difference varies between clusters: its interval and its standard error, in its unit.

    `standard_error` is none where the interval has no bounds.
    """

    interval: Interval
    standard_error: float | None


class Accuracy(NamedTuple):
    """The share of right answers (0-1), with its interval."""

    value: float
    interval: Interval
    n_correct: int
    n: int
    n_clusters: int


def accuracy(correct: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling) -> Accuracy:
    """The share of right answers.

    Args:
        correct: Shape ``(n,)``, true or false per sample.
        clusters: Shape ``(n,)``; none: every sample is its own.
        resampling: Of the interval.

    Returns:
        The interval is Wilson's where each cluster holds one sample, else the score interval of clusters.

    Raises:
        ValueError: Shapes differ, or values that are not true or false.
        UndefinedStatistic: No sample.

    Source:
        docs/statistics.md, Multiple choice.
    """
    right = truths(correct)
    index, n_clusters = _clusters(right.size, clusters)
    n_correct = int(right.sum())
    if n_clusters == right.size:
        interval = wilson(n_correct, right.size, resampling.confidence)
    else:
        [interval] = headline_intervals(
            lambda counts: (counts @ right / counts.sum(axis=1))[:, None], ("share",), index, resampling=resampling
        )
    return Accuracy(n_correct / right.size, interval, n_correct, right.size, n_clusters)


def spread_of_difference(
    first: ArrayLike,
    second: ArrayLike,
    first_clusters: ArrayLike | None,
    second_clusters: ArrayLike | None,
    *,
    resampling: Resampling,
) -> Spread | None:
    """The jackknife interval over clusters and the standard error of mean first - mean second, of different samples.

    Args:
        first: Shape ``(n1,)``.
        second: Shape ``(n2,)``, same unit.
        first_clusters: Shape ``(n1,)``; both sides have clusters or neither.
        second_clusters: Shape ``(n2,)``; a label that occurs on both sides is one cluster of both.
        resampling: Of the interval.

    Returns:
        None where no two samples share a cluster. No bounds where one side has no sample without one of the clusters.

    Raises:
        ValueError: Shapes differ, a value or a cluster is missing, or clusters on one side only.
    """
    if (first_clusters is None) != (second_clusters is None):
        raise ValueError("both sides need clusters, or neither")
    if first_clusters is None or second_clusters is None:
        return None
    values = np.concatenate([numbers(first), numbers(second)])
    labels = np.concatenate([np.asarray(first_clusters), np.asarray(second_clusters)])
    if labels.shape != values.shape:
        raise ValueError(f"one cluster per sample is needed, got shape {labels.shape} for {values.shape}")
    n_clusters = cluster_index(labels)[1]
    if n_clusters == values.size:
        return None
    of_first = np.arange(values.size) < np.size(first)
    # Two means at once: the sums and the sizes of both sides.
    columns = np.column_stack([values * of_first, values * ~of_first, of_first, ~of_first]).astype(np.float64)

    def difference(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        sum_first, sum_second, n_first, n_second = (counts @ columns).T
        result = np.full(len(counts), np.nan)
        both = (n_first > 0) & (n_second > 0)
        np.divide(sum_first, n_first, out=result, where=both)
        return np.asarray((result - np.divide(sum_second, n_second, out=np.zeros(len(counts)), where=both))[:, None])

    found = left_out(difference, labels, seed=resampling.seed, workers=resampling.workers)
    [interval] = of_jackknife(found, ("mean",), confidence=resampling.confidence)
    error = float(standard_errors(found.deleted[:, 0]))
    return Spread(interval, None if interval.low is None else error)


def truths(correct: ArrayLike) -> NDArray[np.int64]:
    """Right answers as 1 and wrong ones as 0.

    Args:
        correct: Shape ``(n,)``, booleans or 0 and 1.

    Returns:
        Shape ``(n,)``.

    Raises:
        ValueError: Not one-dimensional, or another value.
        UndefinedStatistic: No sample.
    """
    array = np.asarray(correct)
    if array.ndim != 1:
        raise ValueError(f"one answer per sample is needed, got shape {array.shape}")
    if array.size == 0:
        raise UndefinedStatistic("no sample, so there is no accuracy")
    if array.dtype.kind not in "biuf" or not np.isin(array, [0, 1]).all():
        raise ValueError("each answer must be true or false, or 1 or 0")
    return array.astype(np.int64)


def _clusters(n: int, clusters: ArrayLike | None) -> tuple[NDArray[np.intp], int]:
    if clusters is not None and np.shape(clusters) != (n,):
        raise ValueError(f"one cluster per sample is needed, got shape {np.shape(clusters)} for {n} samples")
    return cluster_index(np.arange(n) if clusters is None else clusters)


def numbers(values: ArrayLike) -> NDArray[np.float64]:
    """One finite number per sample, shape ``(n,)``; a `ValueError` for anything else."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"one value per sample is needed, got shape {array.shape}")
    missing = int(np.count_nonzero(~np.isfinite(array)))
    if missing:
        raise ValueError(f"{missing} of {array.size} values are missing or infinite; drop and count them")
    return array
