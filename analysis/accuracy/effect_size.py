"""How far a judge's scores fall when a render is altered, in standard deviations."""

from math import exp, lgamma, log, sqrt
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.accuracy.accuracy import numbers
from analysis.intervals.headline import headline_intervals
from analysis.messages import message
from analysis.resampling.bootstrap import Interval, Resampling, no_interval
from analysis.resampling.pairs import Pairs, paired
from analysis.resampling.weighted import Counts, Floats, means, varies
from analysis.ties import compare, differences
from analysis.undefined import UndefinedStatistic

Band = Literal["negligible", "small", "medium", "large"]
BANDS: tuple[tuple[float, Band], ...] = ((0.8, "large"), (0.5, "medium"), (0.2, "small"))
SIDES = ("original", "altered")
FEWEST = 2
NO_SPREAD = message("neither original nor altered scores vary, so there is no standard deviation to measure in")
# From here on scipy's noncentral t is slow and soon no number, and the limit is exact to 0.001 % of the interval's
# width for up to 1,000 pairs.
LARGE_T = 1e4


class Effect(NamedTuple):
    """One effect size, unitless and positive for a drop; None where the data do not define it, `reason` says why."""

    value: float | None
    interval: Interval | None = None
    reason: str | None = None


class EffectSize(NamedTuple):
    """The same drop in units of the scores' spread (d, g) and of the drops' own spread (d_z)."""

    d: Effect
    g: Effect
    d_z: Effect
    n_pairs: int
    n_clusters: int


def effect_size(
    original: ArrayLike, altered: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> EffectSize:
    """Cohen's d, Hedges' g and d_z of pairs original - altered: a drop is positive.

    Args:
        original: Shape ``(n,)``, scores on 0-1.
        altered: Shape ``(n,)``, the same items, same order.
        clusters: Shape ``(n,)``, the item of each pair; none: every pair is its own.
        resampling: Of the intervals.

    Returns:
        d and g need a side that varies, d_z drops that vary; each is null by itself, with its reason. The interval of
        d_z is noncentral t's where each pair is its own item, else the jackknife's.

    Raises:
        ValueError: Shapes differ, a score is missing, or `confidence` is outside 0-1.
        UndefinedStatistic: Fewer than 2 pairs.

    Source:
        Cohen (1988), Statistical Power Analysis, chapter 2; Hedges (1981), J. Educ. Statistics 6:107-128; Lakens
        (2013), Frontiers in Psychology 4:863 (d_z).
    """
    pairs = paired(original, altered, clusters, sides=SIDES, fewest=FEWEST)
    d, g = _pooled(pairs, resampling)
    return EffectSize(d, g, _d_z(pairs, resampling), pairs.n, pairs.n_clusters)


def cohens_d(first: ArrayLike, second: ArrayLike) -> float:
    """Difference of two groups' means over their pooled standard deviation.

    Args:
        first: Shape ``(n1,)``, any unit.
        second: Shape ``(n2,)``, same unit.

    Returns:
        Unitless, positive where the first mean is larger; `effect_band` has words for it.

    Raises:
        ValueError: Not one-dimensional, or a value is missing.
        UndefinedStatistic: Fewer than 2 values on a side, or neither side varies.

    Source:
        Cohen (1988), Statistical Power Analysis, chapter 2.
    """
    a, b = numbers(first), numbers(second)
    if min(a.size, b.size) < FEWEST:
        raise UndefinedStatistic(
            "only {n} value on a side, at least {fewest} needed for a spread", n=min(a.size, b.size), fewest=FEWEST
        )
    d = float(_d_of_counts((_once(a.size), a), (_once(b.size), b))[0])
    if not np.isfinite(d):
        raise UndefinedStatistic(NO_SPREAD)
    return d


def hedges_g(first: ArrayLike, second: ArrayLike) -> float:
    """Cohen's d without the bias that it has in small samples; arguments and errors are those of `cohens_d`."""
    return cohens_d(first, second) * small_sample_factor(np.size(first) + np.size(second) - 2)


def small_sample_factor(m: int) -> float:
    """Hedges' exact J, by which d shrinks.

    Args:
        m: Degrees of freedom, n1 + n2 - 2.

    Returns:
        Between 0 and 1, near ``1 - 3/(4m - 1)``.

    Raises:
        UndefinedStatistic: Fewer than 2 degrees of freedom.

    Source:
        Hedges (1981), J. Educ. Statistics 6:107-128, equation 6e.
    """
    if m < 2:
        raise UndefinedStatistic("{m} degrees of freedom, at least 2 needed", m=m)
    return exp(lgamma(m / 2) - log(m / 2) / 2 - lgamma((m - 1) / 2))


def effect_band(value: float | None) -> Band | None:
    """Cohen's word for the size of d, whatever its sign: small from 0.2, medium from 0.5, large from 0.8."""
    if value is None:
        return None
    return next((band for least, band in BANDS if compare(abs(value), least) >= 0), "negligible")


def _once(n: int) -> Counts:
    """Every observation as often as it was made."""
    return np.ones((1, n), dtype=np.int64)


def _d_of_counts(first: tuple[Counts, Floats], second: tuple[Counts, Floats]) -> Floats:
    """Cohen's d of each resample, shape ``(resamples,)``, NaN where neither side varies.

    Args:
        first: How often each value is drawn, shape ``(resamples, n1)``, and the values, shape ``(n1,)``.
        second: The same of the other side.
    """
    squares, freedom, moving = np.zeros(len(first[0])), -2, np.zeros(len(first[0]), dtype=np.bool_)
    for counts, values in (first, second):
        squares = squares + (counts * (values - means(counts, values)[:, None]) ** 2).sum(axis=1)
        freedom = freedom + counts.sum(axis=1)
        moving |= varies(counts, values)
    d = np.full(len(squares), np.nan)
    np.divide(means(*first) - means(*second), np.sqrt(squares / freedom), out=d, where=moving)
    return d


def _pooled(pairs: Pairs, resampling: Resampling) -> list[Effect]:
    """Cohen's d and Hedges' g of the pairs, with intervals over the same clusters."""
    values = _d_and_g(_once(pairs.n), pairs)[0]
    if not np.isfinite(values).all():
        return [Effect(None, None, NO_SPREAD)] * 2
    intervals = headline_intervals(
        lambda counts: _d_and_g(counts, pairs),
        ("cohens_d", "cohens_d"),
        pairs.clusters,
        resampling=resampling,
        refuse_constant=True,
    )
    return [Effect(float(value), interval) for value, interval in zip(values, intervals, strict=True)]


def _d_and_g(counts: Counts, pairs: Pairs) -> Floats:
    """Both effect sizes of each resample, shape ``(resamples, 2)``, NaN where neither side varies."""
    total = counts.sum(axis=1)
    d = _d_of_counts((counts, pairs.judge), (counts, pairs.human))
    factors = {int(n): small_sample_factor(2 * int(n) - 2) for n in np.unique(total)}
    return np.column_stack([d, d * np.array([factors[int(n)] for n in total])])


def _d_z(pairs: Pairs, resampling: Resampling) -> Effect:
    drops = differences(pairs.judge, pairs.human)
    if bool(np.all(drops == drops[0])):
        return Effect(None, None, "all drops are equal, so they have no standard deviation")
    value = float(drops.mean() / drops.std(ddof=1))
    if pairs.clustered:
        [clustered] = headline_intervals(
            lambda counts: _d_z_of_counts(counts, drops)[:, None],
            ("d_z",),
            pairs.clusters,
            resampling=resampling,
            refuse_constant=True,
        )
        return Effect(value, clustered)
    try:
        low, high = noncentral_t_bounds(value * sqrt(pairs.n), pairs.n - 1, resampling.confidence)
    except UndefinedStatistic as none:
        return Effect(value, no_interval(none.reason, pairs.n_clusters))
    method = message("noncentral t, {n} degrees of freedom", n=pairs.n - 1)
    interval = Interval(low / sqrt(pairs.n), high / sqrt(pairs.n), method, pairs.n_clusters, False, 0)
    return Effect(value, interval)


def _d_z_of_counts(counts: Counts, drops: Floats) -> Floats:
    """Mean over standard deviation of the drops in each resample, NaN where they do not vary."""
    total, mean = counts.sum(axis=1), means(counts, drops)
    squares = (counts * (drops - mean[:, None]) ** 2).sum(axis=1)
    found = np.full(len(counts), np.nan)
    np.divide(mean, np.sqrt(squares / np.maximum(total - 1, 1)), out=found, where=varies(counts, drops))
    return found


def noncentral_t_bounds(t: float, freedom: int, confidence: float = 0.95) -> tuple[float, float]:
    """The noncentralities between which a t statistic lies in the middle of its distribution.

    Args:
        t: The statistic.
        freedom: Its degrees of freedom, at least 1.
        confidence: Between 0 and 1.

    Returns:
        Lower and upper noncentrality: under the lower one a larger t, under the upper one a smaller t has the
        probability (1 - confidence) / 2. From a t of 10,000 on the spread of its numerator is nothing next to it, and
        t stands to the noncentrality as 1 to the root of chi-square over its degrees of freedom.

    Raises:
        ValueError: `confidence` outside 0-1.
        UndefinedStatistic: The distribution cannot be computed there.

    Source:
        Steiger and Fouladi (1997), Noncentrality interval estimation, in What If There Were No Significance Tests?
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    tail = (1.0 - confidence) / 2.0
    # For a negative t the mirror image: scipy's upper half keeps its digits where its lower one loses them.
    if t < 0:
        low, high = noncentral_t_bounds(-t, freedom, confidence)
        return -high, -low
    if t >= LARGE_T:
        low, high = (t * sqrt(float(scipy.stats.chi2.ppf(share, freedom)) / freedom) for share in (tail, 1.0 - tail))
        return low, high
    lowest = float(scipy.stats.norm.ppf(tail))
    width = sqrt(1.0 + t * t / (2 * freedom)) * -lowest
    return _noncentrality(t, freedom, 1.0 - tail, lowest, width), _noncentrality(t, freedom, tail, lowest, width)


def _noncentrality(t: float, freedom: int, below: float, lowest: float, width: float) -> float:
    """Where the noncentral distribution has the share `below` under t; that share falls as noncentrality grows.

    Under `lowest` even the share under 0 is larger than `below`, so no bound of a t from 0 on lies there.
    """

    def excess(noncentrality: float) -> float:
        share = float(scipy.stats.nct.cdf(t, freedom, noncentrality))
        if not np.isfinite(share):
            raise UndefinedStatistic(
                "the noncentral t distribution cannot be computed at {t:g} ({freedom} degrees)", t=t, freedom=freedom
            )
        return share - below

    if excess(lowest) <= 0.0:
        return lowest
    highest = t + width
    while excess(highest) >= 0.0:
        highest += width
    return float(scipy.optimize.brentq(excess, lowest, highest, xtol=1e-10, rtol=1e-12))
