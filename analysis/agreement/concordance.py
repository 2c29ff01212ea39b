"""Lin's concordance coefficient: agreement in value, not only in order."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.intervals.headline import headline_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.pairs import paired, varying
from analysis.resampling.weighted import Counts, Floats, OfCounts, means, pearson_of_counts, varies


class Concordance(NamedTuple):
    """Lin's coefficient and its parts: unitless, 1 is perfect.

    `scale_shift` is the judge's standard deviation over the humans' (1: same spread); `location_shift` the judge's
    mean minus the humans' in units of the geometric mean of both standard deviations (0: same level).
    """

    ccc: float
    precision: float
    accuracy: float
    scale_shift: float
    location_shift: float
    interval: Interval
    n: int
    n_clusters: int


def concordance(
    judge: ArrayLike, human: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> Concordance:
    """How near the pairs lie to the 45-degree line, not just to some line.

    Args:
        judge: Shape ``(n,)``, scores on the humans' scale.
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        resampling: Of the interval.

    Returns:
        ``ccc`` = ``precision`` (Pearson) times ``accuracy`` (C_b, 1 when mean and spread agree); moments divide by n.

    Raises:
        ValueError: Shapes differ, or a score is missing.
        UndefinedStatistic: Fewer than 3 pairs, or one side is constant.

    Source:
        Lin (1989), Biometrics 45:255-268.
    """
    pairs = paired(judge, human, clusters)
    x, y = varying(pairs.judge, "judge"), varying(pairs.human, "human")
    ccc = ccc_of_counts(x, y)
    once = np.ones((1, pairs.n), dtype=np.int64)
    scale = float(np.sqrt(x.var() / y.var()))
    location = float((x.mean() - y.mean()) / np.sqrt(x.std() * y.std()))
    [interval] = headline_intervals(
        lambda counts: ccc(counts)[:, None], ("ccc",), pairs.clusters, resampling=resampling
    )
    return Concordance(
        ccc=float(ccc(once)[0]),
        precision=float(pearson_of_counts(x, y)(once)[0]),
        accuracy=2.0 / (scale + 1.0 / scale + location**2),
        scale_shift=scale,
        location_shift=location,
        interval=interval,
        n=pairs.n,
        n_clusters=pairs.n_clusters,
    )


def ccc_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Lin's coefficient ``(resamples,)``, NaN where a side is constant."""

    def ccc(counts: Counts) -> Floats:
        total = counts.sum(axis=1)
        mean_x, mean_y = means(counts, x), means(counts, y)
        dx, dy = x - mean_x[:, None], y - mean_y[:, None]
        covariance = (counts * dx * dy).sum(axis=1) / total
        spread = (counts * (dx * dx + dy * dy)).sum(axis=1) / total + (mean_x - mean_y) ** 2
        result = np.full(total.shape, np.nan)
        np.divide(2.0 * covariance, spread, out=result, where=varies(counts, x) & varies(counts, y))
        return result

    return ccc


def icc_a1_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to two raters' ICC(A,1) ``(resamples,)``, NaN where a side is constant.

    Source:
        McGraw and Wong (1996), Psychol. Methods 1:30-46: (MSR - MSE) / (MSR + MSE + 2 (MSC - MSE) / n).
    """
    middle, away = (x + y) / 2.0, x - y

    def icc_a1(counts: Counts) -> Floats:
        total = counts.sum(axis=1).astype(np.float64)
        of_middle, of_away = means(counts, middle), means(counts, away)
        rows = 2.0 * (counts * (middle - of_middle[:, None]) ** 2).sum(axis=1) / (total - 1.0)
        error = (counts * (away - of_away[:, None]) ** 2).sum(axis=1) / (2.0 * (total - 1.0))
        spread = rows + error + of_away**2 - 2.0 * error / total
        result = np.full(total.shape, np.nan)
        np.divide(rows - error, spread, out=result, where=varies(counts, x) & varies(counts, y))
        return result

    return icc_a1
