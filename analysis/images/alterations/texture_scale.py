"""The object's texture magnified or reduced inside the same outline."""

import cv2
import numpy as np
from numpy.typing import NDArray

from analysis.images.alterations.exact import KERNEL_SUM, smoothed
from analysis.images.alterations.surface import Mask, Picture, filled, laid_on, surface_of, without_rim

_WEIGHT_SUM = 2**11  # of a pixel's four neighbours; two passes of 8-bit values stay below 2^31
_SHARPNESS = -0.75  # of the cubic, as OpenCV has it


def scaled_texture(image: Picture, mask: Mask, factor: float) -> Picture:
    """The object's picture scaled about its centre of area and cut to the same outline.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        factor: 1 is the same, 2 shows everything twice as large, unitless.

    Returns:
        No background is drawn in: where the scaled picture has a gap of the object, the surface next to the gap is
        mirrored into it.

    Raises:
        ValueError: The factor is not above 0.
    """
    if factor <= 0:
        raise ValueError(f"a texture cannot be scaled by {factor}")
    surface = surface_of(image, mask)
    if factor == 1:
        return image.copy()
    rows, columns = np.nonzero(surface.mask)
    whole = filled(surface.rgb, without_rim(surface.mask))
    if factor < 1:  # finer threads than the pixels of the result would turn into moiré
        seen = smoothed(whole.astype(np.float64), 0.5 * np.sqrt(factor**-2 - 1), cv2.BORDER_REFLECT_101)
        whole = np.rint(seen / KERNEL_SUM**2).astype(np.uint8)
    scaled = whole.astype(np.int32)
    for axis, centre in enumerate((rows.mean(), columns.mean())):
        scaled = _stretched(scaled, float(centre), factor, axis)
    half = _WEIGHT_SUM**2 // 2
    return laid_on(image, surface, np.clip((scaled + half) // _WEIGHT_SUM**2, 0, 255).astype(np.uint8))


def _stretched(values: NDArray[np.int32], centre: float, factor: float, axis: int) -> NDArray[np.int32]:
    """Whole values scaled along one axis about a place by cubic interpolation, times `_WEIGHT_SUM`.

    Source:
        Keys (1981), IEEE Transactions on Acoustics, Speech, and Signal Processing 29(6): cubic convolution.
    """
    size = values.shape[axis]
    place = (np.arange(size) - centre) / factor + centre
    first = np.floor(place)
    past = place - first
    weights = np.rint(np.stack([_cubic(past + 1), _cubic(past), _cubic(1 - past), _cubic(2 - past)]) * _WEIGHT_SUM)
    weights[1] += _WEIGHT_SUM - weights.sum(axis=0)
    shape = [1] * values.ndim
    shape[axis] = size
    total = np.zeros_like(values)
    for step, weight in enumerate(weights.astype(np.int32), start=-1):
        # Mirrored at the edge, which is shown twice.
        turned = np.mod(first.astype(np.int64) + step, 2 * size)
        total += np.take(values, np.minimum(turned, 2 * size - 1 - turned), axis=axis) * weight.reshape(shape)
    return total


def _cubic(far: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of a neighbour so far away, 0 to 2 pixels."""
    near = ((_SHARPNESS + 2) * far - (_SHARPNESS + 3)) * far * far + 1
    return np.where(far <= 1, near, ((far - 5) * far + 8) * far * _SHARPNESS - 4 * _SHARPNESS)
