"""Kappas of answers: sklearn on the answers written out, grades by their numbers, and what is not defined."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.accuracy.option_agreement import option_agreement
from analysis.accuracy.option_confusion import option_confusion

TRUTH = ["A"] * 6 + ["B"] * 5 + ["C"] * 4
ANSWERS = ["A"] * 4 + ["B", "C"] + ["B"] * 3 + ["A", "none of them"] + ["C"] * 3 + ["A"]


def test_answers_that_are_no_option_are_left_out_and_counted():
    found = option_agreement(option_confusion(TRUTH, ANSWERS, ["A", "B", "C"]))
    valid = [(truth, answer) for truth, answer in zip(TRUTH, ANSWERS, strict=True) if len(answer) == 1]
    assert found.n == len(valid) == 14
    assert found.coefficients["kappa"].value == pytest.approx(cohen_kappa_score(*zip(*valid, strict=True)), abs=1e-12)
    assert set(found.coefficients) == {"kappa", "ac1"}


def test_grades_weigh_by_their_numbers():
    truth, answers = ["1", "2", "5", "5", "2"], ["1", "5", "5", "2", "2"]
    found = option_agreement(option_confusion(truth, answers, ["5", "2", "1"]))
    # Distances 0 3 0 3 0 of 4; by chance rows 2 2 1, columns 2 2 1: (2 x 4 x 3 + 2 x 2 x 4 + 2 x 2 x 1) / 25 = 44/25.
    assert found.coefficients["weighted_kappa_linear"].value == pytest.approx(1 - (6 / 5) / (44 / 25), abs=1e-12)
    squares = 1 - (18 / 5) / ((2 * 4 * 9 + 2 * 2 * 16 + 2 * 2 * 1) / 25)
    assert found.coefficients["weighted_kappa_quadratic"].value == pytest.approx(squares, abs=1e-12)
    # As often answered as right: nothing to find.
    assert found.equal_use.statistic == pytest.approx(0, abs=1e-12)


def test_an_option_answered_too_often_is_found():
    truth = ["Yes"] * 50 + ["No"] * 50
    answers = ["Yes"] * 50 + ["Yes"] * 20 + ["No"] * 30
    found = option_agreement(option_confusion(truth, answers, ["Yes", "No"]))
    # 20² / 20 = 20; 20 / (1 - 20/100).
    assert found.equal_use.statistic == pytest.approx(25.0)
    assert found.coefficients["kappa"].value == pytest.approx(0.6)


def test_what_is_not_defined_says_why():
    found = option_agreement(option_confusion(["A", "A"], ["A", "A"], ["A", "B"]))
    assert "agrees always" in found.coefficients["kappa"]
    assert found.coefficients["ac1"].value == 1.0
    assert "agree on every unit" in found.equal_use
    nothing = option_agreement(option_confusion(["A", "B"], ["?", "?"], ["A", "B"]))
    assert nothing.n == 0
    assert all(isinstance(one, str) for one in nothing.coefficients.values())
    assert np.isscalar(nothing.n)


def test_samples_of_one_cluster_count_once():
    # Each sample three times over says what it says once: the same kappa, interval and chi-square.
    once = option_agreement(option_confusion(TRUTH, ANSWERS, ["A", "B", "C"]))
    n = len(TRUTH)
    thrice = option_confusion(TRUTH * 3, ANSWERS * 3, ["A", "B", "C"])
    found = option_agreement(thrice, np.tile(np.arange(n), 3))
    for name, one in once.coefficients.items():
        other = found.coefficients[name]
        assert (other.value, *other.interval[:2]) == pytest.approx((one.value, *one.interval[:2]), rel=1e-12)
        assert other.interval.method == f"linearised, t, {other.interval.n_clusters} clusters"
    assert found.equal_use[:2] == pytest.approx(once.equal_use[:2], rel=1e-9)
    # Without clusters three samples of each are three.
    alone = option_agreement(thrice)
    assert alone.coefficients["kappa"].interval.low > found.coefficients["kappa"].interval.low
