"""Correlations of many resamples at once, a resample being a vector of counts over the observations."""

from collections.abc import Callable
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
OfCounts = Callable[[Counts], Floats]

# Twice the sum of so many counts below 256 has 31 bits.
BYTE, MOST_SUMMED = 256, 2**22
# Four times the cube of so many has 53 bits, as a float has.
MOST_CUBED = 2**17
# So many floats at a time stay in the processor's cache.
PART, WHOLE = 8_000, 48_000
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
    distance from the middle rank of N values is the integer b + e - N. The mean of b + e is N, so a sum of products of
    two such distances is that of the products of b + e less N^3. All but the last division is exact up to 200,000
    values, and as exact as 16 digits are beyond.
    """
    side_x, side_y = _side(x), _side(y)
    group_x, group_y = side_x.group[side_x.order], side_y.group[side_x.order]
    n = len(side_x.order)

    def spearman(counts: Counts) -> Floats:
        # The same in an eighth of the memory, which is what many values wait for.
        small: Any = counts.astype(np.uint8) if counts.size < MOST_SUMMED and counts.max() < BYTE else counts
        in_x_order, in_y_order = _in_orders(small, side_x.order, side_y.order)
        of_x, total = _doubled_ranks(in_x_order, side_x)
        of_y, _ = _doubled_ranks(in_y_order, side_y)
        cubes = total[:, 0].astype(np.float64) ** 3
        if total.max() > MOST_CUBED:
            of_x -= total
            of_y -= total
            cubes[:] = 0.0
        sums = np.zeros((3, len(counts)))
        at_once = n if counts.size <= WHOLE else max(1, PART // len(counts))
        for start in range(0, n, at_once):
            part = slice(start, start + at_once)
            rank_x = (of_x[:, part] if side_x.untied else of_x.take(group_x[part], axis=1)).astype(np.float64)
            rank_y = of_y.take(group_y[part], axis=1).astype(np.float64)
            weights = in_x_order[:, part].astype(np.float64)
            weighted = weights * rank_y
            sums[0] += np.vecdot(weighted, rank_x)
            sums[2] += np.vecdot(weighted, rank_y)
            weights *= rank_x
            sums[1] += np.vecdot(weights, rank_x)
        covariance, spread_x, spread_y = sums - cubes
        spread = np.sqrt(spread_x) * np.sqrt(spread_y)
        return _ratio(covariance, spread, spread > 0.0)

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
    """A column's order, the bounds in it of its groups of equal values (from 0 to n), and each observation's group."""

    order: NDArray[np.intp]
    bounds: NDArray[np.intp]
    group: NDArray[np.intp]

    @property
    def untied(self) -> bool:
        """Whether each value occurs once."""
        return len(self.bounds) > len(self.order)


def _side(column: NDArray[np.float64] | NDArray[np.intp]) -> _Side:
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    bounds = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True])
    group = np.empty(len(column), dtype=np.intp)
    group[order] = np.cumsum(np.r_[False, ordered[1:] != ordered[:-1]])
    return _Side(order, bounds, group)


def _in_orders(counts: Any, *orders: NDArray[np.intp]) -> list[Any]:
    """Counts ``(rows, n)`` in each order; small ones of many rows are moved a column at a time."""
    if counts.dtype == np.uint8 and len(counts) > 1:
        columns: Any = cv2.transpose(counts)
        return [cv2.transpose(columns.take(order, axis=0)) for order in orders]
    return [counts.take(order, axis=1) for order in orders]


def _doubled_ranks(ordered: Any, side: _Side) -> tuple[Any, Any]:
    """Twice each group's mid-rank less 1, shape ``(rows, groups)``, and the size of each resample, ``(rows, 1)``."""
    if ordered.dtype == np.uint8:
        # A table of sums from above and from the left; OpenCV makes it in a third of the time of one sum.
        table: Any = cv2.integral(ordered, sdepth=cv2.CV_32S)
        running = table[1:] - table[:-1]
    else:
        running = np.zeros((len(ordered), ordered.shape[1] + 1), dtype=ordered.dtype)
        np.cumsum(ordered, axis=1, out=running[:, 1:])
    bounds = running if side.untied else running.take(side.bounds, axis=1)
    return bounds[:, :-1] + bounds[:, 1:], running[:, -1:]


def _sizes(ordered: Counts, side: _Side) -> Counts:
    """The size of each group of equal values, groups in ascending order."""
    return ordered if side.untied else np.add.reduceat(ordered, side.bounds[:-1], axis=1)


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


class _Level(NamedTuple):
    """Blocks of `2 * half` neighbours in the order of (x, y): how y sorts them, and which come from the right half."""

    half: int
    order: NDArray[np.intp]
    right: NDArray[np.bool_]


def discordance_of_counts(x: NDArray[np.intp], y: NDArray[np.intp]) -> Callable[[Counts], Counts]:
    """A function from counts ``(resamples, n)`` to the number of discordant pairs ``(resamples,)``.

    In the order of (x, y) a pair is discordant when the later one has the smaller y. Every pair meets in one block of
    one level, the earlier one in its left half. There the left ones, each with the right ones before it in the order
    of y (of equal y the left one is first), make up the discordant pairs. Time and memory grow with n log n.

    Args:
        x: Shape ``(n,)``, any numbers with the ties that count.
        y: Shape ``(n,)``, same order.

    Returns:
        The function; its numbers are exact.

    Source:
        Knight (1966), J. Am. Stat. Assoc. 61:436-439, with weights.
    """
    n = len(x)
    order = np.lexsort((y, x))
    levels = list(_levels(y[order]))

    def discordance(counts: Counts) -> Counts:
        ordered = counts.take(order, axis=1)
        before = np.zeros((len(counts), n + 1), dtype=np.int64)
        np.cumsum(ordered, axis=1, out=before[:, 1:])
        pairs = np.zeros(len(counts), dtype=np.int64)
        for level in levels:
            merged = ordered.take(level.order, axis=1)
            right = merged * level.right
            merged -= right
            pairs += np.einsum("ij,ij->i", merged, np.cumsum(right, axis=1)) - _from_earlier_blocks(
                before, level.half, n
            )
        return pairs

    return discordance


def _levels(y: NDArray[np.intp]) -> list[_Level]:
    n = len(y)
    place = np.arange(n)
    levels = []
    half = 1
    while half < n:
        right = (place // half) % 2 == 1
        order = np.lexsort((right, y, place // (2 * half)))
        levels.append(_Level(half, order, right[order]))
        half *= 2
    return levels


def _from_earlier_blocks(before: Counts, half: int, n: int) -> Counts:
    """What a running sum of right halves over all blocks adds to the left ones of later blocks."""
    starts = np.arange(0, n, 2 * half)
    at_start, at_middle = before[:, starts], before[:, np.minimum(starts + half, n)]
    at_end = before[:, np.minimum(starts + 2 * half, n)]
    rights = at_end - at_middle
    return np.asarray(np.vecdot(at_middle - at_start, np.cumsum(rights, axis=1) - rights))
