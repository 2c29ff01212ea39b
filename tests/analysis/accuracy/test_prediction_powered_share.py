"""Prediction-powered shares: the mean's value, Wilson's bounds at the effective size, and coverage near the edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.accuracy.prediction_powered_share import prediction_powered_share
from analysis.conformance.published import JUDGE_LABELLED, JUDGE_UNLABELLED, LABELS
from analysis.significance.wilson import wilson
from analysis.undefined import UndefinedStatistic

CASE = (LABELS, JUDGE_LABELLED, JUDGE_UNLABELLED)
verdicts = st.lists(st.booleans(), min_size=4, max_size=20)


def test_the_value_is_the_means_and_the_bounds_stay_inside():
    mean, share = prediction_powered_mean(*CASE, tuning=1.0), prediction_powered_share(*CASE, tuning=1.0)
    assert share.share.value == mean.mean.value == pytest.approx(0.65)
    # Variance 0.0336875, 0.65 x 0.35 / 0.0336875 = 6.7532 effective labels; Wilson there, z 1.959964.
    n, z = 0.65 * 0.35 / 0.0336875, 1.959963984540054
    middle, half = (0.65 + z**2 / (2 * n)), z * np.sqrt(0.65 * 0.35 / n + z**2 / (4 * n**2))
    assert share.share.interval.low == pytest.approx((middle - half) / (1 + z**2 / n), abs=1e-12)
    assert share.share.interval.high == pytest.approx((middle + half) / (1 + z**2 / n), abs=1e-12)
    assert mean.mean.interval.high > 1.0 > share.share.interval.high
    assert share.human_only.interval == wilson(6, 10)
    assert share.judge_only.interval == wilson(37, 50)


@given(verdicts, st.data())
def test_failing_is_passing_turned_over(labels, data):
    n = len(labels)
    seen = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    unseen = data.draw(verdicts)
    try:
        found = prediction_powered_share(labels, seen, unseen)
    except UndefinedStatistic:
        return
    turned = prediction_powered_share(*(np.logical_not(part) for part in (labels, seen, unseen)))
    assert turned.share.value == pytest.approx(1 - found.share.value, abs=1e-12)
    if found.share.interval.low is not None:
        assert 0.0 <= found.share.interval.low <= found.share.interval.high <= 1.0
        assert turned.share.interval.high == pytest.approx(1 - found.share.interval.low, abs=1e-9)


def test_bounds_hold_a_rare_share_as_often_as_they_say():
    rng, held, given_ = np.random.default_rng(2), 0, 0
    for _ in range(400):
        truth = rng.random(540) < 0.1
        judge = np.where(rng.random(540) < 0.9, truth, ~truth)
        try:
            interval = prediction_powered_share(truth[:40], judge[:40], judge[40:]).share.interval
        except UndefinedStatistic:
            continue
        if interval.low is not None:
            given_, held = given_ + 1, held + (interval.low <= 0.1 <= interval.high)
    assert given_ > 330
    assert held / given_ > 0.9


@pytest.mark.parametrize(
    ("labels", "seen", "unseen", "said"),
    [
        ([], [], [1], "labelled"),
        ([1, 0], [1, 0], [], "unlabelled"),
        ([1, 1], [1, 0], [1], "human"),
        ([1, 0], [1, 1], [1], "judge"),
    ],
)
def test_what_the_data_do_not_define_says_why(labels, seen, unseen, said):
    with pytest.raises(UndefinedStatistic, match=said):
        prediction_powered_share(labels, seen, unseen)
