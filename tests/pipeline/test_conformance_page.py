"""The page of published numbers is what the code checks; the command says so and ends with 1 where one is missed."""

import dataclasses
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis.conformance.all_cases import CASES
from analysis.conformance.case import Checked
from pipeline import conformance_page
from pipeline.command_line.main import application
from pipeline.conformance_page import COLUMNS, REGENERATE, cells, checked, page
from resources.errors import UserError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
# What another machine may give in other last digits.
COMPUTED = ("got", "difference")


def fixed(row: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell for name, cell in zip(COLUMNS, row, strict=True) if name not in COMPUTED)


def rows_of(text: str) -> list[tuple[str, ...]]:
    numbers, _, _ = text.partition("## Coverage")
    lines = [line for line in numbers.splitlines() if line.startswith("| ")]
    return [tuple(line.removeprefix("| ").removesuffix(" |").split(" | ")) for line in lines[2:]]


@pytest.fixture(scope="module")
def found() -> list[Checked]:
    return checked()


def test_the_page_lists_the_numbers_that_are_checked(found: list[Checked]) -> None:
    text = PAGE.read_text()
    assert [fixed(row) for row in rows_of(text)] == [fixed(cells(one)) for one in found], (
        f"docs/conformance.md is stale. Run `{REGENERATE}` and commit the page."
    )
    assert all(one.passed for one in found)
    for fact in ("- date: 20", "- version: ", "- machine: ", "- python: 3."):
        assert fact in text


def test_the_command_prints_every_number_with_its_source() -> None:
    done = CliRunner().invoke(application, ["conformance"])
    assert done.exit_code == 0, done.output
    assert f"{len(CASES)} of {len(CASES)} published numbers are met" in done.output
    assert "Shrout and Fleiss (1979)" in done.output


def test_json_is_plain_and_complete(found: list[Checked], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance_page, "checked", lambda _tid2013: found)
    done = CliRunner().invoke(application, ["conformance", "--json"])
    result = json.loads(done.output, parse_constant=lambda word: pytest.fail(word))
    assert (result["n"], result["n_passed"]) == (len(CASES), len(CASES))
    assert set(result["cases"][0]) == {
        "statistic", "function", "data", "source", "expected", "got", "difference", "tolerance", "passed", "reason"
    }  # fmt: skip


@pytest.mark.parametrize("form", ["--json", "--page", None])
def test_one_number_that_is_missed_ends_the_command_with_1(monkeypatch: pytest.MonkeyPatch, form: str | None) -> None:
    wrong = dataclasses.replace(CASES[0], printed="0.16574178")
    monkeypatch.setattr(conformance_page, "CASES", [wrong, CASES[1]])
    done = CliRunner().invoke(application, ["conformance", *([form] if form else [])])
    assert done.exit_code == 1
    if form != "--json":
        assert "1 of 2 published numbers are met" in done.output
        assert "NO" in done.output


def test_tid2013_is_checked_where_its_file_is_named(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conformance_page, "CASES", CASES[:2])  # the others do not depend on the file
    found = checked(shared_data / "evaluation" / "tid2013_metrics.csv")
    assert len(found) == 2 + 10
    assert all(one.passed for one in found)
    bad = tmp_path / "other.csv"
    bad.write_text("mos,DSSIM\n1,2\n")
    with pytest.raises(UserError, match="no column SSIMULACRA, Butteraugli"):
        checked(bad)
    with pytest.raises(UserError, match="cannot be read"):
        checked(tmp_path / "none.csv")


def test_a_row_of_the_page_keeps_its_cells_apart(found: list[Checked]) -> None:
    text = page([found[0]._replace(statistic="a | b")])
    assert "a \\| b" in text
