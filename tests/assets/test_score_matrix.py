"""Table `score_matrix`: which attempt fills a cell, and the gate on the valid repeats."""

import numpy as np
import pandas as pd
import pytest

from assets.fidelity.score_matrix import as_planned, enough_repeats_gate, headline, matrix_of, scores_of
from resources.errors import UserError
from tests.assets.made_tables import SETTING, calls_of, keeps_to_its_declaration, matrix_of_scores, objects_of, one_each

OBJECTS = objects_of(one_each("bac"), excluded={"c": "no_photos"})


def matrix(*attempts: tuple[str, int, int, str, float | None], repeats: int = 2) -> pd.DataFrame:
    return keeps_to_its_declaration("score_matrix", matrix_of(SETTING, calls_of(attempts), OBJECTS, repeats))


def test_rows_are_the_judged_objects_in_order_and_columns_the_planned_repeats() -> None:
    made = matrix(("b", 1, 1, "valid", 0.1), ("a", 1, 1, "valid", 0.3), ("a", 2, 1, "recovered", 0.4))
    assert made["object"].tolist() == ["a", "b"]
    assert made["product_id"].tolist() == ["p-a", "p-b"]
    np.testing.assert_equal(scores_of(made), [[0.3, 0.4], [0.1, np.nan]])
    assert made["n_valid"].tolist() == [2, 1]
    assert made["n_planned"].tolist() == [2, 2]


def test_the_last_attempt_counts_in_whatever_order_they_come() -> None:
    made = matrix(("a", 1, 3, "valid", 0.7), ("a", 1, 1, "timeout", None), ("a", 1, 2, "provider_error", None))
    assert scores_of(made)[0, 0] == 0.7


def test_an_answer_that_no_score_can_be_read_from_leaves_the_cell_null() -> None:
    for state in ("invalid_json", "schema_error", "out_of_range", "refused", "timeout"):
        assert np.isnan(scores_of(matrix(("a", 1, 1, state, None)))).all()


def test_an_object_without_any_call_keeps_its_row() -> None:
    made = matrix(("a", 1, 1, "valid", 0.7))
    assert made.loc[made["object"] == "b", "n_valid"].tolist() == [0]


def test_columns_are_in_the_order_of_numbers_not_of_letters() -> None:
    made = matrix(*[("a", repeat, 1, "valid", repeat / 20) for repeat in range(12, 0, -1)], repeats=12)
    np.testing.assert_allclose(scores_of(made)[0], np.arange(1, 13) / 20)


def test_repeats_beyond_the_plan_are_left_out() -> None:
    made = matrix(("a", 1, 1, "valid", 0.1), ("a", 3, 1, "valid", 0.9))
    np.testing.assert_equal(scores_of(made)[0], [0.1, np.nan])


def test_the_headline_counts_missing_cells() -> None:
    numbers = headline(matrix_of_scores({"a": [0.1, None, 0.2], "b": [None, None, 0.2]}))
    assert (numbers["n_objects"], numbers["n_missing"]) == (2, 3)


def test_three_valid_repeats_of_every_object_pass() -> None:
    gate = enough_repeats_gate(matrix_of_scores({"a": [0.1, 0.1, 0.2, None], "b": [0.3, 0.4, 0.5, 0.6]}), 3)
    assert gate.passed
    assert gate.seen == 3


def test_an_object_with_two_fails_and_is_named_with_its_number() -> None:
    gate = enough_repeats_gate(matrix_of_scores({"a": [0.1, 0.1, None, None], "b": [0.3, 0.4, 0.5, 0.6]}), 3)
    assert not gate.passed
    assert gate.seen == 2
    assert "Too few: a (2)." in gate.sentence
    assert "Run the setting again" in gate.sentence


def test_a_matrix_of_the_plan_in_force_is_taken_as_it_is() -> None:
    made = matrix_of_scores({"a": [0.1, 0.1, None]})
    assert as_planned(made, 3) is made


def test_a_matrix_of_another_plan_is_refused_with_both_numbers() -> None:
    said = rf"score_matrix at {SETTING} was made with 3 repeats, and the study plans 5\. Run the setting again"
    with pytest.raises(UserError, match=said):
        as_planned(matrix_of_scores({"a": [0.1, 0.1, None]}), 5)


def test_a_matrix_without_objects_fails() -> None:
    gate = enough_repeats_gate(matrix_of_scores({"a": [0.1, 0.1, 0.1]}).iloc[:0], 3)
    assert not gate.passed
    assert gate.sentence.endswith(
        "undefined (no object was judged) over 0 objects; needed: at least 3. See what something_to_judge lacks."
    )
