"""What people said in the reliability report: reasons and notes, with those of held-out queries kept back."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from reports.reliability.contents import Contents
from reports.reliability.people import MOST_WORDS, words_table
from reports.reliability.report import reliability_page
from reports.shared.text import Text
from resources.database.reliability.review_records import Blindness
from tests.reports.fidelity.test_fidelity_page import words

pytestmark = pytest.mark.usefixtures("drawn_once")

ROW = {"query_id": "q09", "reviewer": "ann", "votes_relevant": 0, "votes_not_relevant": 0, "reason": None, "note": None}


def with_words(contents: Contents, *rows: dict[str, Any]) -> Contents:
    """The contents as if reviewers had written this."""
    return replace(contents, words=pd.DataFrame([ROW | row for row in rows]))


def cells(contents: Contents, language: str = "en") -> list[list[str]]:
    view = words_table(contents)
    assert view is not None
    return [[cell.plain(language) if isinstance(cell, Text) else str(cell) for cell in row] for row in view.rows]


def test_reasons_and_notes_stand_with_reviewer_and_votes_the_latest_first(failed: Contents) -> None:
    made = with_words(
        failed,
        {"votes_relevant": 2, "votes_not_relevant": 1, "reason": "it says so"},
        {"reviewer": "ben", "query_id": "q10", "reason": "not my field", "note": "x" * 700},
    )
    assert cells(made) == [
        ["q10", "ben", "skipped", "not my field", "x" * 599 + "\u2026"],
        ["q09", "ann", "2 relevant, 1 irrelevant", "it says so", ""],
    ]
    assert cells(made, "it")[0][2] == "saltata"
    assert "What reviewers wrote" in words(reliability_page(made))
    assert "What reviewers wrote" not in words(reliability_page(failed))


def test_words_on_held_out_queries_are_kept_back_as_their_texts_are(failed: Contents) -> None:
    disputed = failed.tables["disagreements"]
    disputed = disputed.assign(held_out=disputed["query_id"] == "q09")
    made = replace(failed, tables=dict(failed.tables) | {"disagreements": disputed})
    rows = cells(with_words(made, {"reason": "tells of it"}, {"query_id": "q10", "note": "tells too"}))
    assert [row[3:] for row in rows] == [["", "tells too"], ["text kept back", ""]]
    assert "tells of it" not in reliability_page(with_words(made, {"reason": "tells of it"}))


def test_who_still_has_to_vote_is_warned_before_the_words(failed: Contents) -> None:
    made = with_words(failed, {"reason": "so"})
    warning = "If you still have to vote, do not read on in this section."
    assert words(reliability_page(made)).count(warning) == 2
    seen = replace(
        made, plan=made.plan.model_copy(update={"review": made.plan.review.model_copy(update={"blind": False})})
    )
    assert warning not in words(reliability_page(seen))


def test_the_page_says_how_many_votes_were_cast_blind(failed: Contents) -> None:
    made = words(reliability_page(replace(failed, blindness=Blindness(9, 2, 1))))
    said = "Votes that count: 12. Cast before their reviewer saw the judges&#39; scores: 9 (75.0 %)"
    assert f"{said}; with the scores on the screen: 2; not recorded: 1." in made
    assert "Votes that count" not in words(reliability_page(replace(failed, blindness=Blindness(0, 0, 0))))


def test_the_page_shows_the_last_words_and_counts_all(failed: Contents) -> None:
    made = with_words(failed, *({"reason": f"reason {number}"} for number in range(MOST_WORDS + 3)))
    assert [row[3] for row in cells(made)] == [f"reason {number}" for number in reversed(range(3, MOST_WORDS + 3))]
    view = words_table(made)
    assert view is not None
    assert "The last 50 of 53 submissions with a reason or a note" in view.caption.plain("en")
