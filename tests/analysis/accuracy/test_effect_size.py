"""Tests of `analysis/accuracy/effect_size.py`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.accuracy.effect_size import (
    cohens_d,
    effect_band,
    effect_size,
    hedges_g,
    noncentral_t_bounds,
    small_sample_factor,
)
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed

grid = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=12)


def test_two_groups_by_hand():
    # Means 2.5 and 5; squares about them 5 and 10: pooled sd sqrt(15 / 7) = 1.463850; -2.5 / 1.463850 = -1.707825.
    assert cohens_d([1, 2, 3, 4], [3, 4, 5, 6, 7]) == pytest.approx(-1.707825127659933, abs=1e-12)
    # The same reference case: J(7) = 0.888215.
    assert hedges_g([1, 2, 3, 4], [3, 4, 5, 6, 7]) == pytest.approx(-1.51689524, abs=1e-8)


def test_a_constant_drop_has_d_but_no_d_z():
    # Drops are 0.4 each, up to floating point: 0.95 - 0.55 is not 0.9 - 0.5 there.
    found = effect_size([0.9, 0.85, 0.95, 0.88], [0.5, 0.45, 0.55, 0.48], resampling=Resampling(1))
    assert found.d.value == pytest.approx(9.516619, abs=1e-6)
    assert found.d_z.value is None
    assert found.d_z.reason == "all drops are equal, so they have no standard deviation"


def test_constant_scores_have_d_z_undefined_or_d_undefined_each_by_itself():
    found = effect_size([0.5, 0.5, 0.5], [0.3, 0.3, 0.3], resampling=Resampling(1))
    assert (found.d.value, found.g.value, found.d_z.value) == (None, None, None)
    assert "neither original nor altered scores vary" in found.d.reason
    one_side = effect_size([0.5, 0.5, 0.5], [0.3, 0.2, 0.1], resampling=Resampling(1))
    # Drops 0.2, 0.3, 0.4: d = 0.3 / sqrt(0.01 / 2) = 4.242641, d_z = 0.3 / 0.1 = 3.
    assert one_side.d.value == pytest.approx(4.242640687)
    assert one_side.d_z.value == pytest.approx(3.0)


@given(grid)
def test_pingouin_gives_the_same_d_and_g(cells):
    import pingouin  # plots come with it: two seconds for each worker that only collects this file

    original, altered = np.array(cells).T / 20
    found = effect_size(original, altered, resampling=Resampling(1))
    if found.d.value is not None:
        assert found.d.value == pytest.approx(pingouin.compute_effsize(original, altered, eftype="cohen"), abs=1e-9)
        # Its g uses the approximation 1 - 3 / (4m - 1), which is good to 1 % from m = 8 on.
        assert found.g.value == pytest.approx(pingouin.compute_effsize(original, altered, eftype="hedges"), rel=0.01)


def test_the_small_sample_factor_is_the_exact_one():
    # J(2) = Gamma(1) / (sqrt(1) Gamma(1/2)) = 1 / sqrt(pi) = 0.564190.
    # J(10) = Gamma(5) / (sqrt(5) Gamma(4.5)) = 24 / (2.236068 x 11.631728) = 0.922746.
    assert small_sample_factor(2) == pytest.approx(1 / math.sqrt(math.pi))
    assert small_sample_factor(10) == pytest.approx(0.922746, abs=1e-6)
    assert small_sample_factor(10**6) == pytest.approx(1 - 3 / (4 * 10**6 - 1), abs=1e-8)


@given(st.floats(-40, 40).filter(lambda t: abs(t) > 1e-3), st.integers(1, 100), st.sampled_from([0.8, 0.95]))
@settings(deadline=None)
def test_at_each_bound_the_statistic_lies_at_its_quantile(t, freedom, confidence):
    low, high = noncentral_t_bounds(t, freedom, confidence)
    tail = (1 - confidence) / 2
    # For a negative t seen from the mirror, where scipy is exact.
    lower, upper = (low, high) if t > 0 else (-high, -low)
    assert stats.nct.cdf(abs(t), freedom, lower) == pytest.approx(1 - tail, abs=1e-8)
    assert stats.nct.cdf(abs(t), freedom, upper) == pytest.approx(tail, abs=1e-8)


def test_simulated_t_at_each_bound_exceeds_the_one_seen_in_its_share_of_cases():
    low, high = noncentral_t_bounds(3.04, 48)
    random = np.random.default_rng(5)
    drawn = (random.standard_normal(400_000) + high) / np.sqrt(random.chisquare(48, 400_000) / 48)
    assert np.mean(drawn < 3.04) == pytest.approx(0.025, abs=0.001)
    drawn = (random.standard_normal(400_000) + low) / np.sqrt(random.chisquare(48, 400_000) / 48)
    assert np.mean(drawn > 3.04) == pytest.approx(0.025, abs=0.001)


@pytest.mark.parametrize("t", [0.0, 30.0, 300.0, -1000.0, 1.5e5, -1e12])
def test_bounds_are_found_for_extreme_statistics(t):
    for freedom in (1, 9, 200):
        low, high = noncentral_t_bounds(t, freedom)
        assert math.isfinite(low)
        assert low < t < high


def test_next_to_equal_drops_have_a_d_z_with_an_interval():
    # 1,000 drops, one of them 0.302 and the others 0.3: mean 0.300002. Squares about it: 999 x (2e-6)^2 + (1.998e-3)^2
    # = 3.996e-6, sd = sqrt(3.996e-6 / 999) = 6.324555e-5, d_z = 4743.448.
    original = np.linspace(0.31, 0.99, 1000).round(2)
    altered = original - 0.3
    altered[0] -= 0.002
    d_z = effect_size(original, altered, resampling=Resampling(1)).d_z
    assert d_z.value == pytest.approx(4743.448, abs=0.001)
    # Its relative width is that of the root of chi-square over 999: about 1 -/+ 1.96 / sqrt(2 x 999) = 0.956 and 1.044.
    assert d_z.interval.low / d_z.value == pytest.approx(0.956, abs=0.001)
    assert d_z.interval.high / d_z.value == pytest.approx(1.044, abs=0.001)


@pytest.mark.parametrize("freedom", [1, 9, 200])
def test_the_limit_for_a_large_statistic_joins_on_to_the_exact_bounds(freedom):
    # The bounds of a large t grow in proportion to it.
    below, above = noncentral_t_bounds(9_999.9, freedom), noncentral_t_bounds(10_000.1, freedom)
    assert np.array(above) / 10_000.1 == pytest.approx(np.array(below) / 9_999.9, rel=1e-6)


def test_where_the_distribution_cannot_be_computed_the_value_stands_without_an_interval(monkeypatch):
    monkeypatch.setattr(stats.nct, "cdf", lambda *_: float("nan"))
    d_z = effect_size([0.9, 0.8, 0.7], [0.5, 0.5, 0.2], resampling=Resampling(1)).d_z
    # Drops 0.4, 0.3, 0.5: mean 0.4, sd 0.1.
    assert d_z.value == pytest.approx(4.0)
    assert d_z.interval.low is None
    assert d_z.interval.method.startswith("none: the noncentral t distribution cannot be computed at 6.9282")


def test_the_interval_covers_the_true_d_z():
    random, truth, covered = np.random.default_rng(3), 0.7, 0
    for _ in range(400):
        drops = random.normal(truth, 1.0, 12)
        t = drops.mean() / drops.std(ddof=1) * math.sqrt(12)
        low, high = noncentral_t_bounds(t, 11)
        covered += low <= truth * math.sqrt(12) <= high
    # 95 % of 400 with a standard error of 1.1 %.
    assert 0.92 <= covered / 400 <= 0.98


def test_intervals_of_several_pairs_an_item_leave_each_item_out_in_turn():
    random = np.random.default_rng(1)
    original, altered = random.random(12).round(2), random.random(12).round(2)
    items = np.repeat(np.arange(6), 2)
    found = effect_size(original, altered, items, resampling=Resampling(4))

    def d(rows):
        return cohens_d(original[rows], altered[rows])

    def d_z(rows):
        drops = original[rows] - altered[rows]
        return drops.mean() / drops.std(ddof=1)

    expected = jackknifed(d, items, "arsinh", corrected=1.0)
    assert found.d.interval[:2] == pytest.approx(expected, abs=1e-12)
    # Ten pairs without an item, twelve with all: g is d times J(18) and J(22).
    shrunk = jackknifed(lambda rows: d(rows) * small_sample_factor(2 * len(rows) - 2), items, "arsinh", corrected=1.0)
    assert found.g.interval[:2] == pytest.approx(shrunk, abs=1e-12)
    assert found.d_z.interval[:2] == pytest.approx(jackknifed(d_z, items, corrected=1.0), abs=1e-12)


def test_d_z_of_several_pairs_an_item_is_no_noncentral_t():
    scores = np.linspace(0.3, 0.9, 12), np.linspace(0.3, 0.9, 12) ** 2
    assert effect_size(*scores, resampling=Resampling(1)).d_z.interval.method == "noncentral t, 11 degrees of freedom"
    shared = effect_size(*scores, np.repeat(range(6), 2), resampling=Resampling(1))
    assert shared.d_z.interval.method == "delete-one jackknife, t(5), 6 clusters"
    assert shared.d.interval.method == "delete-one jackknife, arsinh(d/2), t(5), 6 clusters"


@pytest.mark.parametrize(
    ("value", "band"),
    [(None, None), (0.1, "negligible"), (0.2, "small"), (-0.5, "medium"), (0.7999, "medium"), (0.1 + 0.7, "large")],
)
def test_cohens_words(value, band):
    assert effect_band(value) == band


def test_one_value_on_a_side_has_no_spread():
    with pytest.raises(UndefinedStatistic, match="only 1 value"):
        cohens_d([1.0], [2.0, 3.0])
    with pytest.raises(UndefinedStatistic, match="only 1 pair, at least 2 needed"):
        effect_size([0.1], [0.2], resampling=Resampling(1))


def test_a_confidence_in_percent_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        effect_size([0.1, 0.2, 0.4], [0.2, 0.4, 0.1], resampling=Resampling(1, confidence=95))
