"""Likelihood of votes under scores: by hand, statsmodels' slope, folds over series, and agreement with strengths."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.preference.bradley_terry import bradley_terry
from analysis.preference.head import folds_of
from analysis.preference.likelihood import bt_agreement, held_out_likelihood, slope
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic


def scored_votes(seed, steepness, n_series=60):
    rng = np.random.default_rng(seed)
    series = np.repeat(np.arange(n_series), 4)
    one, two = rng.normal(0, 1, (2, series.size))
    votes = rng.binomial(5, 1 / (1 + np.exp(-steepness * (one - two))))
    return one, two, votes, 5 - votes, series


def test_the_slope_of_one_difference_by_hand():
    # Difference 2, 3 votes to 1: 1 / (1 + e^-2b) = 3/4, b = log(3) / 2.
    assert slope([2.0], [3], [1]) == pytest.approx(np.log(3) / 2, abs=1e-12)


@given(st.integers(0, 200), st.floats(0.2, 3))
@settings(max_examples=20, deadline=None)
def test_the_slope_is_statsmodels_logit_without_intercept(seed, steepness):
    one, two, left, right, _ = scored_votes(seed, steepness)
    logit = sm.GLM(np.column_stack([left, right]), one - two, family=sm.families.Binomial()).fit(tol=1e-13)
    assert slope(one - two, left, right) == pytest.approx(logit.params[0], rel=1e-7)


def test_a_method_that_runs_against_people_or_says_nothing_has_slope_0():
    assert slope([-1.0, 2.0], [3, 0], [1, 4]) == 0.0
    assert slope([0.0, 0.0], [3, 0], [1, 4]) == 0.0


def test_a_slope_without_bound_is_not_defined():
    with pytest.raises(UndefinedStatistic, match="no bound"):
        slope([1.0, -2.0], [3, 0], [0, 4])
    # One vote against a difference that is tiny next to the others is enough for a bound.
    assert np.isfinite(slope([1.0, 1e-9], [3, 0], [0, 1]))


def test_each_fold_is_judged_with_the_slope_of_the_others():
    one, two, left, right, series = scored_votes(1, 0.8)
    found = held_out_likelihood(one, two, left, right, series, resampling=Resampling(4))
    # By the definition: series dealt to folds by the seeded permutation, statsmodels on the other folds.
    fold = np.empty(60, dtype=int)
    fold[np.random.default_rng(4).permutation(60)] = np.arange(60) % 5
    total = 0.0
    for held in range(5):
        out = fold[series] == held
        logit = sm.GLM(np.column_stack([left, right])[~out], (one - two)[~out], family=sm.families.Binomial())
        b = logit.fit(tol=1e-13).params[0]
        assert slope((one - two)[~out], left[~out], right[~out]) == pytest.approx(b, rel=1e-7)
        p = 1 / (1 + np.exp(-b * (one - two)[out]))
        total += (left[out] * np.log(p) + right[out] * np.log(1 - p)).sum()
    assert found.total == pytest.approx(total, abs=1e-6)
    assert found.per_vote == found.total / found.n_votes
    assert (found.n_votes, found.n, found.n_clusters) == (1200, 240, 60)
    assert found.interval.low < found.per_vote < found.interval.high
    assert found.interval.low > found.chance_per_vote


def test_folds_are_those_of_a_head_that_learned_with_the_same_groups_folds_and_seed():
    one, two, left, right, series = scored_votes(1, 0.8)
    groups = series // 2
    found = held_out_likelihood(one, two, left, right, series, groups=groups, folds=3, resampling=Resampling(4))
    fold, _ = folds_of(groups, 3, 4)
    total = 0.0
    for held in range(3):
        out = fold == held
        steep = slope((one - two)[~out], left[~out], right[~out]) * (one - two)[out]
        total += (left[out] * np.log(1 / (1 + np.exp(-steep))) + right[out] * np.log(1 / (1 + np.exp(steep)))).sum()
    assert found.total == pytest.approx(total, abs=1e-9)
    assert found.n_clusters == 60


def test_a_change_of_unit_changes_nothing():
    one, two, left, right, series = scored_votes(2, 0.8)
    found = held_out_likelihood(one, two, left, right, series, resampling=Resampling(1))
    large = held_out_likelihood(1e4 * one + 7, 1e4 * two + 7, left, right, series, resampling=Resampling(1))
    assert large.total == pytest.approx(found.total, abs=1e-5)


def test_the_order_of_rows_does_not_matter():
    one, two, left, right, series = scored_votes(3, 0.8)
    order = np.random.default_rng(0).permutation(series.size)
    found = held_out_likelihood(one, two, left, right, series, resampling=Resampling(1))
    again = held_out_likelihood(
        one[order], two[order], left[order], right[order], series[order], resampling=Resampling(1)
    )
    assert again.total == pytest.approx(found.total, abs=1e-7)
    assert again.interval[:2] == pytest.approx(found.interval[:2], abs=1e-9)


def test_scores_without_a_say_are_worth_a_coin_or_a_little_less():
    one, two, left, right, series = scored_votes(5, 0.0, n_series=400)
    found = held_out_likelihood(one, two, left, right, series, resampling=Resampling(1))
    assert found.per_vote < found.chance_per_vote + 1e-12
    assert found.per_vote == pytest.approx(np.log(0.5), abs=2e-3)
    opposite = held_out_likelihood(-left, -right, left, right, series, resampling=Resampling(1))
    assert opposite.per_vote == pytest.approx(np.log(0.5), abs=1e-12)


def test_agreement_with_strengths_by_hand():
    # 3:1 between x and y: picking x is worth log 3/4, y log 1/4, a tie the mean of both.
    fit = bradley_terry(["x"], ["y"], [3], [1])
    right, wrong = np.log(0.75), np.log(0.25)
    assert bt_agreement(fit, ["x"], ["y"], [1]) == pytest.approx(right, abs=1e-12)
    assert bt_agreement(fit, ["y"], ["x"], [1]) == pytest.approx(wrong, abs=1e-12)
    three = bt_agreement(fit, ["x", "x", "y"], ["y", "y", "x"], [1, 0, 2])
    assert three == pytest.approx((right + (right + wrong) / 2 + right) / 3, abs=1e-12)


def test_what_cannot_be_judged_is_refused():
    one, two, left, right, series = scored_votes(1, 0.8)
    fit = bradley_terry(["x"], ["y"], [3], [1])
    with pytest.raises(UndefinedStatistic, match="4 clusters, fewer than the 5 folds"):
        held_out_likelihood(one, two, left, right, series % 4, resampling=Resampling(1))
    with pytest.raises(UndefinedStatistic, match="no pair"):
        held_out_likelihood([], [], [], [], [], resampling=Resampling(1))
    with pytest.raises(ValueError, match="per pair, got shapes"):
        held_out_likelihood(one, two, left, right, series[:5], resampling=Resampling(1))
    with pytest.raises(ValueError, match="miss a finite score"):
        held_out_likelihood(np.full(240, np.nan), two, left, right, series, resampling=Resampling(1))
    with pytest.raises(ValueError, match="1, 2 or 0"):
        bt_agreement(fit, ["x"], ["y"], [3])
    with pytest.raises(ValueError, match="shape"):
        bt_agreement(fit, ["x"], ["y"], [1, 2])
    with pytest.raises(ValueError, match="not fitted: z"):
        bt_agreement(fit, ["x"], ["z"], [1])
