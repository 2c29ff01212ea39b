"""The review page in a browser: opened, typed on, and waited for."""

from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.review.conftest import Server

QUERY = ".desk .query"
FORM: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US"}


def opened(browser: Browser, server: Server, reviewer: str, width: int = 1440, asked: list[str] | None = None) -> Page:
    """The page of a reviewer with its first query."""
    page = browser.new_page(**FORM | {"viewport": {"width": width, "height": 900}})
    if asked is not None:
        page.on("request", lambda request: asked.append(request.url))
    return shown(page, server, reviewer)


def shown(page: Page, server: Server, reviewer: str) -> Page:
    """The page when the reviewer's first query is on it."""
    page.goto(f"{server.url}?reviewer={reviewer}")
    expect(page.locator(QUERY)).to_be_visible(timeout=20_000)
    return page


def idle(page: Page) -> None:
    """Wait until the server has nothing more to do."""
    expect(page.locator(".desk .notice")).not_to_have_text("Sending…", timeout=20_000)
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible(timeout=20_000)


def saved(page: Page, n: int) -> None:
    """Wait until the page says so."""
    expect(page.get_by_text(f"Saved: {n} votes.")).to_be_visible(timeout=20_000)
    idle(page)


def vote_by_keys(page: Page, keys: str) -> None:
    """Decide the query's documents and save."""
    page.keyboard.type(f"{keys}s")
