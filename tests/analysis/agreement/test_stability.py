"""Spread over one object's repeats: hand-worked numbers, scipy and plain loops as checks, properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.agreement.stability import stability, t_quantile

NAN = float("nan")
QUICK = settings(max_examples=50, deadline=None)
scores_with_gaps = st.tuples(st.integers(1, 6), st.integers(1, 12)).flatmap(
    lambda shape: arrays(
        np.float64, shape, elements=st.one_of(st.just(NAN), st.integers(0, 1000).map(lambda value: value / 1000))
    )
)


def test_five_repeats_by_hand() -> None:
    # 0.5 0.6 0.6 0.7 0.9: mean 3.3 / 5 = 0.66, median 0.6, distances 0.1 0 0 0.1 0.3 -> MAD 0.1,
    # squares about the mean 0.0256 + 2 * 0.0036 + 0.0016 + 0.0576 = 0.092, sd = sqrt(0.092 / 4) = 0.151657509;
    # t(0.975, 4) = 2.776445105, half-width 2.776445105 * 0.151657509 / sqrt(5) = 0.188307669.
    seen = stability([[0.9, 0.5, 0.6, 0.7, 0.6]])
    assert seen.mean[0] == pytest.approx(0.66)
    assert seen.median[0] == pytest.approx(0.6)
    assert seen.mad[0] == pytest.approx(0.1)
    assert seen.sd[0] == pytest.approx(0.151657509, abs=1e-9)
    assert seen.half_width[0] == pytest.approx(0.188307669, abs=1e-9)
    assert (seen.low[0], seen.high[0]) == pytest.approx((0.66 - 0.188307669, 0.66 + 0.188307669), abs=1e-9)
    assert seen.method == "t, 95 %, repeats of one object"


def test_one_repeat_has_a_mean_and_no_interval() -> None:
    seen = stability([[0.7, NAN, NAN], [NAN, NAN, NAN], [0.5, NAN, 0.5]])
    assert seen.n_valid.tolist() == [1, 0, 2]
    assert (seen.mean[0], seen.median[0], seen.mad[0]) == (0.7, 0.7, 0.0)
    assert np.isnan([seen.sd[0], seen.low[0], seen.high[0], seen.half_width[0]]).all()
    assert np.isnan([seen.mean[1], seen.median[1], seen.mad[1], seen.sd[1], seen.half_width[1]]).all()
    assert seen.half_width[2] == 0.0
    assert seen.reasons == ("one valid repeat: no spread and no interval", "no valid repeat", None)


def test_equal_repeats_have_no_spread_though_their_mean_is_off_in_the_last_bit() -> None:
    assert np.mean([0.7, 0.7, 0.7]) != 0.7
    assert stability([[0.7, 0.7, 0.7]]).sd[0] == 0.0
    assert stability([[3e-13, 4e-13, 5e-13]]).sd[0] == pytest.approx(1e-13)


def test_outliers_are_looked_for_from_ten_repeats_on() -> None:
    steady = [0.5, 0.52, 0.48, 0.51, 0.49, 0.5, 0.52, 0.48, 0.9]
    assert stability([steady]).n_outliers == (None,)
    assert not stability([steady]).outlier.any()
    seen = stability([[*steady, 0.5]])
    assert seen.n_outliers == (1,)
    assert seen.outlier[0].tolist() == [False] * 8 + [True, False]
    assert stability([[*steady, NAN]]).n_outliers == (None,)


def test_a_repeat_exactly_on_the_outlier_limit_is_none() -> None:
    # Median 0.5, MAD 0.02: the limit is 2.5 * 1.4826 * 0.02 = 0.07413 away, so 0.57413 is inside, 0.57414 outside.
    spread = [0.48, 0.52, 0.48, 0.52, 0.48, 0.52, 0.48, 0.52, 0.5]
    assert stability([[*spread, 0.57413, 0.4]]).outlier[0, 9:].tolist() == [False, True]
    assert stability([[*spread, 0.57414, 0.4]]).outlier[0, 9:].tolist() == [True, True]


def test_a_mad_of_zero_flags_nothing() -> None:
    assert stability([[0.5] * 9 + [0.9]]).n_outliers == (0,)


def test_the_rule_flags_nine_percent_of_clean_repeats_at_five() -> None:
    # Why it waits for ten: the same rule on groups of five normal scores, MAD from the function itself.
    clean = np.random.default_rng(5).normal(0.5, 0.02, size=(20_000, 5))
    seen = stability(clean)
    flagged = np.abs(clean - seen.median[:, None]) > 2.5 * 1.4826 * seen.mad[:, None]
    assert flagged.mean() == pytest.approx(0.09, abs=0.01)


def test_the_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    scores = np.random.default_rng(6).normal(0.5, 0.05, size=(20_000, 5))
    seen = stability(scores, confidence=0.9)
    assert ((seen.low <= 0.5) & (seen.high >= 0.5)).mean() == pytest.approx(0.9, abs=0.01)


def test_quantiles_are_scipys_and_undefined_below_two() -> None:
    ns = np.array([2, 3, 5, 40])
    np.testing.assert_allclose(t_quantile(ns, 0.975), stats.t.ppf(0.975, ns - 1), rtol=1e-12)
    assert np.isnan(t_quantile([0, 1], 0.975)).all()


@QUICK
@given(scores_with_gaps)
def test_every_number_is_that_of_numpy_and_scipy_on_the_row_alone(matrix: np.ndarray) -> None:
    seen = stability(matrix)
    for row, scores in enumerate(matrix):
        valid = scores[~np.isnan(scores)]
        assert seen.n_valid[row] == valid.size
        if valid.size:
            assert seen.mean[row] == pytest.approx(valid.mean(), abs=1e-12)
            assert seen.median[row] == pytest.approx(np.median(valid), abs=1e-12)
            assert seen.mad[row] == pytest.approx(stats.median_abs_deviation(valid), abs=1e-12)
        if valid.size >= 2:
            assert seen.sd[row] == pytest.approx(valid.std(ddof=1), abs=1e-12)
            if seen.sd[row] > 0:
                expected = stats.t.interval(0.95, valid.size - 1, valid.mean(), stats.sem(valid))
                assert (seen.low[row], seen.high[row]) == pytest.approx(expected, abs=1e-11)


@QUICK
@given(scores_with_gaps, st.integers(0, 2**32 - 1), st.floats(-1, 1), st.floats(0.1, 10))
def test_order_of_repeats_shift_and_scale(matrix: np.ndarray, seed: int, shift: float, scale: float) -> None:
    seen = stability(matrix)
    changed = stability(np.random.default_rng(seed).permuted(matrix, axis=1) * scale + shift)
    np.testing.assert_allclose(changed.mean, seen.mean * scale + shift, atol=1e-9)
    np.testing.assert_allclose(changed.mad, seen.mad * scale, atol=1e-9)
    np.testing.assert_allclose(changed.half_width, seen.half_width * scale, atol=1e-7)


@pytest.mark.parametrize(
    ("scores", "confidence", "message"),
    [([0.1], 0.95, "matrix"), ([[float("inf")]], 0.95, "finite"), ([[0.1, 0.2]], 1.0, "confidence is 1.0")],
)
def test_bad_input_is_named(scores: list, confidence: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stability(scores, confidence)
