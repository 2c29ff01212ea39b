"""Keys in a real browser: at any speed each decides the document it was meant for, or the page says that it did not."""

import re
from collections.abc import Iterator
from time import sleep

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, BrowserContext, Page, expect

from resources.database.engine import writing
from resources.database.reliability.models import Tiebreak
from tests.made_disputes import add_query, add_validation, disputed, store_of
from tests.review.browsing import FORM, QUERY, idle, saved, shown
from tests.review.conftest import Server

Queries = list[tuple[int, list[int]]]


@pytest.fixture(scope="module")
def queries(engine: sa.Engine) -> Queries:
    made = [add_query(engine, [f"text {place} of {n}" for place in range(4)], f"query {n}") for n in range(4)]
    store_of(engine).replace_disputes(disputed(made))
    add_validation(engine, 0.52, 0.5, "contingency_triggered", 3)
    return made


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows the page's scripts from the test before."""
    with browser.new_context(**FORM) as made:
        yield made


@pytest.fixture
def page(context: BrowserContext, engine: sa.Engine, queries: Queries, server: Server) -> Page:
    """The page of a reviewer who has not voted, in a browser that keeps no choices."""
    with writing(engine).begin() as connection:
        connection.execute(sa.delete(Tiebreak))
    page = context.new_page()
    page.goto(f"{server.url}_stcore/health")
    page.evaluate("localStorage.clear()")
    return shown(page, server, "ann")


def standing(engine: sa.Engine) -> dict[int, bool]:
    """The votes that stand, by row of the document."""
    found = store_of(engine).votes()
    found = found[found["withdrawn_at"].isna()]
    return dict(zip(found["document_row"].tolist(), found["relevant"].tolist(), strict=True))


def meant(rows: list[int], keys: str) -> dict[int, bool]:
    """The votes that those keys are about those documents."""
    return {row: key == "y" for row, key in zip(rows, keys, strict=True)}


@pytest.mark.parametrize("spacing_ms", [0, 30, 100, 250, 400])
def test_keys_typed_straight_on_are_on_the_document_meant_or_said_to_be_lost(
    page: Page, engine: sa.Engine, queries: Queries, spacing_ms: int
) -> None:
    first, second = queries[0][1], queries[1][1]
    page.keyboard.type("nynysynnys", delay=spacing_ms)
    saved(page, 4)
    votes = standing(engine)
    assert {row: votes.pop(row) for row in first} == meant(first, "nyny")
    lost = page.locator(".desk .notice.off")
    if votes:
        assert votes == meant(second, "ynny")
    else:
        expect(lost).to_contain_text("decided nothing")
        expect(page.locator(QUERY)).to_have_text("query 1")
        expect(page.locator(".desk [aria-pressed=true]")).to_have_count(0)
        page.keyboard.press("Enter")
        page.keyboard.type("ynnys", delay=spacing_ms)
        expect(page.locator(QUERY)).to_have_text("query 2")
        idle(page)
        assert standing(engine) == meant(first, "nyny") | meant(second, "ynny")
    page.close()


@pytest.mark.parametrize("spacing_ms", [0, 250])
def test_query_after_query_at_any_speed(page: Page, engine: sa.Engine, queries: Queries, spacing_ms: int) -> None:
    all_keys = ("nyny", "ynny", "yyyn", "nnny")
    for n, keys in enumerate(all_keys):
        expect(page.locator(QUERY)).to_have_text(f"query {n}")
        page.keyboard.type(f"{keys}s", delay=spacing_ms)
    expect(page.get_by_text("All is decided")).to_be_visible()
    expected: dict[int, bool] = {}
    for (_row, documents), keys in zip(queries, all_keys, strict=True):
        expected |= meant(documents, keys)
    assert standing(engine) == expected
    page.close()


def test_keys_typed_while_the_database_is_busy_decide_nothing_and_that_is_said(
    page: Page, engine: sa.Engine, queries: Queries
) -> None:
    with writing(engine).begin():
        page.keyboard.type("nynys", delay=30)
        expect(page.locator(".desk .notice")).to_have_text("Sending…")
        page.keyboard.type("yn", delay=30)
        sleep(0.5)
    page.get_by_text("2 keys came before this was on the screen and decided nothing").wait_for()
    page.keyboard.type("nys", delay=30)
    expect(page.locator(".desk .notice")).to_contain_text("3 keys since then decided nothing either. Keys are off.")
    idle(page)
    assert standing(engine) == meant(queries[0][1], "nyny")
    page.close()


def test_one_key_too_many_is_no_vote_and_stops_the_save(page: Page, engine: sa.Engine, queries: Queries) -> None:
    page.keyboard.type("nynyns", delay=30)
    notice = page.locator(".desk .notice")
    expect(notice).to_contain_text("All 4 documents were decided already when another N came. Nothing is saved yet")
    assert standing(engine) == {}
    page.get_by_role("button", name=re.compile("^Go on")).click()
    page.keyboard.type("s")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "nyny")
    page.close()


def test_back_goes_through_what_was_decided_in_order(page: Page, engine: sa.Engine, queries: Queries) -> None:
    # Back from the end to the third document: the two keys that follow are for the third and the fourth.
    page.keyboard.type("nynybbyns")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "nyyn")
    page.close()


def test_back_keeps_the_choice_until_another_is_made_and_ends_at_the_first_document(
    page: Page, engine: sa.Engine, queries: Queries
) -> None:
    notice = page.locator(".desk .notice")
    cards = page.locator(".desk .document")
    page.keyboard.type("b")
    expect(notice).to_have_text("This is the first document.")
    page.keyboard.type("ny")
    expect(cards.nth(2)).to_have_attribute("aria-current", "true")
    page.keyboard.type("b")
    expect(cards.nth(1)).to_have_attribute("aria-current", "true")
    # Looked at again, it is as it was: the one that follows goes to the first that is open.
    expect(cards.nth(1).get_by_role("button", name=re.compile("^✓? ?Relevant"))).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.type("nyys")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "nnyy")
    page.close()


def test_the_button_back_does_what_the_key_does(page: Page, engine: sa.Engine, queries: Queries) -> None:
    cards, back = page.locator(".desk .document"), page.get_by_role("button", name=re.compile("^Back"))
    expect(back).to_have_count(0)  # nothing lies before the first
    page.keyboard.type("ny")
    expect(back).to_have_count(1)
    back.click()
    back.click()
    expect(cards.nth(0)).to_have_attribute("aria-current", "true")
    expect(back).to_have_count(0)
    page.keyboard.type("ynnys")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "ynny")
    page.close()


def test_back_from_the_end_by_its_button_decides_the_last_document_again(
    page: Page, engine: sa.Engine, queries: Queries
) -> None:
    page.keyboard.type("nnnn")
    page.get_by_role("button", name=re.compile("^Back")).click()
    page.keyboard.type("ys")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "nnny")
    page.close()


def test_u_takes_back_the_last_choice_and_after_a_save_what_was_saved(
    page: Page, engine: sa.Engine, queries: Queries
) -> None:
    notice = page.locator(".desk .notice")
    page.keyboard.type("u")
    expect(notice).to_have_text("There is nothing to take back.")
    page.keyboard.type("nyu")
    expect(notice).to_have_text("The last choice is taken back.")
    page.keyboard.type("nyys")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "nnyy")
    page.keyboard.type("yu")
    expect(page.locator(".desk [aria-pressed=true]")).to_have_count(0)
    assert standing(engine) == meant(queries[0][1], "nnyy")
    page.keyboard.type("u")
    expect(page.get_by_text("Taken back; the query is open again.")).to_be_visible()
    expect(page.locator(QUERY)).to_have_text("query 0")
    assert standing(engine) == {}
    page.close()


def test_a_skip_would_lose_choices_and_is_refused(page: Page, engine: sa.Engine) -> None:
    page.keyboard.type("n")
    page.get_by_label("Reason").fill("not my field")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".desk .notice")).to_contain_text("Not skipped: 1 choice would be lost.")
    assert len(store_of(engine).votes()) == 0
    page.close()


def test_the_switch_for_scores_leaves_choices_and_words_alone(page: Page, engine: sa.Engine, queries: Queries) -> None:
    page.keyboard.type("ny")
    page.get_by_label("Note").fill("kept")
    page.get_by_text("Show the judges' scores").click()
    expect(page.get_by_text("careful 0.90 · hasty 0.10")).to_be_visible()
    expect(page.locator(".desk [aria-pressed=true]")).to_have_count(2)
    page.keyboard.type("nys")
    saved(page, 4)
    assert standing(engine) == meant(queries[0][1], "nyny")
    assert set(store_of(engine).votes()["note"]) == {"kept"}
    page.close()


@pytest.mark.parametrize("keys", ["nynys", "nys"])
def test_keys_while_another_filter_is_coming_decide_nothing(page: Page, engine: sa.Engine, keys: str) -> None:
    page.get_by_role("combobox").click()
    page.get_by_role("option", name="Low kappa").click()
    # The first ones end in the list of filters, and would otherwise be missing at the front.
    page.keyboard.type(keys, delay=100)
    idle(page)
    page.keyboard.type("s")
    expect(page.locator(".desk .notice")).to_contain_text("Keys are off.")
    assert standing(engine) == {}
    page.close()
