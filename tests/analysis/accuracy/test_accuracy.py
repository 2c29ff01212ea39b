"""Accuracies and their intervals: published counts, and every cluster left out in turn."""

import numpy as np
import pytest

from analysis.accuracy.accuracy import accuracy, spread_of_difference
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed, left_out, scored


def test_independent_answers_have_wilsons_interval():
    # Newcombe (1998), table I: 15 of 148.
    found = accuracy([True] * 15 + [False] * 133, resampling=Resampling(1))
    assert (found.value, found.n_correct, found.n) == (15 / 148, 15, 148)
    assert found.interval[:2] == pytest.approx((0.0623863995, 0.1604872417), abs=1e-10)
    assert found.interval.method == "Wilson, 148 trials"


def test_answers_that_share_clusters_have_the_clustered_interval():
    rng = np.random.default_rng(1)
    correct, clusters = rng.random(60) < 0.7, rng.integers(0, 15, 60)
    found = accuracy(correct, clusters, resampling=Resampling(3))
    assert found.interval[:2] == pytest.approx(scored(lambda rows: correct[rows].mean(), clusters), abs=1e-9)
    assert found.interval.method.startswith("score interval, effective sample of the delete-one jackknife")
    assert found.interval.method.endswith("15 clusters")


def test_a_cluster_for_each_answer_is_no_cluster():
    assert accuracy([1, 0, 1], ["a", "b", "c"], resampling=Resampling(1)) == accuracy(
        [1, 0, 1], resampling=Resampling(1)
    )


def test_the_interval_of_a_difference_leaves_a_shared_cluster_out_of_both_sides_at_once():
    first, second = np.array([1.0, 2.0, 3.0, 5.0, 8.0]), np.array([2.0, 2.0, 4.0, 4.0, 9.0, 1.0])
    a, b = np.array(list("vwxyz")), np.array(list("vwxyzz"))
    found = spread_of_difference(first, second, a, b, resampling=Resampling(2))
    values = np.r_[first, second]

    def difference(rows):
        return values[rows[rows < 5]].mean() - values[rows[rows >= 5]].mean()

    assert found.interval[:2] == pytest.approx(jackknifed(difference, np.r_[a, b]), abs=1e-12)
    _, left = left_out(difference, np.r_[a, b])
    assert found.standard_error == pytest.approx(np.sqrt(4 / 5 * np.sum((left - left.mean()) ** 2)), abs=1e-12)


def test_a_side_in_one_cluster_has_no_interval():
    # One of the six clusters holds the whole first side: without it there is no difference.
    found = spread_of_difference(
        [1.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0], ["a", "a"], list("bcdef"), resampling=Resampling(2)
    )
    assert (found.interval.low, found.standard_error) == (None, None)
    assert found.interval.method == "none: without one of the clusters the statistic is undefined"


def test_without_shared_clusters_there_is_no_clustered_interval():
    assert spread_of_difference([1.0, 2.0], [3.0], None, None, resampling=Resampling(1)) is None
    assert spread_of_difference([1.0, 2.0], [3.0], ["a", "b"], ["c"], resampling=Resampling(1)) is None


def test_what_is_neither_right_nor_wrong_is_refused():
    with pytest.raises(ValueError, match="true or false"):
        accuracy([0.5, 1.0], resampling=Resampling(1))
    with pytest.raises(ValueError, match="true or false"):
        accuracy(["yes", "no"], resampling=Resampling(1))
    with pytest.raises(ValueError, match="shape"):
        accuracy([1, 0, 1], ["a", "b"], resampling=Resampling(1))
    with pytest.raises(ValueError, match="both sides need clusters"):
        spread_of_difference([1.0], [2.0], ["a"], None, resampling=Resampling(1))


def test_no_answer_has_no_accuracy():
    with pytest.raises(UndefinedStatistic, match="no sample"):
        accuracy([], resampling=Resampling(1))
