"""Table `stability`: one object's repeats by hand, and the gates on their spread."""

import numpy as np
import pandas as pd
import pytest

from assets.fidelity.stability import means_are_precise, repeats_agree, stability_rows
from tests.assets.asked_gates import with_limit
from tests.assets.shared.made_tables import keeps_to_its_declaration, matrix_of_scores

mad_gate = with_limit(repeats_agree, "median_mad")
width_gate = with_limit(means_are_precise, "ci_half_width")

MATRIX = matrix_of_scores({"a": [0.4, 0.5, 0.6, 0.9], "b": [0.3, None, None, None], "c": [None] * 4, "d": [0.7] * 4})


def rows(matrix: pd.DataFrame = MATRIX) -> pd.DataFrame:
    return keeps_to_its_declaration("stability", stability_rows(matrix, 0.95)).set_index("object")


def test_centre_and_spread_of_four_repeats() -> None:
    seen = rows().loc["a"]
    # Median (0.5 + 0.6) / 2 = 0.55; distances 0.15 0.05 0.05 0.35, their median (0.05 + 0.15) / 2 = 0.10.
    # Mean 0.6; deviations -0.2 -0.1 0 0.3, squares sum to 0.14: sd = sqrt(0.14 / 3) = 0.216025.
    # t(0.975, 3) = 3.182446; half-width 3.182446 x 0.216025 / 2 = 0.343744.
    np.testing.assert_allclose(
        seen[["mean", "median", "mad", "sd", "half_width"]].astype(float),
        [0.6, 0.55, 0.10, 0.2160247, 0.3437434],
        atol=1e-6,
    )
    np.testing.assert_allclose(seen[["ci_low", "ci_high"]].astype(float), [0.2562566, 0.9437434], atol=1e-6)
    assert seen["n_valid"] == 4
    assert pd.isna(seen["undefined"])


def test_one_repeat_has_a_mean_and_no_interval() -> None:
    seen = rows().loc["b"]
    assert (seen["mean"], seen["median"], seen["mad"]) == (0.3, 0.3, 0)
    assert pd.isna(seen["sd"])
    assert pd.isna(seen["half_width"])
    assert seen["undefined"] == "one valid repeat: no spread and no interval"


def test_no_repeat_has_nothing_but_the_reason() -> None:
    seen = rows().loc["c"]
    assert seen["undefined"] == "no valid repeat"
    assert seen[["mean", "median", "mad", "sd", "half_width"]].isna().all()


def test_outliers_are_unknown_below_ten_repeats_and_counted_from_there_on() -> None:
    assert pd.isna(rows().loc["a", "n_outliers"])
    # Median 0.5, MAD 0.01 (nine repeats within 0.01); 0.9 is 0.4 away, far over 2.5 x 1.4826 x 0.01.
    ten = matrix_of_scores({"a": [0.49, 0.50, 0.51, 0.49, 0.50, 0.51, 0.49, 0.51, 0.50, 0.90], "b": [0.5] * 10})
    assert rows(ten)["n_outliers"].tolist() == [1, 0]


def test_steady_repeats_pass_and_undefined_ones_are_left_out_of_the_median() -> None:
    # MADs 0.10, 0, undefined, 0: their median is 0.
    gate = mad_gate(rows(), 0.05)
    assert gate.passed
    assert gate.seen == 0
    assert "over 3 objects" in gate.sentence


def test_unsteady_repeats_fail_with_the_median_and_the_remedy() -> None:
    gate = mad_gate(rows(matrix_of_scores({"a": [0.4, 0.5, 0.6, 0.9], "b": [0.1, 0.5, 0.7, 0.9]})), 0.05)
    # b: median 0.6, distances 0.5 0.1 0.1 0.3, MAD 0.2; the median of 0.1 and 0.2 is 0.15.
    assert not gate.passed
    assert gate.seen == pytest.approx(0.15)
    assert gate.sentence.endswith("needed: at most 0.05. A lower temperature helps.")


def test_precise_means_pass() -> None:
    gate = width_gate(rows(matrix_of_scores({"a": [0.50, 0.51, 0.50, 0.51], "b": [0.7] * 4})), 0.02)
    assert gate.passed


def test_imprecise_means_fail_and_point_to_the_repeats_needed() -> None:
    # Half-widths 0.343744 and 0 (equal repeats): median 0.171872.
    gate = width_gate(rows(), 0.02)
    assert not gate.passed
    assert gate.seen == pytest.approx(0.1718717, abs=1e-6)
    assert "projected_n in convergence_curves" in gate.sentence


def test_without_any_repeat_the_gates_are_undefined_and_fail() -> None:
    nothing = rows(matrix_of_scores({"a": [None, None]}))
    for gate in (mad_gate(nothing, 0.05), width_gate(nothing, 0.02)):
        assert not gate.passed
        assert "no object has enough repeats" in gate.sentence
