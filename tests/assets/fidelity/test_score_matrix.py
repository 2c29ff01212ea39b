"""Table `score_matrix`: which attempt fills a cell, and the gate on the valid repeats."""

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from assets.fidelity.logic.judge_answers import as_planned, enough_repeats_gate, matrix_of, scores_of
from assets.fidelity.score_matrix import as_asked, headline, sound_matrix
from resources.errors import UserError
from tests.assets.shared.made_tables import (
    SETTING,
    calls_of,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    one_each,
    plan,
)

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


def test_an_object_that_was_known_well_enough_lacks_nothing() -> None:
    calls = calls_of([("a", 1, 1, "valid", 0.3), ("a", 2, 1, "invalid_json", None), ("b", 1, 1, "valid", 0.1)])
    made = keeps_to_its_declaration("score_matrix", as_asked(matrix_of(SETTING, calls, OBJECTS, 3), calls))
    assert made["n_planned"].tolist() == [2, 1]
    assert headline(made)["n_missing"] == 1
    assert as_planned(made, 3) is made
    study = plan(repeats={"at_least": 3, "at_most": 9})
    assert (study.repeats, study.reliable_repeats) == (9, 3)


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


def of_objects(n: int, n_short: int) -> pd.DataFrame:
    """Objects a, b, ... of five planned repeats, the first of which have two valid ones."""
    names = "abcdefghijklmnopqrstuvwx"[:n]
    two, five = [0.1, 0.1, None, None, None], [0.3, 0.4, 0.5, 0.6, 0.5]
    return matrix_of_scores({name: two if place < n_short else five for place, name in enumerate(names)})


def test_enough_valid_repeats_of_every_object_pass() -> None:
    gate = enough_repeats_gate(of_objects(12, 0), plan(repeats=5, minimum_repeats=3))
    assert gate.passed
    assert gate.seen == 0
    assert gate.sentence == "Each of the 12 objects has 3 valid repeats or more."


def test_one_of_twelve_objects_is_over_the_default_limit_and_is_named_with_its_number() -> None:
    gate = enough_repeats_gate(of_objects(12, 1), plan(repeats=5, minimum_repeats=3))
    assert not gate.passed
    assert gate.seen == 1 / 12
    assert gate.sentence.startswith("Share of objects with fewer than 3 valid repeats is 0.083 over 12 objects; needed")
    assert "Too few: a (2)." in gate.sentence
    assert "Run the setting again" in gate.sentence
    assert "raise `max_incomplete_share`" in gate.sentence


def test_answers_that_are_all_cut_off_are_named_by_their_state_with_its_remedy() -> None:
    attempts = [("a", repeat, 1, "cut_off", None) for repeat in range(1, 6)]
    calls = calls_of([*attempts, ("b", 1, 1, "refused", None)]).assign(
        fault_message="the answer was cut off at max_output_tokens (finish_reason 'length')"
    )
    matrix = matrix_of_scores({"a": [None] * 5, "b": [0.1] * 5})
    said = enough_repeats_gate(matrix, plan(repeats=5, minimum_repeats=3), calls).sentence
    assert "Too few: a (0). Of 5 answers, 5 are `cut_off`, such as: the answer was cut off at max_output_tokens" in said
    assert "Raise `max_output_tokens`, or lower `reasoning_effort`. Run the setting again" in said
    assert "`answers_are_valid_json` says the cause. Where only few have none, plan more repeats" in said


@pytest.mark.parametrize(("n", "share"), [(24, 0.05), (20, 0.05), (12, 0.1)])
def test_within_the_limit_the_object_is_left_out_and_named(n: int, share: float) -> None:
    matrix, study = of_objects(n, 1), plan(repeats=5, minimum_repeats=3, max_incomplete_share=share)
    gate = enough_repeats_gate(matrix, study)
    assert gate.passed
    assert gate.sentence == (
        f"1 object of {n} with fewer than 3 valid repeats, left out of all settings: a (2); allowed: at most {share:g} "
        "of them."
    )
    assert sound_matrix(matrix, study)["object"].tolist() == matrix["object"].tolist()[1:]


def test_over_the_limit_nothing_is_computed_from_the_matrix() -> None:
    with pytest.raises(dg.Failure, match=f"{SETTING}: Share of objects"):
        sound_matrix(of_objects(12, 1), plan(repeats=5, minimum_repeats=3))


def test_a_matrix_of_the_plan_in_force_is_taken_as_it_is() -> None:
    made = matrix_of_scores({"a": [0.1, 0.1, None]})
    assert as_planned(made, 3) is made


def test_a_matrix_of_another_plan_is_refused_with_both_numbers() -> None:
    said = rf"score_matrix at {SETTING} was made with 3 repeats, and the study plans 5\. Run the setting again"
    with pytest.raises(UserError, match=said):
        as_planned(matrix_of_scores({"a": [0.1, 0.1, None]}), 5)


def test_a_matrix_without_objects_fails() -> None:
    gate = enough_repeats_gate(matrix_of_scores({"a": [0.1, 0.1, 0.1]}).iloc[:0], plan())
    assert not gate.passed
    assert gate.sentence.endswith(
        "undefined (no object was judged) over 0 objects; needed: at most 0.05. See what something_to_judge lacks."
    )
