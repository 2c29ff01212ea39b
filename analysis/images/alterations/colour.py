"""Hue, saturation and brightness of the object: the first two in CIELAB at the same lightness, the last as light."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from analysis.images.alterations.exact import mixed, settled
from analysis.images.alterations.surface import Floats, Mask, Picture, laid_on, surface_of, to_linear, to_stored

# Linear sRGB to XYZ (IEC 61966-2-1), each row divided by the D65 white: equal parts of red, green, blue are grey.
_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])
_WHITE = _XYZ.sum(axis=1, keepdims=True)
_TO_XYZ, _FROM_XYZ = (settled(matrix).astype(np.float32) for matrix in (_XYZ / _WHITE, np.linalg.inv(_XYZ / _WHITE)))
_LINEAR_BELOW = 6 / 29  # of the cube root's branch
_ROOT_STEPS, _ROOT_GRAIN = 2**20, 2**23  # of the table of roots: its places and its values
_HALVINGS = 8
_SLACK = 1e-4  # linear light; less is rounding


def shifted_hue(image: Picture, mask: Mask, degrees: float) -> Picture:
    """The object with every hue turned by the same angle of CIELAB, at the same lightness and chroma.

    Where sRGB has no such colour, chroma gives way until it has: lightness and hue are kept. Greys stay grey.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        degrees: Counter-clockwise in the plane of a* and b*, red towards yellow.

    Source:
        CIE 15:2004, CIELAB; D65.
    """
    turn = np.radians(degrees)
    return _recoloured(image, mask, settled([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]))


def scaled_saturation(image: Picture, mask: Mask, factor: float) -> Picture:
    """The object with its CIELAB chroma multiplied, at the same lightness and hue.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        factor: 0 is grey, 1 the same, unitless.

    Raises:
        ValueError: The factor is negative.

    Source:
        CIE 15:2004, CIELAB; D65.
    """
    if factor < 0:
        raise ValueError(f"chroma cannot be multiplied by {factor}")
    return _recoloured(image, mask, factor * np.eye(2))


def scaled_brightness(image: Picture, mask: Mask, factor: float) -> Picture:
    """The object as if this share of the light fell on it: linear light is multiplied, so chromaticity is kept.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        factor: Share of the light, unitless; above 1 what is brighter than white is clipped.

    Raises:
        ValueError: The factor is negative.
    """
    if factor < 0:
        raise ValueError(f"light cannot be multiplied by {factor}")
    surface = surface_of(image, mask)
    table = to_stored(to_linear(np.arange(256, dtype=np.uint8)) * np.float32(factor))
    return laid_on(image, surface, table[surface.rgb])


def _recoloured(image: Picture, mask: Mask, plane: NDArray[np.float64]) -> Picture:
    """The object with a* and b* mapped by a 2 x 2 matrix."""
    surface = surface_of(image, mask)
    lab = to_lab(surface.rgb[surface.mask])
    lab[1:] = mixed(plane.astype(np.float32), lab[1:])
    result = surface.rgb.copy()
    result[surface.mask] = to_stored(_within_srgb(lab)).T
    return laid_on(image, surface, result)


def to_lab(rgb: Picture) -> Floats:
    """CIELAB (D65) of sRGB colours.

    Args:
        rgb: Shape ``(n, 3)``, 0-255.

    Returns:
        Shape ``(3, n)``: L* 0-100, a*, b*.
    """
    xyz = mixed(_TO_XYZ, to_linear(np.ascontiguousarray(rgb.T)))
    x, y, z = _roots()[(np.clip(xyz, 0, 1) * _ROOT_STEPS + np.float32(0.5)).astype(np.int32)]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@cache
def _roots() -> Floats:
    """CIELAB's cube root with its straight piece for dark colours, of 0-1 in `_ROOT_STEPS`."""
    light = np.arange(_ROOT_STEPS + 1) / _ROOT_STEPS
    root = np.where(light <= _LINEAR_BELOW**3, light / (3 * _LINEAR_BELOW**2) + 4 / 29, np.cbrt(light))
    return np.asarray((np.rint(root * _ROOT_GRAIN) / _ROOT_GRAIN).astype(np.float32))


def _linear_of(lab: Floats) -> Floats:
    """Linear light, below 0 or above 1 where sRGB has no such colour."""
    y = (lab[0] + 16) / 116
    root = np.stack([y + lab[1] / 500, y, y - lab[2] / 200])
    xyz = root * root * root
    dark = root <= _LINEAR_BELOW
    xyz[dark] = (root[dark] - np.float32(4 / 29)) * np.float32(3 * _LINEAR_BELOW**2)
    return mixed(_FROM_XYZ, xyz)


def _within_srgb(lab: Floats) -> Floats:
    """Linear light; colours that sRGB lacks get the most chroma that it has at their lightness and hue."""
    linear = _linear_of(lab)
    lacking = np.flatnonzero(_outside(linear))
    if not len(lacking):
        return linear
    wanted = lab[:, lacking]
    kept, refused = np.zeros(len(lacking), np.float32), np.ones(len(lacking), np.float32)
    for _ in range(_HALVINGS):
        share = np.float32(0.5) * (kept + refused)
        outside = _outside(_linear_of(_with_chroma(wanted, share)))
        refused, kept = np.where(outside, share, refused), np.where(outside, kept, share)
    linear[:, lacking] = _linear_of(_with_chroma(wanted, kept))
    return linear


def _outside(linear: Floats) -> Mask:
    return np.asarray((linear.min(axis=0) < -_SLACK) | (linear.max(axis=0) > 1 + _SLACK))


def _with_chroma(lab: Floats, share: Floats) -> Floats:
    return np.stack([lab[0], lab[1] * share, lab[2] * share])
