"""Reports in a browser: what their policy forbids does not happen, even where markup got in."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from reports.fidelity.report import fidelity_page
from reports.pairwise.report import pairwise_page
from reports.reliability.contents import Contents
from reports.reliability.report import reliability_page
from tests.reports.conftest import failed  # noqa: F401
from tests.reports.fidelity.made_contents import contents_of_size
from tests.reports.pairwise.made_pairwise import contents_of_votes

ADDRESS = "https://elsewhere.invalid"
INTRUDER = (
    "<script>window.pwned = 1</script>"
    "<img src=x onerror='window.pwned = 2'>"
    f"<img src='{ADDRESS}/picture.png'>"
    f"<script src='{ADDRESS}/script.js'></script>"
    f"<link rel=stylesheet href='{ADDRESS}/style.css'>"
    f"<iframe src='{ADDRESS}/frame.html'></iframe>"
    f"<base href='{ADDRESS}/'>"
    f"<form id=sends action='{ADDRESS}/form' method=post></form>"
)
FETCHES = f"fetch('{ADDRESS}/data').then(() => 'sent', () => 'kept')"
SENDS = "document.getElementById('sends').submit()"


def refuse(route: Route, asked: list[str]) -> None:
    asked.append(route.request.url)
    route.abort()


@pytest.fixture(scope="module")
def pages(failed: Contents) -> dict[str, str]:  # noqa: F811
    return {
        "fidelity": fidelity_page(contents_of_size()),
        "pairwise": pairwise_page(contents_of_votes()),
        "reliability": reliability_page(failed),
    }


@pytest.mark.parametrize("study", ["fidelity", "pairwise", "reliability"])
def test_markup_that_got_in_all_the_same_runs_nothing_and_asks_nobody(
    browser: Browser,
    pages: dict[str, str],
    study: str,
    tmp_path: Path,
) -> None:
    file = tmp_path / "page.html"
    assert '<main id="main"' in pages[study]
    file.write_text(pages[study].replace("</main>", f"{INTRUDER}</main>"), encoding="utf-8")
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    # What the policy forbids never becomes a request that can be answered.
    page.route(f"{ADDRESS}/**", lambda route: refuse(route, asked))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    assert page.evaluate(FETCHES) == "kept"
    with page.expect_console_message(lambda message: "form-action" in message.text):
        page.evaluate(SENDS)
    assert page.evaluate("window.pwned ?? null") is None
    assert asked == []
    refused = "\n".join(said)
    for rule in ("script-src", "img-src", "style-src", "base-uri", "default-src"):
        assert rule in refused, rule
    page.close()


def test_a_text_that_looks_like_a_template_is_shown_and_not_filled_in() -> None:
    evil = "{{ 7 * 191 }}{% if true %}{{ page.__class__ }}{% endif %}{# note #}"
    written = fidelity_page(replace(contents_of_size(), study=evil))
    assert evil in written
    assert str(7 * 191) not in written.split("</h1>")[0].split("<h1")[-1]
