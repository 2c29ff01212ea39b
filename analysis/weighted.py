"""Correlations of many resamples at once, a resample being a vector of counts over the observations."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
OfCounts = Callable[[Counts], Floats]


def varies(counts: Counts, column: Floats) -> NDArray[np.bool_]:
    """Whether a column takes more than one value in each resample.

    Args:
        counts: Shape ``(resamples, n)``.
        column: Shape ``(n,)``, rounded, or ``(resamples, n)``.

    Returns:
        Shape ``(resamples,)``.
    """
    highest = np.where(counts > 0, column, -np.inf).max(axis=1)
    lowest = np.where(counts > 0, column, np.inf).min(axis=1)
    return np.asarray(highest > lowest)


def means(counts: Counts, values: Floats) -> Floats:
    """The mean of ``(n,)`` values in each resample, shape ``(resamples,)``."""
    return np.asarray(counts @ values / counts.sum(axis=1))


def pearson_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Pearson's r ``(resamples,)``, NaN where a side is constant."""

    def pearson(counts: Counts) -> Floats:
        # Centred on each resample's own mean: moments about any other point lose digits.
        return _correlated(counts, x - means(counts, x)[:, None], y - means(counts, y)[:, None], x, y)

    return pearson


def spearman_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Spearman's rho ``(resamples,)``, NaN where a side is constant."""
    ranks_x, ranks_y = _ranker(x), _ranker(y)

    def spearman(counts: Counts) -> Floats:
        middle = (counts.sum(axis=1)[:, None] + 1) / 2.0
        return _correlated(counts, ranks_x(counts) - middle, ranks_y(counts) - middle, x, y)

    return spearman


def kendall_of_counts(x: Floats, y: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to Kendall's tau-b ``(resamples,)``, NaN where a side is constant.

    With S the matrix of signs of all differences of a column, ``c'(Sx o Sy)c`` is twice concordant minus discordant
    pairs of the resample c, and ``c'Sx^2 c`` twice its pairs that x does not tie. The matrix takes n^2 bytes.
    """
    signs_x, signs_y = (np.sign(side[:, None] - side[None, :]).astype(np.int8) for side in (x, y))
    agreement = signs_x * signs_y
    grouped_x, grouped_y = _grouper(x), _grouper(y)

    def kendall(counts: Counts) -> Floats:
        # float32 is exact here: every partial sum is an integer below 2^24.
        product = counts.astype(np.float32) @ agreement.astype(np.float32)
        excess = (product.astype(np.float64) * counts).sum(axis=1)
        total = counts.sum(axis=1).astype(np.float64) ** 2
        untied_x = total - (grouped_x(counts).astype(np.float64) ** 2).sum(axis=1)
        untied_y = total - (grouped_y(counts).astype(np.float64) ** 2).sum(axis=1)
        return _ratio(excess, np.sqrt(untied_x) * np.sqrt(untied_y), (untied_x > 0) & (untied_y > 0))

    return kendall


def _correlated(counts: Counts, dx: Floats, dy: Floats, x: Floats, y: Floats) -> Floats:
    """Weighted correlation of centred columns; constant resamples are told by the rounded values, not by moments."""
    covariance = (counts * dx * dy).sum(axis=1)
    # Two roots, not the root of a product, which underflows where both spreads are tiny.
    spread = np.sqrt((counts * dx * dx).sum(axis=1)) * np.sqrt((counts * dy * dy).sum(axis=1))
    return _ratio(covariance, spread, varies(counts, x) & varies(counts, y))


def _ratio(above: Floats, below: Floats, defined: NDArray[np.bool_]) -> Floats:
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=defined)
    return np.clip(result, -1.0, 1.0)


def _grouper(column: Floats) -> Callable[[Counts], Counts]:
    """Counts per distinct value of the column, in ascending order of value."""
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return lambda counts: np.add.reduceat(counts[:, order], starts, axis=1)


def _ranker(column: Floats) -> OfCounts:
    """Mid-ranks of the observations inside each resample, from one sort of the column."""
    grouped = _grouper(column)
    group = np.unique(column, return_inverse=True)[1]

    def ranks(counts: Counts) -> Floats:
        sizes = grouped(counts)
        return np.asarray((np.cumsum(sizes, axis=1) - (sizes - 1) / 2.0)[:, group])

    return ranks
