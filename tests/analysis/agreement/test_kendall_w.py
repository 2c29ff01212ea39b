"""Kendall's W: by hand, scipy's Friedman test, and what must hold for any data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, spearmanr

from analysis.agreement.kendall_w import kendall_w
from analysis.conformance.published import ANXIETY
from analysis.undefined import UndefinedStatistic

scores = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=3, max_size=12).map(np.array)


def test_three_raters_by_hand():
    # Ranks 1 2 3, 1 2 3, 2 1 3: sums 4 5 9, mean 6, S = 4 + 1 + 9 = 14; 12 x 14 / (9 x 24) = 7/9; 3 x 2 x 7/9.
    found = kendall_w([[1, 10, 2], [2, 20, 1], [3, 30, 9]])
    assert found.w == pytest.approx(7 / 9, abs=1e-15)
    assert found.chi_square == pytest.approx(14 / 3, abs=1e-14)
    assert (found.df, found.n_raters, found.n_used, found.n_total) == (2, 3, 3, 3)


def test_friedmans_test_is_the_same_with_ties():
    theirs = friedmanchisquare(*ANXIETY)
    found = kendall_w(ANXIETY)
    assert (found.chi_square, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)


def test_without_ties_it_is_the_mean_rank_correlation():
    ranks = np.array([np.random.default_rng(seed).permutation(8) for seed in range(4)]).T
    mean = np.mean([spearmanr(ranks[:, i], ranks[:, j]).statistic for i in range(4) for j in range(i)])
    assert (4 * kendall_w(ranks).w - 1) / 3 == pytest.approx(mean, abs=1e-12)


@given(scores, st.sampled_from([1e-12, 3.0, 1e9]), st.permutations(range(3)))
def test_it_lies_between_0_and_1_and_each_rater_may_have_a_unit_of_its_own(values, factor, raters):
    try:
        found = kendall_w(values)
    except UndefinedStatistic:
        assert all(len(set(column)) == 1 for column in values.T)
        return
    assert -1e-12 <= found.w <= 1 + 1e-12
    assert kendall_w(values[:, raters] * [1.0, factor, -0.5 * -factor]).w == pytest.approx(found.w, abs=1e-12)


def test_an_object_with_a_gap_is_left_out_and_counted():
    found = kendall_w([[1, 1], [2, 3], [3, 2], [4, np.nan]])
    assert (found.n_used, found.n_total) == (3, 4)
    assert found.w == kendall_w([[1, 1], [2, 3], [3, 2]]).w


@pytest.mark.parametrize(
    ("values", "said"), [([[1, 2], [2, 1]], "3 objects"), ([[1], [2], [3]], "2 raters"), ([[1, 2]] * 4, "no order")]
)
def test_what_the_data_do_not_define_says_why(values, said):
    with pytest.raises(UndefinedStatistic, match=said):
        kendall_w(values)


@pytest.mark.parametrize("values", [[1, 2, 3], [[1, np.inf], [2, 1], [3, 1]]])
def test_what_is_no_matrix_of_scores_is_refused(values):
    with pytest.raises(ValueError, match="shape|infinite"):
        kendall_w(values)
