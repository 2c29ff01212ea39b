"""Welch's and the paired t: by hand, against scipy, and clusters."""

import numpy as np
import pytest
from scipy import stats

from analysis.accuracy.mean_comparison import paired_t, welch
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic

FIRST, SECOND = [1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0, 7.0]


def test_welch_by_hand():
    # Means 2.5 and 5, variances 5/3 and 5/2: standard error sqrt(5/12 + 1/2) = sqrt(11/12).
    # df = (11/12)^2 / ((5/12)^2 / 3 + (1/2)^2 / 4).
    found = welch(FIRST, SECOND, resampling=Resampling(1))
    assert found.difference == -2.5
    assert found.t == pytest.approx(-2.5 / np.sqrt(11 / 12), abs=1e-12)
    assert found.df == pytest.approx((11 / 12) ** 2 / ((5 / 12) ** 2 / 3 + 1 / 16), abs=1e-12)
    assert found.p == pytest.approx(stats.ttest_ind(FIRST, SECOND, equal_var=False).pvalue, abs=1e-15)
    half_width = stats.t.ppf(0.975, found.df) * np.sqrt(11 / 12)
    assert found.interval[:2] == pytest.approx((-2.5 - half_width, -2.5 + half_width), abs=1e-12)
    assert (found.p_method, found.significant) == ("Welch's t", True)


def test_paired_t_by_hand():
    # Differences 1, 2, 3: mean 2, sd 1, t = 2 sqrt(3) with 2 degrees of freedom.
    found = paired_t([2.0, 4.0, 6.0], [1.0, 2.0, 3.0], resampling=Resampling(1))
    assert (found.difference, found.df) == (2.0, 2.0)
    assert found.t == pytest.approx(2 * np.sqrt(3), abs=1e-12)
    assert found.p == pytest.approx(stats.ttest_rel([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]).pvalue, abs=1e-15)
    half_width = stats.t.ppf(0.975, 2) / np.sqrt(3)
    assert found.interval[:2] == pytest.approx((2 - half_width, 2 + half_width), abs=1e-12)


def test_equal_means_have_an_interval_around_0():
    found = paired_t([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0], resampling=Resampling(1))
    assert (found.difference, found.t, found.significant) == (0.0, 0.0, False)
    assert found.interval.low == pytest.approx(-found.interval.high, abs=1e-15)


@pytest.mark.parametrize("test", [welch, paired_t])
def test_where_samples_share_clusters_their_interval_decides(test):
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(12), 8)
    first = np.repeat(rng.normal(0.35, 1.0, 12), 8) + 0.01 * rng.random(96)
    second = np.zeros(96) + 0.01 * rng.random(96)
    labels = (clusters, clusters) if test is welch else (clusters,)
    found = test(first, second, *labels, resampling=Resampling(1))
    assert found.p_method.endswith(", assumes independence")
    assert found.interval.method == "delete-one jackknife, t(11), 12 clusters"
    assert found.significant is (found.interval.low > 0 or found.interval.high < 0)


def test_differences_equal_but_for_the_last_bit_do_not_vary():
    with pytest.raises(UndefinedStatistic, match="all differences are equal"):
        paired_t([0.7, 0.8, 0.9], [0.6, 0.7, 0.8], resampling=Resampling(1))


def test_two_constant_sides_have_no_t():
    with pytest.raises(UndefinedStatistic, match="neither side varies"):
        welch([1.0, 1.0], [2.0, 2.0], resampling=Resampling(1))


def test_one_sample_has_no_spread():
    with pytest.raises(UndefinedStatistic, match="only 1 sample"):
        welch([1.0], [2.0, 3.0], resampling=Resampling(1))


def test_sides_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="shapes"):
        paired_t([1.0, 2.0], [1.0, 2.0, 3.0], resampling=Resampling(1))
    with pytest.raises(ValueError, match="both sides need clusters"):
        welch(FIRST, SECOND, list("abcd"), resampling=Resampling(1))
