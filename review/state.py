"""What one open page holds: the task in front of the reviewer, read once and kept until it is dealt with."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pandas as pd
import streamlit as st

from resources.errors import UserError
from resources.reliability.review_records import Only, ReviewProgress, ReviewTask, Sent
from resources.reliability.review_store import ReviewStore
from review.history import validations

KEY = "page"
EVERYTHING = "all"
Filter = Only | None


@dataclass
class Page:
    """The state between two clicks; nothing here is needed after a reload but what the database holds.

    `turn` counts what the keys did: a key pressed before the page has moved on belongs to a turn that is over.
    """

    reviewer: str
    task: ReviewTask | None
    progress: ReviewProgress
    sent: Sent | None
    validations: pd.DataFrame
    agreement: pd.DataFrame
    submission: str = field(default_factory=lambda: uuid4().hex)
    choices: dict[int, bool] = field(default_factory=dict)
    current: int = 0
    turn: int = 0
    chart: Any = None

    @property
    def open_places(self) -> list[int]:
        """Places of the documents on the page that have no choice yet."""
        documents = () if self.task is None else self.task.documents
        return [place for place, one in enumerate(documents) if one.document_row not in self.choices]


def page_of(store: ReviewStore, reviewer: str) -> Page:
    """The page as it stands, read from the database where something was sent in, taken back or filtered since."""
    held = st.session_state.get(KEY)
    if isinstance(held, Page) and held.reviewer == reviewer:
        return held
    page = Page(
        reviewer=reviewer,
        task=store.next_query(reviewer, only=chosen_filter(), skip_rows=st.session_state.get("passed", ())),
        progress=store.progress(),
        sent=store.latest(reviewer),
        validations=validations(store.engine, store.study),
        agreement=store.reviewer_agreement(),
    )
    st.session_state[KEY] = page
    return page


def chosen_filter() -> Filter:
    """The filter in force; queries that nobody has reviewed where nothing is chosen."""
    chosen: Only | str = st.session_state.get("filter", "unreviewed")
    return None if chosen == EVERYTHING else chosen  # type: ignore[return-value]


def renew(said: str | None = None) -> None:
    """Read the page anew, and say what was done."""
    st.session_state.pop(KEY, None)
    st.session_state["said"] = said
    st.session_state.pop("problem", None)


def filter_changed() -> None:
    """Begin the new filter at its first query."""
    st.session_state["passed"] = []
    renew()


def choose(page: Page, place: int, relevant: bool, turn: int | None = None) -> None:
    """Note a choice and go on to the next document without one; a choice for a turn that is over is dropped."""
    if page.task is None or turn not in (None, page.turn):
        return
    page.turn += 1
    page.choices[page.task.documents[place].document_row] = relevant
    later = [other for other in page.open_places if other > place]
    page.current = min(later or page.open_places or [place])
    st.session_state["said"] = None


def go_to(page: Page, place: int, turn: int) -> None:
    """Make that document the one that the keys decide."""
    if turn == page.turn:
        page.turn += 1
        page.current = place


def save(store: ReviewStore, page: Page) -> None:
    """Send the choices in; "saved" is said once the database has them."""
    if page.task is None:
        return
    if not page.choices:
        st.session_state["problem"] = "Nothing to save yet: say of one document whether it is relevant."
        return
    reason, note = _written(page)
    try:
        store.vote(page.reviewer, page.submission, dict(page.choices), reason, note)
    except UserError as problem:
        st.session_state["problem"] = str(problem)
        return
    _pass_over(page.task.query_row)
    n = len(page.choices)
    renew(f"Saved: {n} vote{'s' if n > 1 else ''}.")


def skip(store: ReviewStore, page: Page) -> None:
    """Pass over what is left of the query, for the reason that is written."""
    if page.task is None:
        return
    reason, _note = _written(page)
    try:
        store.skip(page.reviewer, page.submission, page.task.query_row, reason)
    except UserError as problem:
        st.session_state["problem"] = str(problem)
        return
    _pass_over(page.task.query_row)
    renew("Saved: skipped. The filter 'I skipped' brings it back.")


def undo(store: ReviewStore, page: Page, submission: str) -> None:
    """Take back what was sent in last."""
    try:
        withdrawn = store.undo(page.reviewer, submission)
    except UserError as problem:
        st.session_state["problem"] = str(problem)
        return
    passed: list[int] = st.session_state.get("passed", [])
    if page.sent is not None and page.sent.query_row in passed:
        passed.remove(page.sent.query_row)
    renew("Taken back; the query is open again." if withdrawn else None)


def _written(page: Page) -> tuple[str, str]:
    return (
        str(st.session_state.get(f"reason-{page.submission}") or ""),
        str(st.session_state.get(f"note-{page.submission}") or ""),
    )


def _pass_over(query_row: int) -> None:
    """A filter that keeps what was voted on, or skipped again, does not show the same query at once again."""
    if chosen_filter() in ("skipped", "tied"):
        st.session_state.setdefault("passed", []).append(query_row)
