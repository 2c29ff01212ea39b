"""Missing answers filled in as the worst and the best for the judge: how far objects left out could move a number."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.mean_squares import score_matrix

LOW, HIGH = 0.0, 1.0  # the ends of the scale
Floats = NDArray[np.float64]


class Filled(NamedTuple):
    """Scores without a gap, shape ``(n_objects, n_repeats)`` on 0-1, as they would be at worst and at best."""

    worst: Floats
    best: Floats


def filled_against_people(scores: ArrayLike, human: ArrayLike) -> Filled:
    """Every missing answer as far from the people's score as the scale allows, and equal to it.

    Args:
        scores: Shape ``(n_objects, n_repeats)`` on 0-1, NaN where an answer is missing.
        human: Shape ``(n_objects,)`` on 0-1, the people's score of each object.

    Returns:
        Worst: the end of the scale that is further away (1 where both are as far); best: the people's score.

    Raises:
        ValueError: Not a matrix, or a human score is missing or outside the scale.
    """
    given, people = score_matrix(scores), np.asarray(human, dtype=np.float64)
    if people.shape != (len(given),) or not bool(np.all((people >= LOW) & (people <= HIGH))):
        raise ValueError(f"one human score on {LOW:g}-{HIGH:g} per object: {people.shape} for {len(given)}")
    far = np.where(people - LOW > HIGH - people, LOW, HIGH)
    missing = np.isnan(given)
    return Filled(np.where(missing, far[:, None], given), np.where(missing, people[:, None], given))


def filled_between_repeats(scores: ArrayLike) -> Filled:
    """Every object's missing answers at the two ends of the scale in turn, and equal to its valid repeats' mean.

    Args:
        scores: Shape ``(n_objects, n_repeats)`` on 0-1, NaN where an answer is missing.

    Returns:
        Worst: 0, 1, 0, 1 ... over the missing answers of each object; best: the mean of the object's valid repeats, or
        the mean of all objects where it has none.

    Raises:
        ValueError: Not a matrix, or no answer at all.
    """
    given = score_matrix(scores)
    missing = np.isnan(given)
    if missing.all():
        raise ValueError("there is no answer at all")
    in_turn = np.where(np.cumsum(missing, axis=1) % 2 == 1, LOW, HIGH)
    n_valid = (~missing).sum(axis=1)
    means = np.where(missing, 0.0, given).sum(axis=1) / np.maximum(n_valid, 1)
    own = np.where(n_valid > 0, means, means[n_valid > 0].mean())
    return Filled(np.where(missing, in_turn, given), np.where(missing, own[:, None], given))
