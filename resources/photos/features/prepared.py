"""One photo, read and decoded once: its rule measures, and the input of every model."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from upath import UPath

from analysis.images.photo_rules import PhotoMeasures, photo_measures
from resources.errors import UserError
from resources.photos.features.stages import KEPT_OVER_SIDE, Stages
from resources.photos.images import MAX_BYTES, UnreadableImage, decode_photo, refuse_large

if TYPE_CHECKING:
    import torch

Pixels = NDArray[np.uint8]


class Photo(NamedTuple):
    """A photo by what its file holds, and one place where that lies."""

    sha256: str
    path: str


@dataclass
class Prepared:
    """A photo on its way to the models; `unreadable` says why there is nothing but that, of whichever file holds it.

    Times are processor time of the one thread that worked on it, in ms: what others do meanwhile does not count. A
    stage's is what it would take were there no other: halves that it finds made already count as if it had made them.
    `step_ms` are steps of stage rules, whose own time has more in it: reducing the photo in fast mode.
    """

    sha256: str
    unreadable: str | None = None
    width_px: int | None = None
    height_px: int | None = None
    decode_ms: float | None = None
    measures: PhotoMeasures | None = None
    stage_ms: dict[str, float] = field(default_factory=dict)
    step_ms: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, "torch.Tensor"] = field(default_factory=dict)


class Halvings:
    """A photo and its halves, quarters and so on, each made when it is asked for, by averaging 2 x 2 pixels."""

    def __init__(self, photo: Pixels) -> None:
        self.photo = photo
        self._levels = [photo]
        self._level_ms = [0.0]
        self._found = self._deepest = 1

    def for_a_stage(self) -> None:
        """A stage begins: `found_ms` is of it from now on."""
        self._found, self._deepest = len(self._levels), 1

    @property
    def found_ms(self) -> float:
        """What it took to make those that the stage used and found there, and their way there."""
        return sum(self._level_ms[: min(self._found, self._deepest)])

    def with_shorter_side(self, least_px: int) -> Pixels:
        """The smallest version whose shorter side is at least this; the photo itself where it is smaller."""
        return self._smallest(lambda shape: min(shape) >= least_px)

    def with_longer_side(self, least_px: int) -> Pixels:
        """The smallest version whose longer side is at least this; the photo itself where it is smaller."""
        return self._smallest(lambda shape: max(shape) >= least_px)

    def _smallest(self, large_enough: Callable[[tuple[int, int]], bool]) -> Pixels:
        place = 0
        while True:
            height, width = self._levels[place].shape[:2]
            if min(height, width) < 2 or not large_enough((height // 2, width // 2)):
                self._deepest = max(self._deepest, place + 1)
                return self._levels[place]
            if place + 1 == len(self._levels):
                started = time.thread_time()
                even = self._levels[place][: height // 2 * 2, : width // 2 * 2]
                half = cv2.resize(even, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
                self._levels.append(np.asarray(half, dtype=np.uint8))
                self._level_ms.append(_ms_since(started))
            place += 1


def prepared(photo: Photo, stages: Stages) -> Prepared:
    """Read, decode, measure, and make the models' inputs.

    Raises:
        UserError: The file is gone or was changed since it was looked at.
    """
    started = time.thread_time()
    done = Prepared(photo.sha256)
    try:
        pixels = decode_photo(_unchanged(photo), photo.path)
    except UnreadableImage as error:
        done.unreadable = error.reason
        return done
    done.height_px, done.width_px = pixels.shape[:2]
    done.decode_ms = _ms_since(started)
    halvings = Halvings(pixels)
    if stages.rules:
        with _alone(done, "rules", halvings):
            done.measures = _measured(done, at_long_side(halvings, stages.rules_long_side))
    for model in stages.models:
        with _alone(done, model.name, halvings):
            done.inputs[model.name] = model.prepare(
                Image.fromarray(halvings.with_shorter_side(KEPT_OVER_SIDE * model.side_px))
            )
    return done


def _measured(done: Prepared, pixels: Pixels) -> PhotoMeasures:
    """All measures, each step's time noted: a method of one measure pays for no other."""
    before = time.thread_time()

    def note(step: str) -> None:
        nonlocal before
        now = time.thread_time()
        done.step_ms[step] = (now - before) * 1000.0
        before = now

    return photo_measures(pixels, note)


@contextmanager
def _alone(done: Prepared, stage: str, halvings: Halvings) -> Iterator[None]:
    """Note what a stage would take alone."""
    halvings.for_a_stage()
    started = time.thread_time()
    yield
    done.stage_ms[stage] = _ms_since(started) + halvings.found_ms


def at_long_side(halvings: Halvings, long_side_px: int | None) -> Pixels:
    """The photo reduced to this longer side; as it is where it is no longer, or none is asked for.

    How much detail is left must depend on the size that comes out and not on the one that goes in, or photos of two
    sizes would differ in sharpness by the resizing alone. Averaging over a window of 1 to 2 pixels leaves 0.5 to 1 of
    the Laplacian's variance; going by way of twice the size leaves 0.75 to 0.95 and takes half the time.
    """
    height, width = halvings.photo.shape[:2]
    longer = max(height, width)
    if long_side_px is None or longer <= long_side_px:
        return halvings.photo
    size = (max(1, round(width * long_side_px / longer)), max(1, round(height * long_side_px / longer)))
    if longer < 2 * long_side_px:
        return np.asarray(Image.fromarray(halvings.photo).resize(size, Image.Resampling.BICUBIC))
    double = cv2.resize(
        halvings.with_longer_side(2 * long_side_px), (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_LINEAR
    )
    return np.asarray(cv2.resize(double, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _unchanged(photo: Photo) -> bytes:
    try:
        with UPath(photo.path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"{photo.path} cannot be read any more ({error}). Put it back and run again.") from error
    refuse_large(data, photo.path)
    if hashlib.sha256(data).hexdigest() != photo.sha256:
        raise UserError(f"{photo.path} was changed while its features were being computed. Run again.")
    return data


def _ms_since(started_s: float) -> float:
    return (time.thread_time() - started_s) * 1000.0
