"""The object out of focus, its surroundings neither blurred nor mixed in."""

import cv2
import numpy as np

from analysis.images.alterations.exact import smoothed
from analysis.images.alterations.surface import (
    STEPS,
    Mask,
    Picture,
    laid_on,
    surface_of,
    to_linear,
    to_stored,
    without_rim,
)

REFERENCE_PX = 512
_INNER_WEIGHT = 1000  # to 1 of the rim, which counts only where there is nothing better within reach


def blurred_object(image: Picture, mask: Mask, sigma_px: float, *, reference_px: int = REFERENCE_PX) -> Picture:
    """The object blurred by a Gaussian in linear light, as a lens would, over its own pixels only.

    A normalised convolution: each pixel becomes the weighted mean of the object's pixels around it, those of the rim,
    where a black background is mixed in, hardly counted.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        sigma_px: In pixels of a picture whose longer side is `reference_px`; larger pictures are blurred more widely.
        reference_px: That longer side, pixels.

    Raises:
        ValueError: The sigma is not above 0.

    Source:
        Knutsson and Westin (1993), CVPR: normalized convolution.
    """
    if sigma_px <= 0:
        raise ValueError(f"a blur of sigma {sigma_px} px is none")
    surface = surface_of(image, mask)
    sigma = sigma_px * max(image.shape[:2]) / reference_px
    weight = np.where(without_rim(surface.mask), _INNER_WEIGHT, surface.mask).astype(np.float64)
    light = np.rint(to_linear(surface.rgb).astype(np.float64) * STEPS) * weight[..., None]
    # Nothing is beyond the box, so nothing is added there: the weights know.
    seen, counted = (smoothed(whole, sigma, cv2.BORDER_CONSTANT) for whole in (light, weight))
    return laid_on(image, surface, to_stored(seen / (np.maximum(counted, 1) * STEPS)[..., None]))
