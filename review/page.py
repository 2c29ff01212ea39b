"""The desk: the part of the page where a reviewer decides, drawn and kept by the browser until it is sent in."""

from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import streamlit as st
from pydantic import BaseModel, ConfigDict

from analysis.words import count_noun
from resources.database.reliability.records import LONGEST_REASON
from resources.database.reliability.review_records import OpenDocument, ReviewTask, Sent
from review.judges_shown import kappa_shown, scores_shown

KEY: Final = "desk"
LONG_TEXT: Final = 1_500
LONGEST_NOTE: Final = 5_000
FILES: Final = Path(__file__).parent

_desk = st.components.v2.component(
    "touchstone_review_desk",
    css=(FILES / "desk.css").read_text(encoding="utf-8"),
    js=(FILES / "desk.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


class Message(BaseModel):
    """What the browser sends in at once: the choices with the row of each document that they were made for.

    `number` is drawn for each message and goes back as its answer; `undo` is the submission to take back. `blind` is
    false where the judges' scores were on the screen at any time before the choices were sent in.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    number: str
    submission: str
    act: Literal["save", "skip", "undo"]
    choices: list[tuple[int, bool]]
    reason: str
    note: str
    blind: bool
    undo: str | None


def received() -> Message:
    """The message that this run of the page answers.

    Raises:
        pydantic.ValidationError: It is none that the page sends.
    """
    # By way of JSON, whose lists may be tuples here.
    return Message.model_validate(st.session_state[KEY]["sent"], strict=False)


class Sitting(NamedTuple):
    """Who reviews which study: the form's submission, how many queries are in dispute, whose kappa is shown, how."""

    study: str
    reviewer: str
    submission: str
    n_disputed: int
    pair: str
    blind: bool


def desk_data(sitting: Sitting, task: ReviewTask | None, sent: Sent | None) -> dict[str, Any]:
    """What the browser draws: without a task nothing but the keys, of which `U` goes on working."""
    found: dict[str, Any] = {
        "study": sitting.study,
        "reviewer": sitting.reviewer,
        "submission": sitting.submission,
        "sent": None if sent is None else sent.submission,
        "query_row": None,
        "documents": [],
        "longest_reason": LONGEST_REASON,
        "longest_note": LONGEST_NOTE,
    }
    if task is None:
        return found
    more = task.n_open - len(task.documents)
    parts = [
        f"Disagreement {task.place} of {sitting.n_disputed}",
        count_noun(len(task.documents), "document")
        + (f", {more} more after {'this one' if len(task.documents) == 1 else 'these'}" if more else ""),
    ]
    if not sitting.blind and task.kappa is not None:
        parts.append(kappa_shown("kappa", task.kappa, sitting.pair))
    return found | {
        "query_row": task.query_row,
        "query": task.query,
        "caption": " · ".join(parts),
        "documents": [_document(one, sitting.blind) for one in task.documents],
    }


def draw(data: dict[str, Any], on_sent: Any) -> None:
    """Put the desk here; `on_sent` is called where something was sent in."""
    _desk(key=KEY, data=data, on_sent_change=on_sent)


def _document(one: OpenDocument, blind: bool) -> dict[str, Any]:
    aside, is_long = "", False
    if one.document is None:
        aside = "No text known: the study has only this document's name."
    elif not one.document.strip():
        aside = "The text is empty."
    elif is_long := len(one.document) > LONG_TEXT:
        aside = f"{len(one.document):,} characters: scroll inside the box."
    return {
        "row": one.document_row,
        "doc_id": one.doc_id,
        "document": one.document if one.document and one.document.strip() else None,
        "aside": aside,
        "is_long": is_long,
        "scores": None if blind else scores_shown(one.scores),
    }
