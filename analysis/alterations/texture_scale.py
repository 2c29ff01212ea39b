"""The object's texture magnified or reduced inside the same outline."""

import cv2
import numpy as np

from analysis.alterations.surface import Mask, Picture, filled, laid_on, surface_of, without_rim


def scaled_texture(image: Picture, mask: Mask, factor: float) -> Picture:
    """The object's picture scaled about its centre of area and cut to the same outline.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        factor: 1 is the same, 2 shows everything twice as large, unitless.

    Returns:
        No background is drawn in: where the scaled picture has a gap of the object, the surface beside the gap is
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
    centre = np.array([columns.mean(), rows.mean()])
    shown = np.column_stack([factor * np.eye(2), centre - factor * centre])
    height, width = surface.mask.shape
    whole = filled(surface.rgb, without_rim(surface.mask))
    if factor < 1:  # finer threads than the pixels of the result would turn into moiré
        whole = np.asarray(cv2.GaussianBlur(whole, (0, 0), 0.5 * np.sqrt(factor**-2 - 1)), dtype=np.uint8)
    scaled = cv2.warpAffine(whole, shown, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return laid_on(image, surface, np.asarray(scaled, dtype=np.uint8))
