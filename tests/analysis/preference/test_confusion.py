"""Confusion of picks: by hand, against scikit-learn where no tie occurs, and what is not defined."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from analysis.preference.confusion import preference_confusion
from analysis.undefined import UndefinedStatistic


def values(scores):
    return [share.value for share in scores]


def test_ties_are_misses_for_recall_and_in_no_precision():
    # Truth 1: picked 1, 1, 2, tie; truth 2: picked 2, 1, tie.
    found = preference_confusion([1, 1, 1, 1, 2, 2, 2], [1, 1, 2, 0, 2, 1, 0])
    assert found.table == ((2, 1, 1), (1, 1, 1))
    # Image 1: precision 2/3, recall 2/4, F1 = 2 * 2 / (3 + 4).
    assert values(found.image_1) == pytest.approx([2 / 3, 2 / 4, 4 / 7], abs=1e-15)
    assert values(found.image_2) == pytest.approx([1 / 2, 1 / 3, 2 / 5], abs=1e-15)
    assert values(found.averaged) == pytest.approx([7 / 12, 5 / 12, 17 / 35], abs=1e-15)


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.sampled_from([1, 2])), min_size=4, max_size=30))
@settings(max_examples=40, deadline=None)
def test_without_ties_it_is_scikit_learns(pairs):
    # Each side wins and is picked at least once, so that everything is defined.
    truth, predicted = np.array([(1, 2), (2, 1), *pairs]).T
    found = preference_confusion(truth, predicted)
    one = precision_recall_fscore_support(truth, predicted, pos_label=1, average="binary")[:3]
    both = precision_recall_fscore_support(truth, predicted, average="macro")[:3]
    assert values(found.image_1) == pytest.approx(one, abs=1e-12)
    assert values(found.averaged) == pytest.approx(both, abs=1e-12)


def test_a_side_that_is_never_picked_has_no_precision_and_the_mean_has_none_either():
    found = preference_confusion([1, 2], [1, 1])
    assert found.image_2.precision == (None, "image 2 is never predicted")
    assert (found.image_2.recall.value, found.image_2.f1.value) == (0.0, 0.0)
    assert found.averaged.precision == (None, "image 2 is never predicted")
    assert found.averaged.recall.value == 0.5


def test_a_side_that_never_wins_has_no_recall():
    found = preference_confusion([1, 1], [1, 0])
    assert found.image_2.recall == (None, "image 2 never wins")
    assert found.image_2.f1 == (None, "image 2 never wins and is never predicted")


def test_no_pair_has_no_confusion():
    with pytest.raises(UndefinedStatistic, match="no pair"):
        preference_confusion([], [])
