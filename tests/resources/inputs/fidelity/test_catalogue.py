"""The catalogue gives one entry per job, or says which rows keep it from doing so."""

from pathlib import Path

import pytest

from resources.errors import UserError
from resources.inputs.fidelity.human_scores import read_catalogue
from tests.resources.inputs.made_files import CATALOGUE_HEADER, catalogue_row, job, written


def test_the_real_catalogue_has_801_jobs_in_802_rows(shared_data: Path) -> None:
    catalogue = read_catalogue(shared_data / "fidelity" / "database.csv")
    assert (catalogue.n_rows_in_file, len(catalogue.jobs), catalogue.n_duplicates) == (802, 801, 1)
    assert len(catalogue.algorithms) == 9
    assert "tripoSR_single" in catalogue.algorithms
    assert sum(entry["variant"] is None for entry in catalogue.jobs.values()) == 500


def test_rows_that_differ_in_the_case_of_the_path_count_as_one(tmp_path: Path) -> None:
    row = catalogue_row("a")
    path = written(tmp_path / "database.csv", CATALOGUE_HEADER, row, row.replace("runs", "RUNS"), catalogue_row("b"))
    catalogue = read_catalogue(path)
    assert (catalogue.n_rows_in_file, len(catalogue.jobs), catalogue.n_duplicates) == (3, 2, 1)
    assert catalogue.jobs["0000000a"]["category_l3"] == "Stools"
    assert catalogue.jobs["0000000a"]["variant"] is None


def test_a_job_is_known_by_its_digits_in_any_case(tmp_path: Path) -> None:
    row = catalogue_row("a").replace(job("a"), job("a").upper())
    assert "0000000a" in read_catalogue(written(tmp_path / "database.csv", CATALOGUE_HEADER, row)).jobs


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        (
            [catalogue_row("a"), catalogue_row("a").replace("Stools", "Sofas")],
            [job("a"), "rows 2, 3", "'category_l3'", "Stools / Sofas", "Keep one row per job"],
        ),
        (
            [catalogue_row("a"), catalogue_row("a").replace(job("a"), "0000000a" + "e" * 32)],
            ["rows 2, 3", "'job_id'", "share their first 8 digits '0000000a'", "Leave one of them out"],
        ),
        ([catalogue_row("a").replace(job("a"), "x1")], ["row 2", "'x1'", "'job_id'", "8 hex digits"]),
        ([], ["no row below the header", "Export it again"]),
    ],
)
def test_a_catalogue_that_is_wrong_is_refused(tmp_path: Path, rows: list[str], parts: list[str]) -> None:
    path = written(tmp_path / "database.csv", CATALOGUE_HEADER, *rows)
    with pytest.raises(UserError) as caught:
        read_catalogue(path)
    assert [part for part in ["database.csv", *parts] if part not in str(caught.value)] == []
