"""Which interval is the headline: one table decides by statistic, and its result names the method and the clusters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.jackknife import (
    ARCSINE,
    FISHER,
    GROUPS,
    HALVED_ARSINH,
    IDENTITY,
    LOG,
    LOG_F,
    SHARE,
    SQUARED_FISHER,
    Bounds,
    Estimate,
    Scale,
    difference_bounds,
    effective_freedom,
    grouped,
    jackknife_bounds,
    likeness,
    score_bounds,
)
from analysis.intervals.measured import fewest_clusters, reliable_from
from analysis.messages import message, message_list
from analysis.resampling.bootstrap import CELLS_AT_ONCE, Interval, Resampling, Statistics, no_interval, too_few
from analysis.resampling.workers import mapped
from analysis.ties import TIE

Floats = NDArray[np.float64]

Statistic = Literal[
    "icc",
    "ccc",
    "pearson",
    "spearman",
    "kendall",
    "correlation_difference",
    "kappa",
    "kappa_macro",
    "share",
    "auc",
    "mean",
    "mean_of_clusters",
    "size",
    "size_of_clusters",
    "r_squared",
    "cohens_d",
    "d_z",
    "limit_of_agreement",
]

JACKKNIFE = message("delete-one jackknife")
# A share beyond is near an edge, where the measured table has a row of its own.
NEAR_EDGE = 0.1
CHUNK = 50
# Rows are counted together where the different ones are at most this share of them.
MOST_DIFFERENT = 0.25
COEFFICIENT = (-1.0, 1.0)
RANKS: tuple[Statistic, ...] = ("spearman", "kendall")


@dataclass(frozen=True)
class Method:
    """How the headline interval of a statistic is made of its values without each cluster.

    Attributes:
        scale: On which Student's t is used.
        corrected: Share of the jackknife's bias that is taken off the centre.
        freedom: Share of the degrees of freedom that is used.
        limits: The least and the most of a statistic whose interval is a score interval; none: Student's t.
        equal_clusters: Whether every cluster weighs the same, however many observations it has.
    """

    scale: Scale = IDENTITY
    corrected: float = 0.0
    freedom: float = 1.0
    limits: tuple[float, float] | None = None
    equal_clusters: bool = False


# What measured best over the designs of docs/coverage.md; the percentile bootstrap covers 71 to 92 % there.
METHODS: dict[Statistic, Method] = {
    "icc": Method(LOG_F, corrected=1.0),
    "ccc": Method(ARCSINE, freedom=2.0 / 3.0),
    "pearson": Method(FISHER, corrected=1.0),
    "spearman": Method(FISHER, corrected=0.5),
    "kendall": Method(FISHER, corrected=0.5),
    "correlation_difference": Method(FISHER),
    "kappa": Method(limits=COEFFICIENT),
    "kappa_macro": Method(limits=COEFFICIENT, equal_clusters=True),
    "share": Method(limits=SHARE),
    "auc": Method(limits=SHARE),
    "mean": Method(),
    "mean_of_clusters": Method(equal_clusters=True),
    "size": Method(LOG, corrected=1.0),
    "size_of_clusters": Method(LOG, corrected=1.0, equal_clusters=True),
    "r_squared": Method(SQUARED_FISHER),
    "cohens_d": Method(HALVED_ARSINH, corrected=1.0),
    "d_z": Method(corrected=1.0),
    "limit_of_agreement": Method(),
}


class Jackknife(NamedTuple):
    """Statistics of the data ``(m,)`` and without each group of clusters ``(groups, m)``; the size of each group."""

    values: Floats
    deleted: Floats
    sizes: Floats
    n_clusters: int


def left_out(
    statistics: Statistics, clusters: ArrayLike, *, seed: int, workers: int = 1, sizes: ArrayLike | None = None
) -> Jackknife:
    """Several statistics of the data, and without each cluster.

    Args:
        statistics: As in `bootstrap.resampled_values`.
        clusters: Shape ``(n,)``, the cluster of each observation.
        seed: Of the groups that are left out together above 1,000 clusters.
        workers: Processes; the values are the same for any number.
        sizes: Shape ``(n,)``, how many observations each of the ``n`` stands for; none: one.

    Returns:
        NaN where the data, or what is left of them, do not define a statistic.

    Raises:
        ValueError: Bad clusters or workers.
    """
    index, groups, n_clusters = grouped(clusters, seed)
    statistics = _undefined_is_nan(statistics)
    values = statistics(np.ones((1, index.size), dtype=np.int64))[0]
    at_once = max(1, CELLS_AT_ONCE // index.size)

    def of_chunk(start: int) -> Floats:
        places = np.arange(start, min(start + CHUNK, groups))[:, None]
        blocks = [places[first : first + at_once] for first in range(0, len(places), at_once)]
        return np.vstack([statistics((index[None, :] != block).astype(np.int64)) for block in blocks])

    if groups < 2:
        return Jackknife(values, np.full((groups, len(values)), np.nan), np.ones(groups), n_clusters)
    deleted = np.vstack(mapped(of_chunk, range(0, groups, CHUNK), workers))
    weights = np.ones(index.size) if sizes is None else np.asarray(sizes, dtype=np.float64)
    return Jackknife(values, deleted, np.bincount(index, weights, minlength=groups).astype(np.float64), n_clusters)


def left_out_of_rows(
    of: Callable[[Floats], Statistics], rows: ArrayLike, clusters: ArrayLike, *, seed: int
) -> Jackknife:
    """`left_out` of statistics of rows, equal rows being counted together: a million ratings are few different ones.

    Args:
        of: From rows of shape ``(m, k)`` to their statistics, as in `bootstrap.resampled_values`.
        rows: Shape ``(n, k)``, NaN where there is nothing.
        clusters: Shape ``(n,)``, the cluster of each row.
        seed: As in `left_out`.
    """
    table = np.asarray(rows, dtype=np.float64)
    code = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        values, codes = np.unique(column, return_inverse=True)
        _, code = np.unique(code * len(values) + codes, return_inverse=True)
    _, first, code = np.unique(code, return_index=True, return_inverse=True)
    if len(first) > len(table) * MOST_DIFFERENT:
        return left_out(of(table), clusters, seed=seed)
    index, groups, n_clusters = grouped(clusters, seed)
    counts = np.bincount(index * len(first) + code, minlength=groups * len(first)).reshape(groups, len(first))
    statistics, total = _undefined_is_nan(of(table[first])), counts.sum(axis=0, keepdims=True)
    values = statistics(total)[0]
    at_once = max(1, CELLS_AT_ONCE // len(first))
    deleted = [statistics(total - counts[start : start + at_once]) for start in range(0, groups, at_once)]
    if groups < 2:
        return Jackknife(values, np.full((groups, len(values)), np.nan), np.ones(groups), n_clusters)
    return Jackknife(values, np.vstack(deleted), counts.sum(axis=1).astype(np.float64), n_clusters)


def left_out_of_sums(
    statistics: Callable[[Floats], Floats], sums: ArrayLike, sizes: ArrayLike | None = None, *, seed: int
) -> Jackknife:
    """The same for statistics that depend on the data through sums over clusters, which are subtracted from the total.

    Args:
        statistics: Takes sums of shape ``(rows, k)`` and gives shape ``(rows, m)``, NaN where undefined.
        sums: Shape ``(clusters, k)``.
        sizes: Shape ``(clusters,)``, the observations of each cluster; none: every cluster weighs the same.
        seed: As in `left_out`.
    """
    per_cluster = np.asarray(sums, dtype=np.float64)
    weights = np.ones(len(per_cluster)) if sizes is None else np.asarray(sizes, dtype=np.float64)
    index, groups, n_clusters = grouped(np.arange(len(per_cluster)), seed)
    if groups < n_clusters:
        order = np.argsort(index, kind="stable")
        starts = np.searchsorted(index[order], np.arange(groups))
        per_cluster, weights = (np.add.reduceat(part[order], starts, axis=0) for part in (per_cluster, weights))
    total = per_cluster.sum(axis=0, keepdims=True)
    statistics = _undefined_is_nan(statistics)
    return Jackknife(statistics(total)[0], statistics(total - per_cluster), weights, n_clusters)


def _undefined_is_nan(statistics: Callable[[Any], Floats]) -> Callable[[Any], Floats]:
    """Without a cluster nothing may be left to divide by: that is no news on a terminal, NaN says it."""

    def quiet(given: Any) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return statistics(given)

    return quiet


def headline_intervals(
    statistics: Statistics,
    kinds: Sequence[Statistic],
    clusters: ArrayLike,
    *,
    resampling: Resampling,
    refuse_constant: bool = False,
    sizes: ArrayLike | None = None,
) -> list[Interval]:
    """The headline interval of several statistics over the same clusters.

    Args:
        statistics: As in `bootstrap.resampled_values`.
        kinds: What each of the ``m`` columns is.
        clusters: Shape ``(n,)``, the cluster of each observation.
        resampling: Of the intervals.
        refuse_constant: As in `headline_interval`.
        sizes: Shape ``(n,)``, how many observations each of the ``n`` stands for; none: one.

    Returns:
        ``m`` intervals, as in `headline_interval`.

    Raises:
        ValueError: Bad confidence, clusters or workers.
    """
    return of_jackknife(
        left_out(statistics, clusters, seed=resampling.seed, workers=resampling.workers, sizes=sizes),
        kinds,
        confidence=resampling.confidence,
        refuse_constant=refuse_constant,
    )


def of_jackknife(
    found: Jackknife, kinds: Sequence[Statistic], *, confidence: float, refuse_constant: bool = False
) -> list[Interval]:
    """`headline_interval` of each column."""
    return [
        headline_interval(found, place, kind, confidence=confidence, refuse_constant=refuse_constant)
        for place, kind in enumerate(kinds)
    ]


def headline_interval(
    found: Jackknife, column: int, kind: Statistic, *, confidence: float, refuse_constant: bool = False
) -> Interval:
    """The interval that gates, advice and tables read.

    Args:
        found: Statistics with and without each cluster, or above 1,000 of them without each group.
        column: Which of them.
        kind: What it is.
        confidence: Between 0 and 1.
        refuse_constant: A value that is the same whichever cluster is left out has no bounds; else both are that
            value, as a difference of 0 needs.

    Returns:
        Bounds, the method that made them and the number of clusters. None, with the reason, below the fewest clusters
        of the measured table, where leaving out a cluster leaves the statistic undefined, and at the end of its scale.
        `unreliable` where the measured coverage is too low.
    """
    value, deleted, n_clusters = found.values[column], found.deleted[:, column], found.n_clusters
    fewest = fewest_clusters(kind)
    if n_clusters < fewest:
        return no_interval(too_few(n_clusters, fewest), n_clusters)
    if not np.isfinite(deleted).all():
        return no_interval("without one of the clusters the statistic is undefined", n_clusters)
    method = METHODS[kind]
    freedom = float(freedoms(method, found.sizes))
    unreliable = n_clusters < reliable_from(kind, near_edge=_near_edge(value, method))
    over = counted_clusters(found)
    bounds = bounds_of(kind, Estimate(value, deleted), found.sizes, n_clusters, confidence=confidence)
    if method.limits is not None:
        if value not in method.limits:
            words = _how(freedom, over, message("score interval, effective sample of the delete-one jackknife"))
        elif method.limits == SHARE:
            words = message("Wilson, {n_clusters} clusters, all alike", n_clusters=n_clusters)
        else:
            return no_interval("the statistic is at its limit", n_clusters)
        return Interval(float(bounds.low), float(bounds.high), words, n_clusters, unreliable, 0)
    if not np.isfinite(bounds.low) or not np.isfinite(bounds.high):
        return no_interval("the statistic is at its limit, or the same whichever cluster is left out", n_clusters)
    if refuse_constant and bounds.low == bounds.high:
        return no_interval("the same whichever cluster is left out", n_clusters)
    scale = ARCSINE if kind in RANKS and are_at_end(deleted) else method.scale
    words = _how(freedom, over, JACKKNIFE, scale.name)
    return Interval(float(bounds.low), float(bounds.high), words, n_clusters, unreliable, 0)


def counted_clusters(found: Jackknife) -> str:
    """What was left out in turn: each cluster, or groups of them."""
    if len(found.deleted) == found.n_clusters:
        return message("{n} clusters", n=found.n_clusters)
    return message("{groups} groups of {n_clusters} clusters", groups=GROUPS, n_clusters=found.n_clusters)


def bounds_of(
    kind: Statistic, one: Estimate, sizes: ArrayLike, n_clusters: ArrayLike, *, confidence: float = 0.95
) -> Bounds:
    """The bounds alone, of many data sets at once; shapes as in `jackknife.jackknife_bounds`."""
    method = METHODS[kind]
    freedom = freedoms(method, sizes)
    if method.limits is not None:
        return score_bounds(one, freedom, n_clusters, method.limits, confidence=confidence)
    if kind not in RANKS:
        return jackknife_bounds(one, freedom, method.scale, corrected=method.corrected, confidence=confidence)
    below = Estimate(*(below_one(part, sizes) for part in one))
    bounds = jackknife_bounds(below, freedom, method.scale, corrected=method.corrected, confidence=confidence)
    inside = Estimate(*(np.clip(part, -1.0, 1.0) for part in one))
    ended = jackknife_bounds(inside, freedom, ARCSINE, confidence=confidence)
    at_end = are_at_end(one.deleted)
    return Bounds(*(np.where(at_end, *pair) for pair in zip(ended, bounds, strict=True)))


def are_at_end(deleted: ArrayLike) -> NDArray[np.bool_]:
    """Whether one of several correlations, such as those without each group, is 1 or -1: Fisher's z is infinite there.

    On the arcsine intervals cover as often and are up to 40 times as narrow: 60 objects in one order but for one of
    them had 0.994 [-0.999, 1.000].
    """
    return np.asarray((np.abs(deleted) >= 1.0 - TIE).any(axis=-1))


def below_one(coefficients: ArrayLike, sizes: ArrayLike) -> Floats:
    """Rank correlations no nearer to 1 or -1 than half a step of Spearman's: few ranks give exactly 1 by chance.

    Args:
        coefficients: Of each data set, or its values without each group.
        sizes: Observations of each group, on the last axis; they add up to the ``n`` ranks.

    Returns:
        The same shape. The largest value below 1 is ``1 - 12/(n^3 - n)``.
    """
    n = np.maximum(np.asarray(sizes, dtype=np.float64).sum(axis=-1), 2.0)
    values = np.asarray(coefficients, dtype=np.float64)
    most = 1.0 - 6.0 / (n**3 - n)
    if values.ndim > n.ndim:
        most = most[..., None]
    return np.asarray(np.clip(values, -most, most))


def freedoms(method: Method, sizes: ArrayLike) -> Floats:
    """Degrees of freedom of many data sets, sizes of shape ``(..., groups)``."""
    weights = np.asarray(sizes, dtype=np.float64)
    if method.equal_clusters:
        weights = np.ones_like(weights)
    return np.asarray(np.maximum(method.freedom * effective_freedom(weights), 1.0))


def difference_intervals(found: Jackknife, kind: Statistic, *, confidence: float) -> list[Interval]:
    """Intervals of first - second for statistics whose own scale a difference would leave.

    Args:
        found: Of ``2 m`` columns: the ``m`` first statistics, then the ``m`` second ones.
        kind: Whose row of the measured table holds; each side has its method.
        confidence: Between 0 and 1.

    Returns:
        ``m`` intervals by Zou's method from the bounds of both sides and the correlation of their delete-one values.
    """
    m = len(found.values) // 2
    return [_difference(found, place, place + m, kind, confidence) for place in range(m)]


def _difference(found: Jackknife, first: int, second: int, kind: Statistic, confidence: float) -> Interval:
    fewest, n_clusters = fewest_clusters(kind), found.n_clusters
    if n_clusters < fewest:
        return no_interval(too_few(n_clusters, fewest), n_clusters)
    method, columns = METHODS[kind], (found.deleted[:, first], found.deleted[:, second])
    if not np.isfinite(columns).all():
        return no_interval("without one of the clusters the statistic is undefined", n_clusters)
    freedom = float(freedoms(method, found.sizes))
    unreliable = n_clusters < reliable_from(kind)
    if np.array_equal(*columns) and found.values[first] == found.values[second]:
        words = message("0 whichever of {n} clusters is left out", n=n_clusters)
        return Interval(0.0, 0.0, words, n_clusters, unreliable, 0)
    sides = [
        Estimate(below_one(found.values[place], found.sizes), below_one(column, found.sizes))
        for place, column in zip((first, second), columns, strict=True)
    ]
    bounds = correlation_difference_bounds(sides[0], sides[1], freedom, confidence=confidence)
    if not np.isfinite(bounds.low) or not np.isfinite(bounds.high):
        return no_interval("one of the two is at its limit", n_clusters)
    words = _how(freedom, counted_clusters(found), message("Zou's difference"), JACKKNIFE, method.scale.name)
    return Interval(float(bounds.low), float(bounds.high), words, n_clusters, unreliable, 0)


def _how(freedom: float, over: str, *parts: str) -> str:
    return message_list([*parts, message("t({freedom:.3g})", freedom=freedom), over], ", ")


def correlation_difference_bounds(
    first: Estimate, second: Estimate, freedom: ArrayLike, *, confidence: float = 0.95
) -> Bounds:
    """First - second of two correlations of the same data; shapes as in `jackknife.jackknife_bounds`."""
    sides = [jackknife_bounds(one, freedom, FISHER, confidence=confidence) for one in (first, second)]
    together = likeness(first.deleted, second.deleted, FISHER)
    return difference_bounds(first.value, sides[0], second.value, sides[1], together)


def limit_intervals(found: Jackknife, multiple: float, *, confidence: float) -> tuple[Interval, Interval]:
    """The intervals of bias - and + multiple x standard deviation, of a jackknife of bias and standard deviation."""
    kind: Statistic = "limit_of_agreement"
    fewest, n_clusters = fewest_clusters(kind), found.n_clusters
    if n_clusters < fewest:
        none = no_interval(too_few(n_clusters, fewest), n_clusters)
        return none, none
    freedom = float(freedoms(METHODS[kind], found.sizes))
    unreliable = n_clusters < reliable_from(kind)
    words = _how(freedom, counted_clusters(found), message("Zou's limits"), JACKKNIFE)
    bias, deviation = (Estimate(found.values[place], found.deleted[:, place]) for place in (0, 1))
    sides = []
    for one in (-multiple, multiple):
        bounds = limit_bounds(bias, deviation, freedom, one, confidence=confidence)
        if np.isfinite(bounds.low) and np.isfinite(bounds.high):
            sides.append(Interval(float(bounds.low), float(bounds.high), words, n_clusters, unreliable, 0))
        else:
            sides.append(no_interval("the differences hardly vary", n_clusters))
    return sides[0], sides[1]


def limit_bounds(
    bias: Estimate, deviation: Estimate, freedom: ArrayLike, multiple: float, *, confidence: float = 0.95
) -> Bounds:
    """Bounds of bias + multiple x standard deviation, from those of the bias and, on the log scale, of the deviation.

    Args:
        bias: Of the differences.
        deviation: Their standard deviation, above 0.
        freedom: Shape ``(...)``.
        multiple: -1.96 for the lower limit of agreement, 1.96 for the upper one.
        confidence: Between 0 and 1.

    Source:
        Zou (2013), Stat. Methods Med. Res. 22:630-642 (limits of agreement); clusters by the jackknife.
    """
    of_bias = jackknife_bounds(bias, freedom, confidence=confidence)
    found = jackknife_bounds(deviation, freedom, LOG, corrected=1.0, confidence=confidence)
    away = np.asarray(deviation.value, dtype=np.float64) * -multiple
    ends = found.low * -multiple, found.high * -multiple
    of_away = Bounds(np.minimum(*ends), np.maximum(*ends))
    return difference_bounds(bias.value, of_bias, away, of_away)


def _near_edge(value: float, method: Method) -> bool:
    return method.limits == SHARE and not NEAR_EDGE < value < 1.0 - NEAR_EDGE
