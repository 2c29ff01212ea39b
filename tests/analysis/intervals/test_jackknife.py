"""Jackknife bounds against Student's t, Wilson's interval, a matrix written out, and Zou's published difference."""

import numpy as np
import pytest
from scipy import stats

from analysis.intervals.jackknife import (
    ARCSINE,
    FISHER,
    GROUPS,
    IDENTITY,
    LOG,
    LOG_F,
    Bounds,
    Estimate,
    difference_bounds,
    effective_freedom,
    grouped,
    jackknife_bounds,
    likeness,
    score_bounds,
)
from analysis.significance.wilson import wilson


def without_each(values, statistic):
    return np.array([statistic(np.delete(values, place)) for place in range(len(values))])


def test_equal_clusters_have_one_degree_of_freedom_fewer_than_there_are_clusters():
    assert effective_freedom([3, 3, 3, 3, 3]) == pytest.approx(4.0, abs=1e-12)
    assert effective_freedom(np.ones((2, 7))).tolist() == pytest.approx([6.0, 6.0])


def test_freedom_of_unequal_clusters_is_that_of_the_matrix_written_out():
    sizes = np.array([1.0, 2.0, 5.0, 15.0, 3.0])
    spread = np.diag(sizes * (1 + 0.3 * (sizes - 1)))
    weight = sizes / sizes.sum()
    residual = np.diag(1 / (1 - weight)) @ (np.eye(5) - np.outer(weight, np.ones(5)))
    matrix = residual @ spread @ residual.T
    expected = np.trace(matrix) ** 2 / np.trace(matrix @ matrix)
    assert effective_freedom(sizes) == pytest.approx(expected, rel=1e-12)
    assert 1.0 < expected < 4.0


def test_the_mean_of_independent_values_has_students_interval():
    values = np.array([3.0, 1.0, 4.0, 1.5, 9.0, 2.6])
    bounds = jackknife_bounds(Estimate(values.mean(), without_each(values, np.mean)), 5.0)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert tuple(bounds) == pytest.approx(tuple(expected), abs=1e-12)


def test_the_bias_that_the_jackknife_sees_is_taken_off_as_far_as_asked():
    # The variance that divides by n: its pseudo-values' mean is the variance that divides by n - 1.
    values = np.array([3.0, 1.0, 4.0, 1.5, 9.0, 2.6])
    deleted = without_each(values, np.var)
    for share, centre in (
        (0.0, values.var()),
        (1.0, values.var(ddof=1)),
        (0.5, (values.var() + values.var(ddof=1)) / 2),
    ):
        bounds = jackknife_bounds(Estimate(values.var(), deleted), 5.0, corrected=share)
        assert (bounds.low + bounds.high) / 2 == pytest.approx(centre, abs=1e-12)


@pytest.mark.parametrize("scale", [FISHER, LOG_F, LOG, ARCSINE])
def test_a_scale_leads_back_to_where_it_came_from(scale):
    values = np.array([0.1, 0.5, 0.93])
    assert scale.back(scale.there(values)) == pytest.approx(values, abs=1e-12)


def test_a_correlation_of_1_and_an_undefined_value_have_no_bounds():
    assert np.isnan(jackknife_bounds(Estimate(1.0, np.ones(6)), 5.0, FISHER)).all()
    assert np.isnan(jackknife_bounds(Estimate(0.5, np.array([0.4, np.nan, 0.6])), 2.0, FISHER)).all()
    assert tuple(jackknife_bounds(Estimate(0.0, np.zeros(6)), 5.0)) == (0.0, 0.0)


def test_many_data_sets_at_once_are_each_alone():
    values = np.random.default_rng(1).normal(size=(4, 9))
    deleted = (values.sum(axis=1, keepdims=True) - values) / 8
    together = jackknife_bounds(Estimate(values.mean(axis=1), deleted), np.full(4, 8.0))
    alone = [jackknife_bounds(Estimate(one.mean(), rest), 8.0) for one, rest in zip(values, deleted, strict=True)]
    assert np.allclose(np.column_stack(together), np.array(alone), atol=1e-14)


def test_all_right_is_wilsons_interval_of_as_many_trials_as_clusters():
    found = score_bounds(Estimate(1.0, np.ones(12)), 11.0, 12)
    assert tuple(found) == pytest.approx(wilson(12, 12, 0.95)[:2], abs=1e-12)


def test_independent_answers_have_wilsons_interval_with_one_trial_fewer_and_students_quantile():
    right = np.array([1.0] * 14 + [0.0] * 6)
    found = score_bounds(Estimate(0.7, without_each(right, np.mean)), 19.0, 20)
    # The jackknife variance of a share is p (1 - p) / (n - 1), so the effective sample is 19.
    t, p, n = stats.t.ppf(0.975, 19), 0.7, 19
    middle = (p + t * t / (2 * n)) / (1 + t * t / n)
    half = t / (1 + t * t / n) * np.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
    assert tuple(found) == pytest.approx((middle - half, middle + half), abs=1e-12)


def test_a_coefficient_between_minus_1_and_1_is_read_as_a_share():
    right = np.array([1.0] * 14 + [0.0] * 6)
    share = score_bounds(Estimate(0.7, without_each(right, np.mean)), 19.0, 20)
    coefficient = score_bounds(Estimate(0.4, 2 * without_each(right, np.mean) - 1), 19.0, 20, (-1.0, 1.0))
    assert np.array(coefficient) == pytest.approx(2 * np.array(share) - 1, abs=1e-12)


def test_the_difference_of_overlapping_correlations_is_zous():
    # Zou (2007), example 2: r 0.396 and 0.179, their other side correlated 0.088, n 66: -0.093 to 0.517.
    r, s, between, n = 0.396, 0.179, 0.088, 66
    sides = [Bounds(*np.tanh(np.arctanh(one) + np.array([-1, 1]) * 1.959964 / np.sqrt(n - 3))) for one in (r, s)]
    above = (between - r * s / 2) * (1 - r**2 - s**2 - between**2) + between**3
    found = difference_bounds(r, sides[0], s, sides[1], above / ((1 - r**2) * (1 - s**2)))
    assert tuple(found) == pytest.approx((-0.093, 0.517), abs=5e-4)


def test_a_statistic_less_itself_is_0_where_its_bounds_are_equally_far():
    deleted = np.array([0.4, 0.5, 0.55, 0.45])
    one = jackknife_bounds(Estimate(0.48, deleted), 3.0)
    found = difference_bounds(0.48, one, 0.48, one, likeness(deleted, deleted, IDENTITY))
    assert tuple(found) == pytest.approx((0.0, 0.0), abs=1e-7)


def test_above_1000_clusters_random_groups_are_left_out_the_same_for_one_seed():
    index, groups, n_clusters = grouped(np.repeat(np.arange(1001), 2), seed=4)
    assert (groups, n_clusters, len(np.unique(index))) == (GROUPS, 1001, GROUPS)
    assert (index[::2] == index[1::2]).all()
    assert np.bincount(np.bincount(index[::2])).tolist() == [0, 0, 0, 0, 0, 199, 1]
    assert (index == grouped(np.repeat(np.arange(1001), 2), seed=4)[0]).all()
    assert grouped(np.arange(1000), seed=4)[1] == 1000


def test_a_share_that_varies_in_its_last_digits_alone_has_as_many_trials_as_clusters():
    noise = 1e-15 * np.array([1, -1, 1, -1, 1, -1])
    found, still = (score_bounds(Estimate(0.5, 0.5 + away), 5.0, 6) for away in (noise, np.zeros(6)))
    # Wilson's bounds at a half with t(5) = 2.570582: 1/2 -/+ t / (2 sqrt(6 + t^2)).
    half = 2.570582 / (2 * np.sqrt(6 + 2.570582**2))
    assert tuple(found) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)
    assert np.array(still) == pytest.approx(np.array(found), abs=1e-9)


def test_a_share_that_is_undefined_without_a_cluster_has_no_bounds():
    for share in (1.0, 0.5):
        assert np.isnan(score_bounds(Estimate(share, np.array([1.0, np.nan, 1.0, 0.9])), 3.0, 4)).all()


def test_likeness_is_the_correlation_of_values_left_out_on_the_scale_of_each_data_set():
    first, second = np.random.default_rng(2).uniform(-0.9, 0.9, (2, 3, 9))
    expected = [np.corrcoef(np.arctanh(a), np.arctanh(b))[0, 1] for a, b in zip(first, second, strict=True)]
    assert likeness(first, second, FISHER).tolist() == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
def test_a_statistic_that_does_not_vary_is_like_no_other():
    assert likeness(np.full(5, 0.3), np.array([0.1, 0.2, 0.3, 0.2, 0.1]), IDENTITY) == 0.0


@pytest.mark.parametrize("n", [3, 40])
def test_the_effective_sample_is_at_least_a_third_of_the_clusters(n):
    # Two values far apart of n + 1 that are left out: variance (n - 1)/n x sum of squares, sample p(1-p)/variance.
    deleted = np.r_[np.full(n, 0.5), 0.9]
    away = deleted - deleted.mean()
    sample = max(0.25 / (n / (n + 1) * (away**2).sum()), (n + 1) / 3)
    t = stats.t.ppf(0.975, n)
    middle = (0.5 + t * t / (2 * sample)) / (1 + t * t / sample)
    half = t / (1 + t * t / sample) * np.sqrt(0.25 / sample + t * t / (4 * sample**2))
    assert tuple(score_bounds(Estimate(0.5, deleted), n, n + 1)) == pytest.approx(
        (middle - half, middle + half), abs=1e-12
    )


def test_an_interval_holds_its_statistic_however_much_bias_is_taken_off() -> None:
    # Pseudo-values of 1 and 0.5, 0.5, 0.6 without a group: 2, 2, 1.8; the mean 1.933 +- 4.303 * 0.0667 leaves 1 out.
    low, high = jackknife_bounds(Estimate(1.0, [0.5, 0.5, 0.6]), 2, corrected=1.0)
    assert float(low) == 1.0
    assert float(high) == pytest.approx(1.9333 + 4.3027 * 0.066667, abs=1e-4)
