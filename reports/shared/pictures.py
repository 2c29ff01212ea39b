"""Small pictures inside a page: JPEG as a data URL, the longer side at most 256 px."""

import base64
import io
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final

import cv2
from PIL import Image

from reports.shared.text import Text
from resources.photos.images import UnreadableImage, load_roughly

SIDE_PX: Final = 256
QUALITY: Final = 82
# Of a picture in a row of a table, which shows it 64 px large. As JPEG it takes 1.5 kB on average, the largest of the
# samples 2.5 kB, and a third more in the page.
IN_ROW_PX: Final = 96
# So many add about a megabyte to a page.
MOST_IN_ROWS: Final = 500
# A picture of 80 million pixels takes 0.6 GB until it is small.
_THREADS: Final = 2


@dataclass(frozen=True)
class Picture:
    """A picture with its words; without a `url` the caption says why."""

    url: str | None
    width_px: int
    height_px: int
    alt: Text
    caption: Text


def thumbnail(path: str, side_px: int = SIDE_PX) -> tuple[str, int, int] | None:
    """The picture's data URL, width and height in pixels; none where the file cannot be read any more."""
    try:
        # What is transparent shows the studies' black background.
        image = cv2.cvtColor(load_roughly(path, 2 * side_px), cv2.COLOR_RGBA2mRGBA)
    except UnreadableImage:
        return None
    share = min(1.0, side_px / max(image.shape[:2]))
    height, width = (max(1, round(side * share)) for side in image.shape[:2])
    small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)[..., :3]
    buffer = io.BytesIO()
    Image.fromarray(small).save(buffer, "JPEG", quality=QUALITY, optimize=True)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}", width, height


def picture(path: str | None, alt: Text, caption: Text, missing: Text, side_px: int = SIDE_PX) -> Picture:
    """A picture with its words; where the file is gone, `missing` says so in its place."""
    found = thumbnail(path, side_px) if path else None
    if found is None:
        return Picture(None, side_px, side_px, missing, caption)
    return Picture(*found, alt, caption)


def pictures_in_rows(paths: Mapping[str, str]) -> dict[str, tuple[str, int, int] | None]:
    """What `thumbnail` gives for the rows of a table, up to `MOST_IN_ROWS`.

    Args:
        paths: Of each picture by the words of the cells that show it, the most important first.
    """
    first = dict(islice(paths.items(), MOST_IN_ROWS))
    with ThreadPoolExecutor(_THREADS) as pool:
        return dict(zip(first, pool.map(lambda path: thumbnail(path, IN_ROW_PX), first.values()), strict=True))
