"""What each photo of the sample series suffers from, how much worse that makes it, and how people vote on it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

# Photographs that scikit-image and scikit-learn carry in their wheels; none is downloaded.
SCIKIT_IMAGE: Final = (
    "astronaut.png",
    "brick.png",
    "camera.png",
    "chelsea.png",
    "coffee.png",
    "coins.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "ihc.png",
    "moon.png",
    "motorcycle_left.png",
    "motorcycle_right.png",
    "retina.jpg",
    "rocket.jpg",
)
SCIKIT_LEARN: Final = ("china.jpg", "flower.jpg")
VIEWS_A_PHOTOGRAPH: Final = 4
SIZES: Final = (2, 3, 4, 5, 6, 7, 8)

# What a fault costs, in log odds of a vote: blur per px of sigma, exposure per stop either way, noise per level of its
# standard deviation (0-255), a cut by the share of the frame that is lost.
BLUR_COST, EXPOSURE_COST, NOISE_COST, CUT_COST = 0.85, 0.85, 0.09, 3.5
# How often, and from how much to how much.
BLUR, EXPOSURE, CUT, NOISE = (0.65, 0.5, 3.5), (0.35, 0.4, 2.0), (0.25, 0.1, 0.35), (0.15, 3.0, 10.0)

VOTES_BEYOND_ONE: Final = 4.0
FIRST_PLACE: Final = 0.08  # log odds that the photo shown first gains
BOTH_ORDERS: Final = 0.9  # share of pairs that are shown in both


class SamplePhoto(NamedTuple):
    """One photo of a series; `strength` is in log odds, centred in the series, higher is better."""

    series: int
    compare_id: int
    blur_px: float
    exposure_stops: float
    noise_levels: float
    cut_share: float
    strength: float

    @property
    def series_id(self) -> str:
        """The series as PhotoTriage writes it."""
        return f"{self.series:06d}"

    @property
    def name(self) -> str:
        """The photo's name without its ending."""
        return f"{self.series_id}-{self.compare_id + 1:02d}"


class SampleSeries(NamedTuple):
    """Photos of one view of one photograph."""

    photograph: str
    photos: tuple[SamplePhoto, ...]

    @property
    def scene(self) -> str:
        """What views of one thing share: the photographs of both eyes show the same motorcycle."""
        name, _, _ = self.photograph.partition(".")
        return name.removesuffix("_left").removesuffix("_right")


class Votes(NamedTuple):
    """Votes on one pair of one scene's photos in one order."""

    scene: str
    first: SamplePhoto
    second: SamplePhoto
    left: int
    right: int


def planned_series(seed: int) -> list[SampleSeries]:
    """All series, numbered from 1: each photograph four times, so that series share scenes, in mixed order."""
    rng = np.random.default_rng([seed, 0])
    photographs = rng.permutation([*SCIKIT_IMAGE, *SCIKIT_LEARN] * VIEWS_A_PHOTOGRAPH)
    return [
        SampleSeries(str(photograph), _photos(number, SIZES[number % len(SIZES)], rng))
        for number, photograph in enumerate(photographs, start=1)
    ]


def cast_votes(series: Sequence[SampleSeries], seed: int) -> list[Votes]:
    """People's votes on every pair, most in both orders, in the order of PhotoTriage's file.

    A vote goes to the first with probability ``1 / (1 + exp(-(strength difference + FIRST_PLACE)))``: ties, pairs whose
    two orders disagree, and circles happen by themselves.
    """
    rng = np.random.default_rng([seed, 1])
    return [
        _votes(one.scene, first, second, rng)
        for one in series
        for first in one.photos
        for second in one.photos
        if first != second and (first.compare_id < second.compare_id or rng.random() < BOTH_ORDERS)
    ]


def _photos(number: int, n: int, rng: np.random.Generator) -> tuple[SamplePhoto, ...]:
    blur, stops, cut, noise = (_amounts(n, *kind, rng) for kind in (BLUR, EXPOSURE, CUT, NOISE))
    cost = BLUR_COST * blur + EXPOSURE_COST * stops + NOISE_COST * noise + CUT_COST * cut
    strength = cost.mean() - cost
    stops *= rng.choice([-1.0, 1.0], n)
    return tuple(
        SamplePhoto(number, place, *(float(column[place]) for column in (blur, stops, noise, cut, strength)))
        for place in range(n)
    )


def _amounts(n: int, share: float, low: float, high: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """How strong a fault is in each photo: 0 where it has none."""
    return np.where(rng.random(n) < share, rng.uniform(low, high, n), 0.0)


def _votes(scene: str, first: SamplePhoto, second: SamplePhoto, rng: np.random.Generator) -> Votes:
    total = 1 + int(rng.poisson(VOTES_BEYOND_ONE))
    left = int(rng.binomial(total, expit(first.strength - second.strength + FIRST_PLACE)))
    return Votes(scene, first, second, left, total - left)
