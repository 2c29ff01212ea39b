"""The table that decides: which method each statistic gets, what its words say, and where there is no interval."""

import numpy as np
import pytest
import scipy

from analysis.intervals.headline import (
    METHODS,
    below_one,
    difference_intervals,
    headline_interval,
    headline_intervals,
    left_out,
    left_out_of_rows,
    left_out_of_sums,
    limit_intervals,
)
from analysis.intervals.jackknife import GROUPS
from analysis.intervals.measured import fewest_clusters, reliable_from
from analysis.intervals.measured_rows import STATISTICS
from analysis.resampling.bootstrap import Resampling
from analysis.resampling.weighted import spearman_of_counts
from analysis.significance.wilson import wilson
from tests.analysis.jackknifed import jackknifed, scored

VALUES = np.random.default_rng(2).normal(size=30)
CLUSTERS = np.repeat(np.arange(10), 3)


def mean_of(values):
    return lambda counts: (counts @ values / counts.sum(axis=1))[:, None]


def test_a_mean_over_clusters_is_the_loop_written_out_and_names_its_method():
    [interval] = headline_intervals(mean_of(VALUES), ("mean",), CLUSTERS, resampling=Resampling(1, confidence=0.9))
    expected = jackknifed(lambda rows: VALUES[rows].mean(), CLUSTERS, confidence=0.9)
    assert interval[:2] == pytest.approx(expected, abs=1e-12)
    assert interval.method == "delete-one jackknife, t(9), 10 clusters"
    assert (interval.n_clusters, interval.unreliable) == (10, False)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        # docs/statistics.md, Intervals: scale, share of the bias that is taken off, share of the degrees of freedom.
        ("icc", {"scale": "log F", "corrected": 1.0}),
        ("ccc", {"scale": "arcsine", "freedom": 2 / 3}),
        ("pearson", {"scale": "z", "corrected": 1.0}),
        ("spearman", {"scale": "z", "corrected": 0.5}),
        ("kendall", {"scale": "z", "corrected": 0.5}),
        ("mean", {}),
        ("mean_of_clusters", {"equal": True}),
        ("size", {"scale": "log", "corrected": 1.0}),
        ("size_of_clusters", {"scale": "log", "corrected": 1.0, "equal": True}),
        ("cohens_d", {"scale": "arsinh", "corrected": 1.0}),
        ("d_z", {"corrected": 1.0}),
    ],
)
def test_each_statistic_has_the_method_of_the_definitions(kind, how):
    # Something curved, so that there is a bias to take off, of clusters of unequal size.
    values, clusters = (
        np.random.default_rng(4).uniform(0.1, 0.9, 40),
        np.repeat(np.arange(10), [1, 2, 3, 4, 5, 6, 7, 5, 4, 3]),
    )

    def curved(counts):
        return ((counts @ values / counts.sum(axis=1)) ** 2)[:, None]

    [interval] = headline_intervals(curved, (kind,), clusters, resampling=Resampling(1, confidence=0.95))
    expected = jackknifed(lambda rows: values[rows].mean() ** 2, clusters, **how)
    assert interval[:2] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("share", {}),
        ("auc", {}),
        ("kappa", {"lowest": -1.0}),
        ("kappa_macro", {"lowest": -1.0, "equal": True}),
    ],
)
def test_shares_and_coefficients_have_score_intervals(kind, how):
    right, clusters = (VALUES > 0).astype(float), np.repeat(np.arange(6), [3, 4, 12, 5, 2, 4])
    [interval] = headline_intervals(mean_of(right), (kind,), clusters, resampling=Resampling(1, confidence=0.95))
    assert interval[:2] == pytest.approx(scored(lambda rows: right[rows].mean(), clusters, **how), abs=1e-9)


def test_perfect_ranks_are_taken_for_half_a_step_less():
    # Of n ranks Spearman's next value below 1 is 1 - 12 / (n^3 - n): 10 ranks of 3 + 3 + 4, 1 - 6/990.
    sizes = np.array([3.0, 3.0, 4.0])
    assert below_one([1.0, -1.0, 0.5], sizes).tolist() == pytest.approx([1 - 6 / 990, -(1 - 6 / 990), 0.5], abs=1e-15)
    # Two ranks or one: 1 - 6/6.
    assert below_one(1.0, np.array([1.0])) == 0.0
    assert below_one(1.0, np.array([1.0, 1.0])) == 0.0
    # Of several data sets the values without each group.
    assert below_one(np.ones((2, 3)), np.tile(sizes, (2, 1))).tolist() == pytest.approx(np.full((2, 3), 1 - 6 / 990))


def test_equal_rows_counted_together_give_what_rows_one_by_one_give():
    rng = np.random.default_rng(6)
    rows, clusters = rng.integers(0, 3, (120, 2)).astype(float), np.repeat(np.arange(12), 10)
    rows[::17, 1] = np.nan

    def of(table):
        products = np.nan_to_num(table[:, 0] * table[:, 1] + table[:, 0])
        return lambda counts: (counts @ products / counts.sum(axis=1))[:, None]

    together, apart = left_out_of_rows(of, rows, clusters, seed=1), left_out(of(rows), clusters, seed=1)
    for one, other in zip(together, apart, strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    alone = left_out_of_rows(of, rows, np.zeros(120), seed=1)
    assert alone.values == pytest.approx(apart.values)
    assert (np.isnan(alone.deleted).all(), alone.n_clusters) == (True, 1)


def test_unequal_clusters_have_fewer_degrees_of_freedom():
    clusters = np.repeat(np.arange(6), [1, 2, 12, 5, 7, 3])
    [interval] = headline_intervals(mean_of(VALUES), ("mean",), clusters, resampling=Resampling(1, confidence=0.95))
    assert interval[:2] == pytest.approx(jackknifed(lambda rows: VALUES[rows].mean(), clusters), abs=1e-12)
    assert interval.method == "delete-one jackknife, t(1.91), 6 clusters"


def test_a_share_over_clusters_is_a_score_interval_and_wilsons_where_all_are_right():
    right = (VALUES > 0).astype(float)
    [interval] = headline_intervals(mean_of(right), ("share",), CLUSTERS, resampling=Resampling(1, confidence=0.95))
    assert interval[:2] == pytest.approx(scored(lambda rows: right[rows].mean(), CLUSTERS), abs=1e-9)
    assert interval.method.startswith("score interval, effective sample of the delete-one jackknife, t(9), 10 clusters")
    [all_right] = headline_intervals(
        mean_of(np.ones(30)), ("share",), CLUSTERS, resampling=Resampling(1, confidence=0.95)
    )
    assert all_right[:2] == pytest.approx(wilson(10, 10, 0.95)[:2], abs=1e-12)
    assert all_right.method == "Wilson, 10 clusters, all alike"


def test_a_share_near_an_edge_is_unreliable_for_longer():
    many = np.r_[np.ones(57), np.zeros(3)]
    [interval] = headline_intervals(
        mean_of(many), ("share",), np.arange(60) % 20, resampling=Resampling(1, confidence=0.95)
    )
    assert interval.unreliable
    assert reliable_from("share") < 20 < reliable_from("share", near_edge=True)


def test_fewer_than_5_clusters_an_undefined_remainder_and_a_limit_have_no_bounds():
    few = headline_intervals(mean_of(VALUES), ("mean",), np.arange(30) % 4, resampling=Resampling(1, confidence=0.95))
    assert few[0][:3] == (None, None, "none: 4 clusters, fewer than 5")
    alone = np.where(np.arange(30) < 3, 1.0, np.nan)

    def only_in_the_first(counts):
        return np.where((counts[:, :3] > 0).all(axis=1), np.nansum(alone), np.nan)[:, None]

    [undefined] = headline_intervals(only_in_the_first, ("mean",), CLUSTERS, resampling=Resampling(1, confidence=0.95))
    assert undefined.method == "none: without one of the clusters the statistic is undefined"
    [limit] = headline_intervals(
        mean_of(np.ones(30)), ("spearman",), CLUSTERS, resampling=Resampling(1, confidence=0.95)
    )
    assert limit.low is None
    assert "at its limit" in limit.method


def test_a_difference_that_no_cluster_changes_is_certain_unless_that_is_refused():
    [zero] = headline_intervals(mean_of(np.zeros(30)), ("mean",), CLUSTERS, resampling=Resampling(1, confidence=0.95))
    assert zero[:2] == (0.0, 0.0)
    [refused] = headline_intervals(
        mean_of(np.zeros(30)), ("mean",), CLUSTERS, resampling=Resampling(1, confidence=0.95), refuse_constant=True
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
    [interval] = headline_intervals(mean_of(values), ("mean",), clusters, resampling=Resampling(5, confidence=0.95))
    assert f"{GROUPS} groups of 1200 clusters" in interval.method
    plain = jackknifed(lambda rows: values[rows].mean(), clusters[:200])
    assert (interval.high - interval.low) == pytest.approx((plain[1] - plain[0]) / np.sqrt(12), rel=0.15)
    again = headline_intervals(
        mean_of(values), ("mean",), clusters, resampling=Resampling(5, confidence=0.95, workers=2)
    )
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


def test_limits_of_agreement_need_5_clusters():
    def both(counts):
        n = counts.sum(axis=1)
        mean = counts @ VALUES / n
        return np.column_stack([mean, np.sqrt((counts @ VALUES**2 - n * mean**2) / (n - 1))])

    five, four = (limit_intervals(left_out(both, np.arange(30) % g, seed=1), 1.96, confidence=0.95) for g in (5, 4))
    assert all(one.low < one.high for one in five)
    assert [one[:3] for one in four] == [(None, None, "none: 4 clusters, fewer than 5")] * 2


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


def test_an_order_that_is_perfect_without_one_object_has_a_narrow_interval():
    # 60 objects in the order of people but for the last, one step too low: without it the correlation is 1.
    person = np.repeat(np.arange(1.0, 7.0), 10)
    judge = np.append(person[:-1], 5.0)
    of_counts = spearman_of_counts(judge, person)
    found = left_out(lambda counts: of_counts(counts)[:, None], np.arange(60), seed=0)
    interval = headline_interval(found, 0, "spearman", confidence=0.95)
    on_arcsine = np.arcsin(np.clip(found.deleted[:, 0], -1.0, 1.0))
    error = np.sqrt(59 / 60 * ((on_arcsine - on_arcsine.mean()) ** 2).sum())
    low = np.sin(np.arcsin(found.values[0]) - scipy.stats.t.ppf(0.975, 59) * error)
    assert (interval.low, interval.high) == pytest.approx((low, 1.0))
    assert 0.95 < interval.low < found.values[0]
    assert interval.method == "delete-one jackknife, arcsine, t(59), 60 clusters"
