"""Several groups' accuracies: scipy's chi-square, Holm's pairs, and clusters."""

import numpy as np
import pytest
from scipy import stats

from analysis.accuracy.group_accuracies import compare_groups
from analysis.resampling.bootstrap import Resampling
from analysis.significance.holm import holm
from analysis.undefined import UndefinedStatistic

CORRECT = np.repeat([1, 0, 1, 0, 1, 0], [45, 5, 30, 20, 28, 22])
GROUPS = np.repeat(["blur", "noise", "jpeg"], 50)


def test_all_groups_at_once_are_scipys_chi_square():
    found = compare_groups(CORRECT, GROUPS, resampling=Resampling(1))
    expected = stats.chi2_contingency([[45, 5], [28, 22], [30, 20]], correction=False)
    assert (found.chi_square, found.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
    assert (found.df, found.method) == (2, "chi-square")
    assert found.accuracies == {"blur": 0.9, "jpeg": 0.56, "noise": 0.6}
    assert found.sizes == {"blur": 50, "jpeg": 50, "noise": 50}


def test_pairs_come_in_order_with_holms_correction():
    found = compare_groups(CORRECT, GROUPS, resampling=Resampling(1))
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("blur", "jpeg"),
        ("blur", "noise"),
        ("jpeg", "noise"),
    ]
    assert [pair.p_holm for pair in found.pairs] == holm([pair.comparison.p for pair in found.pairs])
    assert [pair.significant for pair in found.pairs] == [True, True, False]


def test_pairs_are_judged_by_holms_p_of_the_clustered_standard_error():
    # 3 groups of 10 clusters of 5 samples each.
    clusters = np.concatenate([np.arange(50) // 5 + 10 * group for group in range(3)])
    found = compare_groups(CORRECT, GROUPS, clusters, resampling=Resampling(1))
    assert found.method == "chi-square, assumes independence"
    expected = []
    for pair in found.pairs:
        assert pair.comparison.interval.n_clusters == 20
        t = pair.comparison.difference / _looped_standard_error(pair.first, pair.second, clusters)
        expected.append(2 * stats.t.sf(abs(t), 9))
        assert pair.method.endswith("; Holm's p of a t-test on the clustered standard error")
    assert [pair.p_holm for pair in found.pairs] == pytest.approx(holm(expected), rel=1e-9)
    assert [pair.significant for pair in found.pairs] == [pair.p_holm < 0.05 for pair in found.pairs]


def _looped_standard_error(first, second, clusters):
    """Of the difference: the jackknife's, each cluster left out in turn."""
    side = [np.flatnonzero(name == GROUPS) for name in (first, second)]
    labels = np.unique(np.concatenate([clusters[rows] for rows in side]))
    left = [np.subtract(*(CORRECT[rows[clusters[rows] != label]].mean() for rows in side)) for label in labels]
    return np.sqrt((len(left) - 1) / len(left) * np.sum((left - np.mean(left)) ** 2))


@pytest.mark.slow
def test_many_groups_that_do_not_differ_seldom_have_a_pair_that_does():
    # 15 groups over the same 25 clusters, 105 pairs, all alike: of 20 such data sets about 1 may have a pair.
    random = np.random.default_rng(5)
    groups, clusters = np.repeat(np.arange(15), 75), np.tile(np.repeat(np.arange(25), 3), 15)
    wrong = 0
    for seed in range(20):
        chance = np.clip(0.6 + random.normal(0, 0.15, 25), 0, 1)[clusters]
        found = compare_groups(random.random(groups.size) < chance, groups, clusters, resampling=Resampling(seed))
        wrong += any(pair.significant for pair in found.pairs)
    assert wrong <= 3


def test_where_every_resample_tells_the_same_p_is_of_the_clusters_signs():
    # 6 clusters in each group, all right and all wrong: 2 ** -5.
    clusters = np.concatenate([np.arange(12) // 2, np.arange(12) // 2])
    found = compare_groups([1] * 12 + [0] * 12, ["a"] * 12 + ["b"] * 12, clusters, resampling=Resampling(1))
    assert found.pairs[0].p_holm == 1 / 32


def test_too_few_clusters_tell_nothing_and_burden_no_other_pair():
    # Two clusters in each of a and b, six in each of c and d.
    groups, clusters = np.repeat(list("abcd"), [6, 6, 12, 12]), np.repeat(np.arange(16), [3] * 4 + [2] * 12)
    found = compare_groups([1, 0, 1, 0, 1, 1] * 6, groups, clusters, resampling=Resampling(1))
    assert (found.pairs[0].p_holm, found.pairs[0].significant) == (None, None)
    assert [pair.p_holm is None for pair in found.pairs] == [True, True, True, True, True, False]
    alone = compare_groups([1, 0, 1, 0, 1, 1] * 4, groups[12:], clusters[12:], resampling=Resampling(1))
    assert found.pairs[-1].p_holm == alone.pairs[0].p_holm


def test_where_all_answers_are_right_there_is_no_chi_square():
    found = compare_groups([1] * 20, ["a", "b"] * 10, resampling=Resampling(1))
    assert (found.chi_square, found.p, found.method) == (None, None, "none: all answers are right, or all are wrong")
    assert found.pairs[0].p_holm == 1.0


def test_small_groups_make_chi_square_rough():
    found = compare_groups([1, 0, 1, 1, 0, 0], list("aabbcc"), resampling=Resampling(1))
    assert found.method == "chi-square (rough: an expected count is under 5)"
    assert {pair.comparison.p_method for pair in found.pairs} == {"Fisher's exact test"}


def test_one_group_has_nothing_to_be_compared_with():
    with pytest.raises(UndefinedStatistic, match="only one group"):
        compare_groups([1, 0], ["a", "a"], resampling=Resampling(1))


def test_misshapen_groups_are_refused():
    with pytest.raises(ValueError, match="shape"):
        compare_groups([1, 0, 1], ["a", "b"], resampling=Resampling(1))
