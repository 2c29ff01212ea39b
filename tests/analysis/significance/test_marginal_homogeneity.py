"""Stuart-Maxwell and Bhapkar: statsmodels, McNemar for two categories, and categories that never meet."""

import numpy as np
import pytest
import scipy
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import SquareTable

from analysis.significance.marginal_homogeneity import bhapkar, over_clusters, stuart_maxwell
from analysis.undefined import UndefinedStatistic

tables = st.lists(st.integers(1, 30), min_size=16, max_size=16).map(lambda cells: np.reshape(cells, (4, 4)))


def test_two_categories_are_mcnemar_without_correction():
    # (86 - 150)² / 236; Bhapkar W / (1 - W / 1600).
    found = stuart_maxwell([[794, 86], [150, 570]])
    assert found.statistic == pytest.approx(64**2 / 236, rel=1e-12)
    assert (found.df, found.n) == (1, 1600)
    w = 64**2 / 236
    assert bhapkar([[794, 86], [150, 570]]).statistic == pytest.approx(w / (1 - w / 1600), rel=1e-12)


@given(tables)
def test_both_are_those_of_statsmodels(table):
    theirs = SquareTable(table, shift_zeros=False)
    for function, method in ((stuart_maxwell, "stuart_maxwell"), (bhapkar, "bhapkar")):
        expected = theirs.homogeneity(method=method)
        found = function(table)
        assert (found.statistic, found.df) == pytest.approx((expected.statistic, expected.df), rel=1e-8, abs=1e-10)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


@given(tables, st.permutations(range(4)))
def test_order_of_categories_and_of_raters_changes_nothing(table, order):
    assume(np.any(table != table.T))
    first = stuart_maxwell(table).statistic
    assert stuart_maxwell(table[np.ix_(order, order)]).statistic == pytest.approx(first, rel=1e-9, abs=1e-9)
    assert stuart_maxwell(table.T).statistic == pytest.approx(first, rel=1e-9, abs=1e-9)


def test_a_category_that_nobody_uses_or_nobody_leaves_takes_no_degree_of_freedom():
    table = np.zeros((4, 4), dtype=int)
    table[:2, :2] = [[794, 86], [150, 570]]
    table[3, 3] = 12
    assert stuart_maxwell(table)[:2] == pytest.approx((64**2 / 236, 1), rel=1e-12)


def test_full_agreement_and_one_way_are_undefined():
    with pytest.raises(UndefinedStatistic, match="nothing to test"):
        stuart_maxwell(np.diag([3, 4, 5]))
    with pytest.raises(UndefinedStatistic, match="nothing varies"):
        bhapkar([[0, 5], [0, 0]])


@pytest.mark.parametrize("table", [[1, 2], [[1, 2, 3], [1, 2, 3]], [[1, -1], [2, 3]], [[1, np.nan], [2, 3]]])
def test_what_is_no_square_table_of_counts_is_refused(table):
    with pytest.raises(ValueError, match="shape|negative or missing"):
        stuart_maxwell(table)


def test_pairs_of_one_object_are_one_unit():
    # Six objects that two people rated; the judge's label less each person's, of category 1 and summed by object, is
    # 2, 2, 1, 1, 0 and -1: W = 5² / (4 + 4 + 1 + 1 + 0 + 1), and Bhapkar's with n = 6 objects.
    person = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 0]])
    judge = np.array([1, 1, 1, 1, 1, 0])
    of_object = np.repeat(np.arange(6), 2)
    w, wider = over_clusters(person.ravel(), judge.repeat(2), of_object, 2)
    assert (w.statistic, w.df, w.n) == pytest.approx((25 / 11, 1, 12))
    assert wider.statistic == pytest.approx(25 / 11 / (1 - 25 / 66))
    assert (w.method, wider.method) == ("Stuart-Maxwell, 6 clusters", "Bhapkar with Hotelling's F, 6 clusters")
    # Two categories are one difference an object: the square of the t of its mean.
    apart = (judge.repeat(2) - person.ravel()).reshape(-1, 2).sum(axis=1).astype(float)
    assert wider.p == pytest.approx(scipy.stats.ttest_1samp(apart, 0.0).pvalue, rel=1e-12)
    with pytest.raises(UndefinedStatistic, match="4 clusters, fewer than 5"):
        over_clusters(person.ravel(), judge.repeat(2), of_object // 2 + (of_object == 5), 2)


def test_over_clusters_a_judge_like_people_seldom_uses_labels_otherwise():
    # Five people and a judge that err alike: with each pair of ratings a unit, one file in four had p < 0.05.
    rng = np.random.default_rng(2)
    p_values = []
    for _ in range(400):
        truth = rng.random(100) < 0.6
        people, judge = truth[:, None] ^ (rng.random((100, 5)) < 0.2), truth ^ (rng.random(100) < 0.2)
        p_values.append(over_clusters(people.ravel(), judge.repeat(5), np.repeat(np.arange(100), 5), 2)[0].p)
    assert 0.02 <= np.mean(np.array(p_values) < 0.05) <= 0.08


def test_few_clusters_of_several_labels_seldom_differ_by_chance():
    # From chi-square 32 % of these had p < 0.05.
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(10), 8)
    p_values = [over_clusters(*rng.integers(0, 5, (2, 80)), clusters, 5)[1].p for _ in range(400)]
    assert 0.02 <= np.mean(np.array(p_values) < 0.05) <= 0.08


def test_no_more_clusters_than_degrees_of_freedom_are_no_test():
    rng = np.random.default_rng(4)
    with pytest.raises(UndefinedStatistic, match="6 clusters, no more than 6 degrees of freedom"):
        over_clusters(*rng.integers(0, 7, (2, 60)), np.repeat(np.arange(6), 10), 7)
