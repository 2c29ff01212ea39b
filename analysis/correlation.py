"""Pearson, Spearman and Kendall tau-b of judge and human, with p-values and clustered intervals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from analysis.bootstrap import RESAMPLES, Interval, clustered_intervals
from analysis.exact_permutation import LARGEST, Kind, exact_p
from analysis.pairs import paired, varying
from analysis.rounding import rounded
from analysis.weighted import OfCounts, kendall_of_counts, pearson_of_counts, spearman_of_counts

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


def correlations(
    judge: ArrayLike,
    human: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    kinds: tuple[Kind, ...] = KINDS,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> dict[Kind, Correlation]:
    """Whether the judge orders objects as people do, by several coefficients over the same resamples.

    Args:
        judge: Shape ``(n,)``, scores; on 0-1 compared at 12 decimals, else at 12 significant ones.
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        seed: Of the resamples.
        kinds: Which coefficients.
        resamples: How many resamples.
        confidence: Of the intervals, and 1 - confidence is the level of `significant`.

    Returns:
        One result per kind. A p-value that ignores clusters says so in `p_method`.

    Raises:
        ValueError: Shapes differ, or a score is missing.
        UndefinedStatistic: Fewer than 3 pairs, or one side is constant.

    Source:
        Kendall and Gibbons (1990), Rank Correlation Methods; docs/statistics.md, Agreement with people.
    """
    pairs = paired(judge, human, clusters)
    x, y = varying(pairs.judge, "judge"), varying(pairs.human, "human")
    functions = [_OF_COUNTS[kind](x, y) for kind in kinds]
    intervals = clustered_intervals(
        lambda counts: np.column_stack([function(counts) for function in functions]),
        pairs.clusters,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
    )
    once = np.ones((1, pairs.n), dtype=np.int64)
    results: dict[Kind, Correlation] = {}
    for kind, function, interval in zip(kinds, functions, intervals, strict=True):
        p, p_method = _p_value(kind, x, y)
        significant: bool | None = bool(rounded(p) < rounded(1.0 - confidence))
        if pairs.clustered:
            p_method += ", assumes independence"
            significant = _excludes_zero(interval)
        value = float(function(once)[0])
        results[kind] = Correlation(kind, value, p, p_method, significant, interval, pairs.n, pairs.n_clusters)
    return results


def correlation(
    judge: ArrayLike,
    human: ArrayLike,
    kind: Kind,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Correlation:
    """One coefficient of `correlations`, with the same arguments, result and refusals."""
    return correlations(judge, human, clusters, seed=seed, kinds=(kind,), resamples=resamples, confidence=confidence)[
        kind
    ]


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
    test = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[kind]
    return float(test(x, y).pvalue)


def _p_value(kind: Kind, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, str]:
    if len(x) <= LARGEST:
        return exact_p(kind, x, y), "exact permutation"
    return usual_p(kind, x, y), "Kendall's test" if kind == "kendall" else "t distribution"


def _excludes_zero(interval: Interval) -> bool | None:
    if interval.low is None or interval.high is None:
        return None
    return bool(rounded(interval.low) > 0.0 or rounded(interval.high) < 0.0)
