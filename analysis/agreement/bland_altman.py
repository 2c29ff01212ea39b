"""Bland-Altman: how far a judge's score of one object may lie from people's, and whether that grows with the score."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.intervals.headline import headline_interval, headline_intervals, left_out, limit_intervals
from analysis.messages import message, message_list
from analysis.resampling.bootstrap import Estimate, Interval, Resampling
from analysis.resampling.pairs import paired
from analysis.resampling.weighted import Counts, Floats, means, varies
from analysis.ties import differences, join_ties
from analysis.undefined import UndefinedStatistic

LIMIT = 1.96


class BlandAltman(NamedTuple):
    """Differences judge - human in the scores' unit: their mean, their spread and the limits of agreement."""

    bias: Estimate
    sd: float
    lower_limit: Estimate
    upper_limit: Estimate
    n: int
    n_clusters: int


class Slope(NamedTuple):
    """Change of judge - human per unit of the mean of both (unitless), 0 where the difference does not depend on it."""

    slope: float
    intercept: float
    p: float
    p_method: str
    interval: Interval
    n: int
    n_clusters: int


def bland_altman(
    judge: ArrayLike, human: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> BlandAltman:
    """Bias and 95 % limits of agreement: about 19 of 20 differences lie between the limits if they are normal.

    Args:
        judge: Shape ``(n,)``, scores on the humans' scale.
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        resampling: Of the intervals; the limits are at 1.96 standard deviations whatever its confidence.

    Returns:
        Intervals by the t formula when every object is its own product, else of clusters. A constant side is no
        obstacle: its differences are defined.

    Raises:
        ValueError: Shapes differ, a score is missing, or `confidence` is outside 0-1.
        UndefinedStatistic: Fewer than 3 pairs.

    Source:
        Bland and Altman (1986), Lancet 327:307-310; (1999), Stat. Methods Med. Res. 8:135-160.
    """
    pairs = paired(judge, human, clusters)
    difference = differences(pairs.judge, pairs.human)
    once = np.ones((1, pairs.n), dtype=np.int64)
    bias, lower, upper, sd = (float(value) for value in _limits(once, difference)[0])
    if pairs.clustered:
        found = left_out(lambda counts: _limits(counts, difference)[:, ::3], pairs.clusters, seed=resampling.seed)
        of_bias = headline_interval(found, 0, "mean", confidence=resampling.confidence)
        intervals = [of_bias, *limit_intervals(found, LIMIT, confidence=resampling.confidence)]
    else:
        n = pairs.n
        errors = [sd / np.sqrt(n)] + [sd * np.sqrt(1.0 / n + LIMIT**2 / (2.0 * (n - 1)))] * 2
        intervals = [
            _t_interval(value, float(error), n, n - 1, resampling.confidence)
            for value, error in zip((bias, lower, upper), errors, strict=True)
        ]
    estimates = [Estimate(value, interval) for value, interval in zip((bias, lower, upper), intervals, strict=True)]
    return BlandAltman(estimates[0], sd, estimates[1], estimates[2], pairs.n, pairs.n_clusters)


def slope_on_mean(
    judge: ArrayLike, human: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> Slope:
    """Slope of the differences judge - human on the means of judge and human.

    The slope mixes unequal variances with proportional bias: a judge whose scores merely spread more widely than
    people's (noise included) shows a positive slope without any bias that grows with the score. The scale shift of
    `concordance` and the calibration line say which of the two it is likely to be.

    Args:
        judge: Shape ``(n,)``, scores on the humans' scale.
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        resampling: Of the interval.

    Returns:
        Least-squares slope; t interval when every object is its own product, else of clusters. The p-value is
        that of the t-test with n - 2 degrees of freedom and says in `p_method` when it ignores clusters.

    Raises:
        ValueError: Shapes differ, a score is missing, or `confidence` is outside 0-1.
        UndefinedStatistic: Fewer than 3 pairs, or all means are equal.

    Source:
        Bland and Altman (1999), section 3.2.
    """
    pairs = paired(judge, human, clusters)
    difference = differences(pairs.judge, pairs.human)
    largest = np.maximum(np.abs(pairs.judge), np.abs(pairs.human))
    middle = join_ties(pairs.judge / 2.0 + pairs.human / 2.0, largest)
    if bool(np.all(middle == middle[0])):
        raise UndefinedStatistic("all {n} means of judge and human are equal", n=pairs.n)
    line = _line(middle, difference)
    slope = float(line(np.ones((1, pairs.n), dtype=np.int64))[0])
    intercept = float(difference.mean() - slope * middle.mean())
    along = slope * (middle - middle.mean())
    residual = join_ties(difference - difference.mean() - along, np.maximum(largest, np.abs(along)))
    spread = float(((middle - middle.mean()) ** 2).sum())
    error = float(np.sqrt((residual**2).sum() / (pairs.n - 2) / spread))
    p_method = message("t-test, {n} degrees of freedom", n=pairs.n - 2)
    if pairs.clustered:
        p_method = message_list([p_method, message("assumes independence")], ", ")
        [interval] = headline_intervals(
            lambda counts: line(counts)[:, None], ("mean",), pairs.clusters, resampling=resampling
        )
    else:
        interval = _t_interval(slope, error, pairs.n, pairs.n - 2, resampling.confidence)
    p = 1.0 if slope == 0.0 else 0.0
    if error > 0.0:
        p = float(2.0 * scipy.stats.t.sf(abs(slope) / error, pairs.n - 2))
    return Slope(slope, intercept, p, p_method, interval, pairs.n, pairs.n_clusters)


def _limits(counts: Counts, difference: Floats) -> Floats:
    """Columns: bias, lower limit, upper limit, sd (ddof 1)."""
    total = counts.sum(axis=1)
    bias = means(counts, difference)
    sd = np.sqrt((counts * (difference - bias[:, None]) ** 2).sum(axis=1) / (total - 1.0))
    # Equal differences have no spread; their mean may be off by a bit, which would show as one.
    sd = np.where(varies(counts, difference), sd, 0.0)
    return np.column_stack([bias, bias - LIMIT * sd, bias + LIMIT * sd, sd])


def _line(x: Floats, y: Floats) -> Callable[[Counts], Floats]:
    def slope(counts: Counts) -> Floats:
        dx, dy = x - means(counts, x)[:, None], y - means(counts, y)[:, None]
        result = np.full(len(counts), np.nan)
        np.divide((counts * dx * dy).sum(axis=1), (counts * dx * dx).sum(axis=1), out=result, where=varies(counts, x))
        # A constant difference has slope 0 exactly; the quotient gives that up to a bit.
        return np.where(varies(counts, y) | np.isnan(result), result, 0.0)

    return slope


def _t_interval(value: float, error: float, n: int, freedom: int, confidence: float) -> Interval:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    width = float(scipy.stats.t.ppf(0.5 + confidence / 2.0, freedom)) * error
    return Interval(value - width, value + width, message("t formula, {n} objects", n=n), n, False, 0)
