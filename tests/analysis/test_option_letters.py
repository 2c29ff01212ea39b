"""An answer names its option however it is written, and names none where it could be two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.option_letters import normalised_answer

LETTERS = ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    "text",
    [
        *("b", " B", "B ", "B.", "(B)", "[b]", "B)", "**B**", "'B'", "B:", "Option B", "option b.", "OPTION (B)"),
        *("Answer: B", "The answer is B.", "The correct answer is: (B)", "Answer: Option B", "choice B", "B\n"),
    ],
)
def test_spellings_of_a_letter_name_its_option_and_count_as_normalised(text: str) -> None:
    assert normalised_answer(text, LETTERS) == ("B", True)


def test_an_answer_spelled_as_the_option_is_not_normalised() -> None:
    assert normalised_answer("B", LETTERS) == ("B", False)


@pytest.mark.parametrize("text", ["E", "", "  ", ".", "B or C", "AB", "not B", "Option", "B. noise", "unsure", "N/A"])
def test_what_names_no_option_of_these_names_none(text: str) -> None:
    assert normalised_answer(text, LETTERS) == (None, False)


@pytest.mark.parametrize("text", ["b", "(B)", "Option B", "b. Noise", "b) noise.", "(B) Noise", "noise", "B: noise"])
def test_options_that_begin_with_a_letter_are_named_by_letter_text_or_both(text: str) -> None:
    assert normalised_answer(text, ["A. Blur", "B. Noise"]) == ("B. Noise", True)


def test_a_letter_with_the_text_of_another_option_names_none() -> None:
    assert normalised_answer("A. Noise", ["A. Blur", "B. Noise"]) == (None, False)


def test_options_of_several_letters_are_named_by_their_place() -> None:
    options = ["Excellent", "Good", "Fair", "Poor", "Bad"]
    assert normalised_answer("e", options) == ("Bad", True)
    assert normalised_answer("Good.", options) == ("Good", True)
    assert normalised_answer("F", options) == (None, False)


def test_single_letters_are_never_taken_as_places() -> None:
    assert normalised_answer("A", ["X", "Y"]) == (None, False)


def test_a_form_that_fits_two_options_names_none() -> None:
    # Both lose their brackets to become "clear"; each is still named as it is spelled.
    options = ["(clear)", "clear."]
    assert normalised_answer("clear", options) == (None, False)
    assert normalised_answer("CLEAR.", options) == ("clear.", True)


def test_an_option_that_is_one_of_the_introducing_words_can_be_named() -> None:
    assert normalised_answer("answer", ["Answer", "Question"]) == ("Answer", True)


@given(st.lists(st.text(max_size=12), min_size=2, max_size=6), st.text(max_size=14))
def test_every_option_names_itself_and_nothing_names_an_option_that_is_not_there(options: list[str], text: str) -> None:
    assert all(normalised_answer(option, options) == (option, False) for option in options)
    assert normalised_answer(text, options).option in {None, *options}
