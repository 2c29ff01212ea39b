"""Ways to write an option, and what is not guessed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.accuracy.option_answers import normalised_answer, written_answer

LETTERS = ("A", "B", "C", "D")
COLOURS = ("red", "blue", "Gaussian blur", "blur")
YES_NO = ("yes", "no")


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "b",
            "B.",
            "(B)",
            "Option B",
            " b ) ",
            " B ",
            "[b]",
            "option: B",
            "B:",
            "OPTION (b).",
            "B)",
            "(B",
            "B,",
            "B!",
        ),
        # Quotes.
        *('"B"', "'b'", "\u201cB\u201d", "\u201eB\u201c", "\u00abB\u00bb", "\u2018B\u2019.", '"B".'),
        # Brackets of other scripts, letters of other widths and fonts, invisible marks.
        *("\uff08B\uff09", "\u3010B\u3011", "\u300cB\u300d", "\u300aB\u300b", "{B}", "\uff22", "\uff08\uff22\uff09"),
        *("\u24b7", "\u249d", "\U0001d401", "B\u3002", "B\u3001", "\uff22\uff1a", "\u200fB\u200e", "\ufeffB"),
        # Markdown, TeX, tags, JSON.
        *("**B**", "*B*", "__B__", "`B`", "```\nB\n```", "## B", "> B", "**(B)**", "**B.**", "#### B"),
        *(r"\boxed{B}", r"$\boxed{B}$", r"\boxed{\text{B}}", r"\(B\)", "$B$", "<answer>B</answer>", '{"answer": "B"}'),
        # Said.
        *("Answer: B", "ANSWER: B", "Answer:B", "Answer - B", "**Answer:** B", "Answer: **B**", "Answer: \uff22"),
        *("The answer is (B).", "the answer is B", "The correct answer is option (B).", "So, the answer is **B**."),
        *("Final answer: B", "My answer is B", "I choose B.", "Choice: B", r"The final answer is $\boxed{B}$."),
        # Within more text that names no other option.
        *("The edges are soft. The answer is B.", "The answer is (B) because the edges are soft.", "Answer: B\nSoft."),
        *("Reason: soft edges.\nAnswer: B", r"The edges are soft, so \boxed{B}", "The answer is B. Answer: (B)"),
    ],
)
def test_ways_to_write_an_option_are_brought_to_it_and_counted(answer):
    assert normalised_answer(answer, LETTERS) == ("B", True)


def test_an_option_as_it_stands_needs_no_change():
    assert normalised_answer("B", LETTERS) == ("B", False)


@pytest.mark.parametrize(
    "answer",
    [
        *("E", "", "  ", None, "option", "answer", "()", "**", "AB", "1", "none", "?", "B?", "I cannot tell"),
        # Two options.
        *("A or B", "A, B", "A/B", "A B", "A - B", "(A)(B)", "[A] [B]", "A: B", "(A) or (B)", '"A" or "B"'),
        *("The answer is A or B", "The answer is (A) or (B)", "Answer: A\nAnswer: B", r"\boxed{A} \boxed{B}"),
        *("A. No wait, B", "The answer is A. No, B.", "A is wrong. The answer is B.", "The answer is A, not B"),
        # A letter within prose, and denials.
        *("A dog", "a dog", "Answer: a dog", "The answer is a dog", "B because it is soft", "I am a fan of it"),
        *("The answer is not B", "not B", "I doubt that the answer is B. It is not.", "Is the answer B?"),
        *("If the answer is B, it is soft", "Wrong answer: B", "A blurred picture. The answer is B.", "B\u00b2"),
    ],
)
def test_what_names_no_single_option_is_not_guessed(answer):
    assert normalised_answer(answer, LETTERS) == (None, False)


@pytest.mark.parametrize(
    ("answer", "options", "texts", "option"),
    [
        # What the option says, alone and with its letter.
        *((answer, LETTERS, COLOURS, "B") for answer in ("blue", "Blue.", "'blue'", "Answer: blue", "B", "(b)")),
        *((answer, LETTERS, COLOURS, "B") for answer in ("B: blue", "(B) blue", "B - blue", "blue (B)", "**B**: blue")),
        *((answer, LETTERS, COLOURS, "B") for answer in ("The answer is B: blue.", "B) blue.", "\\text{blue}")),
        # A letter with another's text, two texts, a space alone between letter and text.
        *((answer, LETTERS, COLOURS, None) for answer in ("A: blue", "blue (A)", "B: red", "red or blue", "B blue")),
        *(
            (answer, LETTERS, COLOURS, None)
            for answer in ("red blue", "the blue one", "The answer is A. Blue is nice.")
        ),
        # Options that contain each other.
        ("blur", LETTERS, COLOURS, "D"),
        ("Gaussian blur", LETTERS, COLOURS, "C"),
        ("The answer is Gaussian blur.", LETTERS, COLOURS, "C"),
        ("some blur", LETTERS, COLOURS, None),
        # Words: by the word, by the letter of its place, never out of a sentence.
        *((answer, YES_NO, None, "no") for answer in ("No.", "**no**", "B", "(b)", "The answer is no.", "B) no")),
        *((answer, YES_NO, None, None) for answer in ("No, it is not", "yes/no", "not yes", "No, the answer is yes.")),
        *((answer, YES_NO, None, None) for answer in ("A) no", "I know", "yes and no")),
        ("The right answer is wrong", ("right", "wrong"), None, None),
        ("The right answer is 3", ("3", "4"), None, "3"),
        # Numbers keep their sign, point and power.
        *(("Answer: -1", ("1", "-1"), None, "-1"), ("- 1", ("1", "-1"), None, None), ("1.", ("1", "-1"), None, "1")),
        *(("1.0", ("1", "10"), None, None), ("2\u00b2", ("4", "22"), None, None), ("\u2460", ("1", "2"), None, "1")),
        # An option may look like a wrapping.
        *(("C#", ("C", "C#"), None, "C#"), ("**C#**", ("C", "C#"), None, "C#"), ("f(x).", ("f(x)", "x"), None, "f(x)")),
        *(("A.", ("A", "A."), None, "A."), ("[A]", ("(A)", "A."), None, None), ("b", ("(A)", "(B)"), None, "(B)")),
        ("option", ("Option", "Other"), None, "Option"),
        ("Option 12", tuple(str(number) for number in range(15)), None, "12"),
    ],
)
def test_words_numbers_and_what_an_option_says(answer, options, texts, option):
    assert normalised_answer(answer, options, texts).option == option


@pytest.mark.parametrize("options", [[], ["A", " "], ["A", "a"], ["A", "A "]])
def test_options_that_cannot_be_told_apart_are_refused(options):
    with pytest.raises(ValueError, match="option"):
        normalised_answer("A", options)


def test_without_normalisation_an_answer_is_its_name_or_what_it_says():
    assert written_answer(" b ", LETTERS) == ("B", True)
    assert written_answer("Blue", LETTERS, COLOURS) == ("B", True)
    assert [written_answer(answer, LETTERS, COLOURS).option for answer in ("(B)", "B.", "Answer: B", None)] == [
        None
    ] * 4


@given(st.text(max_size=12))
def test_any_text_gives_an_option_or_none_and_never_claims_a_change_without_one(answer):
    found = normalised_answer(answer, ["A", "B", "yes", "no"])
    assert found.option in ("A", "B", "yes", "no", None)
    assert not (found.option is None and found.normalised)
    assert found.normalised is (found.option is not None and found.option != answer)


_OPTIONS = (LETTERS, YES_NO, ("right", "wrong", "best"), ("1", "2", "12"), ("cat", "dog", "hot dog"))
_PIECES = st.lists(
    st.sampled_from(
        [*("The answer is ", "Answer: ", "not ", "so ", "\n", ". ", ", ", " or ", "(", ")", "**", "\\boxed{", "}", '"')]
        + [*("option ", "I choose ", ": ", " - ", "$", "`", " because ", "final ", "</answer>", "<answer>", " it is ")]
    ),
    max_size=4,
).map("".join)


@given(st.data())
def test_an_answer_that_names_two_options_is_never_brought_to_one(data):
    options = data.draw(st.sampled_from(_OPTIONS))
    two = data.draw(st.permutations(options))[:2]
    parts = [part for option in two for part in (data.draw(_PIECES), f" {option} ")]
    answer = "".join([*parts, data.draw(_PIECES)])
    # "hot dog" contains "dog" and is one option: only texts that name both apart from each other are meant.
    if all(re.search(rf"(?<!\w){option}(?!\w)", answer.replace(other, "")) for option, other in (two, two[::-1])):
        assert normalised_answer(answer, options).option is None
