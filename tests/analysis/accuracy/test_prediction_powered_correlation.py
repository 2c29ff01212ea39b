"""Prediction-powered correlation: Pearson's r without a judge, coverage, gain, and what must hold for any unit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.accuracy.prediction_powered_correlation import prediction_powered_correlation
from analysis.undefined import UndefinedStatistic


def study(rng, n, rest, noise=0.3):
    """People's scores of `n` objects, a judge's and a measure's of all; the true r is 0.6 / sqrt(1.09)."""
    quality = rng.normal(size=n + rest)
    measure = 0.6 * quality + 0.8 * rng.normal(size=n + rest)
    people = quality + 0.3 * rng.normal(size=n + rest)
    judge = 2 * quality + 2 * noise * rng.normal(size=n + rest) + 3
    return people[:n], judge[:n], judge[n:], measure[:n], measure[n:]


def test_the_labels_alone_give_pearsons_r():
    people, seen, unseen, known, other = study(np.random.default_rng(1), 30, 100)
    found = prediction_powered_correlation(people, seen, unseen, known, other)
    assert found.human_only.value == pytest.approx(np.corrcoef(people, known)[0, 1], abs=1e-12)
    own = prediction_powered_correlation(people, seen, unseen)
    assert own.human_only.value == pytest.approx(np.corrcoef(people, seen)[0, 1], abs=1e-12)


def test_an_unrelated_judge_is_not_followed_and_costs_nothing():
    rng = np.random.default_rng(3)
    people, seen, unseen, known, other = study(rng, 200, 2000)
    noise = rng.normal(size=2200)
    found = prediction_powered_correlation(people, noise[:200], noise[200:], known, other)
    assert found.correlation.value == pytest.approx(found.human_only.value, abs=0.02)
    # The measure's own spread is still learnt from all objects.
    assert found.effective_labels_gain > -5


def test_bounds_hold_the_truth_as_often_as_they_say_and_are_narrower():
    rng, held, widths = np.random.default_rng(0), 0, []
    for _ in range(300):
        found = prediction_powered_correlation(*study(rng, 60, 1000))
        interval, alone = found.correlation.interval, found.human_only.interval
        held += interval.low <= 0.6 / np.sqrt(1.09) <= interval.high
        widths.append((interval.high - interval.low) / (alone.high - alone.low))
    assert held >= 274
    assert np.mean(widths) < 0.7


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-9, -2.0, 1e6]), st.floats(-5, 5))
def test_each_side_may_have_a_unit_of_its_own(seed, factor, shift):
    people, seen, unseen, known, other = study(np.random.default_rng(seed), 25, 50)
    first = prediction_powered_correlation(people, seen, unseen, known, other)
    moved = prediction_powered_correlation(
        people * 7 - 1, (seen + shift) * factor, (unseen + shift) * factor, known * 3 + shift, other * 3 + shift
    )
    assert moved.correlation.value == pytest.approx(first.correlation.value, abs=1e-6)
    assert moved.tuning == pytest.approx(first.tuning, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1, 2, 3], [1, 2, 3], [1.0]), "at least 4"),
        (([1, 2, 3, 4], [1, 2, 3, 5], []), "unlabelled"),
        (([1, 1, 1, 1], [1, 2, 3, 5], [1.0]), "human"),
        (([1, 2, 3, 4], [1, 1, 1, 1], [1.0]), "judge"),
    ],
)
def test_what_the_data_do_not_define_says_why(arguments, said):
    with pytest.raises(UndefinedStatistic, match=said):
        prediction_powered_correlation(*arguments)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="shape"):
        prediction_powered_correlation([1, 2, 3, 4], [1, 2, 3], [1])
    with pytest.raises(ValueError, match="neither"):
        prediction_powered_correlation([1, 2, 3, 4], [1, 2, 3, 5], [1], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="confidence"):
        prediction_powered_correlation([1, 2, 3, 4], [1, 2, 3, 5], [1], confidence=1)
