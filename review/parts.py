"""Parts of the page. Data are shown with `st.text`, which reads neither Markdown nor HTML."""

from pathlib import Path

import streamlit as st

from analysis.words import count_noun, noun, queries
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.review_records import Sent
from resources.database.reliability.review_store import ReviewStore
from resources.errors import UserError
from review import history, state
from review.judges_shown import kappa_shown, scores_shown
from review.state import Page

FILTERS = {
    "offered": "Offered to me",
    "all": "All that I have not voted on",
    "low_kappa": "Low kappa",
    "skipped": "I skipped",
    "tied": "Votes are tied",
}


def style() -> None:
    """The page's own rules: constant text, no data."""
    st.html(Path(__file__).parent / "page.css")  # noqa: TID251 - our own style sheet, by its path


def verbatim(text: str, kind: str, number: object = "") -> None:
    """Text of any origin, as it is; the stylesheet knows it by `kind`."""
    with st.container(key=f"{kind}-{number}" if number != "" else kind):
        st.text(text)


def guidelines(path: Path | None) -> None:
    """What counts as relevant, as the study's people wrote it down, to open and close.

    Raises:
        UserError: The file cannot be read as text.
    """
    if path is None:
        return
    try:
        words = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise UserError(
            f"reliability.review.guidelines: {path} cannot be read as UTF-8 text. Correct the path or save it as UTF-8."
        ) from fault
    with st.expander("Guidelines"):
        verbatim(words, "guidelines")


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
    reviewed, disputed, _needed = page.progress
    done = f"{reviewed:,}/{count_noun(disputed, 'disagreement')} reviewed"
    st.progress(
        reviewed / disputed if disputed else 1.0,
        text=" · ".join(part for part in (done, page.standing.asked) if part),
    )
    if page.n_tied and state.chosen_filter() != "tied":
        st.button(
            f"{count_noun(page.n_tied, 'disagreement')} with tied votes, which decide nothing: show",
            type="tertiary",
            key="show-tied",
            on_click=state.show_tied,
        )


def shared(page: Page, overlap: float) -> None:
    """How many queries every reviewer is asked about, and why."""
    if page.progress.disputed:
        st.caption(shared_in_words(page.n_shared, page.progress.disputed, overlap))


def shared_in_words(n: int, disputed: int, overlap: float) -> str:
    """The same for a number of disagreements of which `n` are shared, with the configured share in the end."""
    others = "" if n == disputed else " Each of the others is offered to one reviewer first."
    if n:
        return (
            f"{n:,} of {count_noun(disputed, 'disagreement')} {noun(n, 'is', 'are')} shared: every reviewer is asked "
            f"about {noun(n, 'it', 'them')}, so that agreement between reviewers can be measured.{others}"
        )
    return (
        "No disagreement is shared: each is offered to one reviewer first. Agreement between reviewers can be measured "
        "only where two decide on the same document. The share that every reviewer is asked about is `review.overlap` "
        f"in the configuration, now {overlap:.0%}."
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
        verbatim(kappa_shown("Kappa of the query", found.kappa, page.sent_pair), "sent-kappa")
    if found.reason:
        verbatim(f"Reason: {found.reason}", "sent-reason")
    if found.note:
        verbatim(f"Note: {found.note}", "sent-note")
    _colleagues(page, found)
    if not st.session_state.get("said"):
        _undo(store, page, found)


def _undo(store: ReviewStore, page: Page, found: Sent) -> None:
    st.button(
        "Undo (U)",
        key=f"undo-{found.submission}",
        icon=":material/undo:",
        on_click=state.undo_clicked,
        args=(store, page, found.submission),
    )


def _colleagues(page: Page, found: Sent) -> None:
    """What others wrote about the query, to who has decided all of it; each name in a box with its words."""
    if not found.colleagues or _still_open(page, found):
        return
    st.caption("What colleagues wrote about it")
    for place, words in enumerate(found.colleagues):
        with st.container(key=f"colleague-{place}", gap="xxsmall"):
            verbatim(f"{words.reviewer} skipped" if words.skipped else words.reviewer, "words-name", place)
            if words.reason:
                verbatim(f"Reason: {words.reason}", "words-reason", place)
            if words.note:
                verbatim(f"Note: {words.note}", "words-note", place)


def _still_open(page: Page, found: Sent) -> bool:
    """Kappa of a query, and words about it, say something about its documents that are still to be decided."""
    return found.n_open > 0 or (page.task is not None and page.task.query_row == found.query_row)


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
                f"on {count_noun(row['n_documents'], 'document')} of {queries(row['n_queries'])}",
                "pair",
                place,
            )
