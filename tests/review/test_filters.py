"""What the filters bring to the desk, and that a query just dealt with does not come back at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from tests.made_disputes import add_disputes, store_of
from tests.review.desk_messages import message, save, send, shown
from tests.review.test_app import opened, press

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


def query(page: AppTest) -> str | None:
    """The query on the desk."""
    found: str | None = shown(page).get("query")
    return found


def filtered(page: AppTest, name: str) -> AppTest:
    page.selectbox[0].set_value(name).run()
    assert not page.exception
    return page


def tied(engine: sa.Engine) -> AppTest:
    """Three queries, of which two have one vote for and one against each document; the page of who voted against."""
    queries = add_disputes(engine, 3)
    for place, (_row, documents) in enumerate(queries[:2]):
        store_of(engine).vote("ben", f"b{place}", dict.fromkeys(documents, True))
        store_of(engine).vote("ann", f"a{place}", dict.fromkeys(documents, False))
    return filtered(opened("ann"), "tied")


def test_a_vote_that_leaves_the_tie_goes_on_to_the_next_tied_query(study_on_sqlite: sa.Engine) -> None:
    page = tied(study_on_sqlite)
    assert query(page) == "query 0"
    assert query(save(page, False, False)) == "query 1"
    assert query(save(page, False, False)) is None
    assert "Nothing left under this filter." in page.info[0].value
    # Chosen anew, the filter begins at its first query.
    filtered(page, "all")
    assert query(filtered(page, "tied")) == "query 0"


def test_taking_a_vote_back_brings_its_query_back_under_the_filter(study_on_sqlite: sa.Engine) -> None:
    page = tied(study_on_sqlite)
    # A third reviewer, so that the tie is there without her.
    other = filtered(opened("carla"), "tied")
    send(other, message(other, "skip", reason="hard to say"))
    assert query(other) == "query 1"
    assert query(press(other, "Undo (U)")) == "query 0"
    assert query(page) == "query 0"


def test_a_query_skipped_again_goes_on_to_the_next_that_was_skipped(study_on_sqlite: sa.Engine) -> None:
    queries = add_disputes(study_on_sqlite, 3)
    for place, (row, _documents) in enumerate(queries[:2]):
        store_of(study_on_sqlite).skip("ann", f"a{place}", row, "later")
    page = filtered(opened("ann"), "skipped")
    assert query(page) == "query 0"
    assert query(send(page, message(page, "skip", reason="later still"))) == "query 1"
    assert query(save(page, True, True)) is None
    assert query(filtered(page, "all")) == "query 2"
    assert query(filtered(page, "skipped")) == "query 0"


def test_where_a_vote_takes_the_query_out_by_itself_nothing_is_passed_over(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 2)
    page = filtered(opened("ann"), "all")
    # Of two documents one is decided: the rest of the query comes next, and not the next query.
    assert query(save(page, True)) == "query 0"
    assert query(save(page, True)) == "query 1"
