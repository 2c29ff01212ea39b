"""The signed-rank test: every sign flip listed, published data, scipy, symmetries."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from analysis.conformance.published import DEPRESSION_AFTER, DEPRESSION_BEFORE
from analysis.significance.signed_rank import EXACT, MOST_EXACT, NORMAL, signed_rank
from analysis.undefined import UndefinedStatistic

TENTHS = st.integers(-6, 6).map(lambda tenths: tenths / 10)


def by_listing(differences):
    """Sum and p over all sign flips, with the ranks of Pratt; independent of the dynamic programme."""
    d = np.round(np.asarray(differences, dtype=float), 12)
    ranks = rankdata(np.abs(d))[d != 0]
    seen = ranks[d[d != 0] > 0].sum()
    middle = ranks.sum() / 2
    sums = [
        sum(rank for rank, up in zip(ranks, signs, strict=True) if up) for signs in product((0, 1), repeat=len(ranks))
    ]
    return seen, np.mean(np.abs(np.array(sums) - middle) >= abs(seen - middle) - 1e-9)


def test_depression_scores_of_hollander_and_wolfe():
    # Hollander and Wolfe, Nonparametric Statistical Methods, table 3.1: V = 40, two-sided exact p 20/512.
    x, y = np.array(DEPRESSION_BEFORE), np.array(DEPRESSION_AFTER)
    assert signed_rank(x - y) == (40.0, 0.0390625, EXACT, 9, 0, 22.5)


def test_five_differences_cannot_reach_five_percent():
    # All of one sign: 2 of 32 flips lie as far out.
    assert signed_rank([0.1, 0.2, 0.3, 0.4, 0.5]).p == 0.0625
    assert signed_rank([0.1] * 5).p == 0.0625


def test_zeros_are_ranked_and_then_leave_the_sum():
    # |d| = 0 0 .1 .2 .2: mid-ranks 1.5 1.5 3 4.5 4.5; positive: 3 + 4.5 = 7.5 of 12, middle 6. The 8 sums are
    # 0 3 4.5 4.5 7.5 7.5 9 12; at least 1.5 from 6: all of them.
    assert signed_rank([0.0, 0.1, -0.2, 0.2, 0.0]) == (7.5, 1.0, EXACT, 5, 2, 6.0)


def test_differences_that_are_equal_but_for_the_last_bit_tie():
    # 0.7 - 0.6 and 0.8 - 0.7 are both 0.1: ranks 1.5 1.5 3, positive 1.5, as far as the other 1.5 and 4.5.
    found = signed_rank([0.7 - 0.6, 0.7 - 0.8, -0.3])
    assert (found.statistic, found.p) == (1.5, 0.75)


@given(st.lists(TENTHS, min_size=1, max_size=10).filter(any))
def test_p_is_the_share_of_all_sign_flips_with_ties_and_zeros(differences):
    statistic, p = by_listing(differences)
    found = signed_rank(differences)
    assert (found.statistic, found.p) == (statistic, pytest.approx(p, abs=1e-15))


def test_twelve_differences_against_the_listing():
    differences = [0.1, -0.1, 0.2, 0.2, 0.0, 0.35, -0.35, 0.4, 0.05, 0.05, 0.6, -0.02]
    assert signed_rank(differences)[:2] == pytest.approx(by_listing(differences), abs=1e-15)


@pytest.mark.parametrize("n", [20, 37, MOST_EXACT])
def test_without_ties_and_zeros_the_exact_p_is_scipys(n):
    differences = np.random.default_rng(n).normal(0.05, 0.2, n)
    found = signed_rank(differences)
    assert found.method == EXACT
    assert found.p == pytest.approx(wilcoxon(differences, method="exact").pvalue, abs=1e-12)


def test_the_exact_p_stands_up_to_any_number_of_zeros():
    # The zeros raise every rank: flips are then told by how many are positive, 6 of 6 is the far end, 2 of 64.
    found = signed_rank(np.r_[np.zeros(200_000), 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert (found.p, found.method, found.n_zero) == (2 / 64, EXACT, 200_000)


@pytest.mark.parametrize("decimals", [1, 2, 12])
def test_beyond_fifty_the_normal_p_is_scipys_with_pratts_zeros(decimals):
    differences = np.round(np.random.default_rng(decimals).normal(0.02, 0.3, 400), decimals)
    found = signed_rank(differences)
    expected = wilcoxon(differences, zero_method="pratt", correction=False, method="approx")
    assert found.method == NORMAL
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.n_zero == np.count_nonzero(differences == 0)


def test_fifty_differences_beside_many_zeros_are_tested_exactly_and_fifty_one_are_not():
    fifty = np.r_[np.linspace(0.01, 0.5, 50), np.zeros(30)]
    assert signed_rank(fifty).method == EXACT
    assert signed_rank(np.r_[fifty, 0.6]).method == NORMAL


@given(st.lists(TENTHS, min_size=1, max_size=70).filter(any), st.randoms(use_true_random=False))
def test_other_signs_and_another_order_leave_p(differences, random):
    shuffled = list(differences)
    random.shuffle(shuffled)
    found = signed_rank(differences)
    assert signed_rank(shuffled) == found
    flipped = signed_rank([-difference for difference in differences])
    assert flipped.p == pytest.approx(found.p, abs=1e-15)
    n, zeros = found.n, found.n_zero
    assert found.statistic + flipped.statistic == (n * (n + 1) - zeros * (zeros + 1)) / 2


@pytest.mark.parametrize(("differences", "why"), [([], "no difference"), ([0.0, 0.0, -0.0], "all of 3 .* are 0")])
def test_nothing_and_zeros_alone_have_no_test(differences, why):
    with pytest.raises(UndefinedStatistic, match=why):
        signed_rank(differences)


@pytest.mark.parametrize("differences", [[0.1, np.nan], [0.1, np.inf], [[0.1, 0.2]]])
def test_missing_and_misshapen_differences_are_refused(differences):
    with pytest.raises(ValueError, match="missing or infinite|one list"):
        signed_rank(differences)
