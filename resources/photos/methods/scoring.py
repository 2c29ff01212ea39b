"""A method's scores of both images of each pair, whatever its kind, and why there are none where there are none."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message_list
from analysis.undefined import UndefinedStatistic
from resources.errors import UserError
from resources.photos.methods.contract import Measured, Method, PairMethod
from resources.photos.methods.features import Features, Floats, Pairs

NO_REASON = "the method gives no finite score"


def one_for_each(called: str, scores: ArrayLike | Sequence[object], n: int, each: str) -> Floats:
    """The scores as numbers, shape ``(n,)``.

    Args:
        called: The method, as an error names it.
        scores: What it gave.
        n: How many it was asked for.
        each: What it scores, such as ``image``.

    Raises:
        UserError: They are of another shape, or no numbers.
    """
    try:
        numbers = np.asarray(scores)
        if np.iscomplexobj(numbers):
            raise TypeError("they are complex")
        numbers = numbers.astype(np.float64)
    except Exception as error:
        # Arrays of other libraries raise what they like: one of torch that has a gradient, a RuntimeError.
        raise UserError(f"{called} gives scores that are no numbers ({error}).") from error
    if numbers.shape != (n,):
        raise UserError(f"{called} gives scores of shape {numbers.shape}; it must give one per {each}, shape ({n},).")
    return numbers


def two_for_each_pair(called: str, both: object, n: int) -> tuple[Floats, Floats]:
    """The scores of images 1 and of images 2 as numbers, shape ``(n,)`` each.

    Args:
        called: The method, as an error names it.
        both: What it gave.
        n: How many pairs there are.

    Raises:
        UserError: They are no two arrays, of another shape, or no numbers.
    """
    if not isinstance(both, tuple | list) or len(both) != 2:
        raise UserError(
            f"{called} gives {type(both).__name__} for pairs; it must give two arrays, the scores of images 1 "
            "and of images 2."
        )
    return one_for_each(called, both[0], n, "pair"), one_for_each(called, both[1], n, "pair")


class PairScores(NamedTuple):
    """Shape ``(n,)`` each; both scores are NaN where `undefined` says why, and both finite where it is none."""

    score_1: Floats
    score_2: Floats
    undefined: NDArray[np.object_]


class Folds(NamedTuple):
    """Of series, for a method that learns: the series of each pair, shape ``(n,)``, how many folds, their seed."""

    series: NDArray[np.generic]
    n: int
    seed: int


def pair_scores_of(method: Measured, features: Features, pairs: Pairs, folds: Folds) -> PairScores:
    """What a method says of both images of each pair.

    Raises:
        UserError: The method gives scores of another shape, or none that are numbers.
    """
    n, called = pairs.first.size, f"Method '{method.name}'"
    try:
        if isinstance(method, PairMethod):
            one, two = two_for_each_pair(called, method.pair_scores(features, pairs, *folds), n)
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
    """Why a method yields nothing: a stage that it needs could not be computed; none where all could."""
    said = [unavailable[stage] for stage in method.needs if stage in unavailable]
    return message_list(said, " ") or None
