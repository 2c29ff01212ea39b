"""Krippendorff's alpha: agreement of any number of raters, with gaps, on labels, ordered categories or scores."""

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.weighted import OfCounts
from analysis.undefined import UndefinedStatistic

Level = Literal["nominal", "ordinal", "interval"]
# What is left of equal values after a subtraction of squares is noise of this share.
NOISE = 1e-13


class Alpha(NamedTuple):
    """`value` is at most 1, 0 what chance alone would give; from `n_units` units with `n_values` values.

    Units with fewer than two values cannot be paired and are in neither.
    """

    value: float
    level: Level
    n_units: int
    n_values: int


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> Alpha:
    """How far raters agree beyond chance.

    Args:
        ratings: Shape ``(n_units, n_raters)``, numbers; NaN or none where a rater gave no value.
        level: nominal (equal or not), ordinal (by order; distance is in ranks) or interval (by difference).

    Returns:
        Alpha and what it was computed from.

    Raises:
        ValueError: Not two-dimensional, an infinite value, or another level.
        UndefinedStatistic: No unit with two values, or all values that can be paired are equal.

    Source:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability. The ordinal distance of two categories,
        sum of n_g from c to k less (n_c + n_k) / 2, is the difference of their mid-ranks.
    """
    values = np.asarray(ratings, dtype=np.float64)
    if level not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"level must be nominal, ordinal or interval, got '{level}'")
    if values.ndim != 2:
        raise ValueError(f"one row per unit and one column per rater are needed, got shape {values.shape}")
    if bool(np.isinf(values).any()):
        raise ValueError("a value is infinite; values must be finite, missing ones NaN")
    per_unit = np.count_nonzero(~np.isnan(values), axis=1)
    kept, sizes = values[per_unit >= 2], per_unit[per_unit >= 2]
    n_values = int(sizes.sum())
    if n_values == 0:
        raise UndefinedStatistic("no unit with values of two raters")
    present = ~np.isnan(kept)
    categories, codes, marginals = np.unique(kept[present], return_inverse=True, return_counts=True)
    if len(categories) == 1:
        raise UndefinedStatistic("all {n} values are equal, so alpha is 0/0", n=n_values)
    if level == "nominal":
        observed = _unequal_pairs(kept, sizes)
        expected = float(n_values) ** 2 - float((marginals.astype(np.float64) ** 2).sum())
    else:
        of_category = _mid_ranks(marginals) if level == "ordinal" else categories
        placed = np.zeros_like(kept)
        # Centred, so that no digits are lost to the mean.
        placed[present] = (of_category - marginals @ of_category / n_values)[codes]
        squares, sums = (placed**2).sum(axis=1), placed.sum(axis=1)
        observed = float((2.0 * (sizes * squares - sums**2) / (sizes - 1)).sum())
        expected = 2.0 * (n_values * float(squares.sum()) - float(sums.sum()) ** 2)
    return Alpha(1.0 - (n_values - 1) * observed / expected, level, len(kept), n_values)


def alpha_of_tables(tables: ArrayLike, level: Level = "ordinal") -> NDArray[np.float64]:
    """Alpha of two raters without gaps, from how often their categories fall together.

    Args:
        tables: Shape ``(..., k, k)``, units by the category of the first and of the second rater, in order.
        level: Of measurement; interval takes the categories to be 0, 1, ..., k - 1.

    Returns:
        Shape ``(...)``; NaN where all values are equal or there is no unit.

    Source:
        As `krippendorff_alpha`.
    """
    table = np.asarray(tables, dtype=np.float64)
    marginals = table.sum(axis=-1) + table.sum(axis=-2)
    k = marginals.shape[-1]
    if level == "nominal":
        distances = 1.0 - np.eye(k)
    else:
        place = _mid_ranks(marginals) if level == "ordinal" else np.arange(k, dtype=np.float64)
        distances = (place[..., :, None] - place[..., None, :]) ** 2
    observed = (table * distances).sum(axis=(-2, -1))
    expected = (marginals[..., :, None] * marginals[..., None, :] * distances).sum(axis=(-2, -1))
    n_values = marginals.sum(axis=-1)
    return _one_minus((n_values - 1.0) * 2.0 * observed, expected)


def alpha_of_counts(ratings: ArrayLike, level: Literal["nominal", "ordinal"]) -> OfCounts:
    """A function from counts ``(resamples, n_units)`` to alpha ``(resamples,)`` of any number of raters, with gaps.

    Args:
        ratings: Shape ``(n_units, n_raters)``, few different numbers; NaN where a rater gave no value.
        level: Of measurement.

    Returns:
        NaN where all values are equal or no unit has two.

    Source:
        As `krippendorff_alpha`; a unit of m values puts each of its ordered pairs into the table of coincidences with
        the weight 1 / (m - 1).
    """
    values = np.asarray(ratings, dtype=np.float64)
    categories = np.unique(values[~np.isnan(values)])
    given = np.stack([(values == category).sum(axis=1) for category in categories], axis=-1).astype(np.float64)
    sizes = given.sum(axis=1)
    given[sizes < 2] = 0.0
    pairs = given[:, :, None] * given[:, None, :] - np.eye(len(categories)) * given[:, None, :]
    coincidences = (pairs / np.maximum(sizes - 1.0, 1.0)[:, None, None]).reshape(len(values), -1)
    shape = (-1, len(categories), len(categories))
    # A table of two raters holds each pair once, coincidences twice.
    return lambda counts: alpha_of_tables((counts @ coincidences).reshape(shape) / 2.0, level)


def alpha_of_moments(
    n_units: ArrayLike, squared_differences: ArrayLike, sums: ArrayLike, squares: ArrayLike
) -> NDArray[np.float64]:
    """Interval alpha of two raters without gaps, from sums over units.

    Args:
        n_units: Shape ``(...)``, how many units.
        squared_differences: Shape ``(...)``, sum of (first - second)^2.
        sums: Shape ``(...)``, sum of both raters' values, taken from a point near their mean.
        squares: Shape ``(...)``, sum of both raters' squared values, from the same point.

    Returns:
        Shape ``(...)``; NaN where all values are equal or there is no unit.

    Source:
        As `krippendorff_alpha`.
    """
    n_values = 2.0 * np.asarray(n_units, dtype=np.float64)
    scale = n_values * np.asarray(squares, dtype=np.float64)
    expected = np.asarray(2.0 * (scale - np.asarray(sums, dtype=np.float64) ** 2))
    expected = np.where(expected <= NOISE * scale, 0.0, expected)
    return _one_minus((n_values - 1.0) * 2.0 * np.asarray(squared_differences, dtype=np.float64), expected)


def _one_minus(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    ratio = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=ratio, where=below > 0)
    return 1.0 - ratio


def _mid_ranks(marginals: NDArray[np.generic]) -> NDArray[np.float64]:
    """The middle of each category's ranks, counted from 0, along the last axis."""
    counts = marginals.astype(np.float64)
    return np.cumsum(counts, axis=-1) - counts / 2.0


def _unequal_pairs(values: NDArray[np.float64], sizes: NDArray[np.intp]) -> float:
    """Ordered pairs of unequal values inside each unit, each over one less than the unit's values; summed."""
    unequal = np.zeros(len(values))
    for one, other in combinations(values.T, 2):
        unequal += (one != other) & ~np.isnan(one) & ~np.isnan(other)
    return float((2.0 * unequal / (sizes - 1)).sum())
