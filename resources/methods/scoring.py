"""A method's scores of both images of each pair, whatever its kind, and why there are none where there are none."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.undefined import UndefinedStatistic
from resources.errors import UserError
from resources.methods.contract import ImageMethod, Method, PairMethod
from resources.methods.features import Features, Floats, Pairs
from resources.methods.own import OwnImageMethod, OwnPairMethod

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
    n = pairs.first.size
    try:
        if isinstance(method, PairMethod):
            one, two = _of_pairs(method, method.pair_scores(features, pairs, series, folds, seed), n)
        else:
            one, two = _of_images(method, features, pairs)
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


def _of_pairs(method: PairMethod, both: object, n: int) -> tuple[Floats, Floats]:
    if not isinstance(both, tuple | list) or len(both) != 2:
        raise UserError(
            f"{_called(method)} gives {type(both).__name__} for pairs; it must give two arrays, the scores of images 1 "
            "and of images 2."
        )
    return _numbers(method, both[0], n, "pair"), _numbers(method, both[1], n, "pair")


def _of_images(method: ImageMethod, features: Features, pairs: Pairs) -> tuple[Floats, Floats]:
    scores = _numbers(method, method.score(features), len(features), "image")
    return scores[pairs.first], scores[pairs.second]


def _numbers(method: Method, scores: ArrayLike | Sequence[object], n: int, each: str) -> Floats:
    try:
        numbers = np.asarray(scores)
        if np.iscomplexobj(numbers):
            raise TypeError("they are complex")
        numbers = numbers.astype(np.float64)
    except Exception as error:
        # Arrays of other libraries raise what they like: one of torch that has a gradient, a RuntimeError.
        raise UserError(f"{_called(method)} gives scores that are no numbers ({error}).") from error
    if numbers.shape != (n,):
        raise UserError(
            f"{_called(method)} gives scores of shape {numbers.shape}; it must give one per {each}, shape ({n},)."
        )
    return numbers


def _called(method: Method) -> str:
    if isinstance(method, OwnImageMethod | OwnPairMethod):
        return f"own_methods.{method.name}: {method.path}"
    return f"Method '{method.name}'"
