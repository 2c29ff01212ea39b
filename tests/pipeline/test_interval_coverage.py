"""Simulated coverage: a stopped run goes on where it ended, and what covers less than the table says is named."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis.intervals.coverage import Cell, cells, measure
from analysis.intervals.measured_rows import SEED, STATISTICS
from analysis.intervals.worlds import WORLDS
from pipeline import interval_coverage
from pipeline.command_line.main import application
from pipeline.interval_coverage import COLUMNS, SECTION, as_json, lines, measured, worse_than_shipped
from resources.errors import UserError

FEW = 60


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Three designs of one world in place of the grid."""
    grid = cells(clusters=(10,), worlds=WORLDS[:1])[:3]
    monkeypatch.setattr(interval_coverage, "cells", lambda clusters=(): grid)
    return grid


def nothing(_done: int, _total: int) -> None:
    """No one watches."""


def test_a_stopped_run_goes_on_where_it_ended(small: list[Cell], tmp_path: Path) -> None:
    file = tmp_path / "coverage.jsonl"

    def stop_after_one(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(file, full=False, done=stop_after_one, data_sets=FEW)
    assert {json.loads(line)["cell"] for line in file.read_text().splitlines()} == {small[0].key}
    seen: list[tuple[int, int]] = []
    found = measured(file, full=False, done=lambda done, total: seen.append((done, total)), data_sets=FEW)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    whole = measured(None, full=False, done=nothing, data_sets=FEW)
    assert found.rows == whole.rows == [row for cell in small for row in measure(cell, seed=SEED, data_sets=FEW)]
    assert measured(file, full=True, done=nothing).rows == found.rows


def test_a_design_that_covers_less_than_the_table_says_is_named(small: list[Cell]) -> None:
    [row] = measure(small[0], seed=SEED, data_sets=FEW)
    shipped = next(one for one in STATISTICS[row["kind"]] if one.clusters == row["clusters"])
    assert not worse_than_shipped(row | {"coverage": shipped.worst, "error": 0.005})
    assert not worse_than_shipped(row | {"coverage": shipped.worst - 0.01, "error": 0.005})
    assert worse_than_shipped(row | {"coverage": shipped.worst - 0.05, "error": 0.005})
    assert not worse_than_shipped(row | {"kind": "unheard of", "coverage": 0.1})
    assert not worse_than_shipped({"kind": row["kind"], "clusters": row["clusters"], "n": 0, "none": 1.0})


def test_a_file_that_holds_no_rows_is_refused(small: list[Cell], tmp_path: Path) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text('{"cell": "a"}\n')
    with pytest.raises(UserError, match="line 1 is no row of simulated coverage"):
        measured(file, full=False, done=nothing, data_sets=FEW)


def test_the_command_prints_the_band_and_ends_with_1_where_something_is_worse(
    small: list[Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interval_coverage, "measure", lambda cell, **_: measure(cell, seed=SEED, data_sets=FEW))
    done = CliRunner().invoke(application, ["conformance", "--coverage"])
    assert done.exit_code == 0, done.output
    assert "Promised: 93% to 97%" in done.output
    assert "icc" in done.output
    monkeypatch.setattr(
        interval_coverage,
        "measure",
        lambda cell, **_: [row | {"coverage": 0.5} for row in measure(cell, seed=SEED, data_sets=FEW)],
    )
    worse = CliRunner().invoke(application, ["conformance", "--coverage"])
    assert worse.exit_code == 1
    assert "3 of 3 rows cover less than the shipped table says" in worse.output


def test_json_has_every_row_and_the_band(small: list[Cell]) -> None:
    found = as_json(measured(None, full=False, done=nothing, data_sets=FEW))
    assert found["promised"] == {"coverage": (0.93, 0.97), "one_side": (0.01, 0.04)}
    assert (found["n_designs"], found["n_rows"]) == (3, 3)
    assert set(found["rows"][0]) >= {"coverage", "error", "below", "above", "width", "n"}


def test_options_of_coverage_alone_are_refused() -> None:
    done = CliRunner().invoke(application, ["conformance", "--full"])
    assert isinstance(done.exception, UserError)


def test_the_shipped_table_is_on_one_page_to_which_the_other_leads() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    assert SECTION in (docs / "conformance.md").read_text(), "docs/conformance.md is stale: run `make conformance`."
    page = (docs / "coverage.md").read_text()
    for row in (row for rows in STATISTICS.values() for row in rows):
        shown = f"| {row.clusters} | {row.mean:.1%} | {row.below:.1%} | {row.above:.1%} | {row.none:.1%} |"
        assert shown in page, "docs/coverage.md is stale: run `python -m tools.coverage`."
    assert all(len(line) == len(COLUMNS) for line in lines(STATISTICS))
