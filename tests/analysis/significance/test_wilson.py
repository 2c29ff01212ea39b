"""Tests of `analysis/significance/wilson.py`."""

from math import sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.significance.wilson import wilson, wilson_at
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
    assert (interval.n_clusters, interval.unreliable, interval.n_dropped) == (trials, False, 0)
    bounds = wilson_at(successes / trials, trials, NormalDist().inv_cdf(0.975))
    assert tuple(float(bound) for bound in bounds) == pytest.approx((low, high), abs=1e-10)


@given(st.integers(1, 500), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_formula_as_wilson_wrote_it_gives_the_same_interval(trials, share, confidence):
    successes = round(share * trials)
    z, p = NormalDist().inv_cdf(0.5 + confidence / 2), successes / trials
    centre, width = p + z * z / (2 * trials), z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    interval = wilson(successes, trials, confidence)
    expected = [(centre + side * width) / (1 + z * z / trials) for side in (-1, 1)]
    assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-12)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1


@pytest.mark.parametrize("trials", [1, 7, 20, 333])
def test_the_ends_are_exact(trials):
    assert wilson(0, trials).low == 0.0
    assert wilson(trials, trials).high == 1.0


def test_no_trial_has_no_share():
    with pytest.raises(UndefinedStatistic, match="no trial"):
        wilson(0, 0)


@pytest.mark.parametrize(("successes", "trials"), [(3, 2), (-1, 2), (0, -1)])
def test_counts_that_do_not_fit_are_refused(successes, trials):
    with pytest.raises(ValueError, match="successes must lie"):
        wilson(successes, trials)


def test_a_confidence_in_percent_is_refused():
    for confidence in (95, 1.0, 0.0):
        with pytest.raises(ValueError, match="confidence"):
            wilson(1, 2, confidence)
