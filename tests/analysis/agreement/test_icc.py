"""ICC: published tables, pingouin and f_oneway as independent checks, hand-worked numbers, properties."""

import warnings
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.agreement.icc import Icc, icc, icc_band
from analysis.conformance.published import SHROUT_FLEISS, UNBALANCED
from analysis.undefined import UndefinedStatistic

SHROUT_FLEISS_FORMS = [
    ("ICC(1,1)", 0.16574177, -0.13293232, 0.72256006, 1.7946785, 18, 0.16476881),
    ("ICC(A,1)", 0.28976378, 0.01878651, 0.76108437, 11.027248, 15, 0.00013456652),
    ("ICC(C,1)", 0.71484071, 0.34246477, 0.94585826, 11.027248, 15, 0.00013456652),
    ("ICC(1,k)", 0.44279713, -0.88444216, 0.91241542, 1.7946785, 18, 0.16476881),
    ("ICC(A,k)", 0.62005055, 0.07113682, 0.92723204, 11.027248, 15, 0.00013456652),
    ("ICC(C,k)", 0.90931554, 0.67567471, 0.98589168, 11.027248, 15, 0.00013456652),
]
NAN = float("nan")

QUICK = settings(max_examples=50, deadline=None)
thousandths = st.integers(0, 1000).map(lambda value: value / 1000)
matrices = st.tuples(st.integers(3, 9), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=thousandths)
)


def judged(n_objects: int, n_repeats: int, seed: int = 1, noise: float = 0.05) -> np.ndarray:
    random = np.random.default_rng(seed)
    return 0.5 + 0.1 * random.normal(size=(n_objects, 1)) + noise * random.normal(size=(n_objects, n_repeats))


def estimates(result: Icc) -> list[float]:
    return [form.value for form in result.forms if form.value is not None]


def ordinary(matrix: np.ndarray) -> bool:
    """Whether objects and residuals vary enough for every form to be a number that floats carry to 9 digits."""
    residual = matrix - matrix.mean(axis=1, keepdims=True) - matrix.mean(axis=0) + matrix.mean()
    return bool(matrix.mean(axis=1).std() > 0.02 and np.abs(residual).max() > 0.02)


def test_shrout_and_fleiss_print_these_six_forms() -> None:
    result = icc(SHROUT_FLEISS)
    for form, (name, value, low, high, f, df2, p) in zip(result.forms, SHROUT_FLEISS_FORMS, strict=True):
        assert form.name == name
        assert (form.value, form.low, form.high) == pytest.approx((value, low, high), abs=5.1e-9)
        assert (form.f, form.p) == pytest.approx((f, p), rel=5e-8)
        assert (form.df1, form.df2, form.reason) == (5, df2, None)


def test_each_form_carries_both_of_its_names() -> None:
    names = [form.shrout_fleiss for form in icc(SHROUT_FLEISS).forms]
    assert names == ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]


def test_complete_repeats_give_an_exact_interval_that_says_how_it_was_made() -> None:
    result = icc(SHROUT_FLEISS)
    assert result.icc_1k_planned.value == result.icc_1_k.value
    assert result.method == "F, 95 %, one-way random effects"
    assert (result.approximate, result.two_way_rows, result.n_missing_cells) == (False, None, 0)


def test_shrout_and_fleiss_with_missing_scores() -> None:
    # N = 18, sum n_i^2 = 16 + 9 + 16 + 4 + 16 + 1 = 62, k0 = (18 - 62/18) / 5 = 2.9111
    result = icc(UNBALANCED)
    assert result.k0 == pytest.approx(2.91111111, abs=5e-9)
    assert result.icc_1_1.value == pytest.approx(0.01375524, abs=5e-9)
    assert result.icc_1_k.value == pytest.approx(0.03901734, abs=5e-9)
    assert (result.icc_1_k.name, result.approximate) == ("ICC(1,k0)", True)
    assert "approximate: unequal repeats, k0 = 2.911" in str(result.method)


def test_missing_scores_are_counted_and_two_way_forms_say_which_rows_they_used() -> None:
    result = icc([*UNBALANCED, [NAN] * 4])
    assert (result.n_objects, result.n_used_objects, result.n_complete) == (7, 6, 3)
    assert (result.n_cells, result.n_missing_cells) == (18, 10)
    assert result.two_way_rows == "complete rows only: 3 of 7 objects, 4 of 4 repeats"
    complete = icc([SHROUT_FLEISS[row] for row in (0, 2, 4)])
    assert (result.icc_a_1, result.icc_c_k) == (complete.icc_a_1, complete.icc_c_k)


def test_unequal_repeats_have_the_f_test_of_a_one_way_analysis_of_variance() -> None:
    matrix = judged(20, 5, noise=0.1)
    matrix[np.random.default_rng(2).random(matrix.shape) < 0.3] = np.nan
    expected = stats.f_oneway(*[row[~np.isnan(row)] for row in matrix])
    assert (icc(matrix).icc_1_1.f, icc(matrix).icc_1_1.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_the_planned_k_is_reached_by_spearman_brown() -> None:
    result = icc(UNBALANCED, planned_repeats=5)
    single = result.icc_1_1.value or 0.0
    assert result.icc_1k_planned.value == pytest.approx(5 * single / (1 + 4 * single), abs=1e-12)
    assert result.icc_1k_planned.high == pytest.approx(
        5 * (result.icc_1_1.high or 0) / (1 + 4 * (result.icc_1_1.high or 0)), abs=1e-12
    )
    assert (result.planned_repeats, result.n_missing_cells) == (5, 12)
    assert "Spearman-Brown to k = 5" in str(result.method)


def test_a_bound_that_spearman_brown_would_flip_is_left_out_with_the_reason() -> None:
    # The lower bound of ICC(1,1) is -0.336; 1 + 4 * -0.336 < 0 would turn it into +4.9.
    planned = icc(UNBALANCED, planned_repeats=5).icc_1k_planned
    assert planned.low is None
    assert planned.high is not None
    assert str(planned.reason).startswith("no lower bound: Spearman-Brown")


def test_a_repeat_that_no_object_has_is_missing_cells_and_no_repeat() -> None:
    matrix = np.column_stack([SHROUT_FLEISS, np.full(6, NAN)])
    result = icc(matrix)
    assert (result.k0, result.n_missing_cells, result.planned_repeats, result.approximate) == (4.0, 6, 5, False)
    assert result.icc_c_k == icc(SHROUT_FLEISS).icc_c_k
    assert result.two_way_rows == "complete rows only: 6 of 6 objects, 4 of 5 repeats"


def test_two_complete_objects_have_the_two_way_forms_that_they_have_alone() -> None:
    result = icc([[0.1, 0.3, 0.2], [0.6, 0.7, 0.9], [0.4, NAN, 0.5]])
    alone = icc([[0.1, 0.3, 0.2], [0.6, 0.7, 0.9]])
    assert result.n_complete == 2
    assert result.icc_a_1.value is not None
    assert (result.icc_a_1, result.icc_c_k) == (alone.icc_a_1, alone.icc_c_k)


def test_scores_whose_squared_mean_squares_vanish_keep_their_estimates() -> None:
    # Satterthwaite's degrees of freedom are then 0 / 0: no bounds of agreement, the same estimates.
    result = icc(np.array(SHROUT_FLEISS) * 1e-100)
    assert estimates(result) == pytest.approx(estimates(icc(SHROUT_FLEISS)))
    assert (result.icc_a_1.low, result.icc_a_1.high) == (None, None)


def test_without_two_complete_objects_the_two_way_forms_are_null_with_a_reason() -> None:
    result = icc([[0.1, 0.2, NAN], [NAN, 0.5, 0.6], [0.8, NAN, 0.9]])
    assert result.icc_1_1.value is not None
    assert (result.n_complete, result.icc_a_1.value) == (0, None)
    assert "complete rows" in str(result.icc_c_k.reason)


@pytest.mark.parametrize(("n_objects", "n_repeats"), [(5, 2), (12, 5), (200, 5), (40, 12)])
def test_pingouin_gives_the_same_forms(n_objects: int, n_repeats: int) -> None:
    import pandas as pd

    matrix = judged(n_objects, n_repeats)
    cells = [(o, r, matrix[o, r]) for o in range(n_objects) for r in range(n_repeats)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        import pingouin

        table = pingouin.intraclass_corr(
            pd.DataFrame(cells, columns=["object", "repeat", "score"]), "object", "repeat", "score"
        )
    for form, row in zip(icc(matrix).forms, table.itertuples(), strict=True):
        assert form.name == row.Type
        assert (form.value, form.f, form.p) == pytest.approx((row.ICC, row.F, row.pval), rel=1e-10, abs=1e-10)
        assert (form.df1, form.df2) == (row.df1, row.df2)
        # It rounds its interval to 2 decimals, half of which may fall either way.
        assert (form.low, form.high) == pytest.approx(tuple(row.CI95), abs=0.005 + 1e-9)


def test_the_confidence_asked_for_sets_the_width() -> None:
    form = icc(SHROUT_FLEISS, confidence=0.9).icc_1_k
    # 1 - F(0.95; 5, 18) / F by scipy's quantile.
    assert form.low == pytest.approx(1 - stats.f.ppf(0.95, 5, 18) / 1.7946784922394676, rel=1e-12)
    assert form.method == "F, 90 %, one-way random effects"


def test_variance_components_by_hand() -> None:
    # Rows 0.1 0.3 | 0.5 0.5 | 0.8 0.8: means 0.2 0.5 0.8; MSB = 2 * (0.09 + 0 + 0.09) / 2 = 0.18;
    # SSW = 0.01 + 0.01 = 0.02 on 3 degrees of freedom, MSW = 0.02 / 3; ICC(1,k) = (0.18 - 0.00667) / 0.18.
    result = icc([[0.1, 0.3], [0.5, 0.5], [0.8, 0.8]])
    assert result.within_variance == pytest.approx(0.02 / 3)
    assert result.between_variance == pytest.approx((0.18 - 0.02 / 3) / 2)
    assert result.standard_error_of_measurement == pytest.approx(sqrt(0.02 / 3))
    assert result.repeatability_limit == pytest.approx(1.96 * sqrt(2) * sqrt(0.02 / 3))
    assert result.icc_1_k.value == pytest.approx(1 - 0.02 / 3 / 0.18)


def test_a_negative_estimate_is_shown() -> None:
    # Means 0.5 and 0.6: MSB = 2 * 2 * 0.05^2 = 0.01, MSW = 2 * (0.4^2 + 0.4^2) / 2 = 0.32.
    result = icc([[0.1, 0.9], [1.0, 0.2]])
    assert result.icc_1_1.value == pytest.approx((0.01 - 0.32) / (0.01 + 0.32))
    assert result.icc_1_k.value == pytest.approx(1 - 0.32 / 0.01)
    assert result.between_variance < 0


def test_equal_repeats_are_deterministic_with_no_test_and_no_interval() -> None:
    result = icc(np.repeat([[0.8], [0.6], [0.9]], 5, axis=1))
    assert result.deterministic
    for form in (*result.forms, result.icc_1k_planned):
        assert form.value == 1.0
        assert (form.f, form.p, form.low, form.high, form.method) == (None,) * 5
        assert str(form.reason).startswith("deterministic")
    assert (result.within_variance, result.method) == (0.0, None)


def test_equal_repeats_are_deterministic_and_any_other_are_not() -> None:
    assert icc([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7]]).deterministic  # whose means are off in the last bit
    assert not icc([[0.1, 0.1 + 2e-12], [0.5, 0.5]]).deterministic
    assert not icc([[1e-13, 2e-13], [5e-13, 5e-13]]).deterministic


def test_a_deterministic_setting_may_lack_scores_but_not_second_repeats() -> None:
    assert icc([[0.8, 0.8, NAN], [0.6, 0.6, 0.6]]).deterministic
    for lacking in ([0.9, NAN, NAN], [NAN, NAN, NAN]):
        with pytest.raises(UndefinedStatistic, match="not every object has 2"):
            icc([[0.8, 0.8, 0.8], [0.6, 0.6, 0.6], lacking])


def test_repeats_that_differ_by_a_constant_agree_in_order_only() -> None:
    # Columns shifted by 0.1: MSE = 0, so ICC(C) = 1 without a test; MSB = 2 * 0.02 = 0.04 (means 0.3 0.5, twice),
    # MSJ = 2 * 2 * 0.05^2 = 0.01, ICC(A,1) = MSB / (MSB + 2 MSJ / 2) = 0.8.
    result = icc([[0.25, 0.35], [0.45, 0.55]])
    assert (result.icc_c_1.value, result.icc_c_1.f, result.icc_c_1.low) == (1.0, None, None)
    assert result.icc_a_1.value == pytest.approx(0.8)
    assert result.icc_a_1.f is None
    assert result.icc_c_1.reason == "repeats differ by shifts only: there is no error to test"
    assert not result.deterministic


def test_objects_with_equal_means_have_no_coefficient_of_the_mean() -> None:
    # MSB = 0: ICC(1,1) = -1 / (k - 1) = -1, ICC(1,k) would be minus infinity.
    result = icc([[0.4, 0.6], [0.3, 0.7]])
    assert result.icc_1_1.value == pytest.approx(-1.0)
    assert (result.icc_1_k.value, result.icc_1k_planned.value) == (None, None)
    assert (result.icc_1_k.f, result.icc_1_k.p) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([[0.5] * 3] * 4, "every score equals"),
        ([[0.1, 0.2]], "at least 2 objects"),
        ([[0.1, 0.2], [NAN, NAN]], "at least 2 objects"),
        ([[0.1, NAN], [0.2, NAN]], "no object has 2 valid repeats"),
        ([[0.1], [0.2]], "no object has 2 valid repeats"),
        (np.empty((0, 5)), "at least 2 objects"),
    ],
)
def test_what_the_data_do_not_define_is_refused_with_the_reason(scores: object, reason: str) -> None:
    with pytest.raises(UndefinedStatistic, match=reason):
        icc(scores)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, 0.2],), "must be a matrix"),
        ((SHROUT_FLEISS, 0), "planned_repeats is 0"),
        ((SHROUT_FLEISS, 4, 95), "confidence is 95"),
    ],
)
def test_bad_input_is_named(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        icc(*arguments)


def test_bands_start_at_their_lower_edge_on_rounded_values() -> None:
    values = [1.0, 0.85, 0.85 - 1e-13, 0.8499, 0.70, 0.69, 0.50, 0.49, -3.0]
    bands = ["excellent"] * 3 + ["good"] * 2 + ["moderate"] * 2 + ["poor"] * 2
    assert [icc_band(value) for value in values] == bands
    assert icc_band(None) is None


@QUICK
@given(matrices, st.floats(-3, 3), st.floats(0.1, 50))
def test_shift_and_scale_change_no_form(matrix: np.ndarray, shift: float, scale: float) -> None:
    assume(ordinary(matrix))
    assert estimates(icc(matrix * scale + shift)) == pytest.approx(estimates(icc(matrix)), rel=1e-6, abs=1e-8)


@QUICK
@given(matrices, st.randoms(use_true_random=False))
def test_the_order_of_objects_changes_no_form(matrix: np.ndarray, random: object) -> None:
    assume(ordinary(matrix))
    order = list(range(len(matrix)))
    random.shuffle(order)
    assert estimates(icc(matrix[order])) == pytest.approx(estimates(icc(matrix)), rel=1e-8, abs=1e-9)


@QUICK
@given(matrices, st.integers(0, 2**32 - 1))
def test_repeats_are_exchangeable_within_each_object_for_one_way_forms(matrix: np.ndarray, seed: int) -> None:
    assume(ordinary(matrix[1:]))
    matrix[0, -1] = np.nan
    mixed = np.random.default_rng(seed).permuted(matrix, axis=1)
    ours, theirs = icc(matrix), icc(mixed)
    assert (ours.icc_1_1.value, ours.icc_1_k.value) == pytest.approx(
        (theirs.icc_1_1.value, theirs.icc_1_k.value), rel=1e-8, abs=1e-9
    )


@QUICK
@given(matrices)
def test_every_defined_bound_encloses_its_estimate(matrix: np.ndarray) -> None:
    assume(ordinary(matrix))
    for form in icc(matrix).forms:
        if None not in (form.value, form.low, form.high):
            assert form.low - 1e-9 <= form.value <= form.high + 1e-9
