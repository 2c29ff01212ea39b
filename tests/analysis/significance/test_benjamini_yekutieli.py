"""Benjamini-Yekutieli: by hand, against statsmodels, and against the step-up procedure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.significance.benjamini_yekutieli import benjamini_yekutieli

p_lists = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)


def test_three_tests_by_hand():
    # c(3) = 1 + 1/2 + 1/3 = 11/6, times 3 is 5.5; sorted .01 .02 .04 times 5.5 / (1 2 3): .055 .055 .0733...
    assert benjamini_yekutieli([0.02, 0.01, 0.04]) == pytest.approx([0.055, 0.055, 0.22 / 3], abs=1e-15)


def test_a_single_test_stays_as_it_is():
    assert benjamini_yekutieli([0.03]) == [0.03]
    assert benjamini_yekutieli([]) == []


def test_nothing_exceeds_1():
    assert benjamini_yekutieli([0.6, 0.9]) == [1.0, 1.0]


@given(p_lists)
def test_statsmodels_gives_the_same(p_values):
    from statsmodels.stats.multitest import multipletests

    theirs = multipletests(p_values, method="fdr_by")[1]
    np.testing.assert_allclose(benjamini_yekutieli(p_values), theirs, rtol=1e-12, atol=1e-300)


@given(p_lists, st.sampled_from([0.01, 0.05, 0.2]))
def test_rejections_are_those_of_the_step_up_procedure(p_values, q):
    m = len(p_values)
    penalty = sum(1 / rank for rank in range(1, m + 1))
    order = sorted(range(m), key=lambda number: p_values[number])
    # The margin keeps the comparison off the last digit, where the two ways of writing it round differently.
    under = [rank for rank, number in enumerate(order, 1) if p_values[number] <= rank * q / (m * penalty) * (1 + 1e-12)]
    rejected = set(order[: max(under, default=0)])
    assert {number for number, p in enumerate(benjamini_yekutieli(p_values)) if p <= q * (1 + 1e-12)} == rejected


@pytest.mark.parametrize("p_values", [[0.1, np.nan], [1.2], [-0.1], [[0.1]]])
def test_what_is_no_list_of_p_values_is_refused(p_values):
    with pytest.raises(ValueError, match="p-value"):
        benjamini_yekutieli(p_values)
