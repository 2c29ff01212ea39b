"""The reliability report in a real browser without a network: languages, downloads, widths, paper, hostile words."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, BrowserContext

from reports.reliability.contents import Contents
from reports.reliability.report import downloads, reliability_page
from tests.reports.browser import (
    OPEN_ALL,
    Opened,
    choose_language,
    download,
    fits_every_width,
    same_numbers_in_italian,
)
from tests.reports.hostile_contents import EVIL_IDS
from tests.reports.reliability.made_reliability import three_judges


# Studies are run before the browser starts: its event loop runs in this thread, and Dagster needs one of its own.
@pytest.fixture(scope="module", autouse=True)
def contents(passed: Contents, failed: Contents) -> Contents:
    return passed


@pytest.fixture(scope="module")
def file(contents: Contents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(reliability_page(contents), encoding="utf-8")
    return path


def test_the_language_is_switched_with_the_same_numbers_and_remembered(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    page = opened.page
    same_numbers_in_italian(
        opened,
        "document.querySelector('[data-chart=kappas] svg').textContent.includes('domande')",
        "Where the judges differ most",
        "Dove i giudici differiscono di più",
        250,
    )
    page.reload()
    page.wait_for_selector("html[data-ready][lang=it]")
    assert opened.said == []
    assert all(url.startswith("file:") for url in opened.asked)


@pytest.mark.fast
def test_every_chart_is_drawn_and_says_at_each_point_what_it_is(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    page = opened.page
    assert page.locator("[data-chart]").count() == 6
    assert page.locator("[data-chart]").count() == page.locator("[data-chart] > div > svg").count()
    page.locator("[data-chart=history] .mark-symbol path").nth(1).hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "passed" in (page.text_content("#vg-tooltip-element") or "")
    assert opened.said == []


def test_downloads_are_strict_json_and_csv_with_the_full_numbers(
    context: BrowserContext, file: Path, contents: Contents
) -> None:
    page = Opened(context.new_page(), file).page
    tables = downloads(contents)
    assert len(tables) == 13
    taken = json.loads(download(page, '[data-download="json"]'), parse_constant=pytest.fail)
    assert (taken["about"]["status"], taken["about"]["due"]) == ("passed", "none")
    assert set(taken["tables"]) == set(tables)
    for place, (name, frame) in enumerate(tables.items()):
        if place == 6:  # a browser hands out some ten files a page before it asks
            page = Opened(context.new_page(), file).page
        text = download(page, f'[data-name="{name}"]')
        assert text.startswith("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        assert len(rows) == len(frame) == len(taken["tables"][name])
        for column in frame.select_dtypes("float64"):
            wanted = [None if value != value else value for value in frame[column]]
            assert [float(row[column]) if row[column] else None for row in rows] == wanted
            assert [row[column] for row in taken["tables"][name]] == wanted


@pytest.mark.parametrize("several", [False, True])
def test_nothing_is_wider_than_the_window(
    context: BrowserContext, contents: Contents, tmp_path: Path, *, several: bool
) -> None:
    path = tmp_path / "report.html"
    path.write_text(reliability_page(three_judges(contents) if several else contents), encoding="utf-8")
    opened = Opened(context.new_page(), path)
    page = opened.page
    page.evaluate(OPEN_ALL)
    fits_every_width(opened)


SIDEWAYS = """Array.from(document.querySelectorAll('.scroll')).filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.getAttribute('aria-label'))"""


@pytest.mark.parametrize("several", [False, True])
def test_no_table_scrolls_sideways_in_a_wide_window_and_on_a_phone_the_folded_ones_are_lists(
    context: BrowserContext, contents: Contents, tmp_path: Path, *, several: bool
) -> None:
    history = contents.tables["kappa_validation"].assign(not_proven=True, depends_on_convention=True)
    made = replace(contents, tables=dict(contents.tables) | {"kappa_validation": history})
    path = tmp_path / "report.html"
    path.write_text(reliability_page(three_judges(made) if several else made), encoding="utf-8")
    page = Opened(context.new_page(), path).page
    page.evaluate(OPEN_ALL)
    for language in ("en", "it"):
        choose_language(page, language)
        assert page.evaluate(SIDEWAYS) == []
    page.set_viewport_size({"width": 390, "height": 900})
    table = page.locator("#chart-history .scroll")
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
    # Every cell says what it is, now that the heads are gone.
    assert table.locator("thead").is_hidden()
    text = table.locator("tbody tr").first.inner_text()
    for head in ("Macro", "Intervallo 95", "Senza 0/0", "Micro", "Domande basse", "Documenti", "Giudici"):
        assert head in text
    assert table.locator("tbody tr").first.locator("td").count() == 7


def test_without_scripts_the_text_and_the_tables_are_there(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#summary .lead").first.is_visible()
    assert page.locator("#gates tbody tr").count() == 6
    assert page.locator("#disagreements .document").count() == 4
    context.close()


def test_it_prints_whole_with_no_chart_cut(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", print_background=True))) >= 6
    page.emulate_media(media="print")
    # Paper is narrower than the window that the charts were drawn for.
    page.evaluate("document.body.style.width = '680px'")
    assert page.locator("section").count() == page.locator("section:visible").count()
    for right in page.locator(".plot svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)"):
        assert right <= 681


def hostile(made: Contents) -> Contents:
    """The made study with evil in every place that a user, a judge or a reviewer can write to."""
    frames = dict(made.tables)
    judge, reviewer = EVIL_IDS[2], EVIL_IDS[0]
    for name in ("query_kappa", "judge_agreement", "bias_test", "threshold_advice", "kappa_validation"):
        frames[name] = frames[name].assign(judge_1=judge)
    frames["judgments"] = frames["judgments"].assign(
        judge=frames["judgments"]["judge"].replace("judge1", judge), prompt_version=EVIL_IDS[3]
    )
    documents = frames["query_documents"]
    at = np.arange(len(documents)) % len(EVIL_IDS)
    frames["query_documents"] = documents.assign(document=[EVIL_IDS[place] for place in at])
    frames["disagreements"] = frames["disagreements"].assign(query=EVIL_IDS[1], prompt_version=EVIL_IDS[8])
    record = [
        {"step": "thresholds_accepted", "thresholds": {judge: 0.6}, "who": reviewer},
        {"step": "manual_review_opened", "who": EVIL_IDS[7]},
    ]
    frames["kappa_validation"] = frames["kappa_validation"].assign(contingency_actions=json.dumps(record))
    frames["threshold_advice"] = frames["threshold_advice"].assign(
        higher_judge=judge, threshold_now=0.5, threshold_advised=0.6, kappa_now=0.4, kappa_advised=0.5
    )
    frames["judge_agreement"] = frames["judge_agreement"].assign(undefined=EVIL_IDS[4])
    frames["low_kappa_profile"] = frames["low_kappa_profile"].assign(undefined=EVIL_IDS[1])
    frames["judges_against_reviewers"] = frames["judges_against_reviewers"].assign(
        judge=[judge, EVIL_IDS[5]], n_documents=2
    )
    wrote = {"query_id": EVIL_IDS[3], "reviewer": reviewer, "votes_relevant": 1, "votes_not_relevant": 0}
    words = pd.DataFrame([wrote | {"reason": EVIL_IDS[2], "note": EVIL_IDS[5], "sent_at": None}])
    return replace(made, study=EVIL_IDS[1], tables=frames, thresholds={judge: 0.5, "judge2": 0.5}, words=words)


def test_hostile_words_are_shown_and_do_nothing(context: BrowserContext, failed: Contents, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(reliability_page(hostile(failed)), encoding="utf-8")
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 900})
    opened = Opened(page, path)
    page.evaluate(OPEN_ALL)
    assert EVIL_IDS[1] in page.inner_text("h1")
    assert EVIL_IDS[1] in page.inner_text("#disagreements")
    assert EVIL_IDS[2] in page.inner_text("#summary .lead")
    assert EVIL_IDS[0] in page.inner_text("#history .events")
    for evil in (EVIL_IDS[2], EVIL_IDS[5]):
        assert evil in page.inner_text("#people details")
    for language in ("en", "it"):
        choose_language(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # A cell of several parts, such as 72 (12), is one next to its head.
    assert page.locator("table.stacks td").evaluate_all("all => all.filter(one => one.childElementCount > 2)") == []
    rows = list(csv.DictReader(io.StringIO(download(page, '[data-name="disagreements"]').removeprefix("\ufeff"))))
    assert {row["query"] for row in rows} == {EVIL_IDS[1]}
    harm: Any = page.evaluate(
        "[window.pwned, document.querySelectorAll('[onerror], a[href^=javascript], img[src=x], svg a').length]"
    )
    assert harm == [None, 0]
    assert opened.said == []
    assert all(url.startswith(("file:", "blob:")) for url in opened.asked)
