"""Raw answers become scores only when they are what was asked for; every other state has none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.configuration.fidelity import RubricWeights
from resources.judges.answers import parse_answer
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES, SUBSCORES

WEIGHTS = RubricWeights()


def answer(**changes: Any) -> dict[str, Any]:
    # 40 % of 90 + 25 % of 80 + 15 % of 60 + 20 % of 50 = 36 + 20 + 9 + 10 = 75.
    subscores = dict(zip(SUBSCORES, (90, 80, 60, 50), strict=True))
    return {"item_id": "100", "subscores": subscores, "score": 75, "rationale": ["a", "b"]} | changes


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in answer().items() if name != key}


def subscore(value: Any) -> dict[str, Any]:
    return answer(subscores=answer()["subscores"] | {"color_palette": value})


def test_a_strict_answer_is_valid_with_scores_on_0_1() -> None:
    parsed = parse_answer(json.dumps(answer()), "100", WEIGHTS)
    assert (parsed.state, parsed.score, parsed.score_stated) == ("valid", 0.75, 0.75)
    assert parsed.score_recomputed == pytest.approx(0.75, abs=1e-15)
    assert parsed.subscores == dict(zip(SUBSCORES, (0.9, 0.8, 0.6, 0.5), strict=True))
    assert (parsed.rationale, parsed.problem) == (("a", "b"), None)


def test_space_around_the_json_is_no_other_text() -> None:
    assert parse_answer(f"\n {json.dumps(answer(), indent=2)}\n", "100", WEIGHTS).state == "valid"


@pytest.mark.parametrize(
    "form",
    [
        "```json\n{}\n```",
        "Here is my answer:\n{}\nI compared all photos.",
        'Form: {{"item_id": "x", "subscores": {{}}}}. Mine: {}',
        "Thinking {{about}} it {{ more: {}",
        "[{}]",
    ],
)
def test_json_inside_other_text_is_recovered(form: str) -> None:
    parsed = parse_answer(form.format(json.dumps(answer())), "100", WEIGHTS)
    assert (parsed.state, parsed.score) == ("recovered", 0.75)


NOT_SCORED = {
    "none": (None, "refused"),
    "empty": (" \n", "refused"),
    "plain_refusal": ("I'm sorry, but I can't rate these images.", "refused"),
    "curly_apostrophe": ("I\u2019m unable to evaluate this.", "refused"),
    "italian_refusal": ("Mi dispiace, non posso valutare le immagini.", "refused"),
    "chatter": ("The chair looks quite faithful, about 80 of 100.", "invalid_json"),
    "cut_off": (json.dumps(answer())[:-20], "invalid_json"),
    "cut_off_refusing_tone": ("I cannot see the back. {" + '"item_id": "100", "subscores": {', "invalid_json"),
    "deep": ("[" * 100_000, "invalid_json"),
    "deep_objects": ('{"a":' * 50_000, "invalid_json"),
    "bare_number": ("75", "schema_error"),
    "null": ("null", "schema_error"),
    "text": ('"I cannot"', "schema_error"),
    "json_refusal": ('{"error": "I cannot"}', "schema_error"),
    "no_item": (without("item_id"), "schema_error"),
    "no_subscores": (without("subscores"), "schema_error"),
    "no_score": (without("score"), "schema_error"),
    "no_rationale": (without("rationale"), "schema_error"),
    "other_item": (answer(item_id="101"), "schema_error"),
    "item_as_number": (answer(item_id=100), "schema_error"),
    "subscores_list": (answer(subscores=[90, 80, 60, 50]), "schema_error"),
    "three_subscores": (answer(subscores={"color_palette": 1}), "schema_error"),
    "score_text": (answer(score="75"), "schema_error"),
    "score_true": (answer(score=True), "schema_error"),
    "score_null": (answer(score=None), "schema_error"),
    "score_nan": (answer(score=float("nan")), "schema_error"),
    "subscore_false": (subscore(False), "schema_error"),
    "subscore_nan": (subscore(float("nan")), "schema_error"),
    "one_reason": (answer(rationale=["a"]), "schema_error"),
    "five_reasons": (answer(rationale=["a"] * 5), "schema_error"),
    "blank_reason": (answer(rationale=["a", " "]), "schema_error"),
    "reason_text": (answer(rationale="a and b"), "schema_error"),
    "reason_numbers": (answer(rationale=[1, 2]), "schema_error"),
    "score_over": (answer(score=100.01), "out_of_range"),
    "score_under": (answer(score=-1), "out_of_range"),
    "score_infinite": (answer(score=float("inf")), "out_of_range"),
    "score_huge": (answer(score=10**400), "out_of_range"),
    "subscore_over": (subscore(101), "out_of_range"),
    "recovered_but_over": ("Sure: " + json.dumps(answer(score=101)), "out_of_range"),
}


@pytest.mark.parametrize(("raw", "state"), NOT_SCORED.values(), ids=NOT_SCORED.keys())
def test_a_failed_answer_is_never_a_number(raw: Any, state: str) -> None:
    parsed = parse_answer(json.dumps(raw) if isinstance(raw, dict) else raw, "100", WEIGHTS)
    assert parsed.state == state
    assert (parsed.score, parsed.score_stated, parsed.score_recomputed, parsed.subscores) == (None, None, None, None)
    assert parsed.problem
    assert len(parsed.problem) < 400


def test_the_problem_names_key_and_value() -> None:
    assert "score '75'" in str(parse_answer(json.dumps(answer(score="75")), "100", WEIGHTS).problem).replace(
        "score is no number: ", "score "
    )
    assert "score 101" in str(parse_answer(json.dumps(answer(score=101)), "100", WEIGHTS).problem)


def test_the_recomputed_score_counts_when_the_study_says_so() -> None:
    parsed = parse_answer(json.dumps(answer(score=10)), "100", WEIGHTS, "recomputed")
    assert parsed.score == parsed.score_recomputed == pytest.approx(0.75, abs=1e-15)
    assert parsed.score_stated == 0.1


def test_weights_are_divided_by_their_sum() -> None:
    colour_only = RubricWeights(color_palette=3, material_finish=0, texture_identity=0, texture_scale_placement=0)
    assert parse_answer(json.dumps(answer()), "100", colour_only).score_recomputed == pytest.approx(0.9, abs=1e-15)


@given(
    values=st.lists(st.floats(0, 100), min_size=4, max_size=4),
    weights=st.lists(st.floats(0.01, 100), min_size=4, max_size=4),
)
def test_the_recomputed_score_lies_between_the_subscores(values: list[float], weights: list[float]) -> None:
    raw = json.dumps(answer(subscores=dict(zip(SUBSCORES, values, strict=True))))
    parsed = parse_answer(raw, "100", RubricWeights(**dict(zip(SUBSCORES, weights, strict=True))))
    assert parsed.score_recomputed is not None
    assert 0 <= parsed.score_recomputed <= 1
    assert min(values) - 1e-9 <= 100 * parsed.score_recomputed <= max(values) + 1e-9


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_any_text_gets_a_state_and_no_exception(raw: str) -> None:
    parsed = parse_answer(raw, "100", WEIGHTS)
    assert parsed.state in ANSWER_STATES
    assert (parsed.score is not None) == (parsed.state in SCORED_STATES)


@pytest.mark.parametrize(
    ("once", "twice"),
    [('"score": 75', '"score": 50, "score": 75'), ('"color_palette": 90', '"color_palette": 10, "color_palette": 90')],
)
@pytest.mark.parametrize("form", ["{}", "Mine: {}"])
def test_a_key_that_stands_twice_leaves_no_score(form: str, once: str, twice: str) -> None:
    parsed = parse_answer(form.format(json.dumps(answer()).replace(once, twice)), "100", WEIGHTS)
    assert (parsed.state, parsed.score) == ("ambiguous", None)
    assert "more than once" in (parsed.problem or "")


@pytest.mark.parametrize("other", [answer(score=20), {"score": 20}, answer(subscores=dict.fromkeys(SUBSCORES, 20))])
def test_two_verdicts_that_differ_are_ambiguous_whichever_comes_last(other: dict[str, Any]) -> None:
    both = [json.dumps(answer()), json.dumps(other)]
    for first, second in (both, both[::-1]):
        parsed = parse_answer(f"First thought: {first}. On reflection: {second}", "100", WEIGHTS)
        assert (parsed.state, parsed.score) == ("ambiguous", None)
        assert "two verdicts" in (parsed.problem or "")


@pytest.mark.parametrize("other", [answer(), answer(item_id="x", score=1), answer(rationale=["c", "d"]), {"score": 75}])
def test_the_same_verdict_twice_or_one_about_another_item_is_no_second_verdict(other: dict[str, Any]) -> None:
    parsed = parse_answer(f"{json.dumps(other)} {json.dumps(answer())}", "100", WEIGHTS)
    assert (parsed.state, parsed.score) == ("recovered", 0.75)


def test_fractions_where_0_to_100_was_asked_for_have_no_score() -> None:
    in_fractions = answer(score=0.63, subscores=dict.fromkeys(SUBSCORES, 0.63))
    parsed = parse_answer(json.dumps(in_fractions), "100", WEIGHTS)
    assert (parsed.state, parsed.score) == ("ambiguous", None)
    assert "fractions of 1" in (parsed.problem or "")


@pytest.mark.parametrize("score", [0, 1, 1.5])
def test_low_scores_on_0_to_100_are_no_fractions(score: float) -> None:
    low = answer(score=score, subscores=dict.fromkeys(SUBSCORES, score))
    assert parse_answer(json.dumps(low), "100", WEIGHTS).score == score / 100
