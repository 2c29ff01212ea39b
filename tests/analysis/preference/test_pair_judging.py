"""A judge of pairs, asked in both orders: what it picks, how often the order decides, and what else does."""

import math

import numpy as np
import pytest

from analysis.preference.pair_judging import (
    BothOrders,
    bias_towards,
    both_orders,
    consistency,
    first_shown,
    picked,
    position_coefficient,
)
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic

# Pair by pair: with 1 shown first, with 2 shown first.
#   1 and 1: 1 wins. 2 and 2: 2 wins. 1 and 2: the first shown, both times. 2 and 1: the second, both times.
#   0 and 0: a tie twice. 1 and 0: a win and a tie differ.
ANSWERS = both_orders([1, 2, 1, 2, 0, 1], [1, 2, 2, 1, 0, 0])
CLUSTERS = np.array(list("aabbcc"))


def test_two_answers_that_differ_are_a_tie() -> None:
    assert picked(ANSWERS).tolist() == [1, 2, 0, 0, 0, 0]


def test_consistency_is_the_share_of_equal_answers_and_counts_two_ties_as_equal() -> None:
    found = consistency(ANSWERS, CLUSTERS, resampling=Resampling(seed=0))
    # The first, the second and the fifth pair of six; ties are 3 of 12 answers.
    assert (found.share, found.tie_share, found.n, found.n_clusters) == (0.5, 0.25, 6, 3)


def test_the_first_shown_rate_is_of_answers_that_are_no_ties() -> None:
    found = first_shown(ANSWERS, CLUSTERS, resampling=Resampling(seed=0))
    # Shown first: 1 of the first pair, 1 of the second, 2 of the third, 0 of the fourth, 1 of the last: 5 of 9.
    assert (found.votes_first, found.votes, found.share) == (5, 9, 5 / 9)


def test_the_position_coefficient_is_half_the_log_of_first_twice_over_second_twice() -> None:
    names = [f"p{place}" for place in range(9)]
    # Three pairs go to the first shown in both orders, one to the second; five are consistent.
    answers = both_orders([1, 1, 1, 2, 1, 1, 2, 2, 1], [2, 2, 2, 1, 1, 1, 2, 2, 1])
    found = position_coefficient(answers, names, [f"{name}x" for name in names], names)
    assert found.log_odds == pytest.approx(math.log(3) / 2)
    assert found.n_used == 4


def test_a_place_that_decides_in_one_direction_only_has_no_finite_coefficient() -> None:
    answers = both_orders([1, 1, 2, 0], [2, 2, 2, 1])
    with pytest.raises(UndefinedStatistic, match="the first shown is picked twice: 2, the second: 0"):
        position_coefficient(answers, list("abcd"), list("efgh"), list("abcd"))


def test_no_pair_and_ties_alone_define_nothing() -> None:
    none = both_orders([], [])
    with pytest.raises(UndefinedStatistic, match="no pair has an answer in both orders"):
        consistency(none, [], resampling=Resampling(seed=0))
    with pytest.raises(UndefinedStatistic, match="no pair has an answer in both orders"):
        first_shown(none, [], resampling=Resampling(seed=0))
    with pytest.raises(UndefinedStatistic, match="no pair has an answer in both orders"):
        position_coefficient(none, [], [], [])
    with pytest.raises(UndefinedStatistic, match="all answers are ties"):
        first_shown(both_orders([0, 0], [0, 0]), ["a", "b"], resampling=Resampling(seed=0))


def test_a_bias_is_the_credit_where_people_like_it_less_the_credit_where_they_do_not() -> None:
    side = [1, 1, 2, 2, 1, 0]
    winner = [1, 1, 1, 1, 2, 1]
    picks = [1, 0, 2, 1, 2, 2]
    # People like it in the first two pairs: credit 1 and 0.5. They do not in the next three: 0, 1 and 1.
    found = bias_towards(side, winner, picks, list("abcdef"), resampling=Resampling(seed=0))
    assert (found.when_liked, found.otherwise, found.n_liked, found.n_otherwise) == (0.75, 2 / 3, 2, 3)
    assert found.difference == pytest.approx(0.75 - 2 / 3)
    with pytest.raises(UndefinedStatistic, match="people prefer it in 2 of 2 pairs"):
        bias_towards([1, 1], [1, 1], [1, 1], ["a", "b"], resampling=Resampling(seed=0))


def test_answers_are_one_for_each_order_and_pair() -> None:
    with pytest.raises(ValueError, match="one answer per pair and order"):
        both_orders([1], [1, 2])
    with pytest.raises(ValueError, match="1, 2, or 0"):
        both_orders([3], [1])


def answers_of(log_odds: float, n: int, rng: np.random.Generator) -> BothOrders:
    """A judge by Bradley and Terry's model with this coefficient of the place, of pairs of any strength."""
    strength = rng.normal(0.0, 1.0, n)

    def wins(first_is_one: bool) -> np.ndarray:
        logit = strength * (1 if first_is_one else -1) + log_odds
        first = rng.random(n) < 1.0 / (1.0 + np.exp(-logit))
        return np.where(first == first_is_one, 1, 2)

    return both_orders(wins(True), wins(False))


@pytest.mark.parametrize("log_odds", [0.0, 0.8])
def test_a_planted_coefficient_is_in_its_interval_as_often_as_it_says(log_odds: float) -> None:
    rng, n, runs, inside = np.random.default_rng(7), 120, 60, 0
    names = [f"p{place}" for place in range(n)]
    for _ in range(runs):
        found = position_coefficient(answers_of(log_odds, n, rng), names, [f"{one}x" for one in names], names)
        assert found.interval.low is not None
        assert found.interval.high is not None
        inside += found.interval.low <= log_odds <= found.interval.high
    # Of 60 intervals at 95 % fewer than 52 hold the value once in a thousand times.
    assert inside >= 52
