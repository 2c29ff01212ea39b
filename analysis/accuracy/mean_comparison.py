"""Differences of means: Welch's t of different samples, paired t of the same ones."""

from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.accuracy.accuracy import numbers, spread_of_difference
from analysis.correlation.correlation import excludes_zero
from analysis.intervals.headline import headline_intervals
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.significance.dependent_correlations import ASSUMES
from analysis.significance.holm import below_level
from analysis.ties import differences as joined_differences
from analysis.undefined import UndefinedStatistic


class MeanDifference(NamedTuple):
    """Mean first - mean second, in the values' unit.

    `interval` is Student's, or the clustered bootstrap's where samples share clusters; then `significant` is read off
    it and `p` says that it assumes independence.
    """

    difference: float
    t: float
    df: float
    p: float
    p_method: str
    interval: Interval
    significant: bool | None
    n_first: int
    n_second: int


def welch(
    first: ArrayLike,
    second: ArrayLike,
    first_clusters: ArrayLike | None = None,
    second_clusters: ArrayLike | None = None,
    *,
    resampling: Resampling,
) -> MeanDifference:
    """Whether two sets of samples have the same mean, with spreads of their own.

    Args:
        first: Shape ``(n1,)``.
        second: Shape ``(n2,)``, same unit.
        first_clusters: Shape ``(n1,)``; both sides have clusters or neither.
        second_clusters: Shape ``(n2,)``; a label on both sides is one cluster.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.

    Returns:
        `df` is Welch-Satterthwaite's.

    Raises:
        ValueError: A value is missing, or clusters on one side only.
        UndefinedStatistic: A side has fewer than 2 samples, or neither varies.

    Source:
        Welch (1947), Biometrika 34:28-35.
    """
    a, b = _side(first), _side(second)
    if bool(np.all(a == a[0])) and bool(np.all(b == b[0])):
        raise UndefinedStatistic("neither side varies")
    found = scipy.stats.ttest_ind(a, b, equal_var=False)
    spread = spread_of_difference(a, b, first_clusters, second_clusters, resampling=resampling)
    clustered = None if spread is None else spread.interval
    return _result(_Test("Welch's t", found, float(a.mean() - b.mean())), clustered, resampling.confidence, a, b)


def paired_t(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> MeanDifference:
    """Whether the same samples have the same mean on both sides.

    Args:
        first: Shape ``(n,)``.
        second: Shape ``(n,)``, same order and unit.
        clusters: Shape ``(n,)``; none: every sample is its own.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.

    Returns:
        `df` is n - 1.

    Raises:
        ValueError: Shapes differ, or a value is missing.
        UndefinedStatistic: Fewer than 2 samples, or all differences are equal.

    Source:
        Student (1908), Biometrika 6:1-25.
    """
    a, b = _side(first), _side(second)
    if a.shape != b.shape or (clusters is not None and np.shape(clusters) != a.shape):
        raise ValueError(f"both sides and clusters must hold the same samples, got shapes {a.shape} and {b.shape}")
    differences = joined_differences(a, b)
    if bool(np.all(differences == differences[0])):
        raise UndefinedStatistic("all differences are equal")
    labels = np.arange(a.size) if clusters is None else clusters
    clustered = None
    if cluster_index(labels)[1] < a.size:
        [clustered] = headline_intervals(
            lambda counts: (counts @ differences / counts.sum(axis=1))[:, None],
            ("mean",),
            labels,
            resampling=resampling,
        )
    found = scipy.stats.ttest_1samp(differences, 0.0)
    return _result(_Test("paired t", found, float(differences.mean())), clustered, resampling.confidence, a, b)


def _side(values: ArrayLike) -> NDArray[np.float64]:
    array = numbers(values)
    if array.size < 2:
        raise UndefinedStatistic("only {n} sample, at least 2 needed for a spread", n=array.size)
    return array


class _Test(NamedTuple):
    name: str
    found: Any
    difference: float


def _result(
    test: _Test,
    clustered: Interval | None,
    confidence: float,
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> MeanDifference:
    (p_method, found, difference), n_first, n_second = test, first.size, second.size
    t, df, p = float(found.statistic), float(found.df), float(found.pvalue)
    if clustered is not None:
        significant = excludes_zero(clustered, float(max(np.abs(first).max(), np.abs(second).max())))
        method = f"{p_method}, {ASSUMES}"
        return MeanDifference(difference, t, df, p, method, clustered, significant, n_first, n_second)
    low, high = found.confidence_interval(confidence)
    n = n_first if p_method == "paired t" else n_first + n_second
    interval = Interval(float(low), float(high), f"{p_method}, {df:.6g} degrees of freedom", n, False, 0)
    significant = below_level(p, 1.0 - confidence)
    return MeanDifference(difference, t, df, p, p_method, interval, significant, n_first, n_second)
