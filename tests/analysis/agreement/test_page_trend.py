"""Tests of `analysis/agreement/page_trend.py`."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import page_trend_test, rankdata

from analysis.agreement.page_trend import page_trend
from analysis.conformance.published import PAGE_RATERS
from analysis.undefined import UndefinedStatistic

RATERS = np.array(PAGE_RATERS)
DOSES = [0.3, 0.5, 0.7]
NAN = float("nan")


def by_enumeration(drops: np.ndarray) -> float:
    """The share of all orders of all rows whose L is at least the one seen."""
    ranks = rankdata(drops, axis=1)
    places = np.arange(1, drops.shape[1] + 1)
    seen = (ranks * places).sum()
    of_rows = [[float(np.dot(order, places)) for order in permutations(row)] for row in ranks]
    sums = np.array([sum(each) for each in product(*of_rows)])
    return float(np.mean(sums >= seen - 1e-9))


def test_the_published_raters_with_their_ties():
    # L 133.5; scipy's exact p, 0.0018, takes the tied ranks for untied ones.
    found = page_trend(RATERS, [1, 2, 3])
    assert found.value == 133.5
    assert found.p == pytest.approx(0.000384214804653762, rel=1e-12)
    assert (found.lowest, found.expected, found.highest) == (102.5, 120, 137.5)
    assert page_trend_test(RATERS, method="exact").pvalue == pytest.approx(0.0018191161948127822)


def test_a_perfect_order_of_one_item_by_hand():
    # One of 3! orders, L = 1 + 4 + 9 = 14.
    found = page_trend([[0.1, 0.2, 0.3]], DOSES)
    assert (found.value, found.p) == (14, pytest.approx(1 / 6))
    # The reverse order reaches at least its own L, 1 x 3 + 2 x 2 + 3 x 1 = 10, whatever happens.
    assert page_trend([[0.3, 0.2, 0.1]], DOSES).p == pytest.approx(1)


@given(st.integers(2, 8), st.integers(3, 5), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_without_ties_scipys_exact_test_agrees(n_items, n_magnitudes, seed):
    random = np.random.default_rng(seed)
    drops = np.array([random.permutation(n_magnitudes) for _ in range(n_items)]) / 10
    theirs = page_trend_test(drops, method="exact")
    found = page_trend(drops, range(n_magnitudes))
    assert found.value == theirs.statistic
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-12)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=4))
@settings(deadline=None)
def test_counting_every_order_gives_the_same_p(rows):
    drops = np.array(rows) / 10
    if (drops == drops[:, :1]).all():
        return
    assert page_trend(drops, DOSES).p == pytest.approx(by_enumeration(drops), abs=1e-12)


def test_the_smallest_chance_keeps_its_digits():
    # 60 items in perfect order: (1 / 3!)^60 = 2.05e-47, which a Fourier convolution would lose.
    assert page_trend([[0.1, 0.2, 0.3]] * 60, DOSES).p == pytest.approx(6.0**-60, rel=1e-9)


def test_doses_are_put_in_order():
    assert page_trend([[0.3, 0.1, 0.2]], [0.7, 0.3, 0.5]).value == 14


def test_items_that_lack_a_magnitude_are_not_used():
    found = page_trend([[0.1, 0.2, 0.3], [0.1, NAN, 0.3]], DOSES)
    assert (found.n_items, found.n_used) == (2, 1)


def test_many_items_take_little_time():
    random = np.random.default_rng(1)
    drops = (random.integers(0, 5, (2000, 4)) + np.arange(4) * 0.05) / 10
    assert 0 < page_trend(drops, range(4)).p < 1e-3


def test_what_defines_no_trend_says_why():
    with pytest.raises(UndefinedStatistic, match="2 magnitudes, at least 3"):
        page_trend([[0.1, 0.2]], [1, 2])
    with pytest.raises(UndefinedStatistic, match="no item has a pair at every magnitude"):
        page_trend([[0.1, 0.2, NAN]], DOSES)
    with pytest.raises(UndefinedStatistic, match="no item's drops differ"):
        page_trend([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2]], DOSES)


def test_too_many_magnitudes_are_refused():
    with pytest.raises(UndefinedStatistic, match="13 magnitudes"):
        page_trend([[*range(13)]], range(13))
