"""The contact sheet: every picture under its name, users' words as they are."""

import io

import numpy as np
import pytest
from PIL import Image

from reports.fidelity.plots.sheets import COLUMNS, TILE_PX, contact_sheet, on_black, rows_of_pictures


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("count", [1, COLUMNS, COLUMNS + 1, 26])
def test_every_picture_is_shown_once(count: int) -> None:
    # Colours that the letters and the ground do not have.
    pictures = [
        (f"hue_{number}", np.full((TILE_PX, TILE_PX, 4), (9 * number, 99, 3, 255), np.uint8)) for number in range(count)
    ]
    found = np.asarray(opened(contact_sheet("lamp", pictures))).reshape(-1, 3)
    for _, picture in pictures:
        assert (found == picture[0, 0, :3]).all(axis=1).sum() == TILE_PX**2


def test_a_name_stands_over_its_picture_and_a_long_title_is_no_overflow() -> None:
    black = np.zeros((8, 8, 4), np.uint8)
    named, nameless = (contact_sheet("$x^2$ <script> " + "y" * 200, [(name, black)]) for name in ("untouched", ""))
    assert opened(named).size == opened(nameless).size
    assert named != nameless


def test_what_is_transparent_is_shown_on_black() -> None:
    picture = np.full((4, 4, 4), 200, np.uint8)
    picture[..., 3] = 0
    assert on_black(picture).max() == 0


def test_photos_and_render_stand_in_a_row_of_each_object() -> None:
    image = np.full((8, 8, 4), 200, np.uint8)
    one = opened(rows_of_pictures([("one photo", [image, image])]))
    several = opened(rows_of_pictures([("one photo", [image, image]), ("three photos", [image] * 4)]))
    assert several.width == pytest.approx(2 * one.width, abs=10)
    assert several.height > 1.8 * one.height
    assert opened(rows_of_pictures([("render only", [image])])).width < one.width
