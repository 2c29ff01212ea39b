"""The object saved once more with loss that no one sees: a judge has to give it the same score."""

import cv2
import numpy as np

from analysis.images.alterations.surface import CannotAlter, Mask, Picture, filled, laid_on, surface_of

QUALITY = 98


def reencoded(image: Picture, mask: Mask, *, quality: int = QUALITY) -> Picture:
    """The object as it comes back from a JPEG of high quality whose colours have full resolution.

    Args:
        image: Shape ``(height, width, 3 or 4)``, sRGB, 0-255.
        mask: Shape ``(height, width)``, true on the object.
        quality: Of the JPEG, 1-100.

    Raises:
        ValueError: The quality is not within 1-100.
        CannotAlter: The picture is larger than a JPEG may be.
    """
    if not 1 <= quality <= 100:
        raise ValueError(f"a JPEG's quality is within 1-100, not {quality}")
    surface = surface_of(image, mask)
    how = [
        *(cv2.IMWRITE_JPEG_QUALITY, quality),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444),
    ]
    # Without the outline, whose contrast JPEG would spread over the object as ringing.
    whole = filled(surface.rgb, surface.mask)
    done, coded = cv2.imencode(".jpg", whole[..., ::-1], how)
    if not done:
        height, width = image.shape[:2]
        raise CannotAlter(f"a picture of {width} x {height} px cannot be encoded as JPEG")
    back = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)
    return laid_on(image, surface, back[..., ::-1])
