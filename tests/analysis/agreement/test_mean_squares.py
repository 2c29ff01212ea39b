"""The analysis of variance below ICC: by hand, against sums over cells, and what it leaves alone."""

import numpy as np
import pytest

from analysis.agreement.mean_squares import TwoWay, agreement_icc, one_way, one_way_icc, parted, score_matrix, two_way
from analysis.undefined import UndefinedStatistic

NAN = float("nan")


def judged(n_objects: int, n_repeats: int) -> np.ndarray:
    random = np.random.default_rng(11)
    return random.normal(0.5, 0.1, size=(n_objects, 1)) + random.normal(0, 0.05, size=(n_objects, n_repeats))


def test_unequal_repeats_by_hand() -> None:
    # Objects 0.2 0.4 | 0.6: means 0.3 and 0.6, grand mean 0.4; SSB = 2 * 0.01 + 0.04 = 0.06, SSW = 0.02,
    # k0 = (3 - 5 / 3) / 1 = 4 / 3.
    squares = one_way(parted(np.array([[0.2, 0.4], [0.6, NAN]]), np.array([2.0, 1.0])))
    assert (squares.msb, squares.msw, squares.k0) == pytest.approx((0.06, 0.02, 4 / 3))
    assert (squares.df1, squares.df2) == (1, 1)


def test_two_way_parts_add_up_to_the_total_sum_of_squares() -> None:
    matrix = judged(7, 4)
    n, k, msb, msj, mse = two_way(parted(matrix, np.full(7, 4.0)))
    total = np.square(matrix - matrix.mean()).sum()
    assert msb * (n - 1) + msj * (k - 1) + mse * (n - 1) * (k - 1) == pytest.approx(total)
    assert msj == pytest.approx(7 * matrix.mean(axis=0).var(ddof=1))


def test_a_large_mean_costs_no_digits() -> None:
    near, far = (one_way(parted(judged(50, 5) + shift, np.full(50, 5.0))) for shift in (0.0, 1e6))
    assert (far.msb, far.msw) == pytest.approx((near.msb, near.msw), rel=1e-7)


def test_one_repeat_and_k_repeats_are_the_textbook_formulas() -> None:
    # MSB 0.18, MSW 0.06, k 3: ICC(1,1) = 0.12 / (0.18 + 2 * 0.06) = 0.4, ICC(1,3) = 0.12 / 0.18.
    assert one_way_icc(0.18, 0.06, 3, np.array([1, 3])).tolist() == pytest.approx([0.4, 2 / 3])


def test_where_spearman_brown_would_flip_the_sign_there_is_no_number() -> None:
    # MSB 0.01, MSW 0.04, k0 2: ICC(1,1) = -0.6; at k = 5 the denominator is 5 * 0.01 - 3 * 0.04 < 0.
    values = one_way_icc(0.01, 0.04, 2, np.array([1, 2, 5]))
    assert values[:2].tolist() == pytest.approx([-0.6, -3.0])
    assert np.isnan(values[2])
    assert np.isnan(one_way_icc(0.0, 0.04, 2, 2))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("missing", [False, True])
def test_the_callers_matrix_is_left_as_it_was(order: str, missing: bool) -> None:
    matrix = np.array(judged(6, 4), order=order)
    if missing:
        matrix[2, 1] = NAN
    before = matrix.copy()
    parts = parted(matrix, (~np.isnan(matrix)).sum(axis=1).astype(float))
    one_way(parts)
    two_way(parts)
    np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, 0.2], "must be a matrix"),
        (np.empty((3, 0)), "must be a matrix"),
        ([[0.1, float("inf")], [0.2, 0.3]], "object 0, repeat 1 is inf"),
    ],
)
def test_what_is_no_matrix_of_finite_scores_is_refused(scores: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_matrix(scores)


def test_agreement_from_the_mean_squares_that_shrout_and_fleiss_print() -> None:
    # Table 3: BMS 11.24, JMS 32.49, EMS 1.02 of 6 targets and 4 judges; ICC(2,1) = 10.22 / (11.24 + 3 * 1.02 +
    # 4 * 31.47 / 6), ICC(2,4) = 10.22 / (11.24 + 31.47 / 6); they print .29 and .62. With error and judges twice as
    # large: (11.24 - 2.04) / (11.24 + 6.12 + 4 * 62.94 / 6) and (11.24 - 2.04) / (11.24 + 62.94 / 6).
    found = agreement_icc(TwoWay(6, 4, 11.24, 32.49, 1.02), np.array([1.0, 2.0]))
    assert found.round(2)[:, 0].tolist() == [0.29, 0.62]
    assert found[0].tolist() == pytest.approx([10.22 / 35.28, 9.20 / 59.32])
    assert found[1].tolist() == pytest.approx([10.22 / (11.24 + 5.245), 9.20 / (11.24 + 10.49)])


def test_a_denominator_of_last_digits_gives_no_number() -> None:
    # 6 * 1e-17 is what is left of 1 - 1: nothing next to mean squares of 1.
    assert np.isnan(agreement_icc(TwoWay(6, 4, 1e-17, 1.0, 1.0), np.array([1.0]))[1, 0])


def test_objects_with_one_repeat_each_have_no_mean_square_within() -> None:
    with pytest.raises(UndefinedStatistic, match="no object has 2 valid repeats"):
        one_way(parted(np.array([[0.1], [0.4]]), np.array([1.0, 1.0])))


def test_the_largest_score_is_that_furthest_from_0() -> None:
    for scores in ([[-5.0, -4.0], [-3.0, 2.0]], [[5.0, 4.0], [-3.0, 2.0]], [[-5.0, NAN], [-3.0, 2.0]]):
        matrix = np.array(scores)
        assert parted(matrix, (~np.isnan(matrix)).sum(axis=1).astype(float)).largest == 5.0


def test_equal_repeats_leave_exactly_nothing_within() -> None:
    # Means of three times 0.1 are off in the last bit; objects are 0.1 and 0.7 less their mean 0.4.
    parts = parted(np.array([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7]]), np.array([3.0, 3.0]))
    assert (parts.within_squares, np.abs(parts.within).max()) == (0.0, 0.0)
    assert parts.objects.tolist() == pytest.approx([-0.3, 0.3])
    assert parts.msb == pytest.approx(3 * 2 * 0.09)
