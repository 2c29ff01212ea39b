"""Texts that look alike are one text."""

import pytest

from analysis.spelling import one_spelling, plain_spaces


@pytest.mark.parametrize(
    "text",
    ["somewhat agree", "Somewhat  Agree", " somewhat\tAGREE\n", "somewhat\u00a0agree", "somewhat\u2003 agree",
     "\ufeffsomewhat\u3000agree\u200b", "some\u00adwhat agree"],
)  # fmt: skip
def test_letter_case_and_white_space_of_any_kind_are_no_part_of_a_text(text: str) -> None:
    assert one_spelling(text) == "somewhat agree"


def test_accents_in_either_form_and_special_small_letters_are_one() -> None:
    assert one_spelling("Citta\u0300") == one_spelling("citt\u00e0") == one_spelling("CITT\u00c0")
    assert one_spelling("STRASSE") == one_spelling("stra\u00dfe")
    assert one_spelling("resume") != one_spelling("r\u00e9sum\u00e9")


def test_the_colour_of_an_emojis_skin_and_how_it_is_drawn_are_no_part_of_it() -> None:
    thumb, heart = "\U0001f44d", "\u2764"
    assert one_spelling(thumb + "\U0001f3fd") == one_spelling(thumb) != one_spelling("\U0001f44e")
    assert one_spelling(heart + "\ufe0f") == one_spelling(heart)


def test_letter_case_stays_where_only_white_space_is_one() -> None:
    assert plain_spaces("  A\u00a0 b ") == "A b"
    assert one_spelling("ab") != one_spelling("a b")
