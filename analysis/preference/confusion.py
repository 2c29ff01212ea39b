"""Which image a method takes for the better one: confusion, precision, recall and F1."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.accuracy.option_confusion import Share
from analysis.messages import message
from analysis.preference.accuracy import truth_and_prediction
from analysis.preference.truth import NO_WINNER
from analysis.undefined import UndefinedStatistic

ROWS = (1, 2)
COLUMNS = (1, 2, NO_WINNER)

Row = tuple[int, int, int]


class ClassScores(NamedTuple):
    """Precision, recall and F1 (0-1) of one side as the positive, or averaged over both sides."""

    precision: Share
    recall: Share
    f1: Share


class PreferenceConfusion(NamedTuple):
    """`table` has a row per true winner (1, 2) and a column per predicted one (1, 2, tie).

    `image_1` takes image 1 as the positive, `image_2` image 2, `averaged` is the mean of both.
    """

    table: tuple[Row, Row]
    image_1: ClassScores
    image_2: ClassScores
    averaged: ClassScores


def preference_confusion(truth: ArrayLike, predicted: ArrayLike) -> PreferenceConfusion:
    """How predictions spread over true winners.

    Args:
        truth: Shape ``(n,)``, the winner by votes, 1 or 2.
        predicted: Shape ``(n,)``, 1, 2 or 0 (tie).

    Returns:
        A predicted tie is a miss for recall and in no precision's denominator. ``f1 = 2 TP / (predicted + true)``; 0
        where a side is never predicted, though its precision is not defined then. No mean where a part is undefined.

    Raises:
        ValueError: Shapes differ, or other values.
        UndefinedStatistic: No pair.

    Source:
        van Rijsbergen (1979), Information Retrieval, chapter 7.
    """
    true, taken = truth_and_prediction(truth, predicted)
    if true.size == 0:
        raise UndefinedStatistic("no pair, so there is no confusion")
    table = tuple(_row(taken[true == row]) for row in ROWS)
    one, two = (_scores(table, side) for side in range(2))
    averaged = ClassScores(*(_mean(a, b) for a, b in zip(one, two, strict=True)))
    return PreferenceConfusion((table[0], table[1]), one, two, averaged)


def _row(taken: NDArray[np.int64]) -> Row:
    one, two, tie = (int(np.count_nonzero(taken == column)) for column in COLUMNS)
    return one, two, tie


def _scores(table: tuple[Row, ...], side: int) -> ClassScores:
    right, n_true, n_taken = table[side][side], sum(table[side]), table[0][side] + table[1][side]
    return ClassScores(
        Share(right / n_taken, "")
        if n_taken
        else Share(None, message("image {image} is never predicted", image=side + 1)),
        Share(right / n_true, "") if n_true else Share(None, message("image {image} never wins", image=side + 1)),
        Share(2 * right / (n_taken + n_true), "")
        if n_taken + n_true
        else Share(None, message("image {image} never wins and is never predicted", image=side + 1)),
    )


def _mean(one: Share, two: Share) -> Share:
    if one.value is None or two.value is None:
        return Share(None, one.reason or two.reason)
    return Share((one.value + two.value) / 2.0, "")
