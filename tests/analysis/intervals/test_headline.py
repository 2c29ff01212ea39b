"""The table that decides: which method each statistic gets, what its words say, and where there is no interval."""

import numpy as np
import pytest

from analysis.intervals.headline import (
    METHODS,
    difference_intervals,
    headline_intervals,
    left_out,
    left_out_of_sums,
    limit_intervals,
)
from analysis.intervals.jackknife import GROUPS
from analysis.intervals.measured import fewest_clusters, reliable_from
from analysis.intervals.measured_rows import STATISTICS
from analysis.significance.wilson import wilson
from tests.analysis.jackknifed import jackknifed, scored

VALUES = np.random.default_rng(2).normal(size=30)
CLUSTERS = np.repeat(np.arange(10), 3)


def mean_of(values):
    return lambda counts: (counts @ values / counts.sum(axis=1))[:, None]


def test_a_mean_over_clusters_is_the_loop_written_out_and_names_its_method():
    [interval] = headline_intervals(mean_of(VALUES), ("mean",), CLUSTERS, confidence=0.9, seed=1)
    expected = jackknifed(lambda rows: VALUES[rows].mean(), CLUSTERS, confidence=0.9)
    assert interval[:2] == pytest.approx(expected, abs=1e-12)
    assert interval.method == "delete-one jackknife, t(9), 10 clusters"
    assert (interval.n_clusters, interval.unreliable) == (10, False)


def test_unequal_clusters_have_fewer_degrees_of_freedom():
    clusters = np.repeat(np.arange(6), [1, 2, 12, 5, 7, 3])
    [interval] = headline_intervals(mean_of(VALUES), ("mean",), clusters, confidence=0.95, seed=1)
    assert interval[:2] == pytest.approx(jackknifed(lambda rows: VALUES[rows].mean(), clusters), abs=1e-12)
    assert interval.method == "delete-one jackknife, t(1.91), 6 clusters"


def test_a_share_over_clusters_is_a_score_interval_and_wilsons_where_all_are_right():
    right = (VALUES > 0).astype(float)
    [interval] = headline_intervals(mean_of(right), ("share",), CLUSTERS, confidence=0.95, seed=1)
    assert interval[:2] == pytest.approx(scored(lambda rows: right[rows].mean(), CLUSTERS), abs=1e-9)
    assert interval.method.startswith("score interval, effective sample of the delete-one jackknife, t(9), 10 clusters")
    [all_right] = headline_intervals(mean_of(np.ones(30)), ("share",), CLUSTERS, confidence=0.95, seed=1)
    assert all_right[:2] == pytest.approx(wilson(10, 10, 0.95)[:2], abs=1e-12)
    assert all_right.method == "Wilson, 10 clusters, all alike"


def test_a_share_near_an_edge_is_unreliable_for_longer():
    many = np.r_[np.ones(57), np.zeros(3)]
    [interval] = headline_intervals(mean_of(many), ("share",), np.arange(60) % 20, confidence=0.95, seed=1)
    assert interval.unreliable
    assert reliable_from("share") < 20 < reliable_from("share", near_edge=True)


def test_fewer_than_5_clusters_an_undefined_remainder_and_a_limit_have_no_bounds():
    few = headline_intervals(mean_of(VALUES), ("mean",), np.arange(30) % 4, confidence=0.95, seed=1)
    assert few[0][:3] == (None, None, "none: 4 clusters, fewer than 5")
    alone = np.where(np.arange(30) < 3, 1.0, np.nan)

    def only_in_the_first(counts):
        return np.where((counts[:, :3] > 0).all(axis=1), np.nansum(alone), np.nan)[:, None]

    [undefined] = headline_intervals(only_in_the_first, ("mean",), CLUSTERS, confidence=0.95, seed=1)
    assert undefined.method == "none: without one of the clusters the statistic is undefined"
    [limit] = headline_intervals(mean_of(np.ones(30)), ("spearman",), CLUSTERS, confidence=0.95, seed=1)
    assert limit.low is None
    assert "at its limit" in limit.method


def test_a_difference_that_no_cluster_changes_is_certain_unless_that_is_refused():
    [zero] = headline_intervals(mean_of(np.zeros(30)), ("mean",), CLUSTERS, confidence=0.95, seed=1)
    assert zero[:2] == (0.0, 0.0)
    [refused] = headline_intervals(
        mean_of(np.zeros(30)), ("mean",), CLUSTERS, confidence=0.95, seed=1, refuse_constant=True
    )
    assert refused.low is None


def test_sums_over_clusters_give_what_their_observations_give():
    sizes = np.bincount(CLUSTERS)
    sums = np.column_stack([np.bincount(CLUSTERS, VALUES), sizes])
    of_sums = left_out_of_sums(lambda rows: rows[:, :1] / rows[:, 1:], sums, sizes, seed=1)
    of_rows = left_out(mean_of(VALUES), CLUSTERS, seed=1)
    assert np.allclose(of_sums.deleted, of_rows.deleted, atol=1e-14)
    assert of_sums.sizes.tolist() == of_rows.sizes.tolist()


def test_thousands_of_clusters_are_left_out_in_groups_and_the_words_say_so():
    values = np.random.default_rng(3).normal(size=2400)
    clusters = np.arange(2400) // 2
    [interval] = headline_intervals(mean_of(values), ("mean",), clusters, confidence=0.95, seed=5)
    assert f"{GROUPS} groups of 1200 clusters" in interval.method
    plain = jackknifed(lambda rows: values[rows].mean(), clusters[:200])
    assert (interval.high - interval.low) == pytest.approx((plain[1] - plain[0]) / np.sqrt(12), rel=0.15)
    again = headline_intervals(mean_of(values), ("mean",), clusters, confidence=0.95, seed=5, workers=2)
    assert again == [interval]


def test_limits_of_agreement_contain_the_limits_and_lie_mirrored():
    def both(counts):
        n = counts.sum(axis=1)
        mean = counts @ VALUES / n
        return np.column_stack([mean, np.sqrt((counts @ VALUES**2 - n * mean**2) / (n - 1))])

    found = left_out(both, CLUSTERS, seed=1)
    lower, upper = limit_intervals(found, 1.96, confidence=0.95)
    bias, deviation = found.values
    assert lower.low < bias - 1.96 * deviation < lower.high
    assert upper.low < bias + 1.96 * deviation < upper.high
    # The deviation's interval is longer upwards, so each limit's is longer outwards.
    assert upper.high - (bias + 1.96 * deviation) > bias + 1.96 * deviation - upper.low
    assert upper.high - bias == pytest.approx(bias - lower.low, abs=1e-12)


def test_a_metric_less_itself_is_exactly_0():
    found = left_out(lambda counts: np.repeat(np.tanh(mean_of(VALUES)(counts)), 2, axis=1), CLUSTERS, seed=1)
    [interval] = difference_intervals(found, "correlation_difference", confidence=0.95)
    assert interval[:3] == (0.0, 0.0, "0 whichever of 10 clusters is left out")


def test_every_statistic_that_was_measured_has_a_method_and_no_more_than_100_clusters_are_asked_for():
    for kind in STATISTICS:
        assert kind.removesuffix(" near an edge") in METHODS
        assert fewest_clusters(kind) == 5
        assert reliable_from(kind) <= 100
    assert reliable_from("not measured") == 10


@pytest.mark.filterwarnings("error")
def test_nothing_left_to_divide_by_is_nan_and_no_warning_on_a_terminal():
    sums = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    found = left_out_of_sums(lambda s: s[..., :1] / s[..., 1:], sums, seed=0)
    assert found.values.tolist() == [0.5]
    assert np.isnan(found.deleted[0, 0])
