"""One photo prepared: halves by averaging, the size that rules measure at, and a photo that is no more what it was."""

import hashlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest
from PIL import Image
from skimage import data

from analysis.images.photo_rules import STEPS, photo_measures
from resources.errors import UserError
from resources.photos.features.prepared import Halvings, Photo, at_long_side, prepared
from resources.photos.features.stages import Stages
from resources.photos.images import decode_photo
from tests.resources.photos.features.made_photos import write_photo

if TYPE_CHECKING:
    import torch


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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The thread's own time in s: a halving takes 8 ms, everything else nothing."""
    now, resize = [0.0], cv2.resize
    monkeypatch.setattr(time, "thread_time", lambda: now[0])

    def slow(*args: Any, **named: Any) -> Any:
        now[0] += 0.008
        return resize(*args, **named)

    monkeypatch.setattr(cv2, "resize", slow)
    return now


class Model:
    """A model that takes any picture as it is."""

    def __init__(self, name: str, side_px: int) -> None:
        self.name, self.side_px, self.width = name, side_px, 1
        self.record: dict[str, Any] = {}

    def open(self) -> bool:
        return True

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        import torch

        return torch.zeros(photo.size)

    def embed(self, batch: "torch.Tensor") -> np.ndarray:
        return np.zeros((len(batch), 1), np.float32)


def test_a_half_that_is_there_already_counts_for_the_next_stage_as_if_it_made_it(clock: list[float]) -> None:
    halvings = Halvings(of_size(800, 800))
    found = []
    for least in (400, 100, 200, 800):
        halvings.for_a_stage()
        started = clock[0]
        halvings.with_shorter_side(least)
        found.append((round(1000 * (clock[0] - started)), round(halvings.found_ms)))
    # 400 makes one half; 100 finds it and makes two more; 200 finds two; 800 is the photo itself.
    assert found == [(8, 0), (16, 8), (0, 16), (0, 0)]


@pytest.mark.usefixtures("clock")
def test_what_a_stage_takes_does_not_depend_on_those_before_it(tmp_path: Path) -> None:
    path = write_photo(tmp_path / "p.png", 4, height=300, width=400)
    photo = Photo(hashlib.sha256(path.read_bytes()).hexdigest(), str(path))
    small, large = Model("clip", 20), Model("vit", 40)
    both, other_way = (prepared(photo, Stages(False, None, pair)) for pair in ((small, large), (large, small)))
    alone = {
        model.name: prepared(photo, Stages(False, None, (model,))).stage_ms[model.name] for model in (small, large)
    }
    # 300 px: 150, 75 keep three times 20 px, 150 three times 40 px.
    assert alone == pytest.approx({"clip": 16.0, "vit": 8.0})
    assert both.stage_ms == pytest.approx(alone)
    assert other_way.stage_ms == pytest.approx(alone)


def test_each_step_of_the_rules_has_its_own_time_and_reducing_the_photo_is_in_none(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_photo(tmp_path / "p.png", 4, height=300, width=400)
    grey = cv2.cvtColor

    def slow(*args: Any) -> Any:
        clock[0] += 0.003
        return grey(*args)

    # Decoding a PNG asks for no conversion, so that all of these are the grey version's.
    monkeypatch.setattr(cv2, "cvtColor", slow)
    photo = Photo(hashlib.sha256(path.read_bytes()).hexdigest(), str(path))
    got = prepared(photo, Stages(True, 100, ()))
    assert got.step_ms == pytest.approx({step: 3.0 if step == "grey" else 0.0 for step in STEPS})
    # 400 px are halved once and brought to 200 and to 100: three times 8 ms, next to the step's 3.
    assert got.stage_ms["rules"] == pytest.approx(3 * 8.0 + 3.0)


def test_a_photo_that_is_gone_or_another_stops_the_run(tmp_path: Path) -> None:
    path = write_photo(tmp_path / "p.png", 4)
    with pytest.raises(UserError, match="was changed while"):
        prepared(Photo("0" * 64, str(path)), Stages(True, None, ()))
    path.unlink()
    with pytest.raises(UserError, match="cannot be read any more"):
        prepared(Photo("0" * 64, str(path)), Stages(True, None, ()))
