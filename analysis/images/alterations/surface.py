"""What every alteration shares: the object cut out of its picture, changed there in linear light, and laid back."""

from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

STEPS = 65535  # of linear light; the darkest are a twentieth of an 8-bit level wide
_GRAIN = 2**24  # of the table to light: a 32-bit float holds each of its steps
Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float32]
RIM_PX = 2


class CannotAlter(ValueError):
    """The object does not allow the alteration, such as stripes narrower than a pixel; the message says why."""


class Surface(NamedTuple):
    """The object's box: ``rgb`` is a view of the picture, so it is read and never written."""

    rows: slice
    columns: slice
    rgb: Picture  # (h, w, 3), sRGB, 0-255
    mask: Mask  # (h, w)


def surface_of(image: Picture, mask: Mask) -> Surface:
    """The object within the smallest box around it.

    Args:
        image: Shape ``(height, width, 3)`` or ``(height, width, 4)``, sRGB with straight alpha, 0-255.
        mask: Shape ``(height, width)``, true on the object.

    Raises:
        ValueError: The array is no 8-bit RGB or RGBA image, or the mask is not of its size.
        CannotAlter: The mask is empty.
    """
    if image.ndim != 3 or image.shape[2] not in (3, 4) or image.dtype != np.uint8:
        raise ValueError(f"an RGB or RGBA image of 8 bits is needed, not shape {image.shape} of {image.dtype}")
    if mask.shape != image.shape[:2] or mask.dtype != np.bool_:
        raise ValueError(f"the mask has shape {mask.shape} of {mask.dtype}, the image {image.shape[:2]}")
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        raise CannotAlter("The picture shows no object.")
    tall, wide = slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
    return Surface(tall, wide, image[tall, wide, :3], mask[tall, wide])


def laid_on(image: Picture, surface: Surface, rgb: Picture) -> Picture:
    """A copy of the picture whose object has these colours; all else, alpha too, is bit for bit the same.

    Args:
        image: The picture that `surface` was cut from.
        surface: Where the object is.
        rgb: Shape ``(h, w, 3)``, the box with its new colours; outside the object they are not read.
    """
    result = image.copy()
    box = result[surface.rows, surface.columns]
    box[..., :3] = np.where(surface.mask[..., None], rgb, surface.rgb)
    return result


def without_rim(mask: Mask) -> Mask:
    """The object without the pixels in which it mixes with a black background; parts that are all rim stay whole.

    Args:
        mask: Shape ``(h, w)``, true on the object.
    """
    padded = np.pad(mask.astype(np.uint8), 3 * RIM_PX)  # the picture's edge is no rim's inner side
    core = cv2.erode(padded, np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8))
    reached = cv2.dilate(core, np.ones((6 * RIM_PX + 1, 6 * RIM_PX + 1), np.uint8))
    kept = slice(3 * RIM_PX, -3 * RIM_PX)
    return np.asarray((core[kept, kept] > 0) | (mask & (reached[kept, kept] == 0)))


def filled(rgb: Picture, known: Mask) -> Picture:
    """The known pixels mirrored at their outline into all the others, so that the box is surface throughout.

    Args:
        rgb: Shape ``(h, w, 3)``, 0-255.
        known: Shape ``(h, w)``, true where the colours are the object's; not empty.
    """
    gaps = np.nonzero(~known)
    if not len(gaps[0]):
        return np.ascontiguousarray(rgb)
    # Each gap pixel's label is that of the nearest known one.
    _, labels = cv2.distanceTransformWithLabels(
        (~known).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL
    )
    place_of = np.zeros(int(labels.max()) + 1, np.intp)
    place_of[labels[known]] = np.flatnonzero(known)
    near = np.unravel_index(place_of[labels[gaps]], known.shape)
    mirrored = tuple(
        np.clip(2 * at_edge - here, 0, size - 1) for at_edge, here, size in zip(near, gaps, known.shape, strict=True)
    )
    # Across a thin part the mirror image lies in a gap again.
    usable = known[mirrored]
    source = tuple(np.where(usable, far, at_edge) for far, at_edge in zip(mirrored, near, strict=True))
    result = np.ascontiguousarray(rgb).copy()
    result[gaps] = rgb[source]
    return result


def changed_share(image: Picture, altered: Picture, mask: Mask) -> float:
    """How much of the object an alteration reached: 0 none of its pixels, 1 all of them.

    Args:
        image: Shape ``(height, width, 3 or 4)``, 0-255.
        altered: The same shape.
        mask: Shape ``(height, width)``, true on the object; not empty.
    """
    changed = np.zeros(mask.shape, dtype=np.bool_)
    for channel in range(image.shape[2]):
        changed |= image[..., channel] != altered[..., channel]
    return float(np.count_nonzero(changed & mask) / np.count_nonzero(mask))


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
