"""Every report printed by a browser without a window, read without scripts and read in the dark."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pandas as pd
import pytest
from playwright.sync_api import Browser

from reports.evaluation.contents import Contents as EvaluationContents
from reports.evaluation.report import evaluation_page
from reports.fidelity.report import fidelity_page
from reports.pairwise.report import pairwise_page
from reports.reliability.contents import Contents as ReliabilityContents
from reports.reliability.report import reliability_page
from resources.configuration.evaluation import EvaluationStudy
from resources.tables.all_tables import TABLES
from tests.reports.browser import read_in_the_dark
from tests.reports.fidelity.made_contents import contents_of_size
from tests.reports.pairwise.made_pairwise import contents_of_votes

pytestmark = pytest.mark.slow

PAPER_PX = 690
# Of each report: words that stand on its charts alone.
ON_CHARTS = {
    "fidelity": ("needed: at least 0.85", "half-width (0-1)", "calibration line", "labels and judge"),
    "pairwise": ("significantly better", "time per pair, ms (logarithmic)", "left out", "held by the prior: 49"),
    "reliability": ("needed: at least 0.7", "kappa of the query", "one label throughout (0/0)"),
    "evaluation": ("rank correlation", "accuracy"),
}
N_CHARTS = {"fidelity": 15, "pairwise": 7, "reliability": 6, "evaluation": 2}


def evaluated() -> EvaluationContents:
    """A data set of scores and one of answers."""
    frames = {name: pd.DataFrame(columns=[one.name for one in table.columns]) for name, table in TABLES.items()}
    known = {"ci_low": 0.6, "ci_high": 0.8, "n_used": 30, "n_total": 30, "n_clusters": 30, "method": "bootstrap"}
    rows = [
        {"dataset": "tid", "kind": "scores", "statistic": "srcc", "value": 0.7},
        {"dataset": "quiz", "kind": "answers", "statistic": "accuracy", "value": 0.75},
    ]
    columns = frames["evaluation_summary"].columns
    frames["evaluation_summary"] = pd.DataFrame([row | known for row in rows], columns=columns)
    frames["evaluation_samples"] = pd.DataFrame(
        {"dataset": ["tid", "quiz"]}, columns=frames["evaluation_samples"].columns
    )
    return EvaluationContents("Made study", EvaluationStudy(), frames)


@pytest.fixture(scope="module")
def files(passed: ReliabilityContents, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made: dict[str, Callable[[], str]] = {
        "fidelity": lambda: fidelity_page(contents_of_size()),
        "pairwise": lambda: pairwise_page(contents_of_votes()),
        "reliability": lambda: reliability_page(passed),
        "evaluation": lambda: evaluation_page(evaluated()),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("name", N_CHARTS)
def test_a_report_printed_without_a_window_has_its_charts(files: dict[str, Path], name: str, tmp_path: Path) -> None:
    chromium, reader = which("chromium"), which("pdftotext")
    if chromium is None or reader is None:
        pytest.skip("chromium and pdftotext print a report and read what was printed")
    printed = tmp_path / "report.pdf"
    command = [chromium, "--headless", "--no-sandbox", f"--user-data-dir={tmp_path / 'profile'}"]
    subprocess.run(
        [*command, f"--print-to-pdf={printed}", files[name].as_uri()], capture_output=True, timeout=120, check=True
    )
    done = subprocess.run(
        [reader, "-layout", str(printed), "-"], capture_output=True, text=True, timeout=60, check=True
    )
    said = " ".join(done.stdout.split())
    assert [words for words in ON_CHARTS[name] if words not in said] == []


@pytest.mark.parametrize("name", N_CHARTS)
def test_every_word_is_read_in_the_dark(browser: Browser, files: dict[str, Path], name: str) -> None:
    read_in_the_dark(browser, files[name])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", N_CHARTS)
def test_without_scripts_every_chart_is_a_picture_that_fits_the_paper(
    browser: Browser, files: dict[str, Path], name: str, scheme: str
) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_viewport_size({"width": PAPER_PX, "height": 1000})
    page.goto(files[name].as_uri())
    page.emulate_media(media="print")
    pictures = page.locator(".plot > svg, .plot > img").all()
    assert len(pictures) == page.locator(".plot").count() == N_CHARTS[name]
    for picture in pictures:
        box = picture.bounding_box()
        assert box is not None
        assert box["height"] > 80
        assert 0 <= box["x"] <= box["x"] + box["width"] <= PAPER_PX
        # On a ground of its own, so that dark words are read whatever is behind.
        assert picture.locator("> rect").first.get_attribute("fill") == "#ffffff"
    context.close()
