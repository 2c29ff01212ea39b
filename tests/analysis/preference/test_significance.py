"""Two and more methods on the same pairs: by hand, by its level under no difference, Holm, letters and McNemar."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.preference.significance import against_chance, compare_by_cluster, compare_methods
from analysis.significance.holm import holm
from analysis.significance.mcnemar import mcnemar
from analysis.undefined import UndefinedStatistic

SERIES = ["a", "a", "b", "c", "d", "e"]
FIRST, SECOND = [1, 1, 1, 0.5, 1, 0], [0, 1, 0, 1, 0.5, 0]


def test_five_series_by_hand():
    # D: a 1, b 1, c -0.5, d 0.5, e 0. z = 2 / sqrt(1 + 1 + .25 + .25).
    found = compare_by_cluster(FIRST, SECOND, SERIES)
    assert found.z == pytest.approx(2 / np.sqrt(2.5), abs=1e-15)
    assert found.p == pytest.approx(2 * stats.norm.sf(2 / np.sqrt(2.5)), abs=1e-15)
    assert found.difference == pytest.approx(2 / 6, abs=1e-15)
    assert (found.n_clusters_differing, found.n_clusters, found.n, found.unreliable) == (4, 5, 6, True)


def test_pairs_of_one_series_that_repeat_each_other_prove_nothing_more():
    once = compare_by_cluster([1] * 12 + [0] * 8, [0] * 12 + [1] * 8, np.arange(20))
    tenfold = compare_by_cluster(([1] * 12 + [0] * 8) * 10, ([0] * 12 + [1] * 8) * 10, np.tile(np.arange(20), 10))
    assert tenfold.z == pytest.approx(once.z, abs=1e-12)
    beside = compare_methods(
        {"x": ([1] * 12 + [0] * 8) * 10, "y": ([0] * 12 + [1] * 8) * 10}, np.tile(np.arange(20), 10)
    )
    assert not beside.pairs[0].separated
    assert beside.pairs[0].mcnemar.p_exact < 0.01
    assert beside.pairs[0].mcnemar_method == "ignores series"


def test_equal_methods_are_told_apart_in_about_5_of_100_cases():
    rng = np.random.default_rng(0)
    series = np.repeat(np.arange(60), 4)
    found = 0
    for _ in range(400):
        # Pairs of a series go the same way for a method as a rule.
        sides = [(rng.random(60)[series] + 0.3 * rng.random(240) > 0.65).astype(float) for _ in range(2)]
        found += compare_by_cluster(*sides, series).p < 0.05
    # 20 expected, standard deviation sqrt(400 * .05 * .95) = 4.4.
    assert 8 <= found <= 33


@given(st.integers(0, 500))
@settings(max_examples=25, deadline=None)
def test_holm_runs_over_all_pairs_and_letters_follow_it(seed):
    rng = np.random.default_rng(seed)
    series = rng.integers(0, 25, 120)
    credit = {
        name: rng.choice([0.0, 0.5, 1.0], 120, p=[1 - p, 0.05, p - 0.05])
        for name, p in zip("vwxyz", rng.uniform(0.3, 0.9, 5), strict=True)
    }
    found = compare_methods(credit, series)
    assert [(pair.first, pair.second) for pair in found.pairs] == list(combinations(found.letters, 2))
    assert all(pair.test.difference >= 0 for pair in found.pairs)
    tests = [compare_by_cluster(credit[pair.first], credit[pair.second], series) for pair in found.pairs]
    assert [pair.test for pair in found.pairs] == tests
    assert [pair.p_holm for pair in found.pairs] == holm([test.p for test in tests])
    for pair in found.pairs:
        share = set(found.letters[pair.first]) & set(found.letters[pair.second])
        assert bool(share) is not pair.separated


def test_mcnemar_counts_the_pairs_that_both_decide():
    found = compare_methods({"one": FIRST, "two": SECOND}, SERIES).pairs[0]
    # Decided by both: rows 0, 1, 2, 5; the first alone is right on 0 and 2, the second alone nowhere.
    assert (found.n_decided_by_both, found.mcnemar) == (4, mcnemar(2, 0))


@pytest.mark.parametrize(("differing", "separated"), [(9, False), (10, True)])
def test_under_ten_clusters_that_differ_nothing_is_told_apart(differing, separated):
    # z = sqrt 9 = 3 has p 0.0027; the first is right where the second is not, in as many clusters.
    first, second = np.ones(20), np.r_[np.zeros(differing), np.ones(20 - differing)]
    [pair] = (found := compare_methods({"one": first, "two": second}, np.arange(20))).pairs
    assert pair.p_holm < 0.05
    assert (pair.separated, pair.test.unreliable) == (separated, not separated)
    assert found.letters == {"one": ("a",), "two": ("b",) if separated else ("a",)}


def test_sure_is_what_lies_below_the_level_by_enough_clusters_that_differ():
    # 0.1 + 0.2 is 0.30000000000000004 and not below 0.3, nor is 0.3 below it; 1 - 0.95 is 0.050000000000000044.
    for p, level, sure in (
        (0.3, 0.1 + 0.2, False),
        (0.05, 1 - 0.95, False),
        (0.049, 1 - 0.95, True),
        (None, 0.5, False),
    ):
        assert against_chance(0.6, p, unreliable=False, level=level) == ("better" if sure else "open")
    assert against_chance(0.4, 0.001, unreliable=False, level=0.05) == "worse"
    assert against_chance(0.6, 0.001, unreliable=True, level=0.05) == "open"


def test_rows_that_are_single_orders_get_no_exact_test():
    found = compare_methods({"one": FIRST, "two": SECOND}, SERIES, orders_merged=False).pairs[0]
    assert found.mcnemar is None
    assert found.mcnemar_method.startswith("none: an exact test needs pairs with both orders merged")


def test_methods_with_the_same_credit_have_no_test_and_share_their_letter():
    credit = {"one": FIRST, "same": FIRST, "two": SECOND}
    found = compare_methods(credit, SERIES)
    pair = next(pair for pair in found.pairs if {pair.first, pair.second} == {"one", "same"})
    assert (pair.test, pair.p_holm, pair.separated) == (None, None, False)
    assert "same credit" in pair.reason
    assert found.letters["one"] == found.letters["same"]
    # It still counts as one of three tests.
    others = [pair for pair in found.pairs if pair.test]
    assert others[0].p_holm == pytest.approx(3 * others[0].test.p, abs=1e-15)
    with pytest.raises(UndefinedStatistic, match="same credit"):
        compare_by_cluster(FIRST, FIRST, SERIES)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(UndefinedStatistic, match="4 clusters, fewer than 5"):
        compare_by_cluster([1, 0, 1, 0], [0, 1, 1, 1], list("abcd"))
    with pytest.raises(UndefinedStatistic, match="fewer than two methods"):
        compare_methods({"one": FIRST}, SERIES)
    with pytest.raises(UndefinedStatistic, match="no pair"):
        compare_by_cluster([], [], [])
    with pytest.raises(ValueError, match="credit must be"):
        compare_by_cluster([1, 0.4], [0, 1], ["a", "b"])
    with pytest.raises(ValueError, match="credit must be"):
        compare_by_cluster([1, np.nan], [0, 1], ["a", "b"])
    with pytest.raises(ValueError, match="shapes"):
        compare_by_cluster([1, 0], [0], ["a", "b"])
