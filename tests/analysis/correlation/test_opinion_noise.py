"""Errors against the noise of opinions: by hand and against scipy's t interval."""

import numpy as np
import pytest
from scipy import stats

from analysis.correlation.opinion_noise import against_opinion_noise, opinion_ci95
from analysis.undefined import UndefinedStatistic


def test_the_interval_of_an_opinion_score_is_students():
    # t(0.975, 3) = 3.182446305284263; SD 2, 4 votes: 3.1824 * 2 / 2.
    assert opinion_ci95([2.0], [4]) == pytest.approx([3.182446305284263], abs=1e-12)
    votes = [1.0, 4.0, 2.0, 5.0, 3.0]
    low, high = stats.ttest_1samp(votes, 0.0).confidence_interval(0.95)
    assert opinion_ci95([np.std(votes, ddof=1)], 5) == pytest.approx([(high - low) / 2], abs=1e-12)


def test_outliers_and_their_excess_by_hand():
    # Errors 0.5, -2, 1, 3 against half-widths 1: excesses 0, 1, 0 (on the bound is inside), 2; 5 over 4 - 1.
    found = against_opinion_noise([0.5, -2.0, 1.0, 3.0], [1.0] * 4, n_parameters=1)
    assert found.outlier_ratio == 0.5
    assert found.n_outliers == 2
    assert found.rmse_epsilon == pytest.approx(np.sqrt(5 / 3), abs=1e-15)


def test_an_error_on_the_bound_but_for_the_last_bit_is_inside():
    assert against_opinion_noise([0.8 - 0.7], [0.7 - 0.6]).n_outliers == 0
    assert against_opinion_noise([0.7 - 0.6], [0.8 - 0.7]).n_outliers == 0


def test_a_sample_with_one_vote_has_no_interval_and_is_counted_apart():
    half_widths = opinion_ci95([0.0, 1.0, 1.0], [1, 10, 10])
    assert np.isnan(half_widths).tolist() == [True, False, False]
    found = against_opinion_noise([9.0, 0.1, 0.1], half_widths)
    assert (found.n_used, found.n_total, found.n_without_interval) == (2, 3, 1)
    assert found.outlier_ratio == 0.0


def test_unanimous_votes_make_every_error_an_outlier():
    assert against_opinion_noise([0.1, -0.1], opinion_ci95([0.0, 0.0], [20, 20])).outlier_ratio == 1.0


@pytest.mark.parametrize(
    ("sd", "votes"),
    [([-1.0], [5]), ([np.nan], [5]), ([1.0], [0]), ([1.0], [2.5]), ([1.0, 2.0], [5]), ([1.0], [np.nan])],
)
def test_deviations_and_votes_that_cannot_be_are_refused(sd, votes):
    with pytest.raises(ValueError, match="deviation|votes"):
        opinion_ci95(sd, votes)


def test_no_sample_with_an_interval_is_undefined():
    with pytest.raises(UndefinedStatistic, match="0 samples with an interval"):
        against_opinion_noise([0.1], [np.nan])


def test_misshapen_or_missing_errors_are_refused():
    with pytest.raises(ValueError, match="shapes"):
        against_opinion_noise([0.1, 0.2], [0.1])
    with pytest.raises(ValueError, match="1 of 2 errors are missing"):
        against_opinion_noise([0.1, np.nan], [0.1, 0.1])
