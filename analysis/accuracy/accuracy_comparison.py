"""Two accuracies compared: of different samples, and of the same samples."""

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.accuracy.accuracy import spread_of_difference, truths
from analysis.correlation.correlation import excludes_zero
from analysis.intervals.headline import headline_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.significance.dependent_correlations import ASSUMES
from analysis.significance.holm import below_level
from analysis.significance.mcnemar import McNemar, mcnemar

SMALLEST_EXPECTED = 5.0


class TwoAccuracies(NamedTuple):
    """Accuracies of different samples: `difference` first - second (shares), `cohens_h` its size.

    `chi_square` is none where Fisher's test was made, `interval` none where no sample shares a cluster with another.
    `standard_error` is the clustered bootstrap's, none where the interval has no bounds.
    `significant` is read off the interval where clusters exist, off p elsewhere.
    """

    first: float
    second: float
    difference: float
    cohens_h: float
    chi_square: float | None
    p: float
    p_method: str
    interval: Interval | None
    standard_error: float | None
    significant: bool | None
    n_first: int
    n_second: int


class SameSamples(NamedTuple):
    """Accuracies of two models on the same samples, with the clustered interval of first - second."""

    first: float
    second: float
    difference: float
    interval: Interval
    mcnemar: McNemar
    p_method: str
    significant: bool | None
    n: int


def cohens_h(first: float, second: float) -> float:
    """The difference of two shares on a scale on which its standard error depends on the sizes alone.

    Args:
        first: 0-1.
        second: 0-1.

    Returns:
        Unitless: 0.2 small, 0.5 medium, 0.8 large; above 0 where the first is larger.

    Raises:
        ValueError: A share outside 0-1.

    Source:
        Cohen (1988), Statistical Power Analysis, chapter 6: ``2 asin(sqrt(p1)) - 2 asin(sqrt(p2))``.
    """
    for share in (first, second):
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a share lies between 0 and 1, got {share}")
    return 2.0 * math.asin(math.sqrt(first)) - 2.0 * math.asin(math.sqrt(second))


def compare_accuracies(
    first: ArrayLike,
    second: ArrayLike,
    first_clusters: ArrayLike | None = None,
    second_clusters: ArrayLike | None = None,
    *,
    resampling: Resampling,
) -> TwoAccuracies:
    """Whether answers to different samples are right equally often.

    Args:
        first: Shape ``(n1,)``, right or wrong per sample.
        second: Shape ``(n2,)``.
        first_clusters: Shape ``(n1,)``; both sides have clusters or neither.
        second_clusters: Shape ``(n2,)``; a label on both sides is one cluster.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.

    Returns:
        Chi-square without continuity correction, or Fisher's exact test where an expected count is under 5.

    Raises:
        ValueError: Shapes differ, values that are not true or false, or clusters on one side only.
        UndefinedStatistic: A side without samples.

    Source:
        docs/statistics.md, Multiple choice.
    """
    a, b = truths(first), truths(second)
    table = np.array([[a.sum(), a.size - a.sum()], [b.sum(), b.size - b.sum()]])
    chi_square, p, p_method = _two_by_two(table)
    spread = spread_of_difference(a, b, first_clusters, second_clusters, resampling=resampling)
    interval, standard_error = (None, None) if spread is None else spread
    one, other = float(a.mean()), float(b.mean())
    if interval is not None:
        p_method += f", {ASSUMES}"
    return TwoAccuracies(
        one,
        other,
        one - other,
        cohens_h(one, other),
        chi_square,
        p,
        p_method,
        interval,
        standard_error,
        below_level(p, 1.0 - resampling.confidence) if interval is None else excludes_zero(interval),
        int(a.size),
        int(b.size),
    )


def compare_on_same_samples(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> SameSamples:
    """Whether two models answer the same samples right equally often.

    Args:
        first: Shape ``(n,)``, right or wrong per sample.
        second: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``; none: every sample is its own.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.

    Returns:
        `significant` from McNemar's mid-p, or from the interval where samples share clusters.

    Raises:
        ValueError: Shapes differ, or values that are not true or false.
        UndefinedStatistic: No sample.

    Source:
        docs/statistics.md, Multiple choice.
    """
    a, b = truths(first), truths(second)
    if a.shape != b.shape:
        raise ValueError(f"both models must answer the same samples, got shapes {a.shape} and {b.shape}")
    if clusters is not None and np.shape(clusters) != a.shape:
        raise ValueError(f"one cluster per sample is needed, got shape {np.shape(clusters)} for {a.shape}")
    differences = a - b
    [interval] = headline_intervals(
        lambda counts: (counts @ differences / counts.sum(axis=1))[:, None],
        ("mean",),
        np.arange(a.size) if clusters is None else clusters,
        resampling=resampling,
    )
    test = mcnemar(int((differences > 0).sum()), int((differences < 0).sum()))
    clustered = interval.n_clusters < a.size
    return SameSamples(
        float(a.mean()),
        float(b.mean()),
        float(differences.mean()),
        interval,
        test,
        f"McNemar, {ASSUMES}" if clustered else "McNemar",
        excludes_zero(interval) if clustered else below_level(test.p_mid, 1.0 - resampling.confidence),
        int(a.size),
    )


def expected_counts(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each cell of a table would hold if rows and columns had nothing to do with each other."""
    return np.asarray(np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum())


def _two_by_two(table: NDArray[np.int64]) -> tuple[float | None, float, str]:
    if expected_counts(table).min() < SMALLEST_EXPECTED:
        return None, float(scipy.stats.fisher_exact(table).pvalue), "Fisher's exact test"
    found = scipy.stats.chi2_contingency(table, correction=False)
    return float(found.statistic), float(found.pvalue), "chi-square"
