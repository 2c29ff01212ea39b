"""Holm's correction: by hand and against stepping down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.significance.holm import below_level, holm


def test_four_tests_by_hand():
    # Sorted .005 .01 .03 .04 times 4 3 2 1: .02 .03 .06 .04, never falling: .02 .03 .06 .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-15)


def test_nothing_exceeds_1():
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.2]))
def test_rejections_are_those_of_stepping_down_until_the_first_that_holds(p_values, level):
    rejected = set()
    for step, number in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[number] * (len(p_values) - step) > level:
            break
        rejected.add(int(number))
    assert {number for number, p in enumerate(holm(p_values)) if p <= level} == rejected


@pytest.mark.parametrize("p_values", [[0.1, np.nan], [1.2], [-0.1], [[0.1]]])
def test_what_is_no_list_of_p_values_is_refused(p_values):
    with pytest.raises(ValueError, match="p-value"):
        holm(p_values)


def test_a_p_value_at_the_level_but_for_the_last_bit_is_not_below_it():
    assert below_level(0.05, 1.0 - 0.95) is False
    assert below_level(0.049, 0.05) is True
