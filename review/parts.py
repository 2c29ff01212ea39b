"""Parts of the page. Data are shown with `st.text`, which reads neither Markdown nor HTML."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability_models import LONGEST_REASON
from resources.reliability.review_records import OpenDocument, Sent
from resources.reliability.review_store import ReviewStore
from review import history, state
from review.state import Page

LONG_TEXT = 1_500
LONGEST_NOTE = 5_000
FILTERS = {
    "unreviewed": "Not reviewed by anyone",
    "all": "All that I have not voted on",
    "low_kappa": "Low kappa",
    "skipped": "I skipped",
    "tied": "Votes are tied",
}


def style() -> None:
    """The page's own rules: constant text, no data."""
    st.html(Path(__file__).parent / "page.css")


def from_the_top(page: Page) -> None:
    """Show a new query from its beginning: the browser would stay where the button was. The script runs once a task."""
    st.html(
        f"<script>document.querySelector('[data-testid=\"stMain\"]').scrollTo(0, 0)</script><!-- {page.submission} -->",
        unsafe_allow_javascript=True,
    )


def verbatim(text: str, kind: str, number: object = "") -> None:
    """Text of any origin, as it is; the stylesheet knows it by `kind`."""
    with st.container(key=f"{kind}-{number}" if number != "" else kind):
        st.text(text)


def scores_shown(scores: Mapping[str, float]) -> str:
    """Each judge's score."""
    return " · ".join(f"{judge} {score:.2f}" for judge, score in scores.items())


def task(store: ReviewStore, page: Page, blind: bool) -> None:
    """The query, its documents, and what is sent in with the votes."""
    found = page.task
    if found is None:
        return
    verbatim(found.query, "query")
    more = f", {found.n_open - len(found.documents)} more after these" if found.n_open > len(found.documents) else ""
    shown = "" if blind or found.kappa is None else f" · kappa {found.kappa:.2f}"
    st.caption(
        f"Disagreement {found.place} of {page.progress.disputed} · {len(found.documents)} documents{more}{shown}"
    )
    for place, one in enumerate(found.documents):
        _document(page, place, one, blind)
    with st.form(f"form-{page.submission}", border=False):
        st.text_area(
            f"Reason (at most {LONGEST_REASON} characters, kept with the ground truth; needed to skip)",
            key=f"reason-{page.submission}",
            max_chars=LONGEST_REASON,
            height=68,
        )
        st.text_area("Note (for your colleagues)", key=f"note-{page.submission}", max_chars=LONGEST_NOTE, height=68)
        with st.container(horizontal=True):
            st.form_submit_button(
                "Save and next",
                type="primary",
                shortcut="S",
                key=f"save-{page.submission}",
                on_click=state.save,
                args=(store, page),
            )
            st.form_submit_button("Skip", key=f"skip-{page.submission}", on_click=state.skip, args=(store, page))
    from_the_top(page)


def _document(page: Page, place: int, one: OpenDocument, blind: bool) -> None:
    chosen, is_current = page.choices.get(one.document_row), place == page.current
    kind = "current" if is_current else "document"
    with st.container(border=True, key=f"{kind}-{place}-{page.submission}", gap="xsmall"):
        verbatim(one.doc_id, "name", f"{place}-{page.submission}")
        if one.document is None:
            st.caption("No text known: the study has only this document's name.")
        elif not one.document.strip():
            st.caption("The text is empty.")
        else:
            if len(one.document) > LONG_TEXT:
                st.caption(f"{len(one.document):,} characters: scroll inside the box.")
            verbatim(one.document, "body", f"{place}-{page.submission}")
        if not blind:
            verbatim(scores_shown(one.scores), "scores", f"{place}-{page.submission}")
        with st.container(horizontal=True):
            # A key pressed before the page has moved on must not decide another document than the one it was meant for.
            turn = page.turn if is_current else None
            for relevant, label, key in ((True, "Relevant", "Y"), (False, "Not relevant", "N")):
                st.button(
                    label,
                    key=f"{key}-{one.document_row}-{page.submission}-{turn}",
                    type="primary" if chosen is relevant else "secondary",
                    icon=":material/check:" if chosen is relevant else None,
                    shortcut=key if is_current else None,
                    on_click=state.choose,
                    args=(page, place, relevant, turn),
                )
            if is_current and place > 0:
                st.button(
                    "Back",
                    key=f"back-{page.submission}-{turn}",
                    type="tertiary",
                    shortcut="B",
                    on_click=state.go_to,
                    args=(page, place - 1, page.turn),
                )


def messages(store: ReviewStore | None = None, page: Page | None = None) -> None:
    """What was just done, with the way to take it back, or why it was not done."""
    if problem := st.session_state.get("problem"):
        with st.container(key="problem"):
            st.text(problem)
    elif said := st.session_state.get("said"):
        with st.container(horizontal=True, vertical_alignment="center", key="said"):
            st.success(said, icon=":material/check:")
            if store is not None and page is not None and page.sent is not None:
                _undo(store, page, page.sent)


def progress(page: Page) -> None:
    """How far the review has come, and what the quota asks for."""
    reviewed, disputed, needed = page.progress
    left = needed - reviewed
    asked = f"{left} more needed before the next validation" if left > 0 else "enough for the next validation"
    st.progress(
        reviewed / disputed if disputed else 1.0,
        text=f"{reviewed}/{disputed} disagreements reviewed · {asked}",
    )


def sent(store: ReviewStore, page: Page) -> None:
    """The reviewer's last submission with what judges and others said, and the way to take it back."""
    found = page.sent
    if found is None:
        return
    st.subheader("Your last skip" if found.skipped else "Your last vote", anchor=False)
    verbatim(found.query, "sent-query")
    for place, one in enumerate(found.documents if not found.skipped else ()):
        verdict = "relevant" if one.relevant else "not relevant"
        others = one.others_relevant + one.others_not_relevant
        said = (
            f"others: {one.others_relevant} relevant, {one.others_not_relevant} not" if others else "no other vote yet"
        )
        verbatim(
            f"{one.doc_id}\nyou: {verdict}; {said}\n{scores_shown(one.scores) or 'no longer in dispute'}", "sent", place
        )
    if not found.skipped and not _still_open(page, found) and found.kappa is not None:
        st.caption(f"Kappa of the query: {found.kappa:.2f}")
    if found.reason:
        verbatim(f"Reason: {found.reason}", "sent-reason")
    if found.note:
        verbatim(f"Note: {found.note}", "sent-note")
    if not st.session_state.get("said"):
        _undo(store, page, found)


def _undo(store: ReviewStore, page: Page, found: Sent) -> None:
    st.button(
        "Undo",
        key=f"undo-{found.submission}",
        icon=":material/undo:",
        shortcut="U",
        on_click=state.undo,
        args=(store, page, found.submission),
    )


def _still_open(page: Page, found: Sent) -> bool:
    """Kappa of a query says something about its documents that are still to be decided."""
    return page.task is not None and page.task.query_row == found.query_row


def record(page: Page, section: ReliabilityStudy) -> None:
    """Kappa over validations, and how well reviewers agree."""
    if len(page.validations):
        st.subheader("Kappa so far", anchor=False)
        gate = section.gate
        if page.chart is None:
            page.chart = history.chart(page.validations, gate.min_macro, gate.min_micro)
        history.show(page.chart, page.validations, gate.min_macro, gate.min_micro)
    if len(page.agreement):
        st.subheader("Reviewers among themselves", anchor=False)
        for place, row in enumerate(page.agreement.to_dict("records")):
            kappa = (
                row["undefined"]
                if row["undefined"] == row["undefined"] and row["undefined"]
                else f"kappa {row['kappa']:.2f}"
            )
            verbatim(
                f"{row['reviewer_1']} and {row['reviewer_2']}\n{row['percent_agreement']:.0%} alike, {kappa}\n"
                f"on {row['n_documents']} documents of {row['n_queries']} queries",
                "pair",
                place,
            )
