"""Tests of `analysis/agreement/bland_altman.py`."""

import numpy as np
import pytest
from scipy import stats

from analysis.agreement.bland_altman import bland_altman, slope_on_mean
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed

JUDGE = [0.5, 0.7, 0.6, 0.8]
HUMAN = [0.4, 0.4, 0.5, 0.5]


def test_bias_and_limits_by_hand():
    # Differences 0.1 0.3 0.1 0.3: bias 0.2, sd sqrt(4 * 0.01 / 3) = 0.11547, limits 0.2 -+ 1.96 sd.
    result = bland_altman(JUDGE, HUMAN, resampling=Resampling(1))
    sd = np.sqrt(0.04 / 3)
    assert result.bias.value == pytest.approx(0.2, abs=1e-14)
    assert result.sd == pytest.approx(sd, abs=1e-14)
    assert (result.lower_limit.value, result.upper_limit.value) == pytest.approx((0.2 - 1.96 * sd, 0.2 + 1.96 * sd))


def test_intervals_by_the_t_formula_when_every_object_is_its_own_product():
    # t(0.975, 3) = 3.182446; SE of the bias sd / 2, of a limit sd sqrt(1/4 + 1.96^2 / 6).
    result = bland_altman(JUDGE, HUMAN, resampling=Resampling(1))
    sd, t = np.sqrt(0.04 / 3), 3.182446305284263
    assert result.bias.interval[:2] == pytest.approx((0.2 - t * sd / 2, 0.2 + t * sd / 2), abs=1e-12)
    half = t * sd * np.sqrt(0.25 + 1.96**2 / 6)
    limit = result.lower_limit
    assert limit.interval[:2] == pytest.approx((limit.value - half, limit.value + half), abs=1e-12)
    assert limit.interval.method == "t formula, 4 objects"


def test_the_bias_interval_is_that_of_a_one_sample_t_test():
    rng = np.random.default_rng(1)
    x, y = rng.random(25), rng.random(25)
    low, high = stats.ttest_rel(x, y).confidence_interval(0.9)
    assert bland_altman(x, y, resampling=Resampling(1, confidence=0.9)).bias.interval[:2] == pytest.approx(
        (low, high), abs=1e-10
    )


def test_products_are_left_out_in_turn():
    rng = np.random.default_rng(2)
    clusters = rng.integers(0, 12, 40)
    x, y = np.round(rng.random(40), 3), np.round(rng.random(40), 3)
    d, m = x - y, (x + y) / 2
    result = bland_altman(x, y, clusters, resampling=Resampling(4))
    low, high = jackknifed(lambda rows: d[rows].mean(), clusters)
    assert result.bias.interval[:2] == pytest.approx((low, high), abs=1e-12)
    # Zou (2013): the limit's bounds from those of the bias and of 1.96 sd, which vary by themselves.
    sd_low, sd_high = jackknifed(lambda rows: d[rows].std(ddof=1), clusters, "log", corrected=1.0)
    bias, sd = d.mean(), d.std(ddof=1)
    below = np.hypot(bias - low, 1.96 * (sd - sd_low))
    above = np.hypot(high - bias, 1.96 * (sd_high - sd))
    upper = bias + 1.96 * sd
    assert result.upper_limit.interval[:2] == pytest.approx((upper - below, upper + above), abs=1e-10)
    below = np.hypot(bias - low, 1.96 * (sd_high - sd))
    assert result.lower_limit.interval.low == pytest.approx(bias - 1.96 * sd - below, abs=1e-10)
    assert result.upper_limit.interval.method.startswith("Zou's limits, delete-one jackknife, t(")
    slope = slope_on_mean(x, y, clusters, resampling=Resampling(4))
    expected = jackknifed(lambda rows: stats.linregress(m[rows], d[rows]).slope, clusters)
    assert slope.interval[:2] == pytest.approx(expected, abs=1e-12)
    assert slope.p_method == "t-test, 38 degrees of freedom, assumes independence"


def test_slope_interval_and_p_are_those_of_the_regression():
    rng = np.random.default_rng(3)
    x, y = np.round(rng.random(20), 3), np.round(rng.random(20), 3)
    fit = stats.linregress((x + y) / 2, x - y)
    half = stats.t.ppf(0.975, 18) * fit.stderr
    result = slope_on_mean(x, y, resampling=Resampling(1))
    assert (result.slope, result.intercept, result.p) == pytest.approx((fit.slope, fit.intercept, fit.pvalue), abs=1e-9)
    assert result.interval[:2] == pytest.approx((fit.slope - half, fit.slope + half), abs=1e-9)


def test_a_constant_judge_has_a_bias_and_a_slope_of_minus_two():
    # d = c - h, m = (c + h) / 2: h = 2m - c, so d = 2c - 2m.
    assert bland_altman([0.5] * 3, [0.3, 0.4, 0.8], resampling=Resampling(1)).bias.value == pytest.approx(0)
    slope = slope_on_mean([0.5] * 3, [0.3, 0.4, 0.8], resampling=Resampling(1))
    assert (slope.slope, slope.p) == pytest.approx((-2, 0), abs=1e-12)


def test_equal_differences_have_no_spread_and_no_slope():
    human = [0.1, 0.2, 0.3, 0.7]
    judge = [0.2, 0.3, 0.4, 0.8]
    result, slope = (
        bland_altman(judge, human, resampling=Resampling(1)),
        slope_on_mean(judge, human, resampling=Resampling(1)),
    )
    assert (result.sd, result.lower_limit.value) == pytest.approx((0, 0.1), abs=1e-15)
    assert (slope.slope, slope.p) == (0.0, 1.0)


def test_equal_means_leave_the_slope_undefined_but_not_the_bias():
    judge, human = [0.4, 0.5, 0.6], [0.6, 0.5, 0.4]
    assert bland_altman(judge, human, resampling=Resampling(1)).bias.value == pytest.approx(0)
    with pytest.raises(UndefinedStatistic, match="all 3 means"):
        slope_on_mean(judge, human, resampling=Resampling(1))
