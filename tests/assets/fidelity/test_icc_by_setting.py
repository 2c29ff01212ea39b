"""Table `icc_by_setting`: Shrout and Fleiss through the table, undefined rows, and the gates on ICC(1,k)."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.agreement.variance_components import reml_icc
from assets.fidelity.icc_by_setting import headline, icc_row, pingouin_gate, repeatable, repeatable_for_sure
from assets.fidelity.logic.judge_answers import scores_of
from resources.errors import UserError
from tests.assets.asked_gates import with_limit
from tests.assets.shared.made_tables import keeps_to_its_declaration, matrix_of_scores, plan

repeatable_gate = with_limit(repeatable, "icc")
lower_bound_gate = with_limit(repeatable_for_sure, "icc")

# Shrout and Fleiss (1979), table 2, their 0-10 scale divided by 10: every coefficient stays what it was.
SHROUT_FLEISS = matrix_of_scores(
    {
        "a": [0.9, 0.2, 0.5, 0.8],
        "b": [0.6, 0.1, 0.3, 0.2],
        "c": [0.8, 0.4, 0.6, 0.8],
        "d": [0.7, 0.1, 0.2, 0.6],
        "e": [1.0, 0.5, 0.6, 0.9],
        "f": [0.6, 0.2, 0.4, 0.7],
    }
)
DETERMINISTIC = matrix_of_scores({"a": [0.2] * 3, "b": [0.5] * 3, "c": [0.9] * 3})


def row(matrix: pd.DataFrame, **changes: object) -> pd.DataFrame:
    made = icc_row(matrix, plan(repeats=int(matrix["n_planned"].iloc[0]), **changes))
    return keeps_to_its_declaration("icc_by_setting", made)


def first(frame: pd.DataFrame) -> pd.Series:
    return frame.iloc[0]


def test_every_form_stands_in_its_own_column() -> None:
    seen = first(row(SHROUT_FLEISS))
    published = {
        "11": (0.16574177, -0.13293232, 0.72256006),
        "a1": (0.28976378, 0.01878651, 0.76108437),
        "c1": (0.71484071, 0.34246477, 0.94585826),
        "1k": (0.44279713, -0.88444216, 0.91241542),
        "ak": (0.62005055, 0.07113682, 0.92723204),
        "ck": (0.90931554, 0.67567471, 0.98589168),
    }
    for key, numbers in published.items():
        found = [seen[f"icc_{key}{end}"] for end in ("", "_low", "_high")]
        np.testing.assert_allclose(found, numbers, atol=1e-8, err_msg=key)


def test_f_tests_have_their_degrees_of_freedom() -> None:
    seen = first(row(SHROUT_FLEISS))
    np.testing.assert_allclose(
        [seen["icc_1k_f"], seen["icc_1k_df1"], seen["icc_1k_df2"], seen["icc_1k_p"]],
        [1.7946785, 5, 18, 0.16476881],
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        [seen["icc_ck_f"], seen["icc_ck_df1"], seen["icc_ck_df2"], seen["icc_ck_p"]],
        [11.027248, 5, 15, 0.00013456652],
        rtol=1e-6,
    )


def test_variances_and_bands_stand_beside_the_coefficient() -> None:
    seen = first(row(SHROUT_FLEISS))
    # Mean squares of the paper's table 3 divided by 100: BMS 11.24, WMS 6.26. Between: (11.24 - 6.26) / 4 = 1.244.
    np.testing.assert_allclose(seen["variance_within"], 0.0626, atol=1e-4)
    np.testing.assert_allclose(seen["variance_between"], 0.01244, atol=1e-4)
    np.testing.assert_allclose(seen["standard_error_of_measurement"], np.sqrt(0.0626388889), atol=1e-6)
    np.testing.assert_allclose(seen["repeatability_limit"], 1.96 * np.sqrt(2 * 0.0626388889), atol=1e-6)
    # 0.443 is poor, and so is a lower bound under 0.
    assert (seen["band"], seen["band_lower"]) == ("poor", "poor")
    assert (seen["n_objects"], seen["n_used"], seen["n_complete"], seen["n_missing"], seen["k0"]) == (6, 6, 6, 0, 4)


def test_missing_scores_are_counted_and_the_headline_is_at_the_planned_repeats() -> None:
    # The unbalanced reference case: 9 2 5 8 | 6 1 3 | 8 4 6 8 | 7 1 | 10 5 6 9 | 6 has 18 of 24 cells.
    matrix = matrix_of_scores(
        {
            "a": [0.9, 0.2, 0.5, 0.8],
            "b": [0.6, 0.1, 0.3, None],
            "c": [0.8, 0.4, 0.6, 0.8],
            "d": [0.7, 0.1, None, None],
            "e": [1.0, 0.5, 0.6, 0.9],
            "f": [0.6, None, None, None],
        }
    )
    seen = first(row(matrix))
    # Spearman-Brown to k = 4: 4 x 0.01375524 / (1 + 3 x 0.01375524) = 0.05284.
    np.testing.assert_allclose(seen["k0"], 2.91111111)
    np.testing.assert_allclose(seen["icc_11"], 0.01375524, atol=1e-8)
    np.testing.assert_allclose(seen["icc_1k"], 0.0528402, atol=1e-6)
    assert (seen["n_complete"], seen["n_missing"], seen["n_used"]) == (3, 6, 6)
    assert "approximate" in seen["method"]
    np.testing.assert_allclose(seen["icc_1k0"], 0.03901734, atol=1e-8)
    assert seen["two_way_rows"] == "complete rows only: 3 of 6 objects, 4 of 4 repeats"


def test_objects_without_any_score_are_in_the_matrix_but_not_used() -> None:
    seen = first(row(matrix_of_scores({"a": [0.1, 0.2], "b": [0.5, 0.6], "c": [None, None]})))
    assert (seen["n_objects"], seen["n_used"], seen["n_products"], seen["n_missing"]) == (3, 2, 2, 2)


def test_a_deterministic_setting_has_icc_1_and_neither_test_nor_interval() -> None:
    seen = first(row(DETERMINISTIC))
    assert seen["deterministic"]
    assert seen["icc_1k"] == 1
    for column in ("icc_1k_low", "icc_1k_high", "icc_1k_f", "icc_1k_p", "icc_1k_low_by_product"):
        assert pd.isna(seen[column]), column
    assert seen["interval_by_product"] == "none: deterministic"
    assert "deterministic" in seen["undefined"]


def test_equal_scores_everywhere_are_null_with_the_reason() -> None:
    seen = first(row(matrix_of_scores({"a": [0.5, 0.5], "b": [0.5, 0.5]})))
    assert pd.isna(seen["icc_1k"])
    assert pd.isna(seen["band"])
    assert "every score equals every other" in seen["undefined"]
    assert not seen["deterministic"]


def test_a_single_object_is_null_with_the_reason() -> None:
    assert "at least 2 objects" in first(row(matrix_of_scores({"a": [0.4, 0.5]})))["undefined"]


def test_objects_that_share_products_get_an_interval_by_product() -> None:
    products = dict(zip("abcdefghijkl", "ppqqrrssttuu", strict=True))
    rng = np.random.default_rng(1)
    scores = {name: np.clip(place / 12 + rng.normal(0, 0.01, 3), 0, 1) for place, name in enumerate(products)}
    seen = first(row(matrix_of_scores(scores, products)))
    assert seen["n_products"] == 6
    assert seen["icc_1k_low_by_product"] < seen["icc_1k"] < 1
    assert seen["interval_by_product"].endswith("log F, t(5), 6 clusters")
    # Objects of one product are no strangers: the bound that counts is the products'.
    assert seen["lower_bound"] == seen["icc_1k_low_by_product"] != seen["icc_1k_low"]


def test_where_every_object_is_its_own_product_the_f_interval_counts() -> None:
    seen = first(row(SHROUT_FLEISS))
    assert seen["lower_bound"] == seen["icc_1k_low"]


def test_repeats_that_are_missing_weigh_by_what_they_tell_next_to_k0() -> None:
    scores: Any = {"a": [0.2, 0.22, 0.21], "b": [0.4, None, 0.42], "c": [0.6, 0.63, None], "d": [0.8, 0.79, 0.8],
                   "e": [0.5, 0.52, 0.49]}  # fmt: skip
    matrix = matrix_of_scores(scores)
    seen = first(row(matrix))
    by_likelihood = reml_icc(scores_of(matrix), 3)
    assert seen["icc_1k_reml"] == pytest.approx(by_likelihood.icc_1k_planned)
    assert seen["icc_1k_reml_low"] < seen["icc_1k_reml"] < seen["icc_1k_reml_high"]
    # Without a gap both are one number: 0.44279713 for Shrout and Fleiss' judges.
    assert first(row(SHROUT_FLEISS))["icc_1k_reml"] == pytest.approx(0.44279713, abs=1e-5)


def test_too_few_products_leave_no_bound_and_the_gate_says_why() -> None:
    products = {"a": "p", "b": "p", "c": "q", "d": "q"}
    seen = row(matrix_of_scores({"a": [0.2, 0.21], "b": [0.4, 0.41], "c": [0.6, 0.61], "d": [0.8, 0.79]}, products))
    gate = lower_bound_gate(seen, 0.85)
    assert repeatable_gate(seen, 0.85).passed
    assert not gate.passed
    assert gate.seen is None
    assert "2 clusters" in gate.sentence


def test_a_matrix_of_another_plan_is_refused() -> None:
    with pytest.raises(UserError, match=r"made with 4 repeats, and the study plans 5\. Run the setting again"):
        icc_row(SHROUT_FLEISS, plan(repeats=5))


def test_the_headline_has_the_numbers_that_count_and_a_plot() -> None:
    seen = row(SHROUT_FLEISS)
    numbers = headline(seen, 0.85)
    assert numbers["icc_1k"] == seen["icc_1k"].iloc[0]
    assert (numbers["band"], numbers["n_used"]) == ("poor", 6)
    assert "data:image/webp;base64," in numbers["plot"].value


def test_a_repeatable_setting_passes() -> None:
    steady = row(matrix_of_scores({"a": [0.20, 0.21], "b": [0.50, 0.51], "c": [0.90, 0.89]}))
    for gate, column in ((repeatable_gate, "icc_1k"), (lower_bound_gate, "lower_bound")):
        result = gate(steady, 0.85)
        assert result.passed, result.sentence
        assert result.seen == steady[column].iloc[0]


def test_an_unrepeatable_setting_fails_with_its_number() -> None:
    gate = repeatable_gate(row(SHROUT_FLEISS), 0.85)
    assert not gate.passed
    assert gate.sentence.startswith("ICC(1,k) is 0.443 over 6 objects; needed: at least 0.85.")
    assert "More repeats" in gate.sentence


def test_a_point_that_passes_may_have_a_bound_that_does_not() -> None:
    seen = row(matrix_of_scores({"a": [0.2, 0.3], "b": [0.5, 0.6], "c": [0.9, 0.8]}))
    assert repeatable_gate(seen, 0.85).passed
    bound = lower_bound_gate(seen, 0.85)
    assert not bound.passed
    assert bound.seen == seen["icc_1k_low"].iloc[0]
    assert bound.sentence.startswith("The lower bound of ICC(1,k) is ")


def test_to_a_deterministic_setting_repeatability_does_not_apply_whatever_its_coefficient() -> None:
    for gate in (repeatable_gate(row(DETERMINISTIC), 0.85), lower_bound_gate(row(DETERMINISTIC), 0.85)):
        assert (gate.passed, gate.seen, gate.reason) == (True, None, "deterministic")
        assert gate.sentence.startswith("Does not apply: ")
        assert "the setting is deterministic, all repeats of each object are equal" in gate.sentence
        assert gate.sentence.endswith("A temperature above 0 would show it.")
        assert gate.remedy == ""


def test_an_undefined_coefficient_fails_with_its_reason() -> None:
    seen = row(matrix_of_scores({"a": [0.5, 0.5], "b": [0.5, 0.5]}))
    for gate in (repeatable_gate(seen, 0.85), lower_bound_gate(seen, 0.85)):
        assert not gate.passed
        assert "every score equals every other" in gate.sentence
        assert "needed: at least 0.85. It takes two objects or more" in gate.sentence


def test_pingouin_agrees() -> None:
    gate = pingouin_gate(row(SHROUT_FLEISS), SHROUT_FLEISS)
    assert gate.passed
    assert gate.seen == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("column", ["icc_11", "icc_a1", "icc_c1", "icc_1k", "icc_ak", "icc_ck"])
def test_a_coefficient_that_differs_from_pingouins_fails(column: str) -> None:
    wrong = row(SHROUT_FLEISS)
    wrong[column] += 1e-6
    gate = pingouin_gate(wrong, SHROUT_FLEISS)
    assert not gate.passed
    assert gate.seen == pytest.approx(1e-6, rel=1e-3)
    assert "report it with the score matrix" in gate.sentence


def test_where_pingouin_has_nothing_to_compare_the_gate_passes_and_says_so() -> None:
    gaps = matrix_of_scores({"a": [0.1, None], "b": [0.5, 0.6], "c": [0.8, 0.9]})
    for matrix in (DETERMINISTIC, gaps):
        gate = pingouin_gate(row(matrix), matrix)
        assert gate.passed
        assert gate.seen is None
        assert "Nothing to compare" in gate.sentence
