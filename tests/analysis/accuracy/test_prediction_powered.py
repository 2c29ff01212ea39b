"""Prediction-powered mean: the reference case, its formula once more, and what must hold for any data."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.accuracy.prediction_powered import judge_alone, labels_alone, prediction_powered_mean
from analysis.conformance.published import JUDGE_LABELLED as SEEN
from analysis.conformance.published import JUDGE_UNLABELLED as UNSEEN
from analysis.conformance.published import LABELS
from analysis.undefined import UndefinedStatistic

scores = st.lists(st.integers(0, 20).map(lambda step: step / 20), min_size=4, max_size=12)


def bounds(estimate) -> tuple[float, float]:
    return estimate.interval.low, estimate.interval.high


def test_the_reference_case_with_the_judge_followed_fully():
    # Means 0.75 unlabelled, 0.6 labels, 0.7 judge on labels: 0.75 + 0.6 - 0.7. Errors Y - f have variance 0.29, the
    # judge 0.1875: 0.29 / 10 + 0.1875 / 40 = 0.0336875.
    seen = prediction_powered_mean(LABELS, SEEN, UNSEEN, tuning=1.0)
    assert seen.mean.value == pytest.approx(0.65, abs=1e-12)
    assert bounds(seen.mean) == pytest.approx((0.29026518, 1.00973482), abs=1e-8)
    # 10 x 0.024 / 0.0336875 - 10: the judge costs labels.
    assert seen.effective_labels_gain == pytest.approx(-2.8756957, abs=1e-6)


def test_the_reference_case_tuned():
    # cov 0.08; variance of all 50 judge scores 0.1881632653 (37 of 50 are 1): 0.08 / (1.25 x 0.74 x 0.26 x 50 / 49).
    seen = prediction_powered_mean(LABELS, SEEN, UNSEEN)
    assert seen.tuning == pytest.approx(0.32598753, abs=1e-8)
    assert seen.mean.value == pytest.approx(0.61629938, abs=1e-8)
    assert bounds(seen.mean) == pytest.approx((0.32881899, 0.90377976), abs=1e-8)
    assert seen.effective_labels_gain == pytest.approx(1.15554975, abs=1e-7)
    assert (seen.n_labelled, seen.n_unlabelled) == (10, 40)


def test_people_alone_and_the_judge_alone_stand_beside():
    seen = prediction_powered_mean(LABELS, SEEN, UNSEEN)
    # 0.6 -+ 1.959964 sqrt(0.24 / 10); 37 of 50: 0.74 -+ 1.959964 sqrt(0.1924 / 50).
    assert seen.human_only.value == pytest.approx(0.6)
    assert bounds(seen.human_only) == pytest.approx((0.2963637, 0.9036363), abs=1e-6)
    assert seen.judge_only.value == pytest.approx(0.74)
    assert bounds(seen.judge_only) == pytest.approx((0.6184192, 0.8615808), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(scores, st.data())
def test_the_tuned_estimate_is_the_formula_written_out(labels, data):
    seen = data.draw(st.lists(st.integers(0, 20).map(lambda s: s / 20), min_size=len(labels), max_size=len(labels)))
    unseen = data.draw(scores)
    assume(len(set(labels)) > 1)
    assume(len(set(seen + unseen)) > 1)
    n, rest = len(labels), len(unseen)
    judge_mean = sum(seen) / n
    covariance = sum((y - sum(labels) / n) * (f - judge_mean) for y, f in zip(labels, seen, strict=True)) / n
    everything = seen + unseen
    middle = sum(everything) / len(everything)
    spread = sum((f - middle) ** 2 for f in everything) / (len(everything) - 1)
    tuning = min(1.0, max(0.0, covariance / ((1 + n / rest) * spread)))
    value = tuning * sum(unseen) / rest + sum(y - tuning * f for y, f in zip(labels, seen, strict=True)) / n
    found = prediction_powered_mean(labels, seen, unseen)
    assert found.tuning == pytest.approx(tuning, abs=1e-12)
    assert found.mean.value == pytest.approx(value, abs=1e-12)
    assert found.mean.interval.low + found.mean.interval.high == pytest.approx(2 * value, abs=1e-12)


def test_a_judge_that_is_not_followed_leaves_the_labels():
    seen = prediction_powered_mean(LABELS, SEEN, UNSEEN, tuning=0.0)
    assert seen.mean.value == seen.human_only.value
    assert bounds(seen.mean) == bounds(seen.human_only)
    assert seen.effective_labels_gain == pytest.approx(0.0, abs=1e-12)
    # A judge that says the opposite is not followed either.
    assert prediction_powered_mean(LABELS, [1 - one for one in LABELS], UNSEEN).tuning == 0.0


def test_a_biased_judge_does_not_bias_the_mean():
    # Judge = truth + 0.2 throughout: the labels take the bias off, exactly so where it is the same everywhere.
    truth = np.random.default_rng(3).uniform(0.1, 0.7, 400)
    judge = truth + 0.2
    seen = prediction_powered_mean(truth[:40], judge[:40], judge[40:], tuning=1.0)
    assert seen.mean.value == pytest.approx(truth[40:].mean())
    assert seen.judge_only.value == pytest.approx(truth.mean() + 0.2)
    assert seen.effective_labels_gain > 300


def test_intervals_cover_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(400):
        truth = rng.normal(0.5, 0.2, 300)
        judge = 0.6 * truth + 0.3 + rng.normal(0, 0.1, 300)
        low, high = bounds(prediction_powered_mean(truth[:60], judge[:60], judge[60:]).mean)
        hits += low <= 0.5 <= high
    # 95 % of 400 is 380; three standard errors are 13.
    assert 364 <= hits <= 396


def test_a_combined_variance_of_0_has_no_gain_and_no_interval():
    # Both labels are what the judge says, and the judge says 0.3 of all others: an interval of 0.3 to 0.3 would lie.
    seen = prediction_powered_mean([0.2, 0.4], [0.2, 0.4], [0.3, 0.3], tuning=1.0)
    assert seen.effective_labels_gain is None
    assert (seen.mean.value, bounds(seen.mean)) == (pytest.approx(0.3), (None, None))
    assert seen.mean.interval.method == "none: nothing varies"


def test_either_side_by_itself_is_defined_where_both_together_are_not():
    # Six times 0.1: the mean's last digit differs from 0.1.
    flat = judge_alone([0.1] * 6)
    assert (flat.value, bounds(flat), flat.interval.method) == (
        pytest.approx(0.1),
        (None, None),
        "none: nothing varies",
    )
    people = labels_alone(LABELS)
    assert (people.value, bounds(people)) == (
        pytest.approx(0.6),
        bounds(prediction_powered_mean(LABELS, SEEN, UNSEEN).human_only),
    )
    one = labels_alone([0.7])
    assert (one.value, one.interval.method, one.interval.n_clusters) == (0.7, "none: 1 score only", 1)
    with pytest.raises(UndefinedStatistic, match="no object is judged"):
        judge_alone([])
    with pytest.raises(UndefinedStatistic, match="no object is labelled"):
        labels_alone([])
    with pytest.raises(ValueError, match="missing"):
        labels_alone([0.1, np.nan])


def test_few_labels_are_marked_unreliable():
    assert prediction_powered_mean([0.1, 0.2, 0.4], [0.1, 0.2, 0.2], [0.3, 0.1]).mean.interval.unreliable
    # Four times the ten labels; of 30 the labels' own interval holds what it says, the powered one does not yet.
    forty, thirty = (prediction_powered_mean(np.tile(LABELS, times), np.tile(SEEN, times), UNSEEN) for times in (4, 3))
    assert (forty.mean.interval.unreliable, thirty.mean.interval.unreliable) == (False, True)
    assert not thirty.human_only.interval.unreliable


def test_intervals_that_are_not_marked_cover_what_they_say():
    rng, within = np.random.default_rng(4), []
    for _ in range(1000):
        truth = rng.normal(size=240)
        judge = 0.7 * truth + 0.7 * rng.normal(size=240)
        seen = prediction_powered_mean(truth[:40], judge[:40], judge[40:]).mean.interval
        assert not seen.unreliable
        within.append(seen.low <= 0.0 <= seen.high)
    assert 0.92 <= np.mean(within) <= 0.97


@pytest.mark.parametrize(
    ("labels", "seen", "unseen", "reason"),
    [
        ([0.1], [0.1], [0.2], "only 1 labelled, at least 2 needed"),
        ([0.1, 0.2], [0.1, 0.2], [], "no object is left unlabelled"),
        ([0.1, 0.1], [0.1, 0.2], [0.3], "all 2 human scores are equal"),
        ([0.1, 0.2], [0.3, 0.3], [0.3], "all 3 judge scores are equal"),
    ],
)
def test_what_the_data_do_not_define_says_why(labels, seen, unseen, reason):
    with pytest.raises(UndefinedStatistic, match=reason):
        prediction_powered_mean(labels, seen, unseen)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"judge_labelled": [1, 0]}, "shapes"),
        ({"judge_unlabelled": [1, np.nan]}, "1 of 2 values are missing"),
        ({"tuning": 1.5}, "tuning"),
        ({"confidence": 95}, "confidence"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, said):
    whole = {"labels": LABELS, "judge_labelled": SEEN, "judge_unlabelled": UNSEEN}
    with pytest.raises(ValueError, match=said):
        prediction_powered_mean(**{**whole, **changes})
