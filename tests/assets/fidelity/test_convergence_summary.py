"""Table `convergence_summary`: two objects by hand, look by look."""

import numpy as np

from assets.fidelity.convergence_curves import curve_rows
from assets.fidelity.convergence_summary import headline, summary_of_looks
from tests.assets.shared.made_tables import SETTING, keeps_to_its_declaration, matrix_of_scores, plan

STUDY = plan(repeats=3, thresholds={"ci_half_width": 0.03})
# a: sd 0.01 at n = 3, half-width 0.0248414; b: sd 0.1, 0.2484138; c: no spread, 0; d stops after one repeat.
MATRIX = matrix_of_scores({"a": [0.49, 0.51, 0.50], "b": [0.4, 0.6, 0.5], "c": [0.5, 0.5, 0.5], "d": [0.2, None, None]})


def test_each_look_counts_the_objects_that_have_it() -> None:
    seen = keeps_to_its_declaration("convergence_summary", summary_of_looks(MATRIX, STUDY))
    assert seen["n"].tolist() == [1, 2, 3]
    assert seen["n_objects"].tolist() == [4, 3, 3]
    np.testing.assert_allclose(seen["median_half_width"], [np.nan, 0.1270620, 0.0248414], atol=1e-6)
    np.testing.assert_allclose(seen["max_half_width"], [np.nan, 1.2706205, 0.2484138], atol=1e-6)
    np.testing.assert_allclose(seen["mean_half_width"], [np.nan, (0.1270620 + 1.2706205) / 3, 0.0910851], atol=1e-6)
    assert seen["threshold"].unique().tolist() == [0.03]


def test_objects_that_are_narrow_only_for_want_of_spread_are_counted_apart() -> None:
    seen = summary_of_looks(MATRIX, STUDY)
    assert seen["n_converged"].tolist() == [0, 1, 2]
    assert seen["n_without_spread"].tolist() == [0, 1, 1]


def test_the_headline_is_the_last_planned_look() -> None:
    numbers = headline(summary_of_looks(MATRIX, STUDY), {SETTING: curve_rows(MATRIX, STUDY)})
    assert (numbers["n_converged"], numbers["n_objects"]) == (2, 3)
    np.testing.assert_allclose(float(numbers["median_half_width"]), 0.0248414, atol=1e-6)
