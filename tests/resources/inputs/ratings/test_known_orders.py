"""Words of known scales have their order; what could be another scale has none."""

from dataclasses import replace
from pathlib import Path

import pytest

from resources.errors import UserError
from resources.inputs.ratings.known_orders import known_order, numbered_order
from resources.inputs.ratings.table import read_ratings
from tests.resources.inputs.ratings.test_table import NAN, WIDE, csv, same, values


@pytest.mark.parametrize(
    "ordered",
    [
        ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
        ["strongly_disagree", "somewhat disagree", "neutral", "somewhat agree", "strongly agree"],
        ["Bad", "Poor", "Fair", "Good", "Excellent"],
        ["very bad", "bad", "ok", "good", "very good"],
        ["Never", "Rarely", "Sometimes", "Often", "Always"],
        ["low", "medium", "high"],
        ["Per niente d\u2019accordo", "Poco d'accordo", "Abbastanza d'accordo", "Molto d'accordo"],
        ["Insufficiente", "Sufficiente", "Buono", "Ottimo"],
        ["mai", "a volte", "spesso", "sempre"],
        ["basso", "medio", "alto"],
        ["1 - Very bad", "2 - Bad", "3 - OK", "4 - Good", "5 - Very good"],
        ["1 star", "2 stars", "5 stars"],
        ["Poor (1)", "Fair (2)", "Good (3)"],
        ["5. never", "4. sometimes", "1. always"],
        ["\u2606" * 5, "\u2605" + "\u2606" * 4, "\u2605" * 3 + "\u2606" * 2, "\u2605" * 5],
        ["\u2b50\ufe0f", "\u2b50\ufe0f" * 2, "\u2b50\ufe0f" * 5],
    ],
)
def test_words_of_a_known_scale_have_its_order(ordered: list[str]) -> None:
    assert known_order(sorted(ordered)) == ordered


@pytest.mark.parametrize(
    "labels",
    [
        ["pass", "fail", "unsure"],
        ["good", "bad"],
        ["good", "bad", "great idea"],
        ["neutral", "undecided", "agree"],
        ["\u2605\u2605", "\u2605\u2605\u2606\u2606\u2606", "\u2605"],
        ["low", "good", "often"],
    ],
)
def test_other_words_have_none(labels: list[str]) -> None:
    assert known_order(labels) is None


def test_a_known_scale_is_ordinal_and_the_note_says_how_to_change_it(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt,ann,bob\nLow,medium,high\nhigh,Not applicable,low\nmedium,N/A,low\n")
    found = read_ratings(path, WIDE)
    same(values(found), {"gpt": [0, 2, 1], "ann": [1, NAN, NAN], "bob": [2, 0, 0]})
    assert (found.scale, found.labels) == ("ordinal", ("Low", "medium", "high"))
    assert "lowest first: Low, medium, high. `--labels` gives another order, `--scale nominal` none." in found.notes[-1]
    assert found.notes[0].startswith("Read as no rating: 'Not applicable' (once), 'N/A' (once)")
    assert read_ratings(path, replace(WIDE, scale="nominal")).labels == ("high", "Low", "medium")
    assert read_ratings(path, replace(WIDE, scale="ordinal")).scale == "ordinal"
    with pytest.raises(UserError, match="no order of their own"):
        read_ratings(path, replace(WIDE, scale="interval"))


def test_one_label_outside_of_a_known_scale_is_a_question(tmp_path: Path) -> None:
    rows = ["a,low,low,low", "b,high,high,high", "c,medium,medium,medium", "d,cannot tell,low,low"]
    found = read_ratings(csv(tmp_path, "\n".join(["id,gpt,ann,bob", *rows])), WIDE)
    assert found.scale == "nominal"
    assert (
        "All labels but 'cannot tell' have a known order: where it is no rating, add "
        "`--labels 'low|medium|high' --blank 'cannot tell'`."
    ) in found.notes


def test_what_surveys_write_for_no_rating_leaves_the_scale_its_order(tmp_path: Path) -> None:
    rows = ["a,low,low,low", "b,high,high,Keine Angabe", "c,medium,medium,medium", "d,Prefer not to say,low,low"]
    found = read_ratings(csv(tmp_path, "\n".join(["id,gpt,ann,bob", *rows])), WIDE)
    assert (found.scale, found.labels) == ("ordinal", ("low", "medium", "high"))
    assert found.notes[0].startswith("Read as no rating: 'Keine Angabe' (once), 'Prefer not to say' (once)")


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["A", "B", "F"], ["F", "B", "A"]),
        (["A", "A-", "B+"], ["B+", "A-", "A"]),
        (["Level 1", "Level 3", "Level 2"], ["Level 1", "Level 2", "Level 3"]),
        (["Score: 4", "Score: 2", "Score: 3"], ["Score: 2", "Score: 3", "Score: 4"]),
        # Answers of a question.
        (["A", "B", "C", "D"], None),
        (["B2B", "A1", "x"], None),
    ],
)
def test_numbers_and_grades_may_be_an_order(labels: list[str], order: list[str] | None) -> None:
    assert numbered_order(labels) == order
