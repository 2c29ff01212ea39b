"""The rule of choice: SPEC's score by hand, conditions at their limits, ties, the nearest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.agreement.setting_choice import NONE, Rule, choose, least_lacking
from analysis.agreement.setting_measures import Measures

PASSING = (0.91, 0.99, 0.79, 0.02)


def measures(*rows: tuple[float, float, float, float], varies: list[bool] | None = None) -> Measures:
    columns = np.array(rows, dtype=float).T
    return Measures(*columns, np.array(varies if varies is not None else [True] * len(rows)))


def test_the_score_is_the_weighted_sum_of_the_four_margins():
    # .06/.15 = .4, .01/.02 = .5, .09/.3 = .3, .03/.05 = .6: their mean is .45.
    assert Rule().scores(measures(PASSING))[0] == pytest.approx(0.45)
    heavy = Rule(weight_icc=0.7, weight_json_validity=0.1, weight_spearman=0.1, weight_median_mad=0.1)
    assert heavy.scores(measures(PASSING))[0] == pytest.approx(0.28 + 0.05 + 0.03 + 0.06)


@pytest.mark.parametrize(
    ("row", "met"),
    [
        ((0.85, 0.98, 0.7, 0.05), [True] * 4),
        # 1 - 0.15 is 0.85 and 0.8 - 0.1 is 0.7000000000000001: equal but for the last digit.
        ((1 - 0.15, 0.98, 0.8 - 0.1, 0.3 - 0.25), [True] * 4),
        ((0.8499, 0.9799, 0.6999, 0.0501), [False] * 4),
        ((np.nan, np.nan, np.nan, np.nan), [False] * 4),
    ],
)
def test_conditions_are_compared_at_their_limits_and_nothing_undefined_meets_one(row, met):
    assert Rule().met(measures(row))[0].tolist() == met


def test_a_deterministic_setting_does_not_meet_the_condition_of_icc():
    seen = measures((1.0, 1.0, 0.9, 0.0), varies=[False])
    assert Rule().met(seen)[0].tolist() == [False, True, True, True]
    assert choose(seen, Rule()) == NONE
    assert least_lacking(seen, Rule()) is None


def test_the_highest_score_among_those_that_pass_is_chosen():
    # The first scores highest and fails in validity.
    seen = measures((0.99, 0.97, 0.99, 0.0), PASSING, (0.92, 0.99, 0.79, 0.02), (0.84, 1.0, 0.9, 0.0))
    assert choose(seen, Rule()) == 2


def test_each_resample_chooses_for_itself_and_may_choose_none():
    first = measures(PASSING, (0.92, 0.99, 0.79, 0.02))
    second = measures((0.93, 0.99, 0.79, 0.02), PASSING)
    third = measures((0.8, 0.99, 0.79, 0.02), (0.8, 0.99, 0.79, 0.02))
    stacked = Measures(*(np.stack(columns) for columns in zip(first, second, third, strict=True)))
    assert choose(stacked, Rule()).tolist() == [1, 0, NONE]


def test_of_equal_scores_the_first_counts():
    assert choose(measures(PASSING, PASSING), Rule()) == 0


def test_where_a_condition_leaves_no_room_the_plain_difference_counts():
    strict = Rule(json_validity=1.0, median_mad=0.0)
    seen = measures((0.91, 0.99, 0.79, 0.02))
    # .4, -.01, .3, -.02
    np.testing.assert_allclose(strict.margins(seen)[0], [0.4, -0.01, 0.3, -0.02], atol=1e-12)
    assert not strict.passes(seen)[0]


def test_the_nearest_lacks_the_smallest_share_of_what_is_asked():
    # The first lacks .03/.15 = .2; the second .003/.02 = .15; the third .03/.3 + .01/.05 = .3; the fourth an ICC.
    rows = [(0.82, 1, 0.9, 0.01), (0.9, 0.977, 0.9, 0.01), (0.9, 1, 0.67, 0.06), (np.nan, 1, 0.9, 0.01)]
    assert least_lacking(measures(*rows), Rule()) == 1
    assert least_lacking(measures(*rows, (1.0, 1.0, 0.9, 0.0), varies=[True] * 4 + [False]), Rule()) == 1


rows = st.tuples(st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 0.5))


@settings(max_examples=100, deadline=None)
@given(st.lists(rows, min_size=1, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_what_is_chosen_has_the_same_score_in_any_order_and_passes(some, random):
    easy = Rule(icc=0.0, json_validity=0.3, spearman=0.0, median_mad=0.3)
    order = list(range(len(some)))
    random.shuffle(order)
    here, there = measures(*some), measures(*(some[place] for place in order))
    first, second = int(choose(here, easy)), int(choose(there, easy))
    assert (first == NONE) == (second == NONE) == (not easy.passes(here).any())
    if first != NONE:
        assert easy.passes(here)[first]
        assert easy.scores(here)[first] == pytest.approx(easy.scores(there)[second], abs=1e-11)
