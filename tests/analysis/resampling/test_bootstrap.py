"""Tests of `analysis/resampling/bootstrap.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.resampling.bootstrap import (
    CHUNK,
    Resampling,
    clustered_intervals,
    percentile_interval,
    resampled_values,
)
from tests.analysis.resampling.counts import resample_counts

LABELS = ["b", "a", "b", "c", "a", "b", "d", "e"]


def test_every_member_of_a_cluster_occurs_equally_often():
    counts = resample_counts(LABELS, 250, seed=3)
    for label in "abc":
        members = counts[:, [name == label for name in LABELS]]
        assert (members == members[:, :1]).all()


def test_a_resample_draws_as_many_clusters_as_there_are():
    counts = resample_counts(LABELS, 250, seed=3)
    one_of_each = counts[:, [LABELS.index(label) for label in "abcde"]]
    assert (one_of_each.sum(axis=1) == 5).all()


def test_a_longer_run_begins_with_the_shorter_one():
    assert (resample_counts(LABELS, 250, seed=3)[:200] == resample_counts(LABELS, 200, seed=3)).all()


def test_each_chunk_can_be_drawn_by_another_worker():
    # What a worker that is handed chunk 1 alone would do: its own child seed, 5 clusters drawn 5 times a resample.
    child = np.random.SeedSequence(3).spawn(3)[1]
    drawn = np.random.default_rng(child).integers(0, 5, size=(CHUNK, 5))
    expected = [[list(row).count("abcde".index(label)) for label in LABELS] for row in drawn]
    assert (resample_counts(LABELS, 250, seed=3)[CHUNK : 2 * CHUNK] == expected).all()


def test_the_order_of_rows_does_not_change_the_resamples():
    order = np.random.default_rng(0).permutation(len(LABELS))
    shuffled = resample_counts(np.array(LABELS)[order], 120, seed=3)
    assert (shuffled == resample_counts(LABELS, 120, seed=3)[:, order]).all()


def test_percentiles_are_interpolated_between_order_statistics():
    # Values 0..100: the 2.5 % point lies at position 0.025 * 100 = 2.5, the 97.5 % point at 97.5.
    interval = percentile_interval(np.arange(101.0), confidence=0.95, n_clusters=25)
    assert (interval.low, interval.high) == pytest.approx((2.5, 97.5), abs=1e-12)
    assert interval.method == "percentile bootstrap, 101 resamples, 25 clusters"
    assert interval.unreliable is False
    assert interval.n_dropped == 0


@pytest.mark.parametrize(
    ("n_clusters", "bounds", "unreliable"),
    [(4, False, True), (5, True, True), (9, True, True), (10, True, False)],
)
def test_few_clusters_make_an_interval_unreliable_and_fewer_make_none(n_clusters, bounds, unreliable):
    interval = percentile_interval(np.arange(100.0), confidence=0.95, n_clusters=n_clusters)
    assert (interval.low is not None) is bounds
    assert (interval.high is not None) is bounds
    assert interval.unreliable is unreliable


def test_undefined_resamples_are_dropped_and_counted_up_to_5_percent():
    values = np.arange(100.0)
    values[:5] = np.nan
    interval = percentile_interval(values, confidence=0.9, n_clusters=30)
    # 95 values 5..99 remain; 5 % of 94 steps is 4.7.
    assert (interval.low, interval.high) == pytest.approx((9.7, 94.3), abs=1e-12)
    assert interval.n_dropped == 5
    assert "5 undefined resamples dropped" in interval.method


def test_above_5_percent_undefined_resamples_there_is_no_interval():
    values = np.arange(100.0)
    values[:6] = np.nan
    interval = percentile_interval(values, confidence=0.9, n_clusters=30)
    assert (interval.low, interval.high) == (None, None)
    assert interval.method == "none: undefined in 6 of 100 resamples, more than 5 %"


@pytest.mark.parametrize("value", [0.5, 0.0, 3e5, 3e-13])
def test_a_value_that_every_resample_repeats_has_no_bounds_where_they_would_claim_certainty(value):
    # The last digits differ, as those of a mean do.
    values = np.full(100, value)
    values[:3] = [np.nan, value * (1 + 1e-15), value * (1 - 1e-15)]
    plain = percentile_interval(values, confidence=0.9, n_clusters=30)
    assert (plain.low, plain.high) == pytest.approx((value, value))
    refused = percentile_interval(values, confidence=0.9, n_clusters=30, refuse_constant=True)
    assert (refused.low, refused.high, refused.n_dropped) == (None, None, 1)
    assert refused.method == "none: the same in every resample"


def test_one_resample_that_differs_gives_bounds():
    values = np.full(100, 0.5)
    values[0] = 0.4
    interval = percentile_interval(values, confidence=0.9, n_clusters=30, refuse_constant=True)
    assert (interval.low, interval.high) == (0.5, 0.5)


@pytest.mark.parametrize("labels", [["a", None], [1.0, np.nan], [], [["a"], ["b"]]])
def test_missing_or_misshapen_clusters_are_refused(labels):
    with pytest.raises(ValueError, match="cluster"):
        resample_counts(labels, 10, 1)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_outside_0_to_1_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence"):
        percentile_interval(np.arange(10.0), confidence=confidence, n_clusters=10)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.integers(1, 130), st.integers(0, 2**31))
def test_resampling_whole_clusters_keeps_the_number_of_clusters(labels, resamples, seed):
    counts = resample_counts(labels, resamples, seed)
    first = [labels.index(label) for label in sorted(set(labels))]
    assert counts.shape == (resamples, len(labels))
    assert (counts[:, first].sum(axis=1) == len(first)).all()


def test_the_interval_of_a_mean_covers_it_about_as_often_as_it_says():
    # 40 clusters of 3 with a shared part; ignoring the clusters, coverage would fall to about 76 %.
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(40), 3)
    covered = 0
    for trial in range(100):
        values = rng.normal(size=40)[clusters] + 0.3 * rng.normal(size=120)
        [interval] = clustered_intervals(
            lambda counts, v=values: (counts @ v / counts.sum(axis=1))[:, None],
            clusters,
            resampling=Resampling(trial, confidence=0.95, resamples=200),
        )
        covered += interval.low <= 0.0 <= interval.high
    assert 87 <= covered <= 99


@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_workers_gives_the_same_values(workers):
    values = np.random.default_rng(2).random(60)
    clusters = np.random.default_rng(3).integers(0, 20, 60)

    def statistics(counts):
        return np.column_stack([counts @ values, (counts * values).max(axis=1)])

    alone = resampled_values(statistics, clusters, resamples=350, seed=5)
    together = resampled_values(statistics, clusters, resamples=350, seed=5, workers=workers)
    assert (alone == together).all()
    assert alone.shape == (350, 2)


def test_wide_counts_come_in_fewer_rows_and_from_the_same_draws():
    n = 501
    sizes = []

    def counts_of(block):
        sizes.append(len(block))
        return block

    counts = resampled_values(counts_of, np.arange(n), resamples=100, seed=4)
    assert sizes == [31, 31, 31, 7]
    child = np.random.SeedSequence(4).spawn(1)[0]
    drawn = np.random.default_rng(child).integers(0, n, size=(100, n))
    for row in (0, 30, 31, 62, 99):
        assert (counts[row] == np.bincount(drawn[row], minlength=n)).all()
