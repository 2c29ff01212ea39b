"""Methods on the features of networks: CLIP's contrast of two texts, and heads that are fitted on people's choices."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.preference.head import held_out_scores
from analysis.undefined import UndefinedStatistic
from resources.photos.methods.contract import HeldOut
from resources.photos.methods.features import Features, Floats, Pairs

ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class ClipContrast:
    """``cos(image, positive) - cos(image, negative)``."""

    name: str
    positive: str
    negative: str
    needs: tuple[str, ...] = ("clip",)

    def score(self, features: Features) -> Floats:
        """Unitless, -2 to 2."""
        images = features.vectors("clip")
        if not images.shape[1]:
            return np.full(len(images), np.nan)
        good, bad = _unit(features.text_vectors((self.positive, self.negative)))
        # Few rows at once: all of them in 64 bits would fill memory.
        parts = range(0, len(images), ROWS_AT_ONCE)
        return np.concatenate([_unit(images[start : start + ROWS_AT_ONCE]) @ (good - bad) for start in parts])


@dataclass(frozen=True)
class PreferenceProbe:
    """What the features of a network can say of people's choices; only held-out scores are given."""

    name: str
    network: str

    @property
    def needs(self) -> tuple[str, ...]:
        """The network's stage."""
        return (self.network,)

    def pair_scores(
        self, features: Features, pairs: Pairs, series: NDArray[np.generic], folds: int, seed: int
    ) -> HeldOut:
        """Log odds up to a constant, by the head of the fold in which the pair's series was held out.

        Raises:
            UndefinedStatistic: Fewer series than folds, or no features.
        """
        vectors = features.vectors(self.network)
        if not vectors.shape[1]:
            raise UndefinedStatistic(f"no image has features of {self.network}")
        found = held_out_scores(vectors, pairs.first, pairs.second, pairs.winner, series, folds=folds, seed=seed)
        return HeldOut(found.score_1, found.score_2)


PROBES: Mapping[str, PreferenceProbe] = {
    one.name: one
    for one in (
        PreferenceProbe("vit_base", "vit"),
        PreferenceProbe("clip_probe", "clip"),
        PreferenceProbe("efficientnet_probe", "efficientnet"),
    )
}


def _unit(vectors: ArrayLike) -> Floats:
    """Rows of length 1; a row without length has no direction and becomes NaN."""
    rows = np.asarray(vectors, dtype=np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0.0, length, np.nan)
