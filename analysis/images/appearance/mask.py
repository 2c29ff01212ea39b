"""Where the object is: from transparency, else from the black background that touches the border."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

OPAQUE = 128  # alpha, 0-255
BLACK = 8  # largest channel of the background, 0-255; above the noise of a saved JPEG
LEAST_SHARE = 0.001  # of the frame; less is no object


def object_mask(image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The pixels that belong to the object.

    Dark pixels inside the object stay in: only black that hangs together with the border is background.

    Args:
        image: Shape ``(height, width, 4)``, red, green, blue, alpha, 0-255.

    Returns:
        Shape ``(height, width)``. Where no object is found (a frame that is all black or all transparent)
        the whole frame is the object: it is judged as what it shows.

    Raises:
        ValueError: The array is no RGBA image of 8 bits.
    """
    mask = _seen(image)
    return mask if mask.mean() >= LEAST_SHARE else np.ones(mask.shape, dtype=np.bool_)


def shows_nothing(image: NDArray[np.uint8]) -> bool:
    """Whether `object_mask` finds no object: the frame is all transparent, or all black.

    Args:
        image: Shape ``(height, width, 4)``, red, green, blue, alpha, 0-255.

    Raises:
        ValueError: The array is no RGBA image of 8 bits.
    """
    _refuse_other_than_rgba(image)
    # What is opaque and not black is the object by either rule: where a sixteenth of the pixels shows enough of it,
    # no mask is needed.
    sample = image[::4, ::4]
    surely_seen = (sample[..., 3] >= OPAQUE) & (sample[..., :3].max(axis=2) > BLACK)
    if surely_seen.sum() >= LEAST_SHARE * image.shape[0] * image.shape[1]:
        return False
    return bool(_seen(image).mean() < LEAST_SHARE)


def has_background(image: NDArray[np.uint8]) -> bool:
    """Whether the picture has a background that `object_mask` takes for the object: most of its border is seen.

    Args:
        image: Shape ``(height, width, 4)``, red, green, blue, alpha, 0-255.

    Raises:
        ValueError: The array is no RGBA image of 8 bits.
    """
    _refuse_other_than_rgba(image)
    border = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    return bool(((border[:, 3] >= OPAQUE) & (border[:, :3].max(axis=1) > BLACK)).mean() > 0.5)


def _refuse_other_than_rgba(image: NDArray[np.uint8]) -> None:
    if image.ndim != 3 or image.shape[2] != 4 or image.dtype != np.uint8:
        raise ValueError(f"an RGBA image of 8 bits is needed, not shape {image.shape} of {image.dtype}")


def _seen(image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The object's pixels, however few."""
    _refuse_other_than_rgba(image)
    alpha = image[..., 3]
    if int(alpha.min()) < OPAQUE:
        return alpha >= OPAQUE
    red, green, blue, _ = cv2.split(image)
    dark = (cv2.max(cv2.max(red, green), blue) <= BLACK).astype(np.uint8)
    # One frame of background around the picture joins all black that touches the border.
    framed = cv2.copyMakeBorder(dark, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    _, labels = cv2.connectedComponents(framed, connectivity=4)
    return np.asarray(labels[1:-1, 1:-1] != labels[0, 0])


class Isolated(NamedTuple):
    """The object alone, brought to one size: its area is that of a square of the asked side."""

    rgb: NDArray[np.float32]  # (h, w, 3), sRGB 0-1, colours drawn outwards beyond the object
    mask: NDArray[np.bool_]  # (h, w), without the rim where object and background mix


def isolated(image: NDArray[np.uint8], side_px: int, rim_px: int, longest_px: int) -> Isolated:
    """The object cut out and scaled so that textures are measured per object width, whatever the zoom.

    Args:
        image: Shape ``(height, width, 4)``, RGBA, 0-255.
        side_px: The object will cover ``side_px**2`` pixels.
        rim_px: Width of the rim that is left out, in pixels of the result.
        longest_px: No side of the result is longer; a very thin object is scaled down to it.
    """
    mask = object_mask(image)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    window = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    mask = mask[window]
    height, width = mask.shape
    factor = min(side_px / np.sqrt(mask.sum()), longest_px / max(height, width))
    size = (max(round(width * factor), 8), max(round(height * factor), 8))
    # Doubles, which are then rounded to floats: processors differ in a double's last digit, seldom in a float's.
    whole = mask.astype(np.float64)
    # Scaled with the mask as weight, so that neither black nor hidden colours bleed into the object.
    coloured = image[window][..., :3] * (whole[..., None] / 255)
    scaled = _reduced if factor < 1 else _enlarged
    rgb, weight = (scaled(values, size).astype(np.float32) for values in (coloured, whole))
    inside = np.pad((weight > 0.98).astype(np.uint8), rim_px)
    core = cv2.erode(inside, np.ones((2 * rim_px + 1, 2 * rim_px + 1), np.uint8))
    core = core[rim_px:-rim_px, rim_px:-rim_px] > 0
    if core.sum() < 0.2 * (weight > 0.5).sum():  # an object of thin parts only is all rim
        core = weight > 0.5
    return Isolated(_filled(rgb, weight, core), core)


def _reduced(values: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    """Averaged over areas; ``size`` is width and height."""
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), dtype=np.float64)


def _enlarged(values: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.float64]:
    """Interpolated between neighbours; OpenCV does it in single precision, on each processor in another way."""
    for axis, wanted in enumerate(reversed(size)):
        there = values.shape[axis]
        place = np.clip((np.arange(wanted) + 0.5) * there / wanted - 0.5, 0, there - 1)
        first = place.astype(np.int64)
        share = (place - first).reshape([-1 if one == axis else 1 for one in range(values.ndim)])
        near, far = (np.take(values, np.minimum(first + step, there - 1), axis=axis) for step in (0, 1))
        values = near * (1 - share) + far * share
    return values


def _filled(rgb: NDArray[np.float32], weight: NDArray[np.float32], core: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Colours of the object carried on beyond its edge, so that filters see no silhouette."""
    known = core.astype(np.float32)
    straight = np.asarray(rgb * (known / np.maximum(weight, 1e-3))[..., None], dtype=np.float32)
    result = straight.copy()
    missing = ~core
    for reach in (2, 8, 32):
        kernel = (4 * reach + 1, 4 * reach + 1)
        near = cv2.blur(known.astype(np.float64), kernel).astype(np.float32)
        reached = missing & (near > 1e-3)
        result[reached] = (
            cv2.blur(straight.astype(np.float64), kernel).astype(np.float32)[reached] / near[reached][:, None]
        )
        missing &= ~reached
    result[missing] = straight[core].mean(axis=0, dtype=np.float64) if core.any() else 0
    return result
