"""Two metrics of the same samples: TID2013, clusters left out in turn, and the tests' formulas."""

import numpy as np
import pytest
from scipy import stats

from analysis.correlation.metric_comparison import compare_metrics
from analysis.resampling.bootstrap import Resampling
from analysis.significance.dependent_correlations import steiger, williams
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed, left_out
from tests.analysis.tid2013 import tid2013


def test_tid2013_gives_the_known_t_of_williams_for_dssim_and_butteraugli(shared_data):
    columns, references = tid2013(shared_data)
    found = compare_metrics(
        columns["DSSIM"],
        columns["Butteraugli"],
        columns["mos"],
        references,
        first_higher_is_better=False,
        second_higher_is_better=False,
        resampling=Resampling(1),
    )
    # Williams (1959) on the published file: PLCC 0.772744 and 0.647701 after the flip, 3,000 images.
    assert found.williams.statistic == pytest.approx(12.25487188, abs=1e-8)
    assert found.williams.df == 2997
    assert found.williams.method == "Williams' t, assumes independence"
    assert found.steiger.method == "Steiger's Z, assumes independence"
    assert found.differences["srcc"].difference == pytest.approx(0.860908 - 0.760307, abs=1e-6)
    assert all(each.significant for each in found.differences.values())
    assert found.n_clusters == 25


def test_a_difference_is_zous_from_resampled_intervals_and_how_they_vary_together():
    rng = np.random.default_rng(3)
    truth, clusters = rng.random(40), rng.integers(0, 12, 40)
    first, second = truth + 0.3 * rng.random(40), truth + 0.9 * rng.random(40)
    better = {"first_higher_is_better": True, "second_higher_is_better": True}
    found = compare_metrics(first, second, truth, clusters, **better, resampling=Resampling(6)).differences["srcc"]

    def of_first(rows):
        return stats.spearmanr(first[rows], truth[rows]).statistic

    def of_second(rows):
        return stats.spearmanr(second[rows], truth[rows]).statistic

    (r, left_r), (s, left_s) = (left_out(side, clusters) for side in (of_first, of_second))
    together = np.corrcoef(np.arctanh(left_r), np.arctanh(left_s))[0, 1]
    (low_r, high_r), (low_s, high_s) = (jackknifed(side, clusters, "z") for side in (of_first, of_second))
    below = np.sqrt((r - low_r) ** 2 + (high_s - s) ** 2 - 2 * together * (r - low_r) * (high_s - s))
    above = np.sqrt((high_r - r) ** 2 + (s - low_s) ** 2 - 2 * together * (high_r - r) * (s - low_s))
    assert found.interval[:2] == pytest.approx((r - s - below, r - s + above), abs=1e-10)
    assert found.interval.method.startswith("Zou's difference, delete-one jackknife, Fisher's z, t(")


def test_swapping_the_metrics_turns_the_sign():
    rng = np.random.default_rng(3)
    truth = rng.random(30)
    first, second = truth + 0.3 * rng.random(30), -truth + 0.9 * rng.random(30)
    one = compare_metrics(
        first, second, truth, first_higher_is_better=True, second_higher_is_better=False, resampling=Resampling(6)
    )
    other = compare_metrics(
        second, first, truth, first_higher_is_better=False, second_higher_is_better=True, resampling=Resampling(6)
    )
    for key, each in one.differences.items():
        assert each.difference == pytest.approx(-other.differences[key].difference, abs=1e-14)
        assert each.interval.low == pytest.approx(-other.differences[key].interval.high, abs=1e-12)
    assert one.williams.statistic == pytest.approx(-other.williams.statistic, abs=1e-12)
    assert one.williams.p == pytest.approx(other.williams.p, abs=1e-12)


def test_a_metric_against_itself_differs_by_0_and_has_no_test():
    truth, metric = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 3.0, 2.0, 4.0, 6.0, 5.0]
    found = compare_metrics(
        metric, metric, truth, first_higher_is_better=True, second_higher_is_better=True, resampling=Resampling(1)
    )
    assert found.differences["srcc"].difference == 0.0
    assert found.differences["srcc"].significant is False
    assert found.williams == (None, None, None, "none: the two metrics lie on one rising line")
    assert found.steiger.p is None


def test_williams_by_hand():
    # r 0.5, 0.3, between 0.2, n 23: determinant 1 - .25 - .09 - .04 + 2(.03) = 0.68, mean r 0.4.
    # t = 0.2 sqrt(22 * 1.2 / (2 * 22/20 * 0.68 + 0.16 * 0.512)).
    found = williams(0.5, 0.3, 0.2, 23)
    assert found.statistic == pytest.approx(0.2 * np.sqrt(26.4 / (1.496 + 0.08192)), abs=1e-14)
    assert found.df == 20
    assert found.p == pytest.approx(2 * stats.t.sf(found.statistic, 20), abs=1e-15)


def test_steigers_covariance_is_pearson_and_filons_at_the_mean_correlation():
    # Pearson and Filon (1898) for r12, r13: 1/2 (2 r23 - r12 r13)(1 - r12^2 - r13^2 - r23^2) + r23^3.
    r, between, n = 0.4, 0.2, 23
    covariance = 0.5 * (2 * between - r * r) * (1 - 2 * r * r - between**2) + between**3
    z = (np.arctanh(0.5) - np.arctanh(0.3)) * np.sqrt((n - 3) / (2 - 2 * covariance / (1 - r * r) ** 2))
    found = steiger(0.5, 0.3, 0.2, n)
    assert found.statistic == pytest.approx(z, abs=1e-14)
    assert found.p == pytest.approx(2 * stats.norm.sf(z), abs=1e-15)


@pytest.mark.parametrize("test", [williams, steiger])
def test_equal_metrics_are_called_different_about_as_often_as_the_level_says(test):
    rng = np.random.default_rng(5)
    called = 0
    for _ in range(400):
        truth = rng.normal(size=60)
        first, second = (0.6 * truth + 0.8 * rng.normal(size=60) for _ in range(2))
        r = np.corrcoef([first, second, truth])
        called += test(r[0, 2], r[1, 2], r[0, 1], 60).p < 0.05
    # 5 % of 400 is 20, standard deviation 4.4.
    assert 8 <= called <= 34


@pytest.mark.parametrize("test", [williams, steiger])
def test_what_cannot_be_tested_is_refused(test):
    with pytest.raises(UndefinedStatistic, match="only 3 samples"):
        test(0.5, 0.3, 0.2, 3)
    with pytest.raises(UndefinedStatistic, match="one rising line"):
        test(0.5, 0.5, 1.0, 20)
    with pytest.raises(ValueError, match="between -1 and 1"):
        test(1.5, 0.3, 0.2, 20)


def test_a_correlation_of_1_has_no_place_on_fishers_scale():
    with pytest.raises(UndefinedStatistic, match="Fisher's scale"):
        steiger(1.0, 0.5, 0.5, 20)
