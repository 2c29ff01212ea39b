"""Choices and words that are not saved yet, in a real browser: a reload and a closed tab keep them; who saw scores."""

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, BrowserContext, Page, expect

from resources.database.engine import writing
from resources.database.reliability.models import Tiebreak
from tests.made_disputes import add_query, disputed, store_of
from tests.review.browsing import QUERY, idle, saved
from tests.review.conftest import Server

pytestmark = pytest.mark.slow
PRESSED = ".desk [aria-pressed=true]"


@pytest.fixture(scope="module")
def queries(engine: sa.Engine) -> None:
    made = [add_query(engine, [f"text {place} of {n}" for place in range(2)], f"query {n}") for n in range(3)]
    store_of(engine).replace_disputes(disputed(made))


@pytest.fixture
def tab(browser: Browser, engine: sa.Engine, queries: None, server: Server) -> BrowserContext:
    """A browser of its own, whose tabs share what the page keeps in it."""
    with writing(engine).begin() as connection:
        connection.execute(sa.delete(Tiebreak))
    return browser.new_context(locale="en-US")


def opened(tab: BrowserContext, server: Server, reviewer: str = "ann") -> Page:
    page = tab.new_page()
    # The question whether to leave is asked; what is kept must be there whatever the answer.
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{server.url}?reviewer={reviewer}")
    expect(page.locator(QUERY)).to_be_visible(timeout=20_000)
    return page


def test_choices_and_words_survive_a_reload_and_a_closed_tab_until_they_are_saved(
    tab: BrowserContext, server: Server, engine: sa.Engine
) -> None:
    page = opened(tab, server)
    page.keyboard.type("n")
    page.get_by_label("Note").fill("look again")
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.type))
    page.reload()
    assert asked == ["beforeunload"]
    expect(page.locator(PRESSED)).to_have_count(1, timeout=20_000)
    expect(page.get_by_text("from before are here again, not saved yet")).to_be_visible()
    page.close()
    page = opened(tab, server)
    expect(page.locator(PRESSED)).to_contain_text("Not relevant", timeout=20_000)
    expect(page.get_by_label("Note")).to_have_value("look again")
    # The mark is at the document that is still open.
    page.keyboard.type("ys")
    saved(page, 2)
    votes = store_of(engine).votes()
    assert votes["relevant"].tolist() == [False, True]
    assert votes["note"].tolist() == ["look again"] * 2
    page.reload()
    expect(page.locator(QUERY)).to_have_text("query 1", timeout=20_000)
    expect(page.locator(PRESSED)).to_have_count(0)
    tab.close()


def test_another_reviewer_does_not_find_them(tab: BrowserContext, server: Server) -> None:
    opened(tab, server, "ann").keyboard.type("n")
    expect(opened(tab, server, "ben").locator(PRESSED)).to_have_count(0)
    tab.close()


def test_a_vote_is_blind_only_where_no_score_was_on_the_screen_before_it(
    tab: BrowserContext, server: Server, engine: sa.Engine
) -> None:
    page = opened(tab, server)
    page.keyboard.type("yns")
    saved(page, 2)
    switch = page.get_by_text("Show the judges' scores")
    for there in (2, 0):  # on, and off again
        switch.click()
        expect(page.locator(".desk .scores")).to_have_count(there, timeout=20_000)
    idle(page)
    page.reload()  # what was seen stays seen
    expect(page.locator(QUERY)).to_have_text("query 1", timeout=20_000)
    page.keyboard.type("yns")
    saved(page, 2)
    assert store_of(engine).votes()["blind"].tolist() == [True, True, False, False]
    tab.close()
