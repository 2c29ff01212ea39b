"""Table `judge_calls`: what counts as a first answer, and the gate on JSON validity."""

import pytest

from assets.fidelity.judge_calls import answers_are_valid_json, headline, same_model_answered
from assets.fidelity.logic.judge_answers import first_answers, judged_objects
from tests.assets.asked_gates import asked, with_limit
from tests.assets.shared.made_tables import calls_of, objects_of, one_each

model_gate = asked(same_model_answered)
validity_gate = with_limit(answers_are_valid_json, "json_validity")


def test_a_later_answer_does_not_hide_the_first() -> None:
    calls = calls_of([("a", 1, 2, "valid", 0.5), ("a", 1, 1, "invalid_json", None)])
    assert first_answers(calls)["state"].tolist() == ["invalid_json"]


def test_a_fault_is_no_answer_so_the_one_after_it_is_the_first() -> None:
    calls = calls_of([("a", 1, 1, "timeout", None), ("a", 1, 2, "recovered", 0.5), ("a", 1, 3, "valid", 0.6)])
    assert first_answers(calls)["state"].tolist() == ["recovered"]


def test_every_repeat_of_every_object_has_a_first_answer_of_its_own() -> None:
    calls = calls_of([("a", 1, 1, "valid", 0.5), ("a", 2, 1, "valid", 0.5), ("b", 1, 1, "refused", None)])
    assert len(first_answers(calls)) == 3


def test_valid_answers_pass() -> None:
    gate = validity_gate(calls_of([("a", repeat, 1, "valid", 0.5) for repeat in range(1, 4)]), 0.98)
    assert gate.passed
    assert gate.seen == 1
    assert "189 flawless first answers" in gate.sentence


def test_answers_that_are_no_json_fail_and_say_how_many() -> None:
    # First answers: valid, recovered (from other text), invalid: 1 of 3; faults count on neither side.
    calls = calls_of(
        [
            ("a", 1, 1, "valid", 0.5),
            ("a", 2, 1, "recovered", 0.5),
            ("a", 3, 1, "invalid_json", None),
            ("a", 3, 2, "valid", 0.5),
            ("a", 4, 1, "rate_limited", None),
        ]
    )
    gate = validity_gate(calls, 0.98)
    assert not gate.passed
    assert gate.seen == 1 / 3
    assert "1 of 3 first answers" in gate.sentence
    assert "`fault_message`" in gate.sentence


def test_the_gate_names_the_most_frequent_reason_and_its_remedy() -> None:
    rows = [("a", repeat, 1, "cut_off", None) for repeat in range(1, 13)]
    calls = calls_of([*rows, ("b", 1, 1, "refused", None)]).assign(fault_message="cut off at max_output_tokens")
    sentence = validity_gate(calls, 0.98).sentence
    assert "Of 13 answers, 12 are `cut_off`, such as: cut off at max_output_tokens. Raise `max_output_to" in sentence
    aborted = validity_gate(calls.assign(fault_message="ended by 'abort'"), 0.98).sentence
    assert "ended by 'abort'. Look up in the server's log" in aborted
    assert "max_output_tokens" not in aborted


def test_without_any_answer_validity_is_undefined_and_fails() -> None:
    gate = validity_gate(calls_of([("a", 1, 1, "timeout", None)]), 0.98)
    assert not gate.passed
    assert "undefined (there are no first answers)" in gate.sentence


def test_one_model_behind_all_answers_passes_whether_or_not_it_says_its_name() -> None:
    calls = calls_of([("a", repeat, 1, "valid", 0.5) for repeat in range(1, 4)])
    assert model_gate(calls).passed
    assert model_gate(calls.assign(model_answered="m", fingerprint="f")).passed


@pytest.mark.parametrize(
    ("asked", "answered", "passes"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("gpt-4o", "gpt-4o-20240806", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("my-model", "gpt-4o-2024-08-06", False),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-11-20", False),
        ("unnamed", "gpt-4o", True),
        ("a+b", "b", True),
    ],
)
def test_a_model_that_was_not_asked_for_is_noted_and_a_dated_snapshot_is_none(
    asked: str, answered: str, *, passes: bool
) -> None:
    calls = calls_of([("a", repeat, 1, "valid", 0.5) for repeat in range(1, 4)])
    gate = model_gate(calls.assign(model_asked=asked, model_answered=answered))
    assert gate.passed == passes
    assert (f"{answered} for {asked}" in gate.sentence) is not passes


def test_a_model_that_was_swapped_fails_and_both_are_named() -> None:
    calls = calls_of([("a", repeat, 1, "valid", 0.5) for repeat in range(1, 4)])
    gate = model_gate(calls.assign(model_answered=["m-1", "m-1", "m-2"], fingerprint=["f", "f", None]))
    assert not gate.passed
    assert gate.seen == 2
    assert "They are m-1 (f), m-2 (not stated)." in gate.sentence


def test_a_fault_says_nothing_about_the_model() -> None:
    calls = calls_of([("a", 1, 1, "valid", 0.5), ("a", 2, 1, "timeout", None)])
    assert model_gate(calls.assign(model_answered=["m", "gateway"])).passed


def test_the_headline_counts_states_cost_and_scores_that_differ_from_their_sum_by_more_than_rounding() -> None:
    calls = calls_of([("a", repeat, 1, "valid", 0.50) for repeat in range(1, 5)] + [("a", 5, 1, "timeout", None)])
    # 0.01 apart is rounding (0.50 - 0.49 in floating point is a little more than 0.01); 0.02 is a disagreement.
    calls["score_recomputed"] = [0.49, 0.51, 0.48, 0.50, None]
    numbers = headline(calls)
    assert numbers["n_stated_and_recomputed_differ"] == 1
    assert (numbers["n_attempts"], numbers["n_valid"], numbers["n_timeout"]) == (5, 4, 1)
    assert numbers["cost_usd"] == pytest.approx(0.05)
    assert numbers["model_answered"] == "not stated"


def test_the_judge_sees_the_objects_that_are_not_left_out_with_unknown_categories_as_none() -> None:
    objects = objects_of(one_each("abc"), excluded={"b": "no_photos"}, category_l2={"a": None})
    first, second = judged_objects(objects)
    assert (first.object, second.object) == ("a", "c")
    assert first.categories == ("Home", None, "Stools")
    assert first.image_hashes == ("hash of p-a", "hash of a")
