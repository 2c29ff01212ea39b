"""What one open page holds: the task in front of the reviewer, read once and kept until it is dealt with."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from analysis.agreement.contingency import Status
from analysis.words import count_noun, noun
from resources.database.reliability.review_records import Only, ReviewProgress, ReviewTask, Sent
from resources.database.reliability.review_store import ReviewStore
from resources.errors import UserError
from resources.study import Study, stored_table
from review import page as desk
from review.history import validations
from review.judges_shown import pair_of_kappa

RUN, STATUS = "touchstone run reliability", "touchstone reliability status"
DECIDED_BY_PEOPLE = "every document on which the judges' labels differ is decided"
KEY = "page"
EVERYTHING = "all"
Filter = Only | None


class Standing(NamedTuple):
    """What is asked in a few words, and whether people have decided all they had to; `after` says what is next."""

    asked: str
    all_decided: bool
    n_undecided: int
    after: str = ""


def standing(study: Study, progress: ReviewProgress, status: Status | None) -> Standing:
    """What is asked of reviewers after a validation that ended so; `status` is null before the first."""
    n = study.reviews.n_undecided()
    match status:
        case None:
            return Standing("", False, n)
        case "passed":
            return Standing("the latest validation passed: no more votes are needed", False, n)
        case "resolved_by_review":
            return Standing("resolved by review: no more votes are needed", n == 0, n, "Ground truth can be written.")
    missing = progress.needed - progress.reviewed
    if missing > 0:
        return Standing(f"{missing:,} more needed before the next step", False, n)
    if n == 0:
        return Standing(f"{DECIDED_BY_PEOPLE}", True, n, f"Next, for the person who runs the study: `{RUN}`.")
    return Standing(_step(study, n), False, n)


def _step(study: Study, n: int) -> str:
    """What is left where enough is reviewed: the manual review where it is open, else the step that follows."""
    left = f"{count_noun(n, 'document')} whose labels differ {noun(n, 'is', 'are')} undecided"
    if study.validations.manual_review_is_open():
        return f"the manual review is due: {count_noun(n, 'document')} left to decide"
    return f"enough for the next step, which `{STATUS}` names; {left}"


@dataclass
class Page:
    """The state between two clicks; nothing here is needed after a reload but what the database holds.

    The choices are not here: the browser keeps them with the row of the document that each was made for.
    `task_pair` and `sent_pair` name the pair of judges that the query's kappa is of.
    """

    reviewer: str
    task: ReviewTask | None
    progress: ReviewProgress
    standing: Standing
    sent: Sent | None
    validations: pd.DataFrame
    agreement: pd.DataFrame
    n_shared: int
    n_tied: int
    task_pair: str = ""
    sent_pair: str = ""
    submission: str = field(default_factory=lambda: uuid4().hex)
    chart: Any = None


def page_of(study: Study, reviewer: str) -> Page:
    """The page as it stands, read from the database where something was sent in, taken back or filtered since."""
    held = st.session_state.get(KEY)
    if isinstance(held, Page) and held.reviewer == reviewer:
        return held
    store = study.reviews
    passed = st.session_state.get("passed", ())
    of_others = [row for name, row in _desks().items() if name != reviewer]
    task = store.next_query(reviewer, only=chosen_filter(), skip_rows=passed, on_desks=of_others)
    if task is not None:
        _desks()[reviewer] = task.query_row
    else:
        _desks().pop(reviewer, None)
    found, progress, sent = validations(store.engine, store.study), store.progress(), store.latest(reviewer)
    page = Page(
        reviewer=reviewer,
        task=task,
        progress=progress,
        standing=standing(study, progress, found["status"].iloc[-1] if len(found) else None),
        sent=sent,
        validations=found,
        agreement=store.reviewer_agreement(),
        n_shared=_n_shared(store, len(found), progress.disputed),
        n_tied=store.n_tied(),
        task_pair=_pair(study, task),
        sent_pair=_pair(study, sent),
    )
    st.session_state[KEY] = page
    return page


@st.cache_resource
def _desks() -> dict[str, int]:
    """The row of the query that each reviewer has on the screen; forgotten with the server, and nothing is lost."""
    return {}


@st.cache_resource(max_entries=1, show_spinner=False)
def _n_shared(_store: ReviewStore, n_validations: int, n_disputed: int) -> int:
    """How many disputed queries are shared; read anew where a validation has found others."""
    return _store.n_shared()


def _pair(study: Study, found: ReviewTask | Sent | None) -> str:
    judges = 0 if found is None else max(len(one.scores) for one in found.documents)
    if found is None or judges <= 2:
        return ""
    return pair_of_kappa(stored_table(study, "query_kappa"), found.query_id, found.kappa, judges)


def chosen_filter() -> Filter:
    """The current filter; what is offered to this reviewer where nothing is chosen."""
    chosen: Only | str = st.session_state.get("filter", "offered")
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


def show_tied() -> None:
    """Choose the filter for tied votes."""
    st.session_state["filter"] = "tied"
    filter_changed()


def receive(store: ReviewStore, page: Page) -> None:
    """Do what the browser sent in, all of it or nothing, and answer it."""
    try:
        message = desk.received()
    except ValidationError:
        st.session_state["problem"] = "What the page sent cannot be read. Nothing was saved: reload the page."
        return
    try:
        if message.act == "undo":
            undo(store, page, message.undo)
        elif message.submission == page.submission:
            _keep(store, page, message)
        elif page.sent is None or page.sent.submission != message.submission:
            raise UserError("The page had gone on to another query. Nothing was saved: decide what is shown now.")
    except UserError as problem:
        st.session_state["problem"] = str(problem)
    # Last: the browser takes it that whatever it asked for is over.
    st.session_state["answered"] = message.number


def _keep(store: ReviewStore, page: Page, message: desk.Message) -> None:
    """Votes or a skip; "saved" is said once the database has them."""
    if page.task is None:
        return
    if message.act == "skip":
        store.skip(page.reviewer, page.submission, page.task.query_row, message.reason)
        said = "Saved: skipped. The filter 'I skipped' brings it back."
    else:
        votes = dict(message.choices)
        if not votes:
            raise UserError("Nothing to save yet: say of one document whether it is relevant.")
        if not votes.keys() <= {one.document_row for one in page.task.documents}:
            raise UserError("A choice is about a document that is not on the page. Nothing was saved: reload the page.")
        store.vote(page.reviewer, page.submission, votes, message.reason, message.note, message.blind)
        said = f"Saved: {count_noun(len(votes), 'vote')}."
    _pass_over(page.task.query_row)
    renew(said)


def undo(store: ReviewStore, page: Page, submission: str | None) -> None:
    """Take back what was sent in last."""
    withdrawn = None if submission is None else store.undo(page.reviewer, submission)
    passed: list[int] = st.session_state.get("passed", [])
    if page.sent is not None and page.sent.query_row in passed:
        passed.remove(page.sent.query_row)
    if withdrawn:
        renew("Taken back; the query is open again.")
    else:
        # A second click on the same button changes nothing of what the first one said.
        renew(st.session_state.get("said") or "Nothing was taken back: something else was sent in since.")


def undo_clicked(store: ReviewStore, page: Page, submission: str) -> None:
    """The button's way to take back what was sent in last."""
    try:
        undo(store, page, submission)
    except UserError as problem:
        st.session_state["problem"] = str(problem)


def _pass_over(query_row: int) -> None:
    """A filter that keeps what was voted on, or skipped again, does not show the same query at once again."""
    if chosen_filter() in ("skipped", "tied"):
        st.session_state.setdefault("passed", []).append(query_row)
