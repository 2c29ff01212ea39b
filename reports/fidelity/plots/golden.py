"""The golden set as people look at it: one item with every alteration."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.shared.words import escaped as short

COLUMNS = 9
TILE_IN = 1.0
_TITLE_IN = 0.2
_NAME_CHARACTERS = 20


def sheet_size_in(count: int) -> tuple[float, float]:
    """Width and height, inches, of a contact sheet of so many pictures."""
    rows = -(-count // COLUMNS)
    return COLUMNS * TILE_IN, rows * (TILE_IN + _TITLE_IN) + _TITLE_IN


def draw_contact_sheet(figure: Any, title: str, pictures: Sequence[tuple[str, NDArray[np.uint8]]]) -> None:
    """The pictures in rows, each under its name, on black.

    Args:
        figure: Where to draw.
        title: Above all.
        pictures: Name and RGBA image.
    """
    rows = -(-len(pictures) // COLUMNS)
    grid = figure.subplots(rows, COLUMNS, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, (name, picture) in zip(grid.flat, pictures, strict=False):
        axes.imshow(picture[..., :3] * (picture[..., 3:] / 255.0) / 255.0)
        axes.set_title(short(name, _NAME_CHARACTERS), fontsize=6, pad=2)
    figure.suptitle(short(title, 100), fontsize=8, x=0.01, ha="left")
