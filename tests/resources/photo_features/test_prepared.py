"""One photo prepared: halves by averaging, the size that rules measure at, and a photo that is no more what it was."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from skimage import data

from analysis.photo_rules import photo_measures
from resources.errors import UserError
from resources.images import decode_photo
from resources.photo_features.prepared import Halvings, Photo, at_long_side, prepared
from resources.photo_features.stages import Stages
from tests.resources.photo_features.made_photos import write_photo


def of_size(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_a_half_is_the_mean_of_two_by_two_pixels() -> None:
    # 10, 20, 30, 40 average to 25.
    block = np.repeat(np.array([[10, 20], [30, 40]], np.uint8)[..., None], 3, axis=2)
    half = Halvings(np.tile(block, (8, 8, 1))).with_shorter_side(8)
    assert half.shape == (8, 8, 3)
    assert set(half.ravel().tolist()) == {25}


@pytest.mark.parametrize(
    ("height", "width", "least", "shape"),
    [
        (3000, 4000, 672, (750, 1000)),  # 3000, 1500, 750, 375: the last that keeps 672
        (672, 900, 672, (672, 900)),
        (1343, 1343, 672, (1343, 1343)),
        (1345, 1345, 672, (672, 672)),
        (100, 2000, 672, (100, 2000)),
    ],
)
def test_a_photo_is_halved_while_its_shorter_side_stays_long_enough(
    height: int, width: int, least: int, shape: tuple[int, int]
) -> None:
    assert Halvings(of_size(height, width)).with_shorter_side(least).shape[:2] == shape


@pytest.mark.parametrize(
    ("height", "width", "long_side", "shape"),
    [(300, 400, None, (300, 400)), (300, 400, 500, (300, 400)), (300, 400, 100, (75, 100)), (40, 401, 64, (6, 64))],
)
def test_rules_are_measured_at_the_longer_side_asked_for(
    height: int, width: int, long_side: int | None, shape: tuple[int, int]
) -> None:
    assert at_long_side(Halvings(of_size(height, width)), long_side).shape[:2] == shape


def test_fast_mode_leaves_about_the_same_detail_whatever_the_photos_size() -> None:
    # One scene at 1.1 to 4 times the size that rules measure at. Averaging at once would leave 0.5 to 1 of it.
    scene = Image.fromarray(data.astronaut())
    left = []
    for times in (1.1, 1.5, 1.9, 2.1, 2.6, 3.3, 3.9):
        side = round(128 * times)
        photo = np.asarray(scene.resize((side, side), Image.Resampling.LANCZOS))
        left.append(photo_measures(at_long_side(Halvings(photo), 128)).sharpness)
    assert max(left) / min(left) < 1.35


def test_rules_in_fast_mode_are_those_of_the_reduced_photo(tmp_path: Path) -> None:
    path = write_photo(tmp_path / "p.png", 4, height=150, width=200)
    stored = path.read_bytes()
    got = prepared(Photo(hashlib.sha256(stored).hexdigest(), str(path)), Stages(True, 100, ()))
    assert got.measures == photo_measures(at_long_side(Halvings(decode_photo(stored, "x")), 100))
    assert (got.width_px, got.height_px) == (200, 150)


def test_a_photo_that_is_gone_or_another_stops_the_run(tmp_path: Path) -> None:
    path = write_photo(tmp_path / "p.png", 4)
    with pytest.raises(UserError, match="was changed while"):
        prepared(Photo("0" * 64, str(path)), Stages(True, None, ()))
    path.unlink()
    with pytest.raises(UserError, match="cannot be read any more"):
        prepared(Photo("0" * 64, str(path)), Stages(True, None, ()))
