"""The page of `touchstone verdict` over a file of the examples, and its table that sorts and filters in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from pipeline.command_line.verdict_report import report_text
from pipeline.command_line.verdict_result import Question, answer, verdict_values
from resources.inputs.ratings.layout import RatingColumns

SCORES = Path(__file__).resolve().parents[3] / "examples/ratings/scores.csv"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    columns = RatingColumns(judges=("gpt4_score",), people=("human1", "human2", "human3"), item="id")
    said = answer(Question((str(SCORES),), columns))
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(report_text(said, verdict_values(said)), encoding="utf-8")
    return path


def test_the_page_names_what_errors_depend_on_and_what_is_corrected(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert "Its errors depend on words" in text
    assert "length bias" in text
    assert "PPI++" in text
    assert "Does it agree with people?" in text
    assert "Concorda con le persone?" in text


@pytest.fixture
def opened(page_file: Path, context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(page_file.as_uri())
    page.click("#objects summary")
    page.wait_for_selector("#objects table")
    yield page
    page.close()


@pytest.mark.slow
def test_objects_are_filtered_by_words_and_sorted_by_heads(opened: Page) -> None:
    assert opened.evaluate("document.documentElement.scrollWidth") == 390
    opened.fill("#objects input[type=search]", "answer-00 it")
    opened.wait_for_function("document.querySelectorAll('#objects tbody tr').length < 9")
    names = opened.locator("#objects tbody th").all_inner_texts()
    assert names
    assert all(name.startswith("answer-00") for name in names)
    opened.click("#objects thead button >> nth=0")
    opened.wait_for_selector("#objects th[aria-sort=ascending]")
    assert opened.locator("#objects tbody th").all_inner_texts() == sorted(names)
    opened.click("#objects thead button >> nth=0")
    opened.wait_for_selector("#objects th[aria-sort=descending]")
    assert opened.locator("#objects tbody th").all_inner_texts() == sorted(names, reverse=True)
