"""Rounding before comparisons, so that 0.7 - 0.6 and 0.8 - 0.7 are the same difference."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

DECIMALS = 12
LARGEST_EXPONENT = 300.0


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Scores on 0-1 (or differences of them) as every comparison sees them.

    Args:
        values: Any shape, unitless; NaN stays NaN.

    Returns:
        The same shape, rounded to 12 decimals, negative zero turned into zero.

    Source:
        docs/statistics.md, Conventions.
    """
    array = np.asarray(np.round(np.asarray(values, dtype=np.float64), DECIMALS), dtype=np.float64)
    return array + 0.0


def rounded_on_own_scale(values: ArrayLike) -> NDArray[np.float64]:
    """A column that does not live on 0-1, brought near 0-1 by a power of ten and rounded.

    Order and ties are those of the input at 12 significant decimals; the values are not.

    Args:
        values: Any shape, any unit; NaN stays NaN.

    Returns:
        ``values / 10**ceil(log10(max |values|))`` rounded to 12 decimals.
    """
    array = np.asarray(values, dtype=np.float64)
    finite = np.abs(array[np.isfinite(array)])
    largest = float(finite.max()) if finite.size else 0.0
    if largest == 0.0:
        return rounded(array)
    exponent = float(np.ceil(np.log10(largest)))
    # In two steps, the second of which is 1 as a rule: beyond 1e308 the power itself would not be a number.
    near = min(max(exponent, -LARGEST_EXPONENT), LARGEST_EXPONENT)
    return rounded(array / 10.0**near / 10.0 ** (exponent - near))
