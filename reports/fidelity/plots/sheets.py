"""Pictures next to each other, each under its name, on black: what is judged, and the golden set."""

import io
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from reports.shared.colours import INK, PAPER
from reports.shared.words import short

Picture = NDArray[np.uint8]

COLUMNS: Final = 9
TILE_PX: Final = 104
_NAME_PX: Final = 18
_GAP_PX: Final = 6
_LETTERS_PX: Final = 11
_NAME_CHARACTERS: Final = 17


def contact_sheet(title: str, pictures: Sequence[tuple[str, Picture]]) -> bytes:
    """A PNG with the pictures in rows of `COLUMNS`."""
    rows = [list(pictures[start : start + COLUMNS]) for start in range(0, len(pictures), COLUMNS)]
    return _sheet([(None, row) for row in rows], short(title, 100))


def rows_of_pictures(rows: Sequence[tuple[str, Sequence[Picture]]]) -> bytes:
    """A PNG with some objects below each other: photos, then the render in the last column.

    Args:
        rows: A label and the RGBA images of each object, the render last.
    """
    most = max(len(images) for _, images in rows)
    made: list[tuple[str | None, list[tuple[str, Picture | None]]]] = []
    for label, images in rows:
        photos: list[Picture | None] = [*images[:-1], *[None] * (most - len(images))]
        named: list[tuple[str, Picture | None]] = [("", one) for one in photos]
        made.append((short(label, 100), [*named, ("render", images[-1])]))
    return _sheet(made, None)


def on_black(picture: Picture) -> Picture:
    """The RGB image with what is transparent on black."""
    return (picture[..., :3] * (picture[..., 3:] / 255.0)).round().astype(np.uint8)


def _sheet(rows: Sequence[tuple[str | None, Sequence[tuple[str, Picture | None]]]], title: str | None) -> bytes:
    font = ImageFont.load_default(_LETTERS_PX)
    labelled = sum(label is not None for label, _ in rows)
    across = max(len(cells) for _, cells in rows)
    width = across * (TILE_PX + _GAP_PX) + _GAP_PX
    height = len(rows) * (TILE_PX + _NAME_PX + _GAP_PX) + (labelled + (title is not None)) * _NAME_PX + _GAP_PX
    sheet = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(sheet)
    top = _GAP_PX
    for words, cells in ([(title, [])] if title is not None else []) + list(rows):
        if words is not None:
            pen.text((_GAP_PX, top), words, fill=INK, font=font)
            top += _NAME_PX
        for place, (name, picture) in enumerate(cells):
            left = _GAP_PX + place * (TILE_PX + _GAP_PX)
            pen.text((left, top), short(name, _NAME_CHARACTERS), fill=INK, font=font)
            if picture is not None:
                tile = Image.fromarray(on_black(picture))
                tile.thumbnail((TILE_PX, TILE_PX))
                sheet.paste(tile, (left, top + _NAME_PX))
        top += TILE_PX + _NAME_PX + _GAP_PX if cells else 0
    target = io.BytesIO()
    sheet.save(target, "PNG")
    return target.getvalue()
