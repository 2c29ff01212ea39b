"""Bounds from a statistic's values without each cluster: Student's t on a scale, score bounds of shares, differences.

Everything here takes many data sets at once, so that a simulation measures the very code that makes an interval.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.resampling.bootstrap import cluster_index
from analysis.significance.wilson import wilson_at

Floats = NDArray[np.float64]

SHARE = (0.0, 1.0)
MOST_CLUSTERS = 1000
GROUPS = 200
# What two observations of one cluster are taken to share when clusters are of unequal size.
WORKING_SHARE = 0.3
# An effective sample is not taken to be smaller than this share of the clusters, or observations if they are fewer.
SMALLEST_SAMPLE = 1.0 / 3.0
# The jackknife variance of equal values is noise of their last digits.
NO_SPREAD = 1e-12


class Scale(NamedTuple):
    """A scale on which a statistic's spread hardly depends on its value, and the way back."""

    name: str
    there: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


class Estimate(NamedTuple):
    """A statistic of each data set, shape ``(...)``, and without each group of clusters, shape ``(..., groups)``."""

    value: Floats
    deleted: Floats


class Bounds(NamedTuple):
    """Lower and upper bounds of each data set, NaN where the jackknife gives none."""

    low: Floats
    high: Floats


def _as_is(values: Floats) -> Floats:
    return values


IDENTITY = Scale("", _as_is, _as_is)
FISHER = Scale(message("Fisher's z"), np.arctanh, np.tanh)
LOG_F = Scale(message("log F"), lambda values: -np.log(1.0 - values), lambda values: 1.0 - np.exp(-values))
LOG = Scale(message("log"), np.log, np.exp)
ARCSINE = Scale(message("arcsine"), np.arcsin, lambda values: np.sin(np.clip(values, -np.pi / 2.0, np.pi / 2.0)))
SQUARED_FISHER = Scale(
    message("Fisher's z of its root"),
    lambda values: np.arctanh(np.sqrt(values)),
    lambda values: np.tanh(np.maximum(values, 0.0)) ** 2,
)
HALVED_ARSINH = Scale("arsinh(d/2)", lambda values: np.arcsinh(values / 2.0), lambda values: 2.0 * np.sinh(values))


def effective_freedom(sizes: ArrayLike) -> Floats:
    """Degrees of freedom of a jackknife variance: clusters - 1 of equal clusters, fewer where some are much larger.

    Args:
        sizes: Shape ``(..., clusters)``, at least 2 clusters, how much each weighs in the statistic.

    Returns:
        Shape ``(...)``: Satterthwaite's approximation for a mean, with observations of a cluster that share 0.3 of
        their variance: twice the squared mean over the variance of the jackknife's estimate of variance.

    Source:
        Bell and McCaffrey (2002), Survey Methodology 28:169-181; Imbens and Kolesar (2016), Rev. Econ. Stat.
        98:701-712.
    """
    size = np.asarray(sizes, dtype=np.float64)
    spread = size * (1.0 + (size - 1.0) * WORKING_SHARE)
    weight = size / size.sum(axis=-1, keepdims=True)
    total = spread.sum(axis=-1)
    # H (I - w 1') diag(v) (I - 1 w') H with H = diag(1 / (1 - w)) is -p q' - q p' + V p p' off its diagonal.
    p, q = weight / (1.0 - weight), spread / (1.0 - weight)
    diagonal = (spread - 2.0 * weight * spread + total[..., None] * weight**2) / (1.0 - weight) ** 2
    of_rank_two = -2.0 * p * q + total[..., None] * p**2
    pp, qq, pq = (p * p).sum(axis=-1), (q * q).sum(axis=-1), (p * q).sum(axis=-1)
    squares = 2.0 * pp * qq + 2.0 * pq**2 + total**2 * pp**2 - 4.0 * total * pp * pq
    squares += (diagonal**2 - of_rank_two**2).sum(axis=-1)
    freedom = np.asarray(diagonal.sum(axis=-1) ** 2 / squares)
    return np.asarray(np.clip(freedom, 1.0, size.shape[-1] - 1.0))


def grouped(clusters: ArrayLike, seed: int) -> tuple[NDArray[np.intp], int, int]:
    """What is left out together: each cluster, or above 1,000 of them each of 200 random groups of clusters.

    Args:
        clusters: Shape ``(n,)``, the cluster of each observation.
        seed: Of the groups.

    Returns:
        The number of each observation's group, of groups, and of clusters.

    Raises:
        ValueError: Clusters that `cluster_index` refuses.
    """
    index, n_clusters = cluster_index(clusters)
    if n_clusters <= MOST_CLUSTERS:
        return index, n_clusters, n_clusters
    group_of = np.random.default_rng(seed).permutation(n_clusters) % GROUPS
    return group_of[index], GROUPS, n_clusters


def jackknife_bounds(
    one: Estimate,
    freedom: ArrayLike,
    scale: Scale = IDENTITY,
    *,
    corrected: float = 0.0,
    confidence: float = 0.95,
) -> Bounds:
    """Student's t around the statistic on a scale, with the standard error of the delete-one jackknife.

    Args:
        one: The statistic with and without each group of clusters.
        freedom: Shape ``(...)``, degrees of freedom.
        scale: Where the t interval is made.
        corrected: How much of the jackknife's estimate of bias is taken off the centre; 1: the mean of pseudo-values.
        confidence: Between 0 and 1.

    Returns:
        Bounds in the statistic's unit, with the statistic between them. NaN where a value is undefined, lies at the end
        of the scale (a correlation of 1), or is the same whichever group is left out while the scale is not the
        statistic's own.

    Source:
        Tukey (1958), Ann. Math. Stat. 29:614; Arvesen (1969), Ann. Math. Stat. 40:2076-2100 (on a transformed scale).
    """
    value, deleted = (np.asarray(part, dtype=np.float64) for part in one)
    with np.errstate(invalid="ignore", divide="ignore"):
        at, without = scale.there(value), scale.there(deleted)
    groups = without.shape[-1]
    known = np.isfinite(at) & np.isfinite(without).all(axis=-1)
    at, without = np.where(known, at, 0.0), np.where(known[..., None], without, 0.0)
    mean = without.mean(axis=-1)
    error = standard_errors(without)
    nothing = error <= NO_SPREAD * np.maximum(np.abs(at), NO_SPREAD)
    error = np.where(nothing, 0.0 if scale is IDENTITY else np.nan, error)
    centre = at + corrected * (groups - 1.0) * (at - mean)
    half = scipy.stats.t.ppf(0.5 + confidence / 2.0, freedom) * error
    # Of few clusters the bias taken off can be more than the half-width: an interval then ends at the estimate.
    low = np.minimum(scale.back(centre - half), value)
    high = np.maximum(scale.back(centre + half), value)
    return Bounds(np.where(known, low, np.nan), np.where(known, high, np.nan))


def standard_errors(deleted: Floats) -> Floats:
    """Of statistics whose values without each group have shape ``(..., groups)``."""
    groups = deleted.shape[-1]
    away = deleted - deleted.mean(axis=-1, keepdims=True)
    return np.asarray(np.sqrt((groups - 1.0) / groups * (away**2).sum(axis=-1)))


def score_bounds(
    one: Estimate,
    freedom: ArrayLike,
    clusters: ArrayLike,
    limits: tuple[float, float] = SHARE,
    *,
    confidence: float = 0.95,
) -> Bounds:
    """Wilson's bounds with an effective sample size: that of independent observations with the jackknife's variance.

    Args:
        one: A share, or a coefficient between `limits` that is read as one, with and without each group of clusters.
        freedom: Shape ``(...)``, degrees of freedom of Student's t, which takes the normal quantile's place.
        clusters: Shape ``(...)``, the number of clusters: the sample size where nothing varies (all right, all wrong).
        limits: The least and the most that the statistic can be.
        confidence: Between 0 and 1.

    Returns:
        Bounds between `limits`, NaN where a value is undefined.

    Source:
        Wilson (1927), J. Am. Stat. Assoc. 22:209-212; Korn and Graubard (1998), Survey Methodology 24:193-201
        (effective sample size); Franco, Little, Louis and Slud (2019), J. Surv. Stat. Methodol. 7:334-364.
    """
    lowest, span = limits[0], limits[1] - limits[0]
    share, without = ((np.asarray(part, dtype=np.float64) - lowest) / span for part in one)
    n, variance = np.asarray(clusters, dtype=np.float64), standard_errors(without) ** 2
    edge = (share <= NO_SPREAD) | (share >= 1.0 - NO_SPREAD)
    still = edge | (variance <= NO_SPREAD**2)
    sample = np.where(still, n, share * (1.0 - share) / np.where(still, 1.0, variance))
    sample = np.maximum(sample, SMALLEST_SAMPLE * n)
    z = np.where(edge, scipy.stats.norm.ppf(0.5 + confidence / 2.0), scipy.stats.t.ppf(0.5 + confidence / 2.0, freedom))
    least, most = wilson_at(np.clip(share, 0.0, 1.0), sample, z)
    known = np.isfinite(share) & np.isfinite(without).all(axis=-1)
    low, high = (lowest + span * np.clip(end, 0.0, 1.0) for end in (least, most))
    return Bounds(np.where(known, low, np.nan), np.where(known, high, np.nan))


def likeness(first: ArrayLike, second: ArrayLike, scale: Scale) -> Floats:
    """How two statistics of the same data vary together: the correlation of their delete-one values on a scale.

    Args:
        first: Shape ``(..., groups)``.
        second: Shape ``(..., groups)``.
        scale: Of both.

    Returns:
        Shape ``(...)``, between -1 and 1; 0 where one does not vary.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = (scale.there(np.asarray(values, dtype=np.float64)) for values in (first, second))
    a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    spread = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    found = np.divide((a * b).sum(axis=-1), spread, out=np.zeros_like(spread), where=spread > 0.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def difference_bounds(
    first: ArrayLike, first_bounds: Bounds, second: ArrayLike, second_bounds: Bounds, together: ArrayLike = 0.0
) -> Bounds:
    """Bounds of first - second from the bounds of both and how they vary together.

    Args:
        first: Shape ``(...)``.
        first_bounds: Of `first`.
        second: Shape ``(...)``.
        second_bounds: Of `second`.
        together: The correlation of the two estimates.

    Returns:
        Bounds in the unit of both; their distance is 0 where neither varies.

    Source:
        Zou (2007), Psychological Methods 12:399-413.
    """
    a, b, r = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64), np.asarray(together)

    def distance(of_first: Floats, of_second: Floats) -> Floats:
        squared = of_first**2 + of_second**2 - 2.0 * r * of_first * of_second
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)))

    below = distance(a - first_bounds.low, second_bounds.high - b)
    above = distance(first_bounds.high - a, b - second_bounds.low)
    return Bounds(np.asarray(a - b - below), np.asarray(a - b + above))
