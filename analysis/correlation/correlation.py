"""Pearson, Spearman and Kendall tau-b of judge and human, with p-values and clustered intervals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals
from analysis.messages import message, message_list
from analysis.resampling.bca import resampled_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.exact_permutation import LARGEST, Kind, exact_p
from analysis.resampling.pairs import SIDES, paired, varying
from analysis.resampling.weighted import OfCounts, kendall_of_counts, pearson_of_counts, spearman_of_counts
from analysis.significance.holm import below_level
from analysis.ties import compare

KINDS: tuple[Kind, ...] = ("pearson", "spearman", "kendall")

_OF_COUNTS: dict[Kind, Callable[[NDArray[np.float64], NDArray[np.float64]], OfCounts]] = {
    "pearson": pearson_of_counts,
    "spearman": spearman_of_counts,
    "kendall": kendall_of_counts,
}


class Correlation(NamedTuple):
    """One correlation: unitless, 1 is the same order (Pearson: the same line), 0 none, -1 the opposite.

    `significant` is read off the interval where objects share clusters, off `p` elsewhere; none without an interval.
    """

    kind: Kind
    value: float
    p: float
    p_method: str
    significant: bool | None
    interval: Interval
    n: int
    n_clusters: int
    interval_bca: Interval | None = None
    interval_percentile: Interval | None = None


def correlations(
    judge: ArrayLike,
    human: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    resampling: Resampling,
    kinds: tuple[Kind, ...] = KINDS,
    sides: tuple[str, str] = SIDES,
) -> dict[Kind, Correlation]:
    """Whether the judge orders objects as people do, by several coefficients over the same clusters.

    Args:
        judge: Shape ``(n,)``, raw scores, or means with their ties joined (`ties.row_means`).
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        kinds: Which coefficients.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.
        sides: What to call judge and human in an error.

    Returns:
        One result per kind. A p-value that ignores clusters says so in `p_method`.

    Raises:
        ValueError: Shapes differ, or a score is missing.
        UndefinedStatistic: Fewer than 3 pairs, or one side is constant.

    Source:
        Kendall and Gibbons (1990), Rank Correlation Methods; docs/statistics.md, Agreement with people.
    """
    pairs = paired(judge, human, clusters, sides=sides)
    x, y = varying(pairs.judge, sides[0]), varying(pairs.human, sides[1])
    functions = [of_counts(kind, x, y) for kind in kinds]
    once = np.ones((1, pairs.n), dtype=np.int64)
    values = [float(function(once)[0]) for function in functions]

    def statistics(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.column_stack([function(counts) for function in functions])

    headline = headline_intervals(statistics, kinds, pairs.clusters, resampling=resampling, refuse_constant=True)
    percentile, bca = resampled_intervals(statistics, values, pairs.clusters, resampling=resampling)
    results: dict[Kind, Correlation] = {}
    for kind, value, interval, of_bca, of_percentile in zip(kinds, values, headline, bca, percentile, strict=True):
        p, p_method = _p_value(kind, x, y)
        significant: bool | None = below_level(p, 1.0 - resampling.confidence)
        if pairs.clustered:
            p_method = message_list([p_method, message("assumes independence")], ", ")
            significant = excludes_zero(interval)
        results[kind] = Correlation(
            kind, value, p, p_method, significant, interval, pairs.n, pairs.n_clusters, of_bca, of_percentile
        )
    return results


def correlation(
    judge: ArrayLike, human: ArrayLike, kind: Kind, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> Correlation:
    """One coefficient of `correlations`, with the same arguments, result and refusals."""
    return correlations(judge, human, clusters, resampling=resampling, kinds=(kind,))[kind]


def usual_p(kind: Kind, x: ArrayLike, y: ArrayLike) -> float:
    """The p-value that textbooks and scipy give, for independent pairs.

    Args:
        kind: Pearson and Spearman by Student's t with n - 2 degrees of freedom, Kendall exact for few untied pairs
            and else normal with tie correction.
        x: Shape ``(n,)``, not constant.
        y: Shape ``(n,)``, same order.

    Returns:
        Two-sided p.
    """
    test = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr, "kendall": scipy.stats.kendalltau}[kind]
    return float(test(x, y).pvalue)


def of_counts(kind: Kind, x: NDArray[np.float64], y: NDArray[np.float64]) -> OfCounts:
    """The coefficient of that kind as a function of counts, of sides as `pairs.varying` gives them."""
    return _OF_COUNTS[kind](x, y)


def _p_value(kind: Kind, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, str]:
    if len(x) <= LARGEST:
        return exact_p(kind, x, y), message("exact permutation")
    return usual_p(kind, x, y), message("Kendall's test") if kind == "kendall" else message("t distribution")


def excludes_zero(interval: Interval, operand: float = 1.0) -> bool | None:
    """Whether 0 lies outside an interval of numbers made of scores up to `operand`; none where there is no interval."""
    if interval.low is None or interval.high is None:
        return None
    return bool(compare(interval.low, 0.0, operand) > 0 or compare(interval.high, 0.0, operand) < 0)
