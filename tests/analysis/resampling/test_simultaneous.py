"""Simultaneous differences from the best: by hand, coverage, degenerate and undefined ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.resampling.simultaneous import differences_from, distinguishable


def drawn(m: int, *, n: int = 20, resamples: int = 300, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Means of m candidates over n clusters, and of each resample of the clusters."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=(n, m))
    return scores.mean(axis=0), scores[random.integers(0, n, size=(resamples, n))].mean(axis=1)


def test_three_candidates_by_a_plain_loop():
    estimates, values = drawn(3)
    best = int(estimates.argmax())
    largest = []
    for row in values:
        away = []
        for i, j in ((0, 1), (0, 2), (1, 2)):
            error = np.std(values[:, i] - values[:, j], ddof=1)
            away.append(abs(row[i] - row[j] - (estimates[i] - estimates[j])) / error)
        largest.append(max(away))
    critical = np.quantile(largest, 0.95)
    for place, seen in enumerate(differences_from(best, estimates, values, confidence=0.95, n_clusters=20)):
        if place == best:
            assert (seen.low, seen.high) == (0, 0)
            continue
        difference = estimates[best] - estimates[place]
        half = critical * np.std(values[:, best] - values[:, place], ddof=1)
        assert (seen.low, seen.high) == pytest.approx((difference - half, difference + half), abs=1e-12)
        assert seen.method == (
            "simultaneous over all pairs of 3 settings (max-T, bootstrap standard errors), 300 resamples, 20 clusters"
        )


def test_equal_candidates_are_seldom_told_from_the_one_that_chance_made_best():
    wrong = 0
    for seed in range(150):
        estimates, values = drawn(6, n=40, seed=seed)
        seen = differences_from(int(estimates.argmax()), estimates, values, confidence=0.95, n_clusters=40)
        wrong += any(distinguishable(interval) for interval in seen)
    # About 5 % of 150 are 7.5; a binomial at 0.05 exceeds 15 in 0.4 % of cases, and the bootstrap is a little bold.
    assert wrong <= 17


def test_a_candidate_that_is_much_worse_is_told_apart():
    estimates, values = drawn(4)
    seen = differences_from(0, estimates - [0, 0, 0, 5], values - [0, 0, 0, 5], confidence=0.95, n_clusters=20)
    assert [distinguishable(interval) for interval in seen] == [False, False, False, True]


def test_a_difference_that_never_varies_has_no_standard_error():
    estimates, values = drawn(2)
    estimates, values = (
        np.r_[estimates, estimates[0], estimates[0] - 0.1],
        np.c_[values, values[:, 0], values[:, 0] - 0.1],
    )
    seen = differences_from(0, estimates, values, confidence=0.95, n_clusters=20)
    assert (seen[2].low, seen[2].high, seen[2].method) == (0, 0, "0 in every resample")
    assert (seen[3].low, distinguishable(seen[3])) == (None, None)
    assert seen[3].method == "none: the difference is the same in every resample, which leaves no standard error"


def test_undefined_resamples_are_dropped_and_counted():
    estimates, values = drawn(3)
    values[:6, 1] = np.nan
    seen = differences_from(0, estimates, values, confidence=0.95, n_clusters=20)
    clean = differences_from(0, estimates, values[6:], confidence=0.95, n_clusters=20)
    assert [one.low for one in seen] == [one.low for one in clean]
    assert seen[2].n_dropped == 6
    assert seen[2].method.endswith("300 resamples, 20 clusters, 6 undefined resamples dropped")


def test_a_candidate_that_is_often_undefined_takes_nothing_from_the_others():
    estimates, values = drawn(4)
    without = differences_from(0, estimates[:3], values[:, :3], confidence=0.95, n_clusters=20)
    values[:16, 3] = np.nan
    seen = differences_from(0, estimates, values, confidence=0.95, n_clusters=20)
    assert [one.low for one in seen[:3]] == [one.low for one in without]
    assert seen[3].method == "none: undefined in 16 of 300 resamples, more than 5 %"


@pytest.mark.parametrize("where", [0, 1])
def test_where_the_best_or_too_many_together_are_undefined_nothing_is_told_apart(where):
    estimates, values = drawn(4)
    if where == 0:
        values[:16, 0] = np.nan
    else:
        values[:10, 1], values[10:20, 2] = np.nan, np.nan
    seen = differences_from(0, estimates, values, confidence=0.95, n_clusters=20)
    assert [distinguishable(one) for one in seen] == [False, None, None, None]
    assert "more than 5 %" in seen[3].method


@pytest.mark.parametrize(("n_clusters", "low", "unreliable"), [(4, False, True), (5, True, True), (10, True, False)])
def test_few_clusters_leave_no_interval_or_an_unreliable_one(n_clusters, low, unreliable):
    estimates, values = drawn(2)
    seen = differences_from(0, estimates, values, confidence=0.95, n_clusters=n_clusters)[1]
    assert (seen.low is not None, seen.unreliable) == (low, unreliable)


def test_a_single_candidate_is_its_own_best():
    [only] = differences_from(0, [0.3], np.full((100, 1), 0.3), confidence=0.95, n_clusters=20)
    assert (only.low, only.high) == (0, 0)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.integers(0, 50), st.randoms(use_true_random=False))
def test_the_order_of_candidates_and_a_copy_of_the_best_change_no_interval(m, seed, random):
    estimates, values = drawn(m, resamples=120, seed=seed)
    best = int(estimates.argmax())
    seen = differences_from(best, estimates, values, confidence=0.95, n_clusters=20)
    order = list(range(m))
    random.shuffle(order)
    shuffled = differences_from(order.index(best), estimates[order], values[:, order], confidence=0.95, n_clusters=20)
    assert [seen[place].low for place in order] == pytest.approx([one.low for one in shuffled], abs=1e-12)
    *others, copy = differences_from(
        best, np.r_[estimates, estimates[best]], np.c_[values, values[:, best]], confidence=0.95, n_clusters=20
    )
    assert [one.low for one in others] == pytest.approx([one.low for one in seen], abs=1e-12)
    assert distinguishable(copy) is False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"best": 3}, "do not fit"),
        ({"estimates": [0.1, np.nan, 0.2]}, "no score"),
        ({"confidence": 1.0}, "confidence"),
        ({"values": np.zeros((10, 2))}, "do not fit"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    asked = {"best": 0, "estimates": [0.1, 0.3, 0.2], "values": np.zeros((10, 3)), "confidence": 0.95} | changes
    with pytest.raises(ValueError, match=message):
        differences_from(
            asked["best"], asked["estimates"], asked["values"], confidence=asked["confidence"], n_clusters=9
        )
