"""How far judge and people differ: mean absolute error, root mean squared error and bias."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.intervals.headline import Statistic, headline_intervals
from analysis.resampling.bootstrap import Estimate, Resampling
from analysis.resampling.pairs import paired
from analysis.resampling.weighted import Counts, Floats

KINDS: tuple[Statistic, ...] = ("size", "size", "mean", "size_of_clusters", "size_of_clusters", "mean_of_clusters")


class Deviation(NamedTuple):
    """Errors judge - human in the scores' unit: objects weigh equally, and next to them products do."""

    mae: Estimate
    rmse: Estimate
    bias: Estimate
    mae_by_product: Estimate
    rmse_by_product: Estimate
    bias_by_product: Estimate
    n: int
    n_clusters: int


def deviation(
    judge: ArrayLike, human: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> Deviation:
    """How far the judge is off, on average over objects and on average over products.

    Args:
        judge: Shape ``(n,)``, scores on the humans' scale.
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        resampling: Of the intervals.

    Returns:
        ``mae`` and ``rmse`` at least 0, ``bias`` positive where the judge scores higher. In ``*_by_product`` every
        product weighs the same, however many objects it has. A constant side is no obstacle.

    Raises:
        ValueError: Shapes differ, or a score is missing.
        UndefinedStatistic: Fewer than 3 pairs.

    Source:
        Willmott and Matsuura (2005), Climate Research 30:79-82 (MAE next to RMSE).
    """
    pairs = paired(judge, human, clusters)
    error = pairs.judge - pairs.human
    equal_products = 1.0 / np.bincount(pairs.clusters)[pairs.clusters]

    def statistics(counts: Counts) -> Floats:
        return np.column_stack([_errors(counts, error), _errors(counts * equal_products, error)])

    intervals = headline_intervals(statistics, KINDS, pairs.clusters, resampling=resampling)
    values = statistics(np.ones((1, pairs.n), dtype=np.int64))[0]
    mae, rmse, bias, *by_product = [Estimate(float(v), interval) for v, interval in zip(values, intervals, strict=True)]
    return Deviation(mae, rmse, bias, by_product[0], by_product[1], by_product[2], pairs.n, pairs.n_clusters)


def _errors(weights: Counts | Floats, error: Floats) -> Floats:
    """Columns: MAE, RMSE, bias of each row of weights."""
    total = weights.sum(axis=1)
    sums = weights @ np.column_stack([np.abs(error), error**2, error]) / total[:, None]
    return np.column_stack([sums[:, 0], np.sqrt(sums[:, 1]), sums[:, 2]])
