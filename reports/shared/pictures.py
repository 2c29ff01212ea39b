"""Small pictures inside a page: JPEG as a data URL, the longer side at most 256 px."""

import base64
import io
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reports.shared.text import Text
from resources.photos.images import UnreadableImage, load_image

SIDE_PX: Final = 256
QUALITY: Final = 82


@dataclass(frozen=True)
class Picture:
    """A picture with its words; without a `url` the caption says why."""

    url: str | None
    width_px: int
    height_px: int
    alt: Text
    caption: Text


def thumbnail(path: str, side_px: int = SIDE_PX) -> tuple[str, int, int] | None:
    """The picture's data URL, width and height in pixels; none where the file cannot be read any more.

    Args:
        path: Local path or fsspec address.
        side_px: Longest side.
    """
    try:
        image = load_image(path, side_px)
    except UnreadableImage:
        return None
    buffer = io.BytesIO()
    Image.fromarray(_on_black(image)).save(buffer, "JPEG", quality=QUALITY, optimize=True)
    height, width = image.shape[:2]
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}", width, height


def picture(path: str | None, alt: Text, caption: Text, missing: Text, side_px: int = SIDE_PX) -> Picture:
    """A picture with its words; where the file is gone, `missing` says so in its place."""
    found = thumbnail(path, side_px) if path else None
    if found is None:
        return Picture(None, side_px, side_px, missing, caption)
    return Picture(*found, alt, caption)


def _on_black(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Without alpha, on the studies' black background."""
    share = image[..., 3:].astype(np.float32) / 255.0
    return np.rint(image[..., :3] * share).astype(np.uint8)
