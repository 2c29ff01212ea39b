"""Tests of `analysis/significance/wilson.py`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from analysis.significance.wilson import wilson
from analysis.undefined import UndefinedStatistic


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (19, 38, 0.348499283643951, 0.651500716356049),
        (15, 148, 0.0623863995, 0.1604872417),
        (0, 20, 0.0, 0.1611251581),
    ],
)
def test_published_intervals(successes, trials, low, high):
    # 15/148 and 0/20: Newcombe (1998), Statistics in Medicine 17:857-872, table I, at more digits.
    interval = wilson(successes, trials)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-10)
    assert interval.method == f"Wilson, {trials} trials"


@given(st.integers(1, 500), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_scipy_gives_the_same_interval(trials, share, confidence):
    successes = round(share * trials)
    expected = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    interval = wilson(successes, trials, confidence)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1


def test_no_trial_has_no_share():
    with pytest.raises(UndefinedStatistic, match="no trial"):
        wilson(0, 0)


@pytest.mark.parametrize(("successes", "trials"), [(3, 2), (-1, 2), (0, -1)])
def test_counts_that_do_not_fit_are_refused(successes, trials):
    with pytest.raises(ValueError, match="successes must lie"):
        wilson(successes, trials)


def test_a_confidence_in_percent_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, 95)
