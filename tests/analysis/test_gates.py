"""Tests of `analysis/gates.py`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.gates import Gate, at_least, at_most, share_at_least, smallest_n_for_lower_bound
from analysis.significance.wilson import wilson


def test_a_number_that_reaches_the_one_needed_passes_in_one_sentence():
    assert at_least("icc", 0.912, 0.85, n=48, what="ICC(1,k)", remedy="Ask for more repeats.") == Gate(
        "icc", True, 0.912, ">= 0.85", "ICC(1,k) is 0.912 over 48 objects; needed: at least 0.85.", 48, limit=0.85
    )


def test_a_number_below_fails_and_the_sentence_ends_with_the_remedy():
    gate = at_least("icc", 0.712, 0.85, n=48, what="ICC(1,k)", remedy="Ask for more repeats.")
    assert gate.passed is False
    assert gate.sentence == "ICC(1,k) is 0.712 over 48 objects; needed: at least 0.85. Ask for more repeats."


def test_at_most_passes_below_and_fails_above():
    assert at_most("mad", 0.05, 0.05, n=10, what="Median MAD").passed
    gate = at_most("mad", 0.06, 0.05, n=10, what="Median MAD", counted="items", unit="points")
    assert not gate.passed
    assert gate.needed == "<= 0.05 points"
    assert gate.sentence == "Median MAD is 0.060 points over 10 items; needed: at most 0.05 points."


def test_an_undefined_number_fails_with_its_reason():
    gate = at_least("spearman", None, 0.7, n=3, what="Spearman", reason="all 3 judge scores are equal")
    assert (gate.passed, gate.seen) == (False, None)
    assert gate.sentence == (
        "Spearman is undefined (all 3 judge scores are equal) over 3 objects; needed: at least 0.7."
    )
    assert (gate.n, gate.reason) == (3, "all 3 judge scores are equal")


def test_a_gate_with_a_number_gives_its_n_and_no_reason():
    gate = at_least("spearman", 0.5, 0.7, n=3, what="Spearman", reason="not asked for here")
    assert (gate.n, gate.reason) == (3, None)
    share = share_at_least("json", 9, 10, 0.98, what="JSON validity")
    assert (share.n, share.reason) == (10, None)
    assert (share_at_least("json", 0, 0, 0.98, what="JSON validity").reason) == "there are no calls"


def test_a_last_bit_below_the_threshold_still_passes():
    # 0.8499999999999999 is the float below 0.85, 0.1 + 0.2 the one above 0.3.
    assert at_least("icc", 0.8499999999999999, 0.85, n=9, what="ICC").passed
    assert at_most("mad", 0.1 + 0.2, 0.3, n=9, what="MAD").passed


def test_a_failing_number_never_looks_like_a_passing_one():
    gate = at_least("icc", 0.84996, 0.85, n=9, what="ICC")
    assert not gate.passed
    # 0.850 and 0.8500 would look like 0.85.
    assert gate.sentence == "ICC is 0.84996 over 9 objects; needed: at least 0.85."


def test_whole_numbers_are_shown_whole():
    assert at_least("repeats", 4, 3, n=6, what="The fewest valid repeats").sentence == (
        "The fewest valid repeats is 4 over 6 objects; needed: at least 3."
    )


@pytest.mark.parametrize("seen", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused(seen):
    with pytest.raises(ValueError, match="an undefined number is None"):
        at_least("icc", seen, 0.85, n=9, what="ICC")


def test_189_flawless_calls_prove_a_validity_of_98_percent():
    # n / (n + 3.841459) >= 0.98 from n = 188.2 on.
    assert smallest_n_for_lower_bound(0.98) == 189
    assert wilson(188, 188).low < 0.98 <= wilson(189, 189).low


@given(st.floats(0.01, 0.995), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_smallest_n_is_the_first_whose_wilson_bound_reaches_the_share(share, confidence):
    n = smallest_n_for_lower_bound(share, confidence)
    assert wilson(n, n, confidence).low >= share - 1e-12
    assert n == 1 or wilson(n - 1, n - 1, confidence).low < share + 1e-12


def test_no_finite_number_proves_a_share_of_1():
    assert smallest_n_for_lower_bound(1.0) is None
    assert (
        "No number of rows proves a share of 1."
        in share_at_least("parsed", 5, 5, 1.0, what="Rows read", counted="rows").sentence
    )


def test_44_of_45_fails_and_the_sentence_tells_how_many_calls_would_prove_it():
    gate = share_at_least("json_validity", 44, 45, 0.98, what="JSON validity")
    assert not gate.passed
    assert gate.sentence == (
        "JSON validity is 0.978 (44 of 45 calls); needed: at least 0.98. "
        "The 95 % lower bound can reach 0.98 from 189 flawless calls on."
    )
    assert share_at_least("json_validity", 45, 45, 0.98, what="JSON validity").passed


def test_a_share_of_nothing_is_undefined_and_fails():
    gate = share_at_least("json_validity", 0, 0, 0.98, what="JSON validity")
    assert (gate.passed, gate.seen) == (False, None)
    assert "undefined (there are no calls)" in gate.sentence


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_outside_0_to_1_is_refused(share):
    with pytest.raises(ValueError, match="a share must lie"):
        smallest_n_for_lower_bound(share)
