"""Tests of `analysis/correlation/separation.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from analysis.correlation.separation import separation
from analysis.resampling.bootstrap import Resampling
from analysis.significance.wilson import wilson
from tests.analysis.jackknifed import scored

ORIGINAL = [0.9, 0.7, 0.5]
ALTERED = [0.6, 0.7, 0.1]


def test_all_cross_pairs_by_hand():
    # 0.9 beats 0.6, 0.7, 0.1 (3); 0.7 beats 0.6, 0.1 and ties 0.7 (2.5); 0.5 beats 0.1 (1): 6.5 of 9.
    assert separation(ORIGINAL, ALTERED, resampling=Resampling(1)).auc == pytest.approx(6.5 / 9)


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=12))
def test_scikit_learn_gives_the_same_area(cells):
    original, altered = np.array(cells).T / 10
    truth = [1] * len(cells) + [0] * len(cells)
    found = separation(original, altered, resampling=Resampling(1))
    assert found.auc == pytest.approx(roc_auc_score(truth, [*original, *altered]), abs=1e-12)
    # Turned around, the area is what is left of 1.
    assert separation(altered, original, resampling=Resampling(1)).auc == pytest.approx(1 - found.auc, abs=1e-12)


def test_items_are_left_out_in_turn():
    random = np.random.default_rng(2)
    original, altered = random.random(14).round(1), random.random(14).round(1)
    items = np.r_[np.repeat(range(6), 2), 6, 7]

    def area(rows):
        return roc_auc_score([1] * len(rows) + [0] * len(rows), np.r_[original[rows], altered[rows]])

    interval = separation(original, altered, items, resampling=Resampling(9)).interval
    assert interval[:2] == pytest.approx(scored(area, items), abs=1e-9)


def test_a_complete_separation_has_wilsons_interval_and_none_of_width_0():
    found = separation(np.linspace(0.6, 0.9, 12), np.linspace(0.1, 0.4, 12), resampling=Resampling(1))
    assert found.auc == 1
    assert found.interval[:2] == pytest.approx(wilson(12, 12)[:2], abs=1e-12)
    assert found.interval.method == "Wilson, 12 clusters, all alike"


def test_equal_scores_separate_as_well_as_a_coin():
    found = separation([0.5] * 6, [0.5] * 6, resampling=Resampling(1))
    assert found.auc == 0.5
    assert found.interval.low < 0.25 < 0.75 < found.interval.high


def test_scores_far_below_1_have_an_order():
    assert separation([3e-13], [3e-13], resampling=Resampling(1)).auc == 0.5
    assert separation([4e-13], [3e-13], resampling=Resampling(1)).auc == 1.0
