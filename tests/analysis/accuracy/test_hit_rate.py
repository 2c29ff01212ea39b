"""Tests of `analysis/accuracy/hit_rate.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.accuracy.hit_rate import hit_rate
from analysis.resampling.bootstrap import Resampling
from analysis.significance.wilson import wilson
from analysis.undefined import UndefinedStatistic

ORIGINAL = [0.80, 0.70, 0.60, 0.50, 0.40]
ALTERED = [0.50, 0.70, 0.65, 0.20, 0.30]


def test_hits_misses_and_ties_by_hand():
    # Differences 0.30, 0, -0.05, 0.30, 0.10: three fall, one is equal, one rises.
    found = hit_rate(ORIGINAL, ALTERED, "worse", resampling=Resampling(1))
    assert (found.value, found.n_hits, found.n_misses, found.n_ties) == (0.6, 3, 2, 1)
    assert (found.mean_original, found.mean_altered) == pytest.approx((0.60, 0.47))
    assert found.mean_difference == pytest.approx(0.13)
    assert found.interval == wilson(3, 5)


def test_the_reverse_direction_wants_higher_scores_and_still_misses_ties():
    found = hit_rate(ORIGINAL, ALTERED, "better", resampling=Resampling(1))
    assert (found.n_hits, found.n_misses, found.n_ties) == (1, 4, 1)


def test_the_same_score_is_one_nearer_than_the_tolerance():
    # Only the equal pair is nearer than 0.05; -0.05 itself is not.
    assert hit_rate(ORIGINAL, ALTERED, "same", resampling=Resampling(1)).n_hits == 1
    # A tie is a hit here, and still counted as one.
    assert hit_rate(ORIGINAL, ALTERED, "same", resampling=Resampling(1)).n_ties == 1
    assert hit_rate(ORIGINAL, ALTERED, "same", resampling=Resampling(1), tolerance=0.051).n_hits == 2


def test_differences_are_rounded_before_they_are_compared():
    # 0.35 - 0.3 is 0.04999999999999999 in floating point and 0.05 for a reader: not the same.
    assert hit_rate([0.35, 0.45], [0.30, 0.40], "same", resampling=Resampling(1)).n_hits == 0
    # 0.1 + 0.2 and 0.3 tie.
    assert hit_rate([0.1 + 0.2], [0.3], "worse", resampling=Resampling(1)).n_ties == 1


def test_items_with_several_pairs_get_the_interval_over_items():
    items = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"]
    found = hit_rate(ORIGINAL * 2, ALTERED * 2, "worse", items, resampling=Resampling(1))
    assert found.interval.method == ("score interval, effective sample of the delete-one jackknife, t(4), 5 clusters")
    assert found.n_clusters == 5


def test_when_all_pairs_agree_each_item_is_one_trial_and_the_interval_has_a_width():
    items = ["a", "a", "b", "b", "c", "d", "e"]
    all_hit = hit_rate([0.9] * 7, [0.5] * 7, "worse", items, resampling=Resampling(1))
    assert all_hit.interval.method == "Wilson, 5 clusters, all alike"
    assert (all_hit.interval.low, all_hit.interval.high) == (wilson(5, 5).low, 1)
    none_hit = hit_rate([0.9] * 7, [0.5] * 7, "better", items, resampling=Resampling(1))
    assert (none_hit.interval.low, none_hit.interval.high) == (0, wilson(0, 5).high)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=15))
def test_worse_better_and_ties_are_all_pairs_and_turn_with_the_sides(cells):
    original, altered = np.array(cells).T / 20
    worse, better = (hit_rate(original, altered, way, resampling=Resampling(1)) for way in ("worse", "better"))
    assert worse.n_hits + better.n_hits + worse.n_ties == len(cells)
    assert hit_rate(altered, original, "better", resampling=Resampling(1)).n_hits == worse.n_hits
    # Counted in whole steps of 0.05, without floating point.
    assert worse.n_hits == sum(before > after for before, after in cells)
    assert hit_rate(original, altered, "same", resampling=Resampling(1)).n_hits == sum(
        before == after for before, after in cells
    )


def test_an_unknown_direction_and_no_tolerance_are_refused():
    with pytest.raises(ValueError, match="expected is 'lower'; it must be one of worse, better, same"):
        hit_rate(ORIGINAL, ALTERED, "lower", resampling=Resampling(1))
    with pytest.raises(ValueError, match="tolerance is 0"):
        hit_rate(ORIGINAL, ALTERED, "same", resampling=Resampling(1), tolerance=0)


def test_no_pair_has_no_rate():
    with pytest.raises(UndefinedStatistic, match="only 0 pairs"):
        hit_rate([], [], "worse", resampling=Resampling(1))
