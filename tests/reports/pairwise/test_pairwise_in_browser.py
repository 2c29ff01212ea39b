"""The pairwise report in a real browser without a network: languages, downloads, widths, paper, hostile words."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from reports.pairwise.contents import Contents
from reports.pairwise.report import downloads, pairwise_page
from tests.reports.browser import (
    OPEN_ALL,
    Opened,
    choose_language,
    download,
    fits_every_width,
    same_numbers_in_italian,
)
from tests.reports.hostile_contents import EVIL_IDS
from tests.reports.pairwise.made_pairwise import contents_of_votes


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    return contents_of_votes(tmp_path_factory.mktemp("photos"))


@pytest.fixture(scope="module")
def file(contents: Contents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(pairwise_page(contents), encoding="utf-8")
    return path


def test_the_language_is_switched_with_the_same_numbers(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    same_numbers_in_italian(
        opened,
        "document.querySelector('[data-chart=accuracy] svg').textContent.includes('accuratezza')",
        "People among themselves",
        "Le persone fra loro",
        250,
    )
    assert opened.said == []
    assert all(url.startswith("file:") for url in opened.asked)


@pytest.mark.fast
def test_every_chart_is_drawn_and_says_at_each_point_what_it_is(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    page = opened.page
    assert page.locator("[data-chart]").count() == 7
    assert page.locator("[data-chart]").count() == page.locator("[data-chart] > div > svg").count()
    page.locator("[data-chart=speed] .mark-symbol path").first.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "composite_balanced" in (page.text_content("#vg-tooltip-element") or "")
    assert opened.said == []


def test_failures_show_two_pictures_side_by_side(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    pictures = page.locator(".failure img")
    assert pictures.count() == 2
    assert page.evaluate("Array.from(document.querySelectorAll('.failure img')).every((one) => one.naturalWidth > 0)")
    boxes = [pictures.nth(place).bounding_box() for place in range(2)]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]  # type: ignore[index]
    assert boxes[0]["y"] == boxes[1]["y"]  # type: ignore[index]
    page.locator(".failure summary").click()
    assert page.locator(".failure tbody tr:visible").count() == 4


def test_a_row_of_the_table_of_pairs_shows_both_photos(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    page.locator("#failures details.numbers > summary").last.click()
    rows = page.locator("#failures .built tbody tr")
    rows.first.wait_for()
    assert rows.count() == 96
    page.locator("#failures input[type=search]").fill("000900-02")
    page.wait_for_function("document.querySelectorAll('#failures .built tbody tr').length === 1")
    pictures = rows.first.locator("img")
    assert [one.get_attribute("alt") for one in pictures.all()] == ["Picture of 000900-01", "Picture of 000900-02"]
    assert rows.first.locator("td:has(img)").last.inner_text() == "000900-02"


def test_downloads_are_strict_json_and_csv_with_the_full_numbers(
    context: BrowserContext, file: Path, contents: Contents
) -> None:
    page = Opened(context.new_page(), file).page
    tables = downloads(contents)
    taken = json.loads(download(page, '[data-download="json"]'), parse_constant=pytest.fail)
    assert taken["about"]["best"] == "composite_balanced"
    assert set(taken["tables"]) == set(tables)
    for name, frame in tables.items():
        text = download(page, f'[data-name="{name}"]')
        assert text.startswith("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        assert list(rows[0]) == list(frame.columns)
        assert len(rows) == len(frame) == len(taken["tables"][name])
        for column in frame.select_dtypes("float64"):
            wanted = [None if value != value else value for value in frame[column]]
            assert [float(row[column]) if row[column] else None for row in rows] == wanted
            assert [row[column] for row in taken["tables"][name]] == wanted


def test_nothing_is_wider_than_the_window(context: BrowserContext, file: Path) -> None:
    opened = Opened(context.new_page(), file)
    page = opened.page
    page.evaluate(OPEN_ALL)
    fits_every_width(opened)


def test_without_scripts_the_text_and_the_tables_are_there(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#matrix tbody tr").count() == 4
    assert page.locator("#summary .lead").first.is_visible()
    assert page.locator(".failure img").count() == 2
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


def test_hostile_words_are_shown_and_do_nothing(context: BrowserContext, tmp_path: Path) -> None:
    made = contents_of_votes()
    pairs, results = made.tables["photo_pairs"], made.tables["pairwise_results"]
    names = {
        side: [
            EVIL_IDS[(at + side - 1) % len(EVIL_IDS)] if at < 120 else f"{EVIL_IDS[side]} {at}"
            for at in range(len(pairs))
        ]
        for side in (1, 2)
    }
    metrics = made.tables["method_metrics"]
    reasons = [EVIL_IDS[0] if reason is not None and reason == reason else None for reason in metrics["unavailable"]]
    contents = contents_of_votes(
        name=EVIL_IDS[1],
        photo_pairs=pairs.assign(image_1=names[1], image_2=names[2], series_id=names[1]),
        pairwise_results=results.assign(
            undefined=EVIL_IDS[2], predicted_winner=results["predicted_winner"].where(results.index % 7 > 0)
        ),
        method_metrics=metrics.assign(unavailable=reasons),
    )
    path = tmp_path / "hostile.html"
    path.write_text(pairwise_page(contents), encoding="utf-8")
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 900})
    opened = Opened(page, path)
    page.evaluate(OPEN_ALL)
    assert EVIL_IDS[1] in page.inner_text("h1")
    assert EVIL_IDS[2] in page.inner_text("#failures")
    assert EVIL_IDS[0] in page.inner_text("#summary")
    for language in ("en", "it"):
        choose_language(page, language)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    rows = list(csv.DictReader(io.StringIO(download(page, '[data-name="photo_pairs"]').removeprefix("\ufeff"))))
    assert {row["image_1"] for row in rows[:10]} == {("'" if evil[0] in "=+-@" else "") + evil for evil in EVIL_IDS}
    harm: Any = page.evaluate(
        "[window.pwned, document.querySelectorAll('[onerror], a[href^=javascript], img[src=x], svg a').length]"
    )
    assert harm == [None, 0]
    assert opened.said == []
    assert all(url.startswith(("file:", "blob:")) for url in opened.asked)


PAPER_PX = 688  # what A4 leaves between its margins
LANDSCAPE = """() => document.querySelectorAll('.photos img').forEach((one) => {
    one.width = 1600; one.height = 900;
    one.src = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='1600' height='900'/>"
})"""
BOXES = "(all) => all.map((one) => one.getBoundingClientRect().toJSON())"


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    apart = one["right"] <= other["left"] or other["right"] <= one["left"]
    return not (apart or one["bottom"] <= other["top"] or other["bottom"] <= one["top"])


def test_landscape_photos_and_the_methods_beside_them_print_apart(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    page.set_viewport_size({"width": PAPER_PX, "height": 1000})
    page.evaluate(LANDSCAPE)
    page.emulate_media(media="print")
    left, right = page.eval_on_selector_all(".failure:first-of-type .photos img", BOXES)[:2]
    [picks] = page.eval_on_selector_all(".failure:first-of-type .picks", BOXES)[:1]
    assert left["width"] > 100
    assert not overlap(left, right)
    assert not overlap(right, picks)


def test_marked_cells_print_dark_on_no_background(context: BrowserContext, file: Path) -> None:
    page = Opened(context.new_page(), file).page
    page.emulate_media(media="print")
    for kind in ("ahead", "behind"):
        shown = "(one) => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
        colour, background = page.eval_on_selector(f"#matrix .{kind}", shown)
        assert max(int(part) for part in re.findall(r"\d+", colour)[:3]) < 80
        assert background == "rgba(0, 0, 0, 0)"


def test_printed_without_scripts_every_chart_is_there_and_no_caption_is_covered(browser: Browser, file: Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.set_viewport_size({"width": PAPER_PX, "height": 1000})
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    charts = page.locator(".chart:has(.plot)").all()
    assert len(charts) == 7
    for chart in charts:
        picture, caption = (chart.locator(part).bounding_box() for part in (".plot > svg", "figcaption"))
        assert picture is not None
        assert caption is not None
        assert picture["height"] > 100
        assert picture["y"] + picture["height"] <= caption["y"]
        assert picture["x"] + picture["width"] <= PAPER_PX
    page.context.close()
