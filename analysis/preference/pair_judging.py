"""What decides a judge's choice between two things apart from the things: the place, the length, who made them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals
from analysis.preference.accuracy import credits_of
from analysis.preference.orders import PositionEffect, position_effect
from analysis.preference.position import PositionCoefficient, position_within_pairs
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.undefined import UndefinedStatistic

TIE = 0


class BothOrders(NamedTuple):
    """What was picked, shape ``(n,)`` each: 1 or 2, whichever was shown first, 0 a tie; one entry per pair."""

    one_first: NDArray[np.int64]
    two_first: NDArray[np.int64]


class Consistency(NamedTuple):
    """The share (0-1) of pairs with the same answer in both orders; `tie_share` is that of ties among all answers."""

    share: float
    interval: Interval
    tie_share: float
    n: int
    n_clusters: int


class Bias(NamedTuple):
    """`difference` of the judge's credit, `when_liked` less `otherwise` (0-1 each); 0 where it makes no difference."""

    difference: float
    interval: Interval
    when_liked: float
    otherwise: float
    n_liked: int
    n_otherwise: int


def both_orders(one_first: ArrayLike, two_first: ArrayLike) -> BothOrders:
    """The answers of pairs that have one in each order.

    Args:
        one_first: Shape ``(n,)``, what was picked with thing 1 shown first: 1, 2, or 0 for a tie.
        two_first: Shape ``(n,)``, the same with thing 2 shown first.

    Raises:
        ValueError: Shapes differ, or an answer is none of 0, 1, 2.
    """
    first, second = (np.asarray(answers, dtype=np.int64) for answers in (one_first, two_first))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"one answer per pair and order is needed, got shapes {first.shape} and {second.shape}")
    if not np.isin(np.concatenate([first, second]), (TIE, 1, 2)).all():
        raise ValueError("an answer is 1, 2, or 0 for a tie")
    return BothOrders(first, second)


def picked(answers: BothOrders) -> NDArray[np.int64]:
    """The winner of each pair: the same in both orders; two answers that differ are a tie.

    Returns:
        Shape ``(n,)``: 1, 2, or 0.

    Source:
        Zheng et al. (2023), NeurIPS, section 3.4: a win is one in both orders.
    """
    return np.where(answers.one_first == answers.two_first, answers.one_first, TIE)


def consistency(answers: BothOrders, clusters: ArrayLike, *, resampling: Resampling) -> Consistency:
    """How often the order changes nothing; two ties are the same answer.

    Args:
        answers: Of both orders.
        clusters: Shape ``(n,)``, what pairs share, such as the series or the question.
        resampling: Of the interval.

    Raises:
        ValueError: Shapes differ.
        UndefinedStatistic: No pair.

    Source:
        Zheng et al. (2023), NeurIPS, table 2.
    """
    _refuse_none(answers)
    same = (answers.one_first == answers.two_first).astype(np.float64)
    [interval] = headline_intervals(lambda counts: _mean(counts, same), ("share",), clusters, resampling=resampling)
    ties = float(np.mean([answers.one_first == TIE, answers.two_first == TIE]))
    return Consistency(float(same.mean()), interval, ties, same.size, cluster_index(clusters)[1])


def first_shown(answers: BothOrders, clusters: ArrayLike, *, resampling: Resampling) -> PositionEffect:
    """How often the one shown first is picked, among answers that are no ties; 0.5 where the place does nothing.

    Args:
        answers: Of both orders, so that the things are balanced against the places.
        clusters: As in `consistency`.
        resampling: Of the interval.

    Raises:
        ValueError: Shapes differ.
        UndefinedStatistic: No pair, or all answers are ties.
    """
    _refuse_none(answers)
    first = (answers.one_first == 1).astype(np.int64) + (answers.two_first == 2)
    second = (answers.one_first == 2).astype(np.int64) + (answers.two_first == 1)
    decided = first + second > 0
    if not decided.any():
        raise UndefinedStatistic("all answers are ties")
    return position_effect(first[decided], second[decided], np.asarray(clusters)[decided], resampling=resampling)


def position_coefficient(
    answers: BothOrders, ones: ArrayLike, twos: ArrayLike, clusters: ArrayLike, *, confidence: float = 0.95
) -> PositionCoefficient:
    """The log odds gained by being shown first, in Bradley and Terry's model; within a pair the strengths cancel.

    Args:
        answers: Of both orders; a tie says nothing about the place.
        ones: Shape ``(n,)``, names of the things 1.
        twos: Shape ``(n,)``, names of the things 2.
        clusters: As in `consistency`.
        confidence: Of the interval.

    Returns:
        With one answer an order: half the log of pairs whose first is picked both times over pairs whose second is.

    Raises:
        ValueError: Shapes differ.
        UndefinedStatistic: No pair, no pair's place decides, or all in the same direction.

    Source:
        As `position_within_pairs`.
    """
    _refuse_none(answers)
    one, two = answers
    n_first, n_second = (int(np.count_nonzero((one == place) & (two == 3 - place))) for place in (1, 2))
    if not (n_first and n_second):
        raise UndefinedStatistic(
            "pairs of which the first shown is picked twice: {n_first}, the second: {n_second}; both kinds are needed",
            n_first=n_first,
            n_second=n_second,
        )
    first, second = np.asarray(ones, dtype=np.str_), np.asarray(twos, dtype=np.str_)
    return position_within_pairs(
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        np.concatenate([one == 1, two == 2]).astype(np.int64),
        np.concatenate([one == 2, two == 1]).astype(np.int64),
        np.tile(np.asarray(clusters), 2),
        confidence=confidence,
    )


def bias_towards(
    side: ArrayLike, winners: ArrayLike, picks: ArrayLike, clusters: ArrayLike, *, resampling: Resampling
) -> Bias:
    """How much rather the judge agrees with people where they prefer the side that it may favour.

    Args:
        side: Shape ``(n,)``, which of two may be favoured, 1 or 2, such as the longer text; 0 where neither is.
        winners: Shape ``(n,)``, what people prefer, 1 or 2.
        picks: Shape ``(n,)``, what the judge picks, 1 or 2, 0 a tie, which gets half the credit.
        clusters: As in `consistency`.
        resampling: Of the interval.

    Returns:
        Mean credit where people prefer that side, less mean credit where they prefer the other: above 0 the judge
        favours it more than people do. What people prefer is held fixed, so that their own liking of it is no bias.

    Raises:
        ValueError: Shapes differ.
        UndefinedStatistic: People never prefer the one side, or the other.

    Source:
        Saito et al. (2023), arXiv:2310.10076 (length); Wataoka et al. (2024), arXiv:2410.21819 (own texts): equal
        opportunity of Hardt et al. (2016).
    """
    one, truth, said, groups = (np.asarray(column) for column in (side, winners, picks, clusters))
    if len({column.shape for column in (one, truth, said, groups)}) > 1:
        raise ValueError("one side, winner, pick and cluster per pair are needed")
    used = one != 0
    credit = credits_of(truth, said)[used]
    liked = (one == truth)[used]
    n_liked, n = int(liked.sum()), int(used.sum())
    if not 0 < n_liked < n:
        raise UndefinedStatistic(
            "people prefer it in {n_liked} of {n} pairs, and both kinds are needed", n_liked=n_liked, n=n
        )
    in_both = np.column_stack([credit * liked, liked, credit * ~liked, ~liked]).astype(np.float64)

    def statistics(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        sums = (counts @ in_both).astype(np.float64)
        return (sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3])[:, None]

    [interval] = headline_intervals(statistics, ("mean",), groups[used], resampling=resampling)
    when_liked, otherwise = float(credit[liked].mean()), float(credit[~liked].mean())
    return Bias(when_liked - otherwise, interval, when_liked, otherwise, n_liked, n - n_liked)


def _refuse_none(answers: BothOrders) -> None:
    if not answers.one_first.size:
        raise UndefinedStatistic("no pair has an answer in both orders")


def _mean(counts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((counts @ values) / counts.sum(axis=1), dtype=np.float64)[:, None]
