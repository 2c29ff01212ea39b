"""Ways to write an option, and what is not guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.option_answers import normalised_answer


@pytest.mark.parametrize(
    "answer", ["b", "B.", "(B)", "Option B", " b ) ", " B ", "[b]", "option: B", "B:", "OPTION (b)."]
)
def test_ways_to_write_an_option_are_brought_to_it_and_counted(answer):
    assert normalised_answer(answer, "ABCD") == ("B", True)


def test_an_option_as_it_stands_needs_no_change():
    assert normalised_answer("B", "ABCD") == ("B", False)


@pytest.mark.parametrize("answer", ["E", "", "  ", None, "option", "()", "AB", "the answer is B", "A or B", "1"])
def test_what_names_no_single_option_is_not_guessed(answer):
    assert normalised_answer(answer, "ABCD") == (None, False)


def test_options_may_be_any_texts_in_any_number():
    kinds = ["JPEG compression", "Gaussian blur", "None of these"]
    assert normalised_answer("gaussian blur.", kinds) == ("Gaussian blur", True)
    assert normalised_answer("None of these", kinds) == ("None of these", False)
    assert normalised_answer("Option 12", [str(number) for number in range(15)]) == ("12", True)
    assert normalised_answer("b", ["(A)", "(B)"]) == ("(B)", True)


def test_an_exact_option_wins_over_what_its_bare_form_would_be():
    assert normalised_answer("option", ["Option", "Other"]) == ("Option", True)
    assert normalised_answer("A.", ["A", "A."]) == ("A.", False)


def test_an_answer_that_fits_two_options_fits_none():
    assert normalised_answer("[A]", ["(A)", "A."]) == (None, False)


@pytest.mark.parametrize("options", [[], ["A", " "], ["A", "a"], ["A", "A "]])
def test_options_that_cannot_be_told_apart_are_refused(options):
    with pytest.raises(ValueError, match="option"):
        normalised_answer("A", options)


@given(st.text(max_size=12))
def test_any_text_gives_an_option_or_none_and_never_claims_a_change_without_one(answer):
    found = normalised_answer(answer, ["A", "B", "yes", "no"])
    assert found.option in ("A", "B", "yes", "no", None)
    assert not (found.option is None and found.normalised)
    assert found.normalised is (found.option is not None and found.option != answer)
