"""The review page on its real server in a real browser: two reviewers, reloads, double clicks, keys, widths."""

import re

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, expect

from resources.database.engine import writing
from resources.database.reliability.models import Tiebreak
from tests.made_disputes import add_query, add_validation, disputed, store_of
from tests.review.browsing import opened, saved, vote_by_keys
from tests.review.conftest import Server

EVIL = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\"> **b** [x](javascript:0)"


@pytest.fixture(scope="module")
def queries(engine: sa.Engine) -> list[tuple[int, list[int]]]:
    made = [
        add_query(engine, ["Grippy sole for wet rock.", "A jacket with taped seams.", None], "waterproof trail shoes"),
        add_query(engine, [EVIL, "word " * 19_999 + "words", "W" * 4_000], EVIL),
        *(add_query(engine, [f"first of {place}", f"second of {place}"], f"query {place}") for place in range(2, 10)),
    ]
    store_of(engine).replace_disputes(disputed(made))
    add_validation(engine, 0.52, 0.5, "contingency_triggered", 3)
    add_validation(engine, 0.66, 0.69, "contingency_triggered", 9)
    return made


@pytest.fixture
def clean(engine: sa.Engine, queries: list[tuple[int, list[int]]], server: Server) -> None:
    """No vote at the start of a test."""
    with writing(engine).begin() as connection:
        connection.execute(sa.delete(Tiebreak))


@pytest.mark.fast
@pytest.mark.usefixtures("clean")
def test_a_reviewer_gives_a_name_and_votes_by_keys_alone(browser: Browser, server: Server, engine: sa.Engine) -> None:
    page = browser.new_page(locale="en-US")
    page.goto(server.url)
    page.get_by_label("Your name").fill("Ann Lee")
    page.keyboard.press("Enter")
    expect(page.locator(".desk .query")).to_have_text("waterproof trail shoes")
    assert re.search(r"reviewer=Ann(\+|%20)Lee", page.url)
    vote_by_keys(page, "yny")
    saved(page, 3)
    assert store_of(engine).votes()["relevant"].tolist() == [True, False, True]
    page.keyboard.press("u")
    expect(page.get_by_text("Taken back; the query is open again.")).to_be_visible()
    assert store_of(engine).votes()["withdrawn_at"].notna().all()
    page.close()


@pytest.mark.usefixtures("clean")
def test_keys_written_into_a_note_are_words_and_no_votes(browser: Browser, server: Server, engine: sa.Engine) -> None:
    page = opened(browser, server, "ann")
    note = page.get_by_label("Note")
    note.click()
    page.keyboard.type("yes, no, skip, undo: nys'; DROP TABLE tiebreaks; --")
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Relevant")).first.click()
    page.get_by_label("Reason").fill("r" * 198)
    page.get_by_label("Reason").press_sequentially("rrrr")
    expect(page.get_by_text("200/200")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Save and next")).click()
    expect(page.get_by_text("Saved: 1 vote.")).to_be_visible()
    (vote,) = store_of(engine).votes().to_dict("records")
    assert (vote["reason"], vote["note"]) == ("r" * 200, "yes, no, skip, undo: nys'; DROP TABLE tiebreaks; --")
    page.close()


@pytest.mark.usefixtures("clean")
def test_two_reviewers_at_once_and_a_reload_lose_nothing(browser: Browser, server: Server, engine: sa.Engine) -> None:
    ann, ben = opened(browser, server, "ann"), opened(browser, server, "ben")
    vote_by_keys(ann, "yny")
    vote_by_keys(ben, "ynn")
    saved(ann, 3)
    saved(ben, 3)
    ann.reload()
    expect(ann.get_by_text("1/10 disagreements reviewed")).to_be_visible(timeout=20_000)
    expect(ann.get_by_text("you: relevant; others: 1 relevant, 0 not")).to_be_visible()
    expect(ann.get_by_text("67% alike")).to_be_visible()
    assert len(store_of(engine).votes()) == 6
    assert store_of(engine).votes()["withdrawn_at"].isna().all()
    ann.close()
    ben.close()


@pytest.mark.usefixtures("clean")
def test_a_double_click_and_a_second_tab_count_once(browser: Browser, server: Server, engine: sa.Engine) -> None:
    one, other = opened(browser, server, "ann"), opened(browser, server, "ann")
    for page, key in ((one, "y"), (other, "n")):
        page.keyboard.type(key * 3)
    one.get_by_role("button", name=re.compile("^Save and next")).dblclick()
    saved(one, 3)
    assert len(store_of(engine).votes()) == 3
    other.get_by_role("button", name=re.compile("^Save and next")).dblclick()
    saved(other, 3)
    found = store_of(engine).votes()
    assert len(found) == 6
    assert found[found["withdrawn_at"].isna()]["relevant"].tolist() == [False] * 3
    undo = other.get_by_role("button", name=re.compile("Undo"))
    undo.dblclick()
    expect(other.get_by_text("Taken back")).to_be_visible()
    assert store_of(engine).votes()["withdrawn_at"].notna().all()
    one.close()
    other.close()


@pytest.mark.usefixtures("clean")
def test_a_restart_of_the_server_loses_nothing(browser: Browser, server: Server, engine: sa.Engine) -> None:
    page = opened(browser, server, "ann")
    vote_by_keys(page, "yyy")
    saved(page, 3)
    server.stop()
    server.start()
    page.reload()
    expect(page.get_by_text("1/10 disagreements reviewed")).to_be_visible(timeout=20_000)
    assert len(store_of(engine).votes()) == 3
    page.close()


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.usefixtures("clean")
def test_hostile_and_endless_words_are_only_words_and_fit_the_window(
    browser: Browser, server: Server, engine: sa.Engine, width: int, queries: list[tuple[int, list[int]]]
) -> None:
    store_of(engine).vote("ann", f"w{width}", dict.fromkeys(queries[0][1], True), note=EVIL)
    asked: list[str] = []
    page = opened(browser, server, "ann", width, asked)
    expect(page.locator(".desk .query")).to_have_text(EVIL)
    expect(page.locator(".vega-embed canvas, .vega-embed svg").first).to_be_visible()
    assert page.title() == "Review · Touchstone"
    assert page.locator(".desk script, .desk img").count() == 0
    widths = "Array.from(document.querySelectorAll('html, [data-testid=stMain]')).map(one => one.scrollWidth)"
    assert max(page.evaluate(widths)) <= width
    box = page.locator(".desk .body").nth(1)
    assert len(box.text_content() or "") == 100_000
    assert box.evaluate("one => one.clientHeight < 400 && one.scrollHeight > 10000")
    assert [url for url in asked if not url.startswith((server.url, "data:", "blob:"))] == []
    page.close()


@pytest.mark.usefixtures("clean")
def test_headings_and_names_say_what_each_button_is_about_and_a_key_lists_the_keys(
    browser: Browser, server: Server
) -> None:
    page = opened(browser, server, "ann")
    expect(page.get_by_role("heading", level=1)).to_have_text("waterproof trail shoes")
    expect(page.get_by_role("article", name="d1", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Not relevant: d1", exact=True)).to_be_visible()
    listed = page.locator(".desk .keys dl")
    expect(listed).not_to_be_visible()
    page.keyboard.press("?")
    expect(listed).to_contain_text("saves the query's choices, all at once, and goes on")
    page.keyboard.press("?")
    expect(listed).not_to_be_visible()
    page.close()


@pytest.mark.usefixtures("clean")
def test_the_page_is_dark_where_the_readers_system_is(browser: Browser, server: Server) -> None:
    context = browser.new_context(color_scheme="dark", locale="en-US")
    page = context.new_page()
    page.goto(f"{server.url}?reviewer=ann")
    expect(page.locator(".desk .query")).to_be_visible(timeout=20_000)
    expect(page.locator("[data-testid=stApp]")).to_have_css("background-color", "rgb(20, 24, 31)")
    expect(page.locator(".desk .query")).to_have_css("color", "rgb(230, 233, 238)")
    context.close()
