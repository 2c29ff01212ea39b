"""Kappa at every cut of grades, by hand and by scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.agreement.coefficients import bins_of, grades_on
from analysis.agreement.cuts import grade_above, kappas_by_cut, threshold_below


def test_each_cut_has_its_kappas() -> None:
    first, second = np.array([0, 1, 2, 2]) / 2, np.array([0, 0, 2, 1]) / 2
    one, two = kappas_by_cut(first, second, [0, 0, 0, 0], 3)
    # From grade 1: 0 1 1 1 and 0 0 1 1: kappa 2 (2 * 1 - 1 * 0) / (3 * 2 + 1 * 2) = 0.5.
    # From grade 2: 0 0 1 1 and 0 0 1 0: kappa 2 (1 * 2 - 1 * 0) / (2 * 3 + 2 * 1) = 0.5.
    assert (one.grade, one.macro, one.micro) == (1, 0.5, 0.5)
    assert (two.grade, two.macro, two.micro) == (2, 0.5, 0.5)


def test_micro_is_kappa_of_all_documents() -> None:
    random = np.random.default_rng(0)
    first = random.integers(0, 4, 200)
    second = np.clip(first + random.integers(-1, 2, 200), 0, 3)
    for found in kappas_by_cut(first / 3, second / 3, np.arange(200) // 5, 4):
        assert found.micro == pytest.approx(cohen_kappa_score(first >= found.grade, second >= found.grade))


def test_a_cut_that_no_one_reaches_has_no_micro_kappa() -> None:
    [found] = [one for one in kappas_by_cut([0.0, 0.5], [0.5, 0.0], [0, 1], 3) if one.grade == 2]
    # Both queries have one label, which counts as 1.
    assert (found.macro, found.micro) == (1.0, None)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 11])
def test_a_threshold_below_a_grade_counts_from_that_grade(n: int) -> None:
    assert [grade_above(threshold_below(grade, n), n) for grade in range(1, n)] == list(range(1, n))
    assert grade_above(1.0, n) == n
    # A score on the threshold is not above it.
    assert grade_above(0.5, 3) == 2


@pytest.mark.parametrize("n", [2, 3, 4, 7, 11])
def test_each_grade_is_a_bin_of_its_own(n: int) -> None:
    assert bins_of(grades_on(n), grades_on(n)).tolist() == list(range(n))
