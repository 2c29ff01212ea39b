"""Correlations of many resamples at once, a resample being a vector of counts over the observations."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.weighted_discordance import discordance_of_counts

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
OfCounts = Callable[[Counts], Floats]

# Above it the cube of a resample's size leaves 64 bits.
LARGEST_CUBE = 2_000_000
# Moments about the full sample's mean lose two digits at most where they are larger than this share of the raw ones.
SAFE_SHARE = 0.01


def varies(counts: Counts, column: Floats) -> NDArray[np.bool_]:
    """Whether a column takes more than one value in each resample.

    Args:
        counts: Shape ``(resamples, n)``.
        column: Shape ``(n,)``, or ``(resamples, n)``.

    Returns:
        Shape ``(resamples,)``.
    """
    highest = np.where(counts > 0, column, -np.inf).max(axis=1)
    lowest = np.where(counts > 0, column, np.inf).min(axis=1)
    return np.asarray(highest > lowest)


def means(counts: Counts, values: Floats) -> Floats:
    """The mean of ``(n,)`` values in each resample, shape ``(resamples,)``."""
    return np.asarray(counts @ values / counts.sum(axis=1))


def near_one(values: Floats) -> Floats:
    """Values over a power of two, which loses no digit: the largest is below 1, so that no sum overflows."""
    return np.asarray(np.ldexp(values, -np.frexp(np.abs(values).max())[1]))


def centred(values: Floats) -> Floats:
    """Distances from the mean over the largest of them, whose squares then neither vanish nor overflow."""
    near = near_one(values)
    distances = near - near.mean()
    return np.asarray(distances / (np.abs(distances).max() or 1.0))


def pearson_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Pearson's r ``(resamples,)``, NaN where a side is constant."""
    dx, dy = centred(x), centred(y)
    moments = np.column_stack([dx, dy, dx * dx, dy * dy, dx * dy])

    def pearson(counts: Counts) -> Floats:
        total = counts.sum(axis=1)
        sums = counts.astype(np.float64) @ moments
        sx, sy, sxx, syy, sxy = sums.T
        spread_x, spread_y = sxx - sx * sx / total, syy - sy * sy / total
        safe = (spread_x > SAFE_SHARE * sxx) & (spread_y > SAFE_SHARE * syy)
        result = _ratio(sxy - sx * sy / total, np.sqrt(np.abs(spread_x)) * np.sqrt(np.abs(spread_y)), safe)
        if not safe.all():
            result[~safe] = _centred_pearson(counts[~safe], x, y)
        return result

    return pearson


def spearman_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Spearman's rho ``(resamples,)``, NaN where a side is constant.

    Where b values lie below a group of equal values and e up to its end, the mid-rank is (b + e + 1)/2. Twice its
    distance from the middle rank of N values is the integer b + e - N: all but the last division is exact.
    """
    side_x, side_y = _side(x), _side(y)
    rank_x, rank_y = (_doubled_ranks(side, side_x.order) for side in (side_x, side_y))

    def spearman(counts: Counts) -> Floats:
        in_x_order: Any = counts.take(side_x.order, axis=1)
        in_y_order: Any = counts.take(side_y.order, axis=1)
        if int(in_x_order.sum(axis=1).max()) > LARGEST_CUBE:
            # Digits beyond the 16th are lost here, far from the 12 that count.
            in_x_order, in_y_order = in_x_order.astype(np.float64), in_y_order.astype(np.float64)
        of_x, of_y = rank_x(in_x_order), rank_y(in_y_order)
        weighted = in_x_order * of_x
        covariance, spread_x = _products(weighted, of_y), _products(weighted, of_x)
        np.multiply(in_x_order, of_y, out=weighted)
        spread_y = _products(weighted, of_y)
        return _ratio(covariance, np.sqrt(spread_x) * np.sqrt(spread_y), (spread_x > 0) & (spread_y > 0))

    return spearman


def kendall_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Kendall's tau-b ``(resamples,)``, NaN where a side is constant.

    Twice concordant minus discordant pairs of a resample of size N is ``N^2 - sum t_x^2 - sum t_y^2 + sum t_xy^2``
    minus four times the discordant pairs, with t the sizes of the groups of equal x, y and (x, y). All are integers.
    """
    side_x, side_y = _side(x), _side(y)
    both = _side(side_x.group * (int(side_y.group.max()) + 1) + side_y.group)
    discordance = discordance_of_counts(side_x.group, side_y.group)

    def kendall(counts: Counts) -> Floats:
        total = counts.sum(axis=1)[:, None]
        untied_x, untied_y, untied = (
            _square_spread(_sizes(counts.take(side.order, axis=1), side), total) for side in (side_x, side_y, both)
        )
        excess = untied_x + untied_y - untied - 4 * discordance(counts)
        below = np.sqrt(untied_x.astype(np.float64)) * np.sqrt(untied_y.astype(np.float64))
        return _ratio(excess.astype(np.float64), below, (untied_x > 0) & (untied_y > 0))

    return kendall


def kappa_of_counts(x: Floats, y: Floats, ordered: bool = False, power: int = 2) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Cohen's kappa ``(resamples,)`` of labels written as numbers.

    Args:
        x: Shape ``(n,)``.
        y: Shape ``(n,)``.
        ordered: Whether a disagreement weighs as a power of the distance of the labels' numbers.
        power: Which one: 2 are quadratic weights, 1 linear ones.

    Returns:
        NaN where a resample has one label on both sides.

    Source:
        Cohen (1960), Educ. Psychol. Meas. 20:37-46; Cohen (1968), Psychol. Bull. 70:213-220.
    """
    labels, tables_of = tables_of_counts(x, y)
    weights = _apart(labels, power if ordered else 0)

    def kappa(counts: Counts) -> Floats:
        tables = tables_of(counts)
        observed = (tables * weights).sum(axis=(1, 2)) * tables.sum(axis=(1, 2))
        expected = np.einsum("ri,ij,rj->r", tables.sum(axis=2), weights, tables.sum(axis=1))
        return np.asarray(1.0 - np.divide(observed, expected, out=np.full(len(tables), np.nan), where=expected > 0.0))

    return kappa


def gwet_of_counts(x: Floats, y: Floats, ordered: bool = False) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Gwet's AC1 ``(resamples,)``, or AC2 with quadratic weights.

    Args:
        x: Shape ``(n,)``, labels written as numbers.
        y: Shape ``(n,)``.
        ordered: Whether a disagreement weighs as the squared distance of the labels' numbers (AC2).

    Returns:
        NaN where only one label occurs.

    Source:
        Gwet (2008), Br. J. Math. Stat. Psychol. 61:29-48; (2014), Handbook of Inter-Rater Reliability, chapters 3-4.
    """
    labels, tables_of = tables_of_counts(x, y)
    q, apart = len(labels), _apart(labels, 2 if ordered else 0)
    weights = 1.0 - apart / (apart.max() or 1.0)
    scale = float(weights.sum()) / (q * (q - 1)) if q > 1 else np.nan

    def gwet(counts: Counts) -> Floats:
        tables = tables_of(counts)
        total = tables.sum(axis=(1, 2))
        shares = (tables.sum(axis=1) + tables.sum(axis=2)) / (2.0 * total[:, None])
        chance = scale * (shares * (1.0 - shares)).sum(axis=1)
        return np.asarray(((tables * weights).sum(axis=(1, 2)) / total - chance) / (1.0 - chance))

    return gwet


def tables_of_counts(x: Floats, y: Floats) -> tuple[Floats, Callable[[Counts], Floats]]:
    """The labels of two columns ``(n,)``, and a function from counts to tables ``(resamples, q, q)`` with x in rows."""
    labels, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    q = len(labels)
    cell = codes[: len(x)] * q + codes[len(x) :]
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(cell[order]) > 0])
    filled = cell[order][starts]

    def tables(counts: Counts) -> Floats:
        cells = np.zeros((len(counts), q * q))
        cells[:, filled] = np.add.reduceat(counts.take(order, axis=1), starts, axis=1)
        return cells.reshape(-1, q, q)

    return labels, tables


def _apart(labels: Floats, power: int) -> Floats:
    """How much each pair of labels disagrees: 1 with power 0, else that power of their distance."""
    distances = np.abs(labels[:, None] - labels)
    return np.asarray(distances**power if power else (distances != 0.0).astype(np.float64))


class _Side(NamedTuple):
    """A column's order, where its groups of equal values start in that order, and the group of each observation."""

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    group: NDArray[np.intp]


def _side(column: NDArray[np.float64] | NDArray[np.intp]) -> _Side:
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    group = np.empty(len(column), dtype=np.intp)
    group[order] = np.cumsum(np.r_[False, ordered[1:] != ordered[:-1]])
    return _Side(order, starts, group)


def _doubled_ranks(side: _Side, order: NDArray[np.intp]) -> Callable[[Any], Any]:
    """Twice each observation's distance from the middle rank, from counts in the side's order, given in `order`."""
    below = side.starts[side.group[order]]
    up_to = np.r_[side.starts[1:], len(order)][side.group[order]]
    as_they_stand = bool(np.all(below == np.arange(len(order))))

    def ranks(ordered: Any) -> Any:
        running = np.zeros((len(ordered), ordered.shape[1] + 1), dtype=ordered.dtype)
        np.cumsum(ordered, axis=1, out=running[:, 1:])
        if as_they_stand:
            doubled = running[:, :-1] + running[:, 1:]
        else:
            doubled = running.take(below, axis=1)
            doubled += running.take(up_to, axis=1)
        doubled -= running[:, -1:]
        return doubled

    return ranks


def _products(a: Any, b: Any) -> Floats:
    """The sum of products of each row; on integers einsum is faster than vecdot."""
    return np.asarray(np.einsum("ij,ij->i", a, b), dtype=np.float64)


def _sizes(ordered: Counts, side: _Side) -> Counts:
    """The size of each group of equal values, groups in ascending order."""
    return ordered if len(side.starts) == len(side.order) else np.add.reduceat(ordered, side.starts, axis=1)


def _square_spread(sizes: Counts, total: Counts) -> Counts:
    """``N^2 - sum t^2``."""
    return np.asarray(np.vecdot(sizes, total - sizes))


def _centred_pearson(counts: Counts, x: Floats, y: Floats) -> Floats:
    """Moments about each resample's own mean; a resample is constant by its values, not by its moments."""
    dx, dy = (_distances(counts, side) for side in (x, y))
    covariance = (counts * dx * dy).sum(axis=1)
    # Two roots, not the root of a product, which underflows where both spreads are tiny.
    spread = np.sqrt((counts * dx * dx).sum(axis=1)) * np.sqrt((counts * dy * dy).sum(axis=1))
    return _ratio(covariance, spread, varies(counts, x) & varies(counts, y))


def _distances(counts: Counts, values: Floats) -> Floats:
    """Distances from each resample's own mean over the largest of them, 0 for values that were not drawn."""
    away = np.where(counts > 0, values - means(counts, values)[:, None], 0.0)
    largest = np.abs(away).max(axis=1, keepdims=True)
    return np.asarray(np.divide(away, largest, out=away, where=largest > 0.0))


def _ratio(above: Floats, below: Floats, defined: NDArray[np.bool_]) -> Floats:
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=defined)
    return np.asarray(np.clip(result, -1.0, 1.0))
