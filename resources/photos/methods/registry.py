"""The methods on features of networks, and which methods the configuration asks for, built from it by kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.preference.head import held_out_scores
from analysis.undefined import UndefinedStatistic
from resources.configuration.pairwise import TEXT_METHODS, PairwiseStudy
from resources.photos.methods.contract import AnsweredMethod, HeldOut, Method
from resources.photos.methods.features import Features, Floats, Pairs
from resources.photos.methods.own import own_method
from resources.photos.methods.rules import RULES_BY_NAME, Composite

ROWS_AT_ONCE = 4096
Build = Callable[[], Method]


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


def builders(study: PairwiseStudy) -> dict[str, Build]:
    """How to build each method, by name, in the order of the partitions; a user's file is not run before its turn."""
    clip: Mapping[str, Build] = {
        f"clip_{one.name}": partial(ClipContrast, f"clip_{one.name}", one.positive, one.negative)
        for one in study.clip_attributes
    }
    rules: Mapping[str, Build] = {
        name: partial(AnsweredMethod, name) if name in TEXT_METHODS else partial(RULES_BY_NAME.__getitem__, name)
        for name in study.rule_based_methods
    }
    mixtures: Mapping[str, Build] = {
        name: partial(Composite, name, {str(measure): weight for measure, weight in weights.items()})
        for name, weights in study.composites.items()
    }
    learned: Mapping[str, Build] = {name: partial(PROBES.__getitem__, name) for name in study.dl_methods}
    own: Mapping[str, Build] = {name: partial(own_method, name, path) for name, path in study.own_methods.items()}
    judges: Mapping[str, Build] = {name: partial(AnsweredMethod, name) for name in study.judge_methods}
    return {**clip, **rules, **mixtures, **learned, **own, **judges}


def method_of(study: PairwiseStudy, name: str) -> Method:
    """One method, ready to score.

    Raises:
        UserError: It is a user's own and its file is wrong.
    """
    return builders(study)[name]()
