"""The analysis of variance below ICC: by hand, against sums over cells, and what it leaves alone."""

import numpy as np
import pytest

from analysis.agreement.mean_squares import one_way, one_way_icc, parted, score_matrix, two_way

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
