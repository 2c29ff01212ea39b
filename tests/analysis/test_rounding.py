"""Rounding keeps order and ties, over the whole range of numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.rounding import rounded, rounded_on_own_scale

pytestmark = pytest.mark.filterwarnings("error")


def test_equal_differences_are_equal_and_zero_has_no_sign():
    assert rounded(0.7 - 0.6) == rounded(0.8 - 0.7) == 0.1
    assert not np.signbit(rounded(-1e-15))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20, 30], [0.2, 0.3]),
        ([1.5e308, -1e308, np.nan], [0.15, -0.1, np.nan]),  # the power of ten above is 10^309, past the largest number
        ([1e-310, 5e-311], [1.0, 0.5]),  # and here 10^-310, which holds few digits
        ([0, -0.0], [0, 0]),
        ([np.inf, 2.0], [np.inf, 0.2]),
    ],
)
def test_a_column_is_brought_near_one_without_a_warning(values, expected):
    np.testing.assert_array_equal(rounded_on_own_scale(values), expected)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_the_largest_lies_between_a_tenth_and_one_and_the_order_stays(values):
    scaled = rounded_on_own_scale(values)
    assert (np.diff(scaled[np.argsort(values, kind="stable")]) >= 0).all()
    # Below 1e-307 numbers lose digits, so that the largest need not be a clean power away.
    if max(map(abs, values)) > 1e-307:
        assert 0.1 - 1e-12 <= np.abs(scaled).max() <= 1
