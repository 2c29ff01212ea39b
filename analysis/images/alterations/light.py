"""Between stored 8-bit sRGB and linear light, by tables: as exact as 8 bits can show, and fast."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from analysis.images.alterations.surface import Floats, Picture

STEPS = 65535  # of linear light; the darkest are a twentieth of an 8-bit level wide
_GRAIN = 2**24  # of the table to light: a 32-bit float holds each of its steps


def to_linear(rgb: Picture) -> Floats:
    """Linear light, 0-1, of sRGB values 0-255; any shape."""
    return _decoding()[rgb]


def to_stored(linear: NDArray[np.floating]) -> Picture:
    """The nearest sRGB values, 0-255; light below 0 or above 1 is clipped."""
    return np.asarray(_encoding()[(np.clip(linear, 0.0, 1.0) * STEPS + 0.5).astype(np.uint16)])


@cache
def _decoding() -> Floats:
    """Source: IEC 61966-2-1:1999, the sRGB transfer function."""
    stored = np.arange(256) / 255
    linear = np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)
    return np.asarray((np.rint(linear * _GRAIN) / _GRAIN).astype(np.float32))


@cache
def _encoding() -> Picture:
    linear = np.arange(STEPS + 1) / STEPS
    stored = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(255 * stored).astype(np.uint8))
