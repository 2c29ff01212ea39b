"""Table `convergence_curves`: three repeats by hand, look by look."""

import numpy as np
import pandas as pd

from assets.fidelity.convergence_curves import curve_rows
from tests.assets.shared.made_tables import keeps_to_its_declaration, matrix_of_scores, plan


def curves(matrix: pd.DataFrame, **changes: object) -> pd.DataFrame:
    study = plan(repeats=int(matrix["n_planned"].iloc[0]), **changes)
    return keeps_to_its_declaration("convergence_curves", curve_rows(matrix, study))


def test_each_look_uses_the_repeats_so_far() -> None:
    seen = curves(matrix_of_scores({"a": [0.4, 0.6, 0.5]}))
    assert seen["n"].tolist() == [1, 2, 3]
    np.testing.assert_allclose(seen["mean"], [0.4, 0.5, 0.5])
    np.testing.assert_allclose(seen["median"], [0.4, 0.5, 0.5])
    np.testing.assert_allclose(seen["mad"], [0.0, 0.1, 0.1])
    # n = 2: sd 0.141421, over sqrt 2 is 0.1, times t(0.975, 1) = 12.706205. n = 3: sd 0.1, 4.302653 x 0.1 / sqrt 3.
    np.testing.assert_allclose(seen["half_width"], [np.nan, 1.2706205, 0.2484138], atol=1e-6)
    # Two looks are planned (2 and 3), so each has 2.5 %: t(0.9875, 1) = 25.451700, t(0.9875, 2) = 6.205347.
    np.testing.assert_allclose(seen["half_width_all_looks"], [np.nan, 2.54517, 0.3582659], atol=1e-5)
    np.testing.assert_allclose(seen["ci_low"], [np.nan, -0.7706205, 0.2515862], atol=1e-6)


def test_repeats_that_an_object_lacks_are_no_rows_and_the_valid_ones_close_up() -> None:
    seen = curves(matrix_of_scores({"a": [0.4, None, 0.6], "b": [None, None, None], "c": [0.1, 0.2, 0.3]}))
    assert seen.groupby("object").size().to_dict() == {"a": 2, "c": 3}
    np.testing.assert_allclose(seen.loc[seen["object"] == "a", "mean"], [0.4, 0.5])


def test_where_the_threshold_is_reached_stands_in_every_row_of_the_object() -> None:
    # sd 0.01 at n = 3: half-width 4.302653 x 0.01 / sqrt 3 = 0.0248, under 0.03; all looks 0.0358, over it.
    # projected_n: t x 0.01 / sqrt n <= 0.03 at n = 3 already. c has no spread: nothing is known.
    seen = curves(matrix_of_scores({"a": [0.49, 0.51, 0.50], "c": [0.5, 0.5, 0.5]}), thresholds={"ci_half_width": 0.03})
    steady, equal = seen[seen["object"] == "a"], seen[seen["object"] == "c"]
    for column in ("first_n", "stable_n", "projected_n"):
        assert steady[column].tolist() == [3, 3, 3], column
        assert equal[column].isna().all(), column
    assert seen["first_n_all_looks"].isna().all()


def test_the_projection_goes_beyond_the_plan() -> None:
    # sd 0.1, threshold 0.05: t(0.975, n - 1) x 0.1 / sqrt n is 0.0518 at n = 17 and 0.0497 at n = 18.
    seen = curves(matrix_of_scores({"a": [0.4, 0.6, 0.5]}), thresholds={"ci_half_width": 0.05})
    assert seen["projected_n"].tolist() == [18, 18, 18]
    assert seen["first_n"].isna().all()
