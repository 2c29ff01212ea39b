"""The learned methods: a linear head on a network's features, fitted on people's choices, cross-fitted by series."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.preference.head import held_out_scores
from analysis.undefined import UndefinedStatistic
from resources.photos.methods.contract import HeldOut
from resources.photos.methods.features import Features, Pairs


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
