"""When two numbers count as equal: raw values as they were read, results of arithmetic within their last digits."""

from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIE = 1e-12

Floats = NDArray[np.float64]


def compare(values: ArrayLike, limit: ArrayLike = 0.0, operands: ArrayLike = 0.0) -> Floats:
    """On which side of a limit results of arithmetic are.

    Args:
        values: Any shape, such as differences, means or coefficients.
        limit: What they are held against, in the same unit; a shape that broadcasts.
        operands: The largest absolute score that went into each value; a shape that broadcasts.

    Returns:
        1 above the limit, -1 below, 0 within ``1e-12 max(|limit|, operand)`` of it, NaN for a missing value: ``> 0``
        reads above, ``>= 0`` at least.

    Source:
        docs/statistics.md, Conventions.
    """
    array, at = np.asarray(values, dtype=np.float64), np.asarray(limit, dtype=np.float64)
    distance = array - at
    tolerance = TIE * np.maximum(np.abs(at), np.abs(np.asarray(operands, dtype=np.float64)))
    return np.where(np.abs(distance) <= tolerance, 0.0, np.sign(distance))


def join_ties(values: ArrayLike, operands: ArrayLike | None = None, relative: float = TIE) -> Floats:
    """Results of arithmetic in which those that tie are equal, those that are 0 are 0, and all others are untouched.

    Args:
        values: Any shape, in any unit; NaN stays NaN.
        operands: The largest absolute score that went into each value (for a mean the largest in it), a shape that
            broadcasts; none: the values' own size is all that is known.
        relative: How near two that tie are to each other, as a share of the larger operand.

    Returns:
        The same shape. In the order of their absolute values a new group begins where the gap to the previous value is
        larger than `relative` times the larger operand of the two; a group has the size of its smallest value. Values
        of either sign share groups, so that ranks of absolute values tie as well.

    Source:
        docs/statistics.md, Conventions.
    """
    array = np.asarray(values, dtype=np.float64)
    sizes = np.abs(array if operands is None else np.broadcast_to(np.asarray(operands, dtype=np.float64), array.shape))
    # Also turns a negative zero into zero.
    result = np.where(np.abs(array) <= relative * sizes, 0.0, array)
    flat = result.reshape(-1)
    there = np.flatnonzero(np.isfinite(flat) & (flat != 0.0))
    there = there[np.argsort(np.abs(flat[there]), kind="stable")]
    magnitudes, sizes = np.abs(flat[there]), sizes.reshape(-1)[there]
    begins = np.r_[True, np.diff(magnitudes) > relative * np.maximum(sizes[1:], sizes[:-1])][: there.size]
    if not begins.all():
        flat[there] = np.copysign(magnitudes[begins][np.cumsum(begins) - 1], flat[there])
    return flat.reshape(array.shape)


def differences(first: ArrayLike, second: ArrayLike) -> Floats:
    """First - second with ties joined.

    Args:
        first: Any shape, scores in any unit; NaN where one is missing.
        second: The same, a shape that broadcasts.

    Returns:
        The broadcast shape, in the scores' unit: 0.7 - 0.6 equals 0.8 - 0.7.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return join_ties(one - two, np.fmax(np.abs(one), np.abs(two)))


def row_means(matrix: ArrayLike) -> Floats:
    """The mean of each row's values with ties joined.

    Args:
        matrix: Shape ``(n, m)``, scores in any unit; NaN where one is missing, at least one in each row.

    Returns:
        Shape ``(n,)``. Rows of the same scores in another order, or repeated twice as often, have equal means.
    """
    array = np.asarray(matrix, dtype=np.float64)
    return join_ties(np.nanmean(array, axis=1), np.nanmax(np.abs(array), axis=1))


def ceiling(value: float) -> int:
    """The smallest whole number that is not below a product: 0.07 * 100 asks for 7, not for 8."""
    nearest = round(value)
    return nearest if compare(value, nearest) == 0 else ceil(value)


def snap(values: ArrayLike, limits: ArrayLike, operands: ArrayLike = 0.0) -> Floats:
    """Values in which those that tie with a limit are that limit, so that they fall on one side of it.

    Args:
        values: Any shape.
        limits: Shape ``(m,)``, such as the edges of bins.
        operands: As in `compare`.

    Returns:
        The shape of the values; all others are untouched.
    """
    array, edges = np.asarray(values, dtype=np.float64), np.asarray(limits, dtype=np.float64)
    ties = compare(array[..., None], edges, np.asarray(operands, dtype=np.float64)[..., None]) == 0.0
    return np.where(ties.any(axis=-1), edges[ties.argmax(axis=-1)], array)
