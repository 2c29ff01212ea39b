"""Convergence curves: hand-worked numbers, plain loops over growing prefixes as the check, properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.agreement.convergence import convergence, summarised

NAN = float("nan")
QUICK = settings(max_examples=50, deadline=None)
scores_with_gaps = st.tuples(st.integers(1, 4), st.integers(2, 9)).flatmap(
    lambda shape: arrays(
        np.float64, shape, elements=st.one_of(st.just(NAN), st.integers(480, 520).map(lambda value: value / 1000))
    )
)


def half_widths(scores: list[float], quantile: float = 0.975) -> list[float]:
    """From two repeats on, by scipy on every prefix."""
    return [stats.t.ppf(quantile, n - 1) * np.std(scores[:n], ddof=1) / n**0.5 for n in range(2, len(scores) + 1)]


def test_the_curve_is_scipys_interval_of_every_prefix() -> None:
    scores = [0.50, 0.52, 0.51, 0.49, 0.51]
    curve = convergence([scores])
    assert np.isnan(curve.half_width[0, 0])
    assert curve.half_width[0, 1:].tolist() == pytest.approx(half_widths(scores), rel=1e-10)
    assert curve.mean[0].tolist() == pytest.approx([0.50, 0.51, 0.51, 0.505, 0.506])
    assert curve.median[0].tolist() == pytest.approx([0.50, 0.51, 0.51, 0.505, 0.51])
    assert curve.mad[0].tolist() == pytest.approx([0, 0.01, 0.01, 0.01, 0.01])
    assert curve.low[0, 2] == pytest.approx(0.51 - half_widths(scores)[1])


def test_first_and_stable_part_where_the_width_leaves_again() -> None:
    # sd of 0.500 0.501 0.502 is 0.001: half-width 4.302653 * 0.001 / sqrt(3) = 0.00248 at n = 3. The fourth repeat,
    # 0.56, throws it out; 0.500 and 0.501 in turn bring it back below 0.02 at n = 8 (0.01706; 0.02005 at n = 7).
    scores = [0.500, 0.501, 0.502, 0.560, 0.500, 0.501, 0.500, 0.501]
    curve = convergence([scores])
    widths = half_widths(scores)
    assert widths[1] == pytest.approx(0.00248, abs=5e-6)
    assert widths[5] > 0.02 > widths[6]
    assert (curve.first_n, curve.stable_n) == ((3,), (8,))
    assert convergence([scores[:7]]).stable_n == (None,)


@pytest.mark.parametrize(("sd", "share_early"), [(0.01, 0.99), (0.02, 0.32)])
def test_an_object_that_stops_at_the_first_narrow_look_has_its_mean_inside_as_often_as_promised(
    sd: float, share_early: float
) -> None:
    rng = np.random.default_rng(20261129)
    truth = rng.uniform(0.3, 0.7, 4000)
    curve = convergence(truth[:, None] + rng.normal(0, sd, (4000, 10)), 0.02)
    stop = np.array([n or 10 for n in curve.first_n_all_looks]) - 1
    at = np.arange(4000), stop
    error = np.abs(curve.mean[at] - truth)
    # Bonferroni over nine looks is on the safe side; the plain interval at the same look is not.
    assert (error <= curve.half_width_all_looks[at]).mean() > 0.975
    assert (error <= curve.half_width[at]).mean() < 0.935
    assert (stop < 9).mean() == pytest.approx(share_early, abs=0.03)


def test_equal_repeats_never_arrive() -> None:
    curve = convergence([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.501]])
    assert curve.half_width[0].tolist()[1:] == [0.0, 0.0, 0.0]
    assert curve.first_n == (None, 4)
    assert curve.stable_n == (None, 4)
    assert curve.projected_n[0] is None


def test_two_repeats_are_too_few_to_arrive() -> None:
    # Half-width 12.7062 * 0.000141 / sqrt(2) = 0.0013 at n = 2 already.
    curve = convergence([[0.5, 0.5002, 0.5001]])
    assert curve.half_width[0, 1] < 0.02
    assert curve.first_n == (3,)


def test_the_projection_by_hand() -> None:
    # Scores 0.45 and 0.55 and their mirror: sd = sqrt(4 * 0.0025 / 3) = 0.0577350. At n = 34: t(33) = 2.034515,
    # 2.034515 * 0.057735 / sqrt(34) = 0.020144 > 0.02; at n = 35: 2.032245 * 0.057735 / sqrt(35) = 0.019832.
    assert convergence([[0.45, 0.55, 0.45, 0.55]]).projected_n == (35,)


def test_the_projection_is_at_least_three() -> None:
    assert convergence([[0.5, 0.50001]]).projected_n == (3,)


def test_looking_after_every_repeat_needs_a_wider_interval() -> None:
    # Five planned repeats are four looks: t at 1 - 0.05 / 8 = 0.99375.
    scores = [0.500, 0.504, 0.500, 0.504, 0.502]
    curve = convergence([scores])
    assert curve.half_width_all_looks[0, 1:].tolist() == pytest.approx(half_widths(scores, 0.99375), rel=1e-10)
    assert (curve.first_n, curve.first_n_all_looks) == ((3,), (3,))
    tighter = convergence([scores], threshold=0.006)
    assert (tighter.first_n, tighter.first_n_all_looks) == ((3,), (5,))


def test_more_planned_looks_widen_the_interval_for_all_of_them() -> None:
    scores = [[0.50, 0.52, 0.51]]
    few, many = convergence(scores), convergence(scores, planned_repeats=20)
    assert (few.half_width[0, 2], many.method) == (many.half_width[0, 2], "t, 95 %; all 19 planned looks by Bonferroni")
    quantile = stats.t.ppf(1 - 0.05 / (2 * 19), 2)
    assert many.half_width_all_looks[0, 2] == pytest.approx(quantile * 0.01 / 3**0.5, rel=1e-10)


def test_bonferroni_keeps_its_promise_under_repeated_looks() -> None:
    # The true mean may leave the interval at no look in at least 95 % of objects; with single-look intervals it does
    # in fewer.
    scores = np.random.default_rng(8).normal(0.5, 0.05, size=(5_000, 10))
    curve = convergence(scores)
    away = np.abs(curve.mean[:, 1:] - 0.5)
    assert (away <= curve.half_width_all_looks[:, 1:]).all(axis=1).mean() >= 0.95
    assert (away <= curve.half_width[:, 1:]).all(axis=1).mean() < 0.9


def test_missing_repeats_are_skipped_and_the_curve_ends_with_the_last_valid_one() -> None:
    gaps, packed = convergence([[NAN, 0.50, 0.51, NAN, 0.50]]), convergence([[0.50, 0.51, 0.50]])
    np.testing.assert_array_equal(gaps.mean[0, :3], packed.mean[0])
    assert np.isnan(gaps.mean[0, 3:]).all()
    assert gaps.n_valid.tolist() == [3]
    assert gaps.first_n == packed.first_n == gaps.stable_n == packed.stable_n
    assert gaps.projected_n == packed.projected_n
    nothing = convergence([[NAN, NAN]])
    assert (nothing.first_n, nothing.projected_n) == ((None,), (None,))


def test_the_summary_counts_objects_at_each_n() -> None:
    scores = [[0.5, 0.5, 0.5], [0.500, 0.502, 0.501], [0.2, 0.8, NAN], [0.4, NAN, NAN]]
    curve = convergence(scores)
    seen = summarised(curve)
    assert seen.n.tolist() == [1, 2, 3]
    assert seen.n_objects.tolist() == [4, 3, 2]
    # At n = 2 the half-widths are 0, 12.7062 * 0.001 = 0.0127 and 12.7062 * 0.3 = 3.81.
    assert seen.n_at_or_below.tolist() == [0, 2, 2]
    assert seen.n_without_spread.tolist() == [0, 1, 1]
    assert np.isnan([seen.mean_half_width[0], seen.median_half_width[0], seen.max_half_width[0]]).all()
    assert seen.median_half_width[1] == pytest.approx(12.7062047 * 0.001, rel=1e-6)
    assert seen.max_half_width[1] == pytest.approx(12.7062047 * 0.3, rel=1e-6)
    assert seen.mean_half_width[2] == pytest.approx(4.3026527 * 0.001 / 3**0.5 / 2, rel=1e-6)


@QUICK
@given(scores_with_gaps)
def test_the_numbers_of_repeats_are_those_of_a_plain_loop(matrix: np.ndarray) -> None:
    curve = convergence(matrix)
    for row, scores in enumerate(matrix):
        valid = scores[~np.isnan(scores)].tolist()
        arrived = [n for n in range(3, len(valid) + 1) if 0 < round(half_widths(valid[:n])[-1], 12) <= 0.02]
        assert curve.first_n[row] == (arrived[0] if arrived else None)
        stays = [n for n in arrived if all(later in arrived for later in range(n, len(valid) + 1))]
        assert curve.stable_n[row] == (stays[0] if stays else None)
        spread = float(np.std(valid, ddof=1)) if len(valid) >= 2 else 0.0
        enough = None if spread < 1e-12 else 3
        while enough and round(stats.t.ppf(0.975, enough - 1) * spread / enough**0.5, 12) > 0.02:
            enough += 1
        assert curve.projected_n[row] == enough


@QUICK
@given(scores_with_gaps, st.integers(1, 100))
def test_scaling_scores_and_threshold_together_moves_no_number_of_repeats(matrix: np.ndarray, seed: int) -> None:
    # By a power of two, so that no comparison moves by rounding.
    order = np.random.default_rng(seed).permutation(len(matrix))
    seen, changed = convergence(matrix, 0.013), convergence(matrix[order] / 2, 0.0065)
    assert changed.first_n == tuple(seen.first_n[row] for row in order)
    assert changed.stable_n == tuple(seen.stable_n[row] for row in order)
    assert changed.projected_n == tuple(seen.projected_n[row] for row in order)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, 0.2],), "matrix"),
        (([[0.1, 0.2]], 0.0), "threshold is 0.0"),
        (([[0.1, 0.2]], NAN), "threshold is nan"),
        (([[0.1, 0.2, 0.3]], 0.02, 2), "planned_repeats is 2, but there are 3"),
        (([[0.1, 0.2]], 0.02, None, 0.0), "confidence is 0.0"),
    ],
)
def test_bad_input_is_named(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        convergence(*arguments)
