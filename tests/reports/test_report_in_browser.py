"""The fidelity report in a real browser without a network: languages, help, downloads, paper, widths, hostile words."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext

from reports.fidelity.contents import Contents
from reports.fidelity.report import downloads, fidelity_page
from tests.reports.browser import (
    OPEN_ALL,
    Opened,
    choose_language,
    download,
    fits_every_width,
    same_numbers_in_italian,
)
from tests.reports.fidelity.made_contents import contents_of_size, frames_of
from tests.reports.hostile_contents import EVIL_IDS, hostile_contents
from tests.reports.made_size import KEYS, Size

SIDEWAYS_ON_A_PHONE = """Array.from(document.querySelectorAll(".scroll > table:not(#matrix)"))
    .filter((one) => !one.closest(".built") && one.parentElement.scrollWidth > one.parentElement.clientWidth + 1)
    .map((one) => one.caption?.textContent)"""
PICTURES = """async () => {
    const of_row = async (row) => {
        const [image, cell] = [row.querySelector("img"), row.querySelector("td")];
        image && (image.loading = "eager", await image.decode());
        const missing = cell.innerText.includes("(picture missing)");
        const [width, alt] = [image && image.naturalWidth, image && image.alt];
        return { name: cell.lastChild.textContent, width, alt, missing };
    };
    return Promise.all(Array.from(document.querySelectorAll("#chart-scatter tbody tr"), of_row));
}"""
DENIED = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("denied", "SecurityError"); },
});"""


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    frames = frames_of(Size(), tmp_path_factory.mktemp("golden"))
    return contents_of_size(golden_images=frames["golden_images"])


@pytest.fixture(scope="module")
def file(contents: Contents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(fidelity_page(contents), encoding="utf-8")
    return path


def test_the_language_is_switched_and_remembered_with_the_same_numbers(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    page = opened.page
    page.evaluate(OPEN_ALL)
    page.locator("#chart-signed tbody tr").first.wait_for()
    same_numbers_in_italian(
        opened,
        "document.querySelector('#chart-signed caption')?.textContent.includes('Errore con segno')",
        "Agreement with people",
        "Accordo con le persone",
        500,
    )
    assert page.get_attribute('[data-language="it"]', "aria-pressed") == "true"
    assert "0,84" in (page.text_content('[data-chart="icc"] svg') or "")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("document.documentElement.lang") == "it"
    assert opened.said == []
    assert all(url.startswith("file:") for url in opened.asked)


def test_the_switch_works_where_storage_is_denied(context: BrowserContext, file: Path) -> None:
    context.add_init_script(DENIED)
    opened = Opened(context.new_page(), file)
    choose_language(opened.page, "it")
    assert "Sintesi" in opened.page.inner_text("main")
    assert opened.said == []


def test_an_old_browser_gets_the_charts_as_pictures(context: BrowserContext, file: Path) -> None:
    context.add_init_script("delete window.DecompressionStream")
    opened = Opened(context.new_page(), file)
    assert opened.page.locator("#too-old").is_visible()
    assert "ICC(1,k)" in (opened.page.text_content('[data-chart="icc"] > svg') or "")
    opened.page.locator("#chart-icc summary").click()
    assert opened.page.locator("#chart-icc tbody tr:visible").count() == 3
    assert opened.said == []


def test_without_scripts_the_text_and_the_tables_are_there(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    said = page.locator("noscript").inner_text()
    assert "Scripts are off" in said
    assert "Gli script sono disattivati" in said
    page.locator("#gates summary").click()
    assert page.locator("#gates tbody tr").first.is_visible()
    assert not page.locator(".languages").is_visible()
    context.close()


@pytest.mark.fast
def test_charts_tables_help_and_keyboard(context: BrowserContext, file: Path, contents: Contents) -> None:
    opened = Opened(context.new_page(), file)
    page = opened.page
    assert page.locator("[data-chart]").count() == page.locator("[data-chart] > div > svg").count()
    setting = page.evaluate("shown.chosen")
    assert setting == contents.focus
    page.locator("#chart-scatter summary").click()
    rows = page.locator("#chart-scatter tbody tr")
    rows.first.wait_for()
    assert rows.count() == len(contents.of("matched_scores", setting))
    page.locator("#agreement select").select_option(KEYS[2])
    page.wait_for_function(f"document.querySelector('#people select').value === '{KEYS[2]}'")
    first = contents.of("matched_scores", KEYS[2]).iloc[0]
    page.wait_for_function(
        "want => document.querySelector('#chart-scatter tbody data')?.value === want",
        arg=repr(float(first["human_score"])),
    )
    assert page.locator(f'#agreement [data-of-choice="{KEYS[2]}"]').is_visible()
    page.locator("body").press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("intraclasse")
    assert page.locator("#glossary .entry:visible").count() == 1
    assert page.inner_text("#found") == f"1 of {page.locator('#glossary .entry').count()} entries"
    page.locator("#search").fill("no such word anywhere")
    assert page.locator("#glossary .entry:visible").count() == 0
    page.locator("#search").press("Escape")
    assert page.locator("#glossary .entry:visible").count() > 30
    page.locator('#title-icc a[href="#term-icc"]').click()
    assert page.evaluate("document.activeElement.id") == "explained"
    assert "How to read it:" in page.inner_text("#explained")
    page.keyboard.press("Escape")
    assert not page.locator("#explained").is_visible()
    assert page.evaluate("document.activeElement.hash") == "#term-icc"
    page.keyboard.press("Enter")
    page.get_by_text("More in the help").click()
    page.wait_for_function("document.activeElement.id === 'term-icc'")
    assert not page.locator("#explained").is_visible()
    assert opened.said == []


def test_a_row_of_the_table_of_objects_keeps_its_picture_sorted_filtered_and_in_both_languages(
    context: BrowserContext, contents: Contents, tmp_path: Path
) -> None:
    objects = contents.tables["study_objects"].copy()
    # Each picture is as wide as its object's place says; the first object's file is gone.
    objects["candidate_path"] = [str(tmp_path / f"{name}.png") for name in objects["object"]]
    for place, path in list(enumerate(objects["candidate_path"]))[1:]:
        assert cv2.imwrite(path, np.full((90, 40 + place, 3), 90, np.uint8))
    file = tmp_path / "report.html"
    file.write_text(fidelity_page(replace(contents, tables={**contents.tables, "study_objects": objects})), "utf-8")
    opened = Opened(context.new_page(), file)
    page = opened.page
    page.locator("#chart-scatter summary").click()
    page.locator("#chart-scatter tbody tr").first.wait_for()
    # The last object is excluded: nothing was judged.
    wanted = {f"{place:08x}": 40 + place for place in range(1, 11)} | {"00000000": None, "0000000b": None}
    before = page.evaluate(PICTURES)
    assert {row["name"]: row["width"] for row in before} == wanted
    assert {row["name"]: row["alt"] for row in before}["00000003"] == "Picture of 00000003"
    assert [row["name"] for row in before if row["missing"]] == ["00000000"]
    page.locator("#chart-scatter button[data-column=difference]").click()
    page.wait_for_selector("#chart-scatter th[aria-sort=descending]")
    after = page.evaluate(PICTURES)
    assert [row["name"] for row in after] != [row["name"] for row in before]
    assert {row["name"]: row["width"] for row in after} == wanted
    page.locator("#chart-scatter input[type=search]").fill("00000007")
    page.wait_for_function("document.querySelectorAll('#chart-scatter tbody tr').length === 1")
    choose_language(page, "it")
    page.wait_for_selector('#chart-scatter img[alt="Immagine di 00000007"]')
    assert [row["width"] for row in page.evaluate(PICTURES)] == [47]
    carried = json.loads(page.locator("#page-pictures").text_content() or "")
    assert {name: one and one[1] for name, one in carried.items()} == {name: wanted[name] for name in carried}
    assert len(carried) == 11
    assert opened.said == []


def test_details_are_folded_by_question_and_unfold_for_links_searches_and_paper(
    context: BrowserContext, file: Path
) -> None:
    opened = Opened(context.new_page(), file, folded=True)
    page = opened.page
    folds = page.locator("section > details.fold")
    # Question, answer and summary are read at once, the rest by question.
    assert page.locator("#summary .result").is_visible()
    assert "Is it repeatable?" in folds.locator("> summary").all_inner_texts()
    assert page.locator("section > details.fold[open]").count() == 0
    page.locator('.contents a[href="#repeatability"]').click()
    page.wait_for_selector("#chart-icc svg")
    assert page.locator("section > details.fold[open]").count() == 1
    page.wait_for_selector('.contents a[href="#repeatability"][aria-current]')
    page.locator("body").press("/")
    assert page.locator("#help > details.fold[open]").count() == 1
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("section > details.fold[open]").count() == folds.count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("section > details.fold[open]").count() == 2
    assert opened.said == []


def test_on_a_phone_a_gate_is_a_stack_and_the_answer_with_its_date_is_on_the_first_screen(
    context: BrowserContext, file: Path
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    Opened(page, file)
    assert page.locator(".contents").bounding_box()["height"] < 60  # type: ignore[index]
    for place in range(page.locator("#gates table.gates").count()):
        table = page.locator("#gates table.gates").nth(place).bounding_box()
        assert table is not None
        assert table["width"] <= 358
    page.evaluate(OPEN_ALL)
    # Tables with few columns fit; those to sort keep their heads, and scroll.
    assert page.evaluate(SIDEWAYS_ON_A_PHONE) == []
    row = page.locator("#sensitivity table.stacks tbody tr").first
    assert "Hit rate" in row.inner_text()
    for label in page.locator("table.stacks td:visible > .in-stack:visible").all()[:40]:
        # A label that does not fit into its column is broken, and does not reach into the number.
        assert label.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_the_tab_key_goes_through_in_reading_order_and_shows_where_it_is(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    seen = []
    for _ in range(6):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.innerText.trim().split(/\\s+/)[0]"))
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid"
    assert seen == ["Skip", "Help", "English", "Italiano", "Summary", "Gates"]
    page.keyboard.press("Shift+Tab")
    page.locator(".skip").focus()
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_downloads_are_strict_json_and_csv_with_the_full_numbers(
    context: BrowserContext, file: Path, contents: Contents
) -> None:
    page = Opened(context.new_page(), file).page
    tables = downloads(contents)
    taken = json.loads(download(page, '[data-download="json"]'), parse_constant=pytest.fail)
    assert taken["about"]["study"] == "Made study"
    assert set(taken["tables"]) == set(tables)
    for name in ("matched_scores", "icc_by_setting", "sensitivity"):
        text = download(page, f'[data-name="{name}"]')
        assert text.startswith("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        frame = tables[name]
        assert list(rows[0]) == list(frame.columns)
        assert len(rows) == len(frame) == len(taken["tables"][name])
        for column in frame.select_dtypes("float64"):
            wanted = [None if value != value else value for value in frame[column]]
            assert [float(row[column]) if row[column] else None for row in rows] == wanted
            assert [row[column] for row in taken["tables"][name]] == wanted


def test_nothing_is_wider_than_the_window(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    fits_every_width(opened)


def test_it_prints_whole_with_no_chart_cut(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    printed = page.pdf(format="A4", print_background=True)
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 8
    page.emulate_media(media="print")
    # Paper is narrower than the window that the charts were drawn for.
    page.evaluate("document.body.style.width = '680px'")
    assert page.locator("section").count() == page.locator("section:visible").count()
    for box in page.locator(".plot svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)"):
        assert box <= 681
    assert page.locator(".entry:visible").count() > 30
    assert page.locator(".card").count() == page.locator(".card dl:visible").count() == 3


def test_cards_are_folded_but_for_the_one_to_read_first(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    assert page.locator(".card dl:visible").count() == 1
    page.locator(".card summary").first.click()
    assert page.locator(".card dl:visible").count() == 2
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".card[open]").count() == 3
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".card[open]").count() == 2


def test_hostile_words_are_shown_and_do_nothing(context: BrowserContext, tmp_path: Path) -> None:
    contents = hostile_contents()
    path = tmp_path / "hostile.html"
    path.write_text(fidelity_page(contents), encoding="utf-8")
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 900})
    opened = Opened(page, path)
    page.locator("#chart-scatter summary").click()
    page.locator("#chart-scatter tbody tr").first.wait_for()
    table = page.locator("#chart-scatter table").text_content() or ""
    assert all(evil in table for evil in EVIL_IDS)
    page.locator("[data-chart=scatter] .mark-symbol path").first.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    rows = list(csv.DictReader(io.StringIO(download(page, '[data-name="matched_scores"]').removeprefix("\ufeff"))))
    assert {row["item_id"] for row in rows} == {("'" if evil[0] in "=+-@" else "") + evil for evil in EVIL_IDS}
    for language in ("en", "it"):
        choose_language(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    harm: Any = page.evaluate(
        "[window.pwned, document.querySelectorAll('[onerror], a[href^=javascript], img[src=x], svg a').length]"
    )
    assert harm == [None, 0]
    assert "<img src=x onerror=window.pwned=3> because" in page.inner_text("#agreement")
    assert opened.said == []
    assert all(url.startswith(("file:", "blob:")) for url in opened.asked)
