"""The BCa interval: Efron's law schools, scipy's interval from the same resamples, and every reason for none."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from analysis.conformance import published
from analysis.resampling.bca import MOST_CLUSTERS, acceleration, bca_interval, delete_one_values, resampled_intervals
from analysis.resampling.bootstrap import Resampling, percentile_interval, resampled_values
from analysis.resampling.weighted import pearson_of_counts
from analysis.undefined import UndefinedStatistic

LSAT, GPA = np.array(published.LSAT, dtype=float), np.array(published.GPA)
RESAMPLING = Resampling(3, confidence=0.9, resamples=1000, bca_resamples=2000)


def law_schools(counts):
    return pearson_of_counts(LSAT, GPA)(counts)[:, None]


def mean_of(values):
    return lambda counts: (counts @ values / counts.sum(axis=1))[:, None]


def test_law_schools_give_efrons_acceleration():
    # Efron and Tibshirani (1993), section 14.3, on the data of table 3.2.
    assert acceleration(delete_one_values(law_schools, np.arange(15))[:, 0]) == pytest.approx(-0.075671565, abs=1e-9)


def test_law_schools_give_scipys_interval_from_the_same_resamples():
    values = resampled_values(law_schools, np.arange(15), resamples=2000, seed=3)[:, 0]
    deleted = delete_one_values(law_schools, np.arange(15))[:, 0]
    found = bca_interval(values, 0.7763744912894068, deleted, confidence=0.9, n_clusters=15)
    expected = stats.bootstrap(
        (LSAT, GPA),
        lambda x, y: stats.pearsonr(x, y).statistic,
        paired=True,
        vectorized=False,
        confidence_level=0.9,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=values),
    ).confidence_interval
    assert found[:2] == pytest.approx(tuple(expected), abs=1e-10)
    assert found.method == "BCa bootstrap, 2000 resamples, 15 clusters"


def test_the_acceleration_of_three_values_by_hand():
    # Mean of 1, 2, 6 is 3: u = 2, 1, -3; sum u^3 = 8 + 1 - 27 = -18, sum u^2 = 14.
    assert acceleration([1.0, 2.0, 6.0]) == pytest.approx(-18 / (6 * 14**1.5), abs=1e-15)


def test_whole_clusters_are_left_out():
    values, clusters = np.array([1.0, 2.0, 4.0, 9.0]), ["b", "a", "b", "a"]
    # Without a: mean of 1 and 4; without b: mean of 2 and 9.
    assert delete_one_values(mean_of(values), clusters)[:, 0].tolist() == [2.5, 5.5]


def test_resamples_equal_to_the_estimate_count_half_on_each_side():
    # 30 below, 40 equal, 30 above: no bias; symmetric u: no acceleration. BCa is then the percentile interval.
    values = np.repeat([0.1, 0.2, 0.3], [30, 40, 30])
    shape = {"confidence": 0.9, "n_clusters": 12}
    found = bca_interval(values, 0.2, [0.1, 0.2, 0.3], **shape)
    assert found[:2] == percentile_interval(values, **shape)[:2]


def test_the_percentile_interval_uses_the_first_resamples_of_those_for_bca():
    values = np.random.default_rng(0).exponential(size=30)
    [percentile], [bca] = resampled_intervals(
        mean_of(values), [float(values.mean())], np.arange(30), resampling=RESAMPLING
    )
    drawn = resampled_values(mean_of(values), np.arange(30), resamples=1000, seed=3)[:, 0]
    assert percentile == percentile_interval(drawn, confidence=0.9, n_clusters=30)
    # The mean of a right-skewed sample: BCa moves both bounds up.
    assert bca.low > percentile.low
    assert bca.high > percentile.high


@pytest.mark.parametrize(
    ("values", "deleted", "n_clusters", "why"),
    [
        (np.arange(100.0), np.arange(12.0), 4, "none: 4 clusters, fewer than 5"),
        (np.arange(100.0), np.full(12, 3.0), 12, "none: the statistic is the same whichever cluster is left out"),
        (np.arange(100.0), [np.nan, 1.0, 2.0], 12, "none: without one of the clusters the statistic is undefined"),
        (np.arange(100.0) + 60, np.arange(12.0), 12, "none: all resamples lie on one side of the estimate"),
        (np.r_[np.full(6, np.nan), np.arange(94.0)], np.arange(12.0), 12, "none: undefined in 6 of 100 resamples"),
    ],
)
def test_without_what_it_needs_there_is_no_interval_and_the_reason_is_given(values, deleted, n_clusters, why):
    found = bca_interval(values, 50.5, deleted, confidence=0.95, n_clusters=n_clusters)
    assert (found.low, found.high) == (None, None)
    assert found.method.startswith(why)


def test_too_many_clusters_to_leave_each_out_give_the_percentile_interval_alone():
    n = MOST_CLUSTERS + 1
    values = np.random.default_rng(0).random(n)
    few = replace(RESAMPLING, resamples=10, bca_resamples=20)
    [percentile], [bca] = resampled_intervals(mean_of(values), [float(values.mean())], np.arange(n), resampling=few)
    assert percentile.low is not None
    assert bca.low is None
    assert bca.method == f"none: BCa leaves out each of {n} clusters in turn, more than {MOST_CLUSTERS}"


def test_left_out_values_that_define_nothing_are_refused():
    with pytest.raises(UndefinedStatistic, match="without one of the clusters"):
        acceleration([0.1, np.nan, 0.3])


def test_a_confidence_outside_0_to_1_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        bca_interval(np.arange(10.0), 5.0, np.arange(10.0), confidence=95, n_clusters=10)
