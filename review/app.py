"""The review page: people decide what judges differ about, without seeing first what the judges said."""

from functools import partial

import streamlit as st

from analysis.words import count_noun, noun
from resources.database.reliability.review_store import ReviewStore
from resources.errors import UserError
from resources.study import Study, study_from_environment
from review import page as desk
from review import parts, state
from review.state import Page


@st.cache_resource(show_spinner="Opening the database")
def open_study() -> Study:
    """The running study, its database opened once for all reviewers; a failure is tried again at the next reload."""
    study = study_from_environment()
    # Made here, where only one thread is, and not by two reviewers at once.
    _made = study.reviews, study.validations
    return study


def ask_name(store: ReviewStore) -> None:
    """Who reviews: asked once, then kept in the address of the page."""
    st.title("Who is reviewing?", anchor=False)
    with st.form("who", border=False):
        written = st.text_input("Your name", key="name", autocomplete="name")
        if st.form_submit_button("Begin", type="primary"):
            try:
                st.query_params["reviewer"] = store.known_name(written or "")
            except UserError as problem:
                st.session_state["problem"] = str(problem)
            else:
                state.renew()
                st.rerun()
    parts.messages()
    st.caption(
        "Your votes are kept under this name, and colleagues see it next to what you write. It stays in the page's "
        "address, so that a reload keeps it."
    )


def show_name(reviewer: str) -> None:
    """Who reviews, and the way to somebody else's page."""
    with st.container(horizontal=True, vertical_alignment="center"):
        parts.verbatim(reviewer, "reviewer")
        if st.button("Change", type="tertiary", key="change"):
            st.query_params.clear()
            state.renew()
            st.rerun()


def nothing_left(page: Page) -> None:
    """Why there is no task, and what is next."""
    found, n = page.standing, page.standing.n_undecided
    left = f" {count_noun(n, 'document')} whose labels differ {noun(n, 'is', 'are')} undecided." if n else ""
    if not page.progress.disputed and not len(page.validations):
        st.info("No validation yet: there are no disagreements to review. Run the study first, then reload this page.")
    elif not page.progress.disputed:
        st.info("Nothing to review: the latest validation found no document that the judges differ about.")
    elif found.all_decided:
        st.success(
            f"All is decided: people decided every document on which the judges' labels differ. {found.after}",
            icon=":material/check:",
        )
    elif state.chosen_filter() is None:
        st.info(f"Nothing left for you: you have voted on, or skipped, every document in dispute. Thank you.{left}")
    else:
        st.info(f"Nothing left under this filter.{left} Choose 'All that I have not voted on' to see the rest.")


def review(study: Study, reviewer: str) -> None:
    """The page of one reviewer."""
    section, store = study.reliability, study.reviews
    page = state.page_of(study, reviewer)
    work, side = st.columns([0.66, 0.34], gap="large")
    with work:
        # A place of its own: the desk must not be made anew where a message comes or goes above it.
        above, below = st.container(), st.container()
    with above:
        if page.progress.disputed:
            parts.progress(page)
        parts.messages(store, page)
        if page.task is None:
            nothing_left(page)
    with side:
        show_name(reviewer)
        st.selectbox(
            "Show",
            list(parts.FILTERS),
            format_func=parts.FILTERS.__getitem__,
            key="filter",
            on_change=state.filter_changed,
        )
        parts.shared(page, section.review.overlap)
        blind = section.review.blind and not st.toggle("Show the judges' scores", key="scores")
        parts.guidelines(section.review.guidelines)
        parts.sent(store, page)
        # Kappa of the study, too, only to who has voted.
        if not blind or page.task is None or page.sent is not None:
            parts.record(page, section)
    with below:
        sitting = desk.Sitting(study.name, reviewer, page.submission, page.progress.disputed, page.task_pair, blind)
        data = desk.desk_data(sitting, page.task, page.sent)
        data["answered"] = st.session_state.get("answered")
        data["has_problem"] = bool(st.session_state.get("problem"))
        desk.draw(data, partial(state.receive, store, page))


def main() -> None:
    """The page, or what has to be fixed before there can be one."""
    # An icon by name would be fetched from a stranger's server.
    st.set_page_config("Review · Touchstone", page_icon="⚖️", layout="wide")
    parts.style()
    try:
        study = open_study()
        reviewer = st.query_params.get("reviewer", "")
        if reviewer.strip():
            if state.KEY not in st.session_state:
                st.query_params["reviewer"] = reviewer = study.reviews.known_name(reviewer)
            review(study, reviewer)
        else:
            ask_name(study.reviews)
    except UserError as problem:
        st.title("The review cannot go on yet", anchor=False)
        with st.container(key="problem-page"):
            st.text(str(problem))
        st.button("Try again", type="primary", key="again")


main()
