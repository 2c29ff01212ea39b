"""Several groups' accuracies: scipy's chi-square, Holm's pairs, and clusters."""

import numpy as np
import pytest
from scipy import stats

from analysis.group_accuracies import compare_groups
from analysis.holm import holm
from analysis.undefined import UndefinedStatistic

CORRECT = np.repeat([1, 0, 1, 0, 1, 0], [45, 5, 30, 20, 28, 22])
GROUPS = np.repeat(["blur", "noise", "jpeg"], 50)


def test_all_groups_at_once_are_scipys_chi_square():
    found = compare_groups(CORRECT, GROUPS, seed=1)
    expected = stats.chi2_contingency([[45, 5], [28, 22], [30, 20]], correction=False)
    assert (found.chi_square, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
    assert (found.df, found.method) == (2, "chi-square")
    assert found.accuracies == {"blur": 0.9, "jpeg": 0.56, "noise": 0.6}
    assert found.sizes == {"blur": 50, "jpeg": 50, "noise": 50}


def test_pairs_come_in_order_with_holms_correction():
    found = compare_groups(CORRECT, GROUPS, seed=1)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("blur", "jpeg"),
        ("blur", "noise"),
        ("jpeg", "noise"),
    ]
    assert [pair.p_holm for pair in found.pairs] == holm([pair.comparison.p for pair in found.pairs])
    assert [pair.significant for pair in found.pairs] == [True, True, False]


def test_pairs_are_judged_by_raised_intervals_where_samples_share_clusters():
    # 3 pairs: each at 1 - 0.05 / 3.
    clusters = np.concatenate([np.arange(50) // 5 + 10 * group for group in range(3)])
    found = compare_groups(CORRECT, GROUPS, clusters, seed=1)
    assert found.method == "chi-square, assumes independence"
    for pair in found.pairs:
        low, high = pair.comparison.interval[:2]
        assert pair.comparison.interval.n_clusters == 20
        assert pair.significant is (low > 0 or high < 0)


def test_where_all_answers_are_right_there_is_no_chi_square():
    found = compare_groups([1] * 20, ["a", "b"] * 10, seed=1)
    assert (found.chi_square, found.p, found.method) == (None, None, "none: all answers are right, or all are wrong")
    assert found.pairs[0].p_holm == 1.0


def test_small_groups_make_chi_square_rough():
    found = compare_groups([1, 0, 1, 1, 0, 0], list("aabbcc"), seed=1)
    assert found.method == "chi-square, rough since an expected count is under 5"
    assert {pair.comparison.p_method for pair in found.pairs} == {"Fisher's exact test"}


def test_one_group_has_nothing_to_be_compared_with():
    with pytest.raises(UndefinedStatistic, match="only one group"):
        compare_groups([1, 0], ["a", "a"], seed=1)


def test_misshapen_groups_are_refused():
    with pytest.raises(ValueError, match="shape"):
        compare_groups([1, 0, 1], ["a", "b"], seed=1)
