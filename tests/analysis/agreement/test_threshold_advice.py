"""Threshold advice: given where it raises kappa on queries that did not set it, and only there."""

import numpy as np
import pytest

from analysis.agreement.threshold_advice import threshold_advice
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic


def shifted(by, n_queries=20):
    """The first judge is exactly `by` higher on scores of 0.05 to 0.85: labels differ between 0.5 - by and 0.5."""
    second = np.tile(np.arange(0.05, 0.86, 0.1), n_queries)
    return second + by, second, np.arange(second.size) // 9


def test_a_shift_of_a_tenth_is_undone_by_a_threshold_of_six_tenths():
    found = threshold_advice(*shifted(0.1), seed=1, names=("gpt", "claude"))
    assert (found.higher, found.threshold_now, found.threshold_advised) == (1, 0.5, 0.6)
    assert (found.shift, found.n_queries) == (pytest.approx(0.1, abs=1e-15), 20)
    # First: 5 of 9 relevant, second 4, both 4: p_o 8/9, p_e (20 + 20)/81: 40/81 -> (72 - 40)/(81 - 40) = 32/41.
    assert found.kappa_now == pytest.approx(32 / 41, abs=1e-12)
    assert found.kappa_advised == 1.0
    assert found.advice.startswith("set the threshold of gpt from 0.5 to 0.6 (micro kappa 0.78 -> 1.00")


def test_with_the_judges_in_other_order_the_second_gets_the_threshold():
    first, second, queries = shifted(0.1)
    found, mirrored = (threshold_advice(*pair, queries, seed=1) for pair in ((first, second), (second, first)))
    assert (mirrored.higher, mirrored.threshold_advised, mirrored.shift) == (2, 0.6, -found.shift)
    assert (mirrored.kappa_now, mirrored.kappa_advised) == (found.kappa_now, found.kappa_advised)


def test_the_advice_starts_from_the_threshold_in_force():
    # The first judge's scores above .45 are the second's above .35, which here are those above .4: labels agree now.
    found = threshold_advice(*shifted(0.1), thresholds=(0.45, 0.4), seed=1)
    assert (found.threshold_now, found.threshold_advised) == (0.45, None)
    assert threshold_advice(*shifted(0.1), thresholds=(0.4, 0.4), seed=1).threshold_advised == 0.5


def test_the_threshold_is_one_at_most():
    # In each query the judges contradict each other: kappa -1. Differences .67 and .04 average .04 .355 .67, the
    # shift is .355, and .65 + .355 is beyond 1. Above 1 the first judge calls nothing relevant: kappa 0 is
    # more than -1.
    found = threshold_advice(
        np.tile([0.97, 0.7], 4), np.tile([0.3, 0.66], 4), np.arange(8) // 2, thresholds=(0.95, 0.65), seed=1
    )
    assert (found.threshold_advised, found.kappa_now, found.kappa_advised) == (1.0, -1.0, 0.0)


def test_a_threshold_in_force_is_not_advised_again():
    found = threshold_advice(*shifted(0.1), thresholds=(0.6, 0.5), seed=1)
    assert (found.threshold_now, found.threshold_advised) == (0.6, None)
    assert found.advice.startswith("no threshold helps")


def noisy(seed):
    """100 documents of 20 queries, the second judge .15 higher, both with noise of .1, at two decimals."""
    random = np.random.default_rng(seed)
    truth = np.clip(np.round(random.random(100), 2), 0, 1)
    first, second = (np.clip(np.round(truth + by + random.normal(0, 0.1, 100), 2), 0, 1) for by in (0, 0.15))
    return first, second, np.repeat(np.arange(20), 5)


def test_a_threshold_in_force_is_not_advised_again_though_the_halves_raise_kappa_by_others():
    chances = 0
    for seed in range(60):
        found = threshold_advice(*noisy(seed), seed=20260101)
        if found.threshold_advised is None:
            continue
        again = threshold_advice(*noisy(seed), thresholds=(0.5, found.threshold_advised), seed=20260101)
        assert (again.threshold_now, again.threshold_advised) == (found.threshold_advised, None)
        if compare(again.kappa_advised, again.kappa_now) > 0:
            chances += 1
            assert again.advice.startswith("no further threshold helps: ")
            assert again.advice.endswith("is set already")
    assert chances > 0


def test_no_shift_no_advice():
    scores = np.array([0.2, 0.8, 0.4, 0.6] * 5)
    found = threshold_advice(scores, scores, np.arange(20) // 2, seed=1)
    assert (found.higher, found.threshold_advised, found.kappa_now) == (None, None, None)
    assert found.advice == "no threshold helps: the median shift of the documents is 0"


def test_judges_that_agree_although_one_is_higher_keep_their_thresholds():
    # Relevant .9 and .7, not relevant .2 and .1: the labels are the same now.
    first, second = np.tile([0.9, 0.2], 10), np.tile([0.7, 0.1], 10)
    found = threshold_advice(first, second, np.arange(20) // 2, seed=1)
    assert (found.higher, found.threshold_advised, found.kappa_now, found.kappa_advised) == (1, None, 1.0, 1.0)
    assert found.advice.startswith("no threshold helps")


def test_unrelated_judges_on_the_same_scale_get_no_advice():
    # Every score of one next to every score of the other in each query: shift 0.
    grid = np.arange(0.1, 1.0, 0.2)
    first, second = (np.tile(side.ravel(), 8) for side in np.meshgrid(grid, grid))
    assert threshold_advice(first, second, np.arange(200) // 25, seed=1).threshold_advised is None


def test_a_shift_seen_in_one_half_alone_does_not_set_its_own_grade():
    # 2 queries: in one the first judge is .2 higher, in the other the second is. Each half advises the other wrongly.
    first = np.array([0.3, 0.4, 0.6, 0.8, 0.2, 0.45, 0.55, 0.7])
    second = first + np.repeat([-0.2, 0.15], 4)
    found = threshold_advice(first, second, np.repeat([0, 1], 4), seed=1)
    assert found.higher is not None
    assert found.kappa_advised < found.kappa_now
    assert found.threshold_advised is None


def test_one_query_cannot_show_that_a_threshold_helps():
    found = threshold_advice([0.6, 0.3], [0.5, 0.2], ["q", "q"], seed=1)
    assert (found.threshold_advised, found.n_queries) == (None, 1)
    assert "one query" in found.advice


def test_a_half_of_one_label_defines_no_kappa():
    found = threshold_advice([0.3, 0.3], [0.2, 0.2], [0, 1], seed=1)
    assert (found.kappa_now, found.threshold_advised) == (None, None)
    assert "not defined" in found.advice


def test_the_order_of_rows_does_not_matter():
    random = np.random.default_rng(3)
    second = random.uniform(0, 0.9, 200)
    first = np.clip(second + random.normal(0.1, 0.1, 200), 0, 1)
    queries, order = np.arange(200) // 5, random.permutation(200)
    found = threshold_advice(first, second, queries, seed=4)
    assert threshold_advice(first[order], second[order], queries[order], seed=4) == found
    assert found.threshold_advised == pytest.approx(0.6, abs=0.03)


def test_bad_input_is_refused():
    with pytest.raises(UndefinedStatistic, match="no document"):
        threshold_advice([], [], [], seed=1)
    with pytest.raises(ValueError, match="one query per document"):
        threshold_advice([0.1], [0.2], [0, 1], seed=1)
