"""A method's scores of both images of each pair, whatever its kind, and why there are none where there are none."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.undefined import UndefinedStatistic
from resources.photos.methods.answers import one_for_each, two_for_each_pair
from resources.photos.methods.contract import Method, PairMethod
from resources.photos.methods.features import Features, Floats, Pairs

NO_REASON = "the method gives no finite score"


class PairScores(NamedTuple):
    """Shape ``(n,)`` each; both scores are NaN where `undefined` says why, and both finite where it is none."""

    score_1: Floats
    score_2: Floats
    undefined: NDArray[np.object_]


def pair_scores_of(
    method: Method, features: Features, pairs: Pairs, series: NDArray[np.generic], *, folds: int, seed: int
) -> PairScores:
    """What a method says of both images of each pair.

    Args:
        method: Of images, or of pairs and then cross-fitted by series.
        features: Of all images of the pairs.
        pairs: Judged pairs.
        series: Shape ``(n,)``, the series of each pair.
        folds: Of series, for a method that learns.
        seed: Of the folds.

    Raises:
        UserError: The method gives scores of another shape, or none that are numbers.
    """
    n, called = pairs.first.size, f"Method '{method.name}'"
    try:
        if isinstance(method, PairMethod):
            one, two = two_for_each_pair(called, method.pair_scores(features, pairs, series, folds, seed), n)
        else:
            scores = one_for_each(called, method.score(features), len(features), "image")
            one, two = scores[pairs.first], scores[pairs.second]
    except UndefinedStatistic as undefined:
        return PairScores(np.full(n, np.nan), np.full(n, np.nan), np.full(n, undefined.reason, dtype=object))
    missing = ~(np.isfinite(one) & np.isfinite(two))
    why = np.full(n, None, dtype=object)
    if missing.any():
        reasons = features.reasons(method.needs)
        why[missing] = [
            reasons[first] or reasons[second] or NO_REASON
            for first, second in zip(pairs.first[missing], pairs.second[missing], strict=True)
        ]
    return PairScores(np.where(missing, np.nan, one), np.where(missing, np.nan, two), why)


def why_unavailable(method: Method, unavailable: dict[str, str]) -> str | None:
    """Why a method yields nothing: a stage that it needs could not be computed; none where all could.

    Args:
        method: Any.
        unavailable: Stages that could not be computed, each with reason and remedy.
    """
    said = [unavailable[stage] for stage in method.needs if stage in unavailable]
    return " ".join(said) or None
