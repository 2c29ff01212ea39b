"""Two accuracies compared: hand-worked tables, Fisher's tea, and properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.accuracy.accuracy_comparison import cohens_h, compare_accuracies, compare_on_same_samples
from analysis.resampling.bootstrap import Resampling


def answers(n_right: int, n: int) -> list[bool]:
    return [True] * n_right + [False] * (n - n_right)


def test_cohens_h_of_a_half_and_two_fifths():
    # Cohen (1988), chapter 6.
    assert cohens_h(0.5, 0.4) == pytest.approx(0.2013579207903309, abs=1e-15)
    assert cohens_h(1.0, 0.0) == pytest.approx(np.pi, abs=1e-15)
    with pytest.raises(ValueError, match="between 0 and 1"):
        cohens_h(1.2, 0.5)


def test_chi_square_of_30_and_20_of_50_by_hand():
    # n (ad - bc)^2 / (row and column sums) = 100 (30*30 - 20*20)^2 / (50*50*50*50) = 4, without correction.
    found = compare_accuracies(answers(30, 50), answers(20, 50), resampling=Resampling(1))
    assert found.chi_square == pytest.approx(4.0, abs=1e-12)
    assert found.p == pytest.approx(stats.chi2.sf(4.0, 1), abs=1e-15)
    assert (found.p_method, found.interval, found.significant) == ("chi-square", None, True)
    assert found.cohens_h == cohens_h(0.6, 0.4)
    assert found.difference == pytest.approx(0.2, abs=1e-15)


def test_an_expected_count_under_5_asks_for_fishers_test():
    # Fisher's tea: 3 of 4 against 1 of 4, p = 2 (16 + 1) / 70.
    found = compare_accuracies(answers(3, 4), answers(1, 4), resampling=Resampling(1))
    assert found.p == pytest.approx(34 / 70, abs=1e-12)
    assert (found.chi_square, found.p_method, found.significant) == (None, "Fisher's exact test", False)


def test_an_expected_count_of_just_5_keeps_chi_square():
    assert compare_accuracies(answers(6, 10), answers(4, 10), resampling=Resampling(1)).p_method == "chi-square"


def test_two_flawless_sides_have_p_1_and_h_0():
    found = compare_accuracies(answers(40, 40), answers(30, 30), resampling=Resampling(1))
    assert (found.p, found.cohens_h, found.p_method) == (1.0, 0.0, "Fisher's exact test")


def test_with_clusters_the_interval_decides_and_p_says_what_it_assumes():
    # Each of 20 questions asked 5 times with one answer: 100 answers that are worth 20.
    first, second = np.repeat(answers(12, 20), 5), np.repeat(answers(8, 20), 5)
    found = compare_accuracies(
        first, second, np.repeat(np.arange(20), 5), np.repeat(np.arange(20, 40), 5), resampling=Resampling(1)
    )
    assert found.p < 0.05
    assert found.p_method == "chi-square, assumes independence"
    assert found.interval.n_clusters == 40
    assert found.significant is False


def test_same_samples_are_compared_where_they_differ():
    # Both right 40, only the first 12, only the second 3, both wrong 5.
    first, second = answers(52, 60), answers(40, 40) + answers(0, 12) + answers(3, 8)
    found = compare_on_same_samples(first, second, resampling=Resampling(1))
    assert (found.mcnemar.only_first, found.mcnemar.only_second) == (12, 3)
    assert found.mcnemar.p_exact == pytest.approx(stats.binomtest(3, 15).pvalue, abs=1e-12)
    assert found.difference == pytest.approx(9 / 60, abs=1e-15)
    assert (found.p_method, found.significant) == ("McNemar", True)
    assert found.interval.low > 0


def test_same_samples_in_clusters_are_judged_by_the_interval():
    first, second = np.repeat(answers(7, 10), 6), np.repeat(answers(4, 10), 6)
    found = compare_on_same_samples(first, second, np.repeat(np.arange(10), 6), resampling=Resampling(1))
    assert found.mcnemar.p_exact < 0.001
    assert found.p_method == "McNemar, assumes independence"
    assert found.significant is (found.interval.low > 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=6, max_size=30))
def test_swapping_the_sides_turns_every_sign(pairs):
    first, second = zip(*pairs, strict=True)
    one, other = (compare_accuracies(*sides, resampling=Resampling(1)) for sides in ((first, second), (second, first)))
    assert one.cohens_h == -other.cohens_h
    assert one.p == pytest.approx(other.p, abs=1e-12)
    same, swapped = (
        compare_on_same_samples(*sides, resampling=Resampling(1)) for sides in ((first, second), (second, first))
    )
    assert same.difference == -swapped.difference
    assert same.mcnemar[2:] == swapped.mcnemar[2:]


def test_sides_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="same samples"):
        compare_on_same_samples([1, 0], [1], resampling=Resampling(1))
    with pytest.raises(ValueError, match="both sides need clusters"):
        compare_accuracies([1, 0], [1, 0], ["a", "b"], resampling=Resampling(1))
    with pytest.raises(ValueError, match="one cluster per sample"):
        compare_on_same_samples([1, 0], [1, 0], ["a"], resampling=Resampling(1))
