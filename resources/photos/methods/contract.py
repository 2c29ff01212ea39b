"""What a method is: one object with a name, the stages it needs, and scores of images or of pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resources.photos.methods.features import Features, Floats, Pairs


class HeldOut(NamedTuple):
    """Scores of images 1 and 2 of each pair by what was fitted without their series; NaN where there is none."""

    score_1: Floats
    score_2: Floats


@runtime_checkable
class ImageMethod(Protocol):
    """Scores an image by itself; the higher of two is picked."""

    @property
    def name(self) -> str:
        """Its partition key."""
        ...

    @property
    def needs(self) -> Sequence[str]:
        """Stages of `image_features`: rules, clip, vit, efficientnet; none for a method that looks for itself."""
        ...

    def score(self, features: Features) -> ArrayLike:
        """One score per image, shape ``(m,)``, in any unit, NaN where it is not defined.

        Raises:
            UndefinedStatistic: No image has a score, and why.
        """
        ...


@runtime_checkable
class PairMethod(Protocol):
    """Learns from people's choices, so that only what it says of series it never saw counts."""

    @property
    def name(self) -> str:
        """Its partition key."""
        ...

    @property
    def needs(self) -> Sequence[str]:
        """Stages of `image_features`."""
        ...

    def pair_scores(
        self, features: Features, pairs: Pairs, series: NDArray[np.generic], folds: int, seed: int
    ) -> tuple[ArrayLike, ArrayLike]:
        """Scores of images 1 and 2 of each pair, shape ``(n,)`` each, fitted without the pair's series.

        `series` has one number for all series that share a cluster or a photo: what has the same number stays together.

        Raises:
            UndefinedStatistic: No pair has a score, and why.
        """
        ...


@dataclass(frozen=True)
class AnsweredMethod:
    """A method whose pick of each pair is there already: what a judge answered, or which text is longer."""

    name: str
    needs: tuple[str, ...] = ()


Measured = ImageMethod | PairMethod
Method = Measured | AnsweredMethod
