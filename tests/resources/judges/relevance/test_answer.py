"""An answer is one number and nothing else; what has another form is told by its state and never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.judges.relevance.openai_relevance import parse_relevance


@pytest.mark.parametrize(
    ("raw", "score"),
    [("0.7", 0.7), (" 1.0\n", 1.0), ("0", 0.0), ("1", 1.0), (".5", 0.5), ("1e-3", 0.001), ("-0.0", 0.0), ("+0.2", 0.2)],
)
def test_an_answer_that_is_one_number_is_valid(raw: str, score: float) -> None:
    parsed = parse_relevance(raw)
    assert (parsed.state, parsed.score, str(parsed.score)) == ("valid", score, str(score))


@pytest.mark.parametrize(
    "raw", ["Score: 0.7", "**0.7**", "```\n0.7\n```", "I say 0.7.", '{"relevance": 0.7}', "Rating=0.7", "(0.7)"]
)
def test_one_number_inside_other_text_is_recovered(raw: str) -> None:
    parsed = parse_relevance(raw)
    assert (parsed.state, parsed.score) == ("recovered", 0.7)


@pytest.mark.parametrize(
    "raw", ["<think>\nIt meets 3 of 5.\n</think>\n\n0.7", "It meets 3 of 5.</think>0.7", "<THINKING>1</THINKING> 0.7"]
)
def test_reasoning_before_the_number_is_no_part_of_the_answer(raw: str) -> None:
    parsed = parse_relevance(raw)
    assert (parsed.state, parsed.score) == ("valid", 0.7)


@pytest.mark.parametrize(
    ("raw", "state"),
    [
        ("1.2", "out_of_range"),
        ("-0.1", "out_of_range"),
        ("Score: 7", "out_of_range"),
        ("1e999", "out_of_range"),
        ("7/10", "ambiguous"),
        ("0.7 of 1.0", "ambiguous"),
        ("between 0.6-0.8", "ambiguous"),
        ("0,7", "schema_error"),
        ("70%", "schema_error"),
        ("0.75%", "schema_error"),
        ("by prompt v2: 0.7", "ambiguous"),
        ("version 1.2.3", "schema_error"),
        ("10,000", "schema_error"),
        ("\u22120.1", "out_of_range"),  # a minus as typographers write it
        ("Score: \uff0d0.1", "out_of_range"),
        ("Score \u20130.1", "schema_error"),  # a dash, or a minus
        ("0.2. No: 0.9", "ambiguous"),
        ("<think>0.2</think>", "reasoning_only"),
        ("<think>\n0.2 seems", "reasoning_only"),
        ("very relevant", "invalid_json"),
        ("NaN", "invalid_json"),
        ("٠٫٧", "invalid_json"),
        ("I'm sorry, I can't rate this document.", "refused"),
        ("", "refused"),
        (None, "refused"),
    ],
)
def test_what_is_no_single_number_has_a_state_and_no_score(raw: str | None, state: str) -> None:
    parsed = parse_relevance(raw)
    assert (parsed.state, parsed.score) == (state, None)
    assert parsed.problem


@pytest.mark.parametrize(
    ("raw", "scale", "state", "score"),
    [
        ("1", (0, 3), "valid", 1 / 3),
        ("Score: 3", (0, 3), "recovered", 1.0),
        ("1", (1, 5), "valid", 0.0),
        ("4", (1, 5), "valid", 0.75),
        ("0", (1, 5), "out_of_range", None),
        ("4", (0, 3), "out_of_range", None),
    ],
)
def test_an_answer_is_read_on_the_scale_that_the_prompt_asks_for(
    raw: str, scale: tuple[float, float], state: str, score: float | None
) -> None:
    parsed = parse_relevance(raw, scale)
    assert (parsed.state, parsed.score) == (state, score)


@given(st.floats(0, 1))
def test_every_number_of_the_scale_is_read_as_it_was_written(score: float) -> None:
    assert parse_relevance(repr(score)).score == score


@given(st.text())
def test_any_text_has_a_state_and_a_score_only_on_the_scale(raw: str) -> None:
    parsed = parse_relevance(raw)
    assert (parsed.score is not None) == (parsed.state in ("valid", "recovered"))
    assert parsed.score is None or 0 <= parsed.score <= 1
