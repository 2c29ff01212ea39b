"""Whether a judge gives one and the same answer to everything that it is asked about."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

ENOUGH_THINGS = 3  # of fewer, equal answers are no surprise


class OneAnswer(NamedTuple):
    """The score that every answer gives, and how many different things got it."""

    score: float
    n_things: int


def one_answer(things: ArrayLike, scores: ArrayLike) -> OneAnswer | None:
    """The one score of all answers; null where answers differ, or where fewer than three things have one.

    Args:
        things: Shape ``(n,)``, what was judged, again for every repeat.
        scores: Shape ``(n,)``, any scale, NaN where an answer has no score.
    """
    given = np.asarray(scores, dtype=np.float64)
    has_score = ~np.isnan(given)
    n_things = len(set(np.asarray(things)[has_score].tolist()))
    if n_things < ENOUGH_THINGS or np.ptp(given[has_score]) > 0:
        return None
    return OneAnswer(float(given[has_score][0]), n_things)


def one_answers(judged: Iterable[tuple[object, ArrayLike, ArrayLike]]) -> dict[OneAnswer, list[str]]:
    """Which judges, or at which settings one, answer everything alike.

    Args:
        judged: The name of each, with what it judged and the scores as `one_answer` takes them.

    Returns:
        The names by their one answer, in the order given; empty where answers differ.
    """
    found: dict[OneAnswer, list[str]] = {}
    for name, things, scores in judged:
        if (one := one_answer(things, scores)) is not None:
            found.setdefault(one, []).append(str(name))
    return found
