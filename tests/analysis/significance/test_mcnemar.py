"""McNemar's test: Agresti's table, by hand, and scipy's binomial test."""

import pytest
from scipy import stats

from analysis.significance.mcnemar import mcnemar


def test_agrestis_approval_ratings():
    # Agresti (2013), Categorical Data Analysis, table 11.1: [[794, 86], [150, 570]].
    found = mcnemar(86, 150)
    assert found.p_exact == pytest.approx(3.7159361e-05, abs=1e-12)
    assert found.p_mid == pytest.approx(2.893389517615428e-05, abs=1e-18)


def test_one_against_five_by_hand():
    # P(at most 1 of 6) = 7/64: exact 14/64; less P(1 of 6) = 6/64: mid 8/64.
    assert mcnemar(1, 5)[2:] == pytest.approx((14 / 64, 8 / 64), abs=1e-15)


@pytest.mark.parametrize(("one", "other"), [(0, 7), (12, 3), (4, 5), (8, 8)])
def test_exact_p_is_the_binomial_tests(one, other):
    assert mcnemar(one, other).p_exact == pytest.approx(stats.binomtest(one, one + other).pvalue, abs=1e-12)
    assert mcnemar(one, other)[2:] == mcnemar(other, one)[2:]


def test_two_that_never_differ_and_an_even_split_have_p_1():
    assert mcnemar(0, 0)[2:] == (1.0, 1.0)
    assert mcnemar(6, 6)[2:] == pytest.approx((1.0, 1.0), abs=1e-12)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 3)
