"""Accuracies and their intervals: published counts, and every resample written out."""

import numpy as np
import pytest

from analysis.accuracy.accuracy import accuracy, spread_of_difference
from analysis.resampling.bootstrap import percentile_interval, resample_counts
from analysis.undefined import UndefinedStatistic


def test_independent_answers_have_wilsons_interval():
    # Newcombe (1998), table I: 15 of 148.
    found = accuracy([True] * 15 + [False] * 133, seed=1)
    assert (found.value, found.n_correct, found.n) == (15 / 148, 15, 148)
    assert found.interval[:2] == pytest.approx((0.0623863995, 0.1604872417), abs=1e-10)
    assert found.interval.method == "Wilson, 148 trials"


def test_answers_that_share_clusters_have_the_clustered_interval():
    rng = np.random.default_rng(1)
    correct, clusters = rng.random(60) < 0.7, rng.integers(0, 15, 60)
    found = accuracy(correct, clusters, seed=3, resamples=200)
    looped = [np.repeat(correct, row).mean() for row in np.vstack(list(resample_counts(clusters, 200, 3)))]
    expected = percentile_interval(looped, confidence=0.95, n_clusters=15, resamples=200)
    assert found.interval[:2] == pytest.approx(expected[:2], abs=1e-12)
    assert found.interval.method == "percentile bootstrap, 200 resamples, 15 clusters"


def test_a_cluster_for_each_answer_is_no_cluster():
    assert accuracy([1, 0, 1], ["a", "b", "c"], seed=1) == accuracy([1, 0, 1], seed=1)


def test_the_interval_of_a_difference_draws_a_shared_cluster_for_both_sides_at_once():
    first, second = np.array([1.0, 2.0, 3.0, 5.0, 8.0]), np.array([2.0, 2.0, 4.0, 4.0, 9.0, 1.0])
    a, b = np.array(list("vwxyz")), np.array(list("vwxyzz"))
    found = spread_of_difference(first, second, a, b, seed=2, resamples=150)
    looped = []
    for row in np.vstack(list(resample_counts(np.r_[a, b], 150, 2))):
        looped.append(np.repeat(first, row[:5]).mean() - np.repeat(second, row[5:]).mean())
    expected = percentile_interval(looped, confidence=0.95, n_clusters=5, resamples=150)
    assert found.interval[:2] == pytest.approx(expected[:2], abs=1e-12)
    assert found.standard_error == pytest.approx(np.std(looped, ddof=1), abs=1e-12)


def test_a_resample_without_one_side_is_dropped_and_counted():
    # One of the six clusters holds the whole first side: missing from (5/6)^6 = 33 % of resamples.
    found = spread_of_difference([1.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0], ["a", "a"], list("bcdef"), seed=2)
    assert (found.interval.low, found.standard_error) == (None, None)
    assert "undefined in" in found.interval.method


def test_without_shared_clusters_there_is_no_clustered_interval():
    assert spread_of_difference([1.0, 2.0], [3.0], None, None, seed=1) is None
    assert spread_of_difference([1.0, 2.0], [3.0], ["a", "b"], ["c"], seed=1) is None


def test_what_is_neither_right_nor_wrong_is_refused():
    with pytest.raises(ValueError, match="true or false"):
        accuracy([0.5, 1.0], seed=1)
    with pytest.raises(ValueError, match="true or false"):
        accuracy(["yes", "no"], seed=1)
    with pytest.raises(ValueError, match="shape"):
        accuracy([1, 0, 1], ["a", "b"], seed=1)
    with pytest.raises(ValueError, match="both sides need clusters"):
        spread_of_difference([1.0], [2.0], ["a"], None, seed=1)


def test_no_answer_has_no_accuracy():
    with pytest.raises(UndefinedStatistic, match="no sample"):
        accuracy([], seed=1)
