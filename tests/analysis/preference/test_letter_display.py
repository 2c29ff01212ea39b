"""Letters of methods: by hand, and on random separations against all largest groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.preference.letter_display import letter_display


def separation(size, pairs):
    apart = np.zeros((size, size), dtype=bool)
    for one, two in pairs:
        apart[one, two] = apart[two, one] = True
    return apart


@st.composite
def separations(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 9))
    pairs = list(combinations(range(size), 2))
    return separation(size, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def test_a_chain_of_three_by_hand():
    # Only best and worst differ: the middle one shares a letter with each.
    assert letter_display(separation(3, [(0, 2)])) == [("a",), ("a", "b"), ("b",)]


def test_piephos_pathological_case_is_kept_apart():
    # 0 and 1 differ, 2 and 3 differ, all other pairs do not: four groups, of which none covers another.
    assert letter_display(separation(4, [(0, 1), (2, 3)])) == [("a", "b"), ("c", "d"), ("a", "c"), ("b", "d")]


def test_nothing_separated_is_one_group_and_everything_separated_is_a_letter_each():
    assert letter_display(separation(3, [])) == [("a",)] * 3
    assert letter_display(separation(3, combinations(range(3), 2))) == [("a",), ("b",), ("c",)]
    assert letter_display(np.zeros((0, 0))) == []


@given(separations())
def test_two_methods_share_a_letter_exactly_when_they_are_not_separated(apart):
    letters = letter_display(apart)
    assert all(letters)
    for one, two in combinations(range(len(apart)), 2):
        assert bool(set(letters[one]) & set(letters[two])) is not bool(apart[one, two])


@given(separations())
def test_the_groups_are_the_largest_sets_without_a_separated_pair(apart):
    size = len(apart)
    together = [
        set(group)
        for count in range(1, size + 1)
        for group in combinations(range(size), count)
        if not apart[np.ix_(group, group)].any()
    ]
    largest = [group for group in together if not any(group < other for other in together)]
    letters = letter_display(apart)
    found = [{number for number in range(size) if name in letters[number]} for name in set().union(*letters)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))


def test_the_first_method_has_the_first_letter_and_there_are_more_than_26():
    letters = letter_display(separation(60, combinations(range(60), 2)))
    assert letters[0] == ("a",)
    assert letters[25:27] == [("z",), ("A",)]
    assert letters[51:54] == [("Z",), ("a2",), ("b2",)]
    assert len(set(letters)) == 60


@pytest.mark.parametrize("apart", [[[0, 1]], [[0, 1], [0, 0]], [[1]], [0, 1]])
def test_what_is_no_separation_is_refused(apart):
    with pytest.raises(ValueError, match=r"method|symmetric"):
        letter_display(apart)
