"""Photos of a series: one view of a real photograph, each photo with faults of known strength."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from analysis.images.alterations.surface import to_linear, to_stored
from resources.errors import UserError
from tools.samples.pairwise_plan import SCIKIT_LEARN, SamplePhoto

LONG_SIDE_PX: Final = 224
ASPECTS: Final = (3 / 2, 4 / 3, 1.0, 3 / 4)
JITTER: Final = 0.02  # of the view's side: no hand holds a camera still
_JPEG: Final = (cv2.IMWRITE_JPEG_QUALITY, 68, cv2.IMWRITE_JPEG_OPTIMIZE, 1, cv2.IMWRITE_JPEG_PROGRESSIVE, 1)


class View(NamedTuple):
    """A part of a photograph, in px."""

    left: float
    top: float
    width: float
    height: float


@cache
def photograph(name: str) -> NDArray[np.uint8]:
    """A photograph from the wheel that carries it, blue, green, red.

    Raises:
        UserError: This build of the library ships without it.
    """
    library, folder = ("sklearn", "datasets/images") if name in SCIKIT_LEARN else ("skimage", "data")
    found = find_spec(library)
    path = Path(str(found.origin if found else library)).parent / folder / name
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise UserError(f"{path}: no such photograph in {library}. Install the wheel that the lock names.")
    return np.asarray(image, dtype=np.uint8)


def view_of(photographed: str, rng: np.random.Generator) -> View:
    """A view of a photograph: most of it, or a part as large as the photo where the photograph is larger."""
    height, width = photograph(photographed).shape[:2]
    aspect = float(rng.choice(ASPECTS))
    largest = min(width, height * aspect) / (1.0 + 2.0 * JITTER)
    smallest = min(largest, max(0.6 * largest, LONG_SIDE_PX * min(1.0, aspect)))
    wide = float(rng.uniform(smallest, largest))
    high = wide / aspect
    room = JITTER * np.array([wide, high])
    # Where the view fills the photograph, rounding may leave less than no room.
    left, top = rng.uniform(room, np.maximum(room, np.array([width, height]) - room - [wide, high]))
    return View(float(left), float(top), wide, high)


def taken(photographed: str, view: View, photo: SamplePhoto, rng: np.random.Generator) -> bytes:
    """The photo as JPEG: the view with its faults."""
    picture = _framed(photograph(photographed), view, photo.cut_share, rng)
    light = to_linear(picture)
    if photo.blur_px:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), photo.blur_px), dtype=np.float32)
    stored = to_stored(np.clip(light * np.float32(2.0**photo.exposure_stops), 0, 1)).astype(np.float32)
    if photo.noise_levels:
        stored = stored + rng.normal(0.0, photo.noise_levels, stored.shape).astype(np.float32)
    done, encoded = cv2.imencode(".jpg", np.rint(np.clip(stored, 0, 255)).astype(np.uint8), _JPEG)
    if not done:
        raise OSError(f"{photo.name}: the photo could not be encoded as JPEG")
    return encoded.tobytes()


def _framed(image: NDArray[np.uint8], view: View, cut: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The view a little shifted, and where a share is cut, the rest of it at the same size."""
    shift_x, shift_y = rng.uniform(-JITTER, JITTER, 2)
    kept = 1.0 - cut
    # What is lost is lost at one corner, as when the photographer missed the subject.
    corner_x, corner_y = rng.integers(0, 2, 2)
    left = view.left + view.width * (shift_x + cut * corner_x)
    top = view.top + view.height * (shift_y + cut * corner_y)
    scale = LONG_SIDE_PX / max(view.width, view.height)
    size = (round(view.width * scale), round(view.height * scale))
    x, y = max(0, round(left)), max(0, round(top))
    part = image[y : y + round(view.height * kept), x : x + round(view.width * kept)]
    shrinks = part.shape[1] >= size[0]
    resized = cv2.resize(part, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.asarray(resized, dtype=np.uint8)
