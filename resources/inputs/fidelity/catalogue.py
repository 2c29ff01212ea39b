"""Reads the catalogue of generated objects, `database.csv`: one row per job."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from upath import UPath

from resources.errors import listing
from resources.inputs.csv_files import read_csv_file
from resources.inputs.faults import Faults
from resources.inputs.fidelity.object_names import vocabulary

CATEGORIES = ("category_l1", "category_l2", "category_l3")
PATH = "output_glb_relpath"
REQUIRED = ("job_id", "product_id", "variant", "algo", PATH, *CATEGORIES)
HASH_LENGTH = 8
_JOB = re.compile(r"[0-9a-f]{8,}")


@dataclass(frozen=True)
class Catalogue:
    """`jobs`: the columns `REQUIRED` of each job by `object`, its first 8 hex digits; blank cells are null."""

    name: str
    jobs: Mapping[str, dict[str, str | None]]
    n_rows_in_file: int
    n_duplicates: int
    algorithms: tuple[str, ...]


def read_catalogue(path: str | Path | UPath) -> Catalogue:
    """The jobs that a catalogue lists.

    Args:
        path: Local path or fsspec address of a CSV file.

    Returns:
        One entry per job; rows of a job that differ at most in the letter case of the path count as one, and
        `n_duplicates` says how many were dropped.

    Raises:
        FileFault: A job is no hash, stands in rows that differ, or shares its first 8 digits with another.
        FileFaults: Several such faults.
    """
    file = read_csv_file(path, REQUIRED)
    jobs = file.frame.assign(job_id=file.frame["job_id"].str.lower())
    faults = Faults(file.name)
    if jobs.empty:
        faults.add("there is no row below the header.", "Export it again with its rows.")
    for row, job in zip(jobs.index, jobs["job_id"], strict=True):
        if _JOB.fullmatch(job) is None:
            faults.add(f"job '{job}' in column 'job_id' is no hash of at least 8 hex digits.", "Correct it.", row)
    kept = _one_row_per_job(jobs, faults)
    objects = kept["job_id"].str[:HASH_LENGTH]
    _refuse_shared_hashes(kept, objects, faults)
    faults.raise_if_any()
    records = [cells for row, cells in file.records() if row in kept.index]
    return Catalogue(
        name=file.name,
        jobs={
            job: {column: cells[column] or None for column in REQUIRED}
            for job, cells in zip(objects, records, strict=True)
        },
        n_rows_in_file=len(jobs),
        n_duplicates=len(jobs) - len(kept),
        algorithms=vocabulary(cells["algo"] for cells in records if cells["algo"]),
    )


def _one_row_per_job(jobs: pd.DataFrame, faults: Faults) -> pd.DataFrame:
    repeated = jobs[jobs["job_id"].duplicated(keep=False)]
    comparable = repeated.assign(**{PATH: repeated[PATH].str.casefold()})
    for job, rows in comparable.groupby("job_id", sort=False):
        different = [column for column in rows.columns if rows[column].ne(rows[column].iloc[0]).any()]
        if different:
            values = " / ".join(repeated.loc[rows.index, different[0]].astype("str"))
            faults.add(
                f"job {job} stands in rows {listing(rows.index)}, which differ in column '{different[0]}' ({values}).",
                "Keep one row per job.",
                rows.index[-1],
            )
    return jobs.drop_duplicates("job_id")


def _refuse_shared_hashes(jobs: pd.DataFrame, objects: pd.Series, faults: Faults) -> None:
    for shared, rows in jobs[objects.duplicated(keep=False)].groupby(objects, sort=False):
        faults.add(
            f"jobs {listing(rows['job_id'])} in rows {listing(rows.index)} of column 'job_id' share their first "
            f"{HASH_LENGTH} digits '{shared}', by which file names are matched.",
            "Leave one of them out of the study.",
            rows.index[-1],
        )
