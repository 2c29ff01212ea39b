"""Accuracy of a method's picks: by hand, ties, bands of agreement, and intervals over series."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.accuracy.accuracy import accuracy
from analysis.preference.accuracy import accuracy_by_agreement, credits_of, predicted_winners, preference_accuracy
from analysis.resampling.bootstrap import Resampling
from analysis.significance.wilson import wilson
from analysis.undefined import UndefinedStatistic

TRUTH, PREDICTED = [1, 2, 1, 2, 1, 1], [1, 2, 2, 0, 0, 1]
SERIES = ["a", "a", "b", "c", "d", "e"]


def test_the_larger_score_wins_and_equal_scores_tie():
    assert predicted_winners([3.0, 1.0, 2.0], [1.0, 4.0, 2.0]).tolist() == [1, 2, 0]


def test_scores_tie_where_a_method_returned_the_same_number():
    assert predicted_winners([0.3, 3e5], [0.3, 3e5]).tolist() == [0, 0]
    # One huge score leaves the others as far apart as they are.
    assert predicted_winners([0.3, 4e-13, 1e300], [0.2, 3e-13, 1]).tolist() == [1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=30), st.integers(-3, 6))
def test_a_change_of_unit_changes_no_prediction(pairs, power):
    one, two = np.array(pairs, dtype=float).T
    expected = np.where(one > two, 1, np.where(one < two, 2, 0))
    assert predicted_winners(one * 10.0**power, two * 10.0**power).tolist() == expected.tolist()


def test_six_pairs_by_hand():
    # Right, right, wrong, tie, tie, right: (3 + 2/2) of 6; 3 of the 4 decided.
    assert credits_of(TRUTH, PREDICTED).tolist() == [1, 1, 0, 0.5, 0.5, 1]
    found = preference_accuracy(TRUTH, PREDICTED, SERIES, resampling=Resampling(1))
    assert (found.accuracy, found.tie_rate, found.accuracy_decided) == (4 / 6, 2 / 6, 3 / 4)
    assert (found.n, found.n_ties, found.n_clusters) == (6, 2, 5)
    assert found.interval.method.startswith("score interval, effective sample of the delete-one jackknife, t(")
    assert found.interval.method.endswith("5 clusters")


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.sampled_from([0, 1, 2])), min_size=1, max_size=30))
@settings(max_examples=30, deadline=None)
def test_ties_count_a_half_of_what_a_coin_would_make_of_them(pairs):
    truth, predicted = np.array(pairs).T
    found = preference_accuracy(truth, predicted, np.arange(len(pairs)), resampling=Resampling(1))
    decided = found.accuracy_decided or 0.0
    assert found.accuracy == pytest.approx((1 - found.tie_rate) * decided + found.tie_rate / 2, abs=1e-12)
    turned = preference_accuracy(
        3 - truth, np.where(predicted, 3 - predicted, 0), np.arange(len(pairs)), resampling=Resampling(1)
    )
    assert turned.accuracy == found.accuracy


def test_the_interval_is_that_of_the_pairs_left_out_by_series():
    # An independent route: the interval of single answers, which knows no ties.
    rng = np.random.default_rng(5)
    truth, predicted, series = rng.integers(1, 3, 200), rng.integers(1, 3, 200), rng.integers(0, 30, 200)
    found = preference_accuracy(truth, predicted, series, resampling=Resampling(7))
    expected = accuracy(truth == predicted, series, resampling=Resampling(7))
    assert found.accuracy == expected.value
    assert found.interval == found.accuracy_decided_interval == expected.interval


def test_one_pair_per_series_has_wilsons_interval():
    found = preference_accuracy([1, 2, 1, 2], [1, 2, 2, 2], list("abcd"), resampling=Resampling(1))
    assert found.interval == wilson(3, 4)


def test_decided_pairs_are_one_trial_per_cluster_though_others_tie():
    # Clusters a to d give one decided pair each, of which three are right; a gives a tie besides, and e a tie alone.
    found = preference_accuracy([1, 2, 1, 2, 1, 1], [1, 2, 2, 2, 0, 0], list("abcdae"), resampling=Resampling(1))
    assert found.accuracy_decided_interval == wilson(3, 4)
    assert found.interval.method.startswith("score interval")


def test_all_right_with_several_pairs_a_cluster_claims_no_certainty():
    found = preference_accuracy([1] * 20, [1] * 20, np.repeat(np.arange(10), 2), resampling=Resampling(1))
    assert found.accuracy == 1.0
    for interval in (found.interval, found.accuracy_decided_interval):
        assert interval[:2] == pytest.approx(wilson(10, 10)[:2], abs=1e-12)
        assert interval.method == "Wilson, 10 clusters, all alike"


def test_all_ties_leave_nothing_decided():
    found = preference_accuracy([1, 2], [0, 0], ["a", "b"], resampling=Resampling(1))
    assert (found.accuracy, found.tie_rate) == (0.5, 1.0)
    assert (found.accuracy_decided, found.accuracy_decided_interval) == (None, None)


def test_bands_hold_their_lower_end_and_the_last_one_both():
    # 0.1 + 0.7 is 0.7999999999999999 and belongs to 0.8; 0.6 belongs nowhere.
    agreement = [0.6, 0.7, 0.79, 0.1 + 0.7, 1.0, 1.0]
    bands = accuracy_by_agreement(TRUTH, PREDICTED, agreement, SERIES, resampling=Resampling(1))
    assert [band.name for band in bands] == ["70_80", "80_90", "90_100"]
    assert [band.n for band in bands] == [2, 1, 2]
    assert [band.accuracy for band in bands] == [0.5, 0.5, 0.75]


def test_an_empty_band_has_no_accuracy():
    bands = accuracy_by_agreement([1], [1], [1.0], ["a"], resampling=Resampling(1))
    assert bands[0][3:] == (None, None, 0, "no pair with such agreement")


@pytest.mark.parametrize(
    ("truth", "predicted", "message"),
    [([1, 0], [1, 1], "1 or 2; leave out"), ([1, 2], [1, 3], "1, 2 or 0"), ([1, 2], [1], "shapes")],
)
def test_what_is_no_winner_is_refused(truth, predicted, message):
    with pytest.raises(ValueError, match=message):
        preference_accuracy(truth, predicted, ["a", "b"], resampling=Resampling(1))


def test_missing_scores_and_agreements_are_refused():
    with pytest.raises(ValueError, match="1 of 2 pairs miss a finite score"):
        predicted_winners([1.0, np.nan], [1.0, 2.0])
    with pytest.raises(ValueError, match="shapes"):
        predicted_winners([1.0], [1.0, 2.0])
    for agreement in ([np.nan], [1.2], [0.4]):
        with pytest.raises(ValueError, match="between 0.5 and 1"):
            accuracy_by_agreement([1], [1], agreement, ["a"], resampling=Resampling(1))
    with pytest.raises(ValueError, match="shape"):
        preference_accuracy([1], [1], ["a", "b"], resampling=Resampling(1))
    with pytest.raises(UndefinedStatistic, match="no pair"):
        preference_accuracy([], [], [], resampling=Resampling(1))
