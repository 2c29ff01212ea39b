"""Reads the file of people's scores and joins it with the catalogue: one row per object and annotator."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pandas as pd
from upath import UPath

from analysis.messages import Name, message
from resources.configuration.fidelity import FidelityStudy, HumanScoreColumns
from resources.errors import FileFault, UserError, listing, nearest_of
from resources.inputs.column_names import SpelledNames
from resources.inputs.csv_files import CsvFile, read_csv_file
from resources.inputs.faults import Exclusion, Faults
from resources.inputs.fidelity.manifest import Candidate, manifest_rows, read_manifest
from resources.inputs.fidelity.texts import Text, object_of, read_texts
from resources.inputs.written_columns import WrittenColumns, WrittenOtherwise
from resources.tables.fidelity.decision import EVERYBODY

# Anchored on the tail: variants hold any text, so that nothing in front of it can be counted on.
_NAME = re.compile(
    r"(?P<product>[^_]+)_(?P<middle>.+)"
    r"_N(?P<n_images>\d+)_(?P<views>[a-z](?:-[a-z])*)_(?P<date>\d{4}-\d{2}-\d{2})_v(?P<version>\d+)"
    r"_h(?P<hash>[0-9a-f]{8})\.glb",
    re.IGNORECASE,
)
_FORM = "{product}[_{variant}]_{algorithm}_N{n}_{views}_{yyyy-mm-dd}_v{k}_h{8 hex}.glb"
_NEAR = 0.6
CATEGORIES = ("category_l1", "category_l2", "category_l3")
PATH = "output_glb_relpath"
REQUIRED = ("job_id", "product_id", "variant", "algo", PATH, *CATEGORIES)
HASH_LENGTH = 8
_JOB = re.compile(r"[0-9a-f]{8,}")
COLUMNS = (
    "filename",
    "object",
    "item_id",
    "product_id",
    "variant",
    "algorithm",
    "annotator",
    "score",
    *CATEGORIES,
)
ONLY_ANNOTATOR = "a1"
BLANK_SCORE = "blank_score"
_DEFAULT = HumanScoreColumns()
# More than the usual: a column of remarks, `annotations`, is not taken for the annotators.
_LIKE_ANNOTATOR = 0.85


@dataclass(frozen=True)
class ObjectName:
    """The parts of a file name; `object` is the 8 hex digits in lower case, `variant` null where there is none."""

    filename: str
    object: str
    product_id: str
    variant: str | None
    algorithm: str

    @property
    def item_id(self) -> str:
        """The item that the object depicts."""
        return item_id(self.product_id, self.variant)


class BadObjectName(UserError):
    """A file name cannot be read; `problem` and `remedy` are sentences for a message that adds file and row."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem} {remedy}")
        self.problem = problem
        self.remedy = remedy


def item_id(product_id: str, variant: str | None) -> str:
    """``{product}`` or ``{product}_{variant}``, the variant in lower case with hyphens for spaces."""
    return f"{product_id}_{variant_slug(variant)}" if variant else product_id


def variant_slug(variant: str) -> str:
    """The variant as file names and item ids spell it."""
    return re.sub(r"\s+", "-", variant.strip().lower())


def vocabulary(*sources: Iterable[str]) -> tuple[str, ...]:
    """Known algorithms, each once whatever its letter case; the first source's spelling stays."""
    known: dict[str, str] = {}
    for source in sources:
        for algorithm in source:
            known.setdefault(algorithm.casefold(), algorithm)
    return tuple(known.values())


def parse_object_name(path: str, algorithms: Sequence[str]) -> ObjectName:
    """The parts of a generated object's file name.

    Args:
        path: File name; a folder in front of it, Windows or POSIX, is dropped.
        algorithms: Known algorithms, in the spelling wanted back; the longest that fits wins.

    Raises:
        BadObjectName: The name has another form, or no known algorithm stands in it.
    """
    filename = re.split(r"[\\/]", path.strip())[-1]
    match = _NAME.fullmatch(filename)
    if match is None:
        raise BadObjectName(f"'{filename}' is not of the form {_FORM}.", "Correct the file name.")
    middle = match["middle"]
    fitting = [known for known in algorithms if f"_{middle}".casefold().endswith(f"_{known}".casefold())]
    if not fitting:
        raise BadObjectName(
            f"the algorithm in '{filename}' is unknown{_nearest_in(middle, algorithms)}; known are: "
            f"{listing(algorithms, 30) or 'none'}.",
            "Add it to `algorithms` in touchstone.yaml or to the catalogue, or correct the name.",
        )
    algorithm = max(fitting, key=len)
    variant = middle[: len(middle) - len(algorithm)].strip("_")
    return ObjectName(filename, match["hash"].lower(), match["product"], variant or None, algorithm)


def _nearest_in(middle: str, algorithms: Sequence[str]) -> str:
    """Like `nearest`, for a word of which only the end is known: the variant may stand in front of it."""
    words = middle.strip("_").casefold().split("_")
    endings = ["_".join(words[start:]) for start in range(len(words))]
    likeness = {
        known: max(SequenceMatcher(None, ending, known.casefold()).ratio() for ending in endings)
        for known in algorithms
    }
    best = max(likeness, key=lambda known: likeness[known], default=None)
    return f" (did you mean '{best}'?)" if best is not None and likeness[best] >= _NEAR else ""


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


@dataclass(frozen=True)
class HumanScoresRead:
    """The table `human_scores` and what was left out on the way; `n_catalogue_*` are null without a catalogue.

    `notes` are sentences on how the file was read.
    """

    frame: pd.DataFrame
    n_rows_in_file: int
    exclusions: tuple[Exclusion, ...]
    notes: tuple[str, ...]
    n_catalogue_jobs: int | None
    n_catalogue_duplicates: int | None


def known_algorithms(study: FidelityStudy, catalogue: Catalogue | None) -> tuple[str, ...]:
    """The algorithms that file names may hold: the catalogue's, in its spelling, then the configured ones."""
    return vocabulary(catalogue.algorithms if catalogue else (), study.algorithms)


def read_human_scores(study: FidelityStudy) -> HumanScoresRead:
    """People's scores on 0-1 with product, variant, algorithm and categories.

    Returns:
        `frame` has `COLUMNS`, in the file's order; variant and categories are null where nothing says them.
        Rows with a blank score are left out and listed in `exclusions`.

    Raises:
        FileFault: One thing is wrong with the file or the catalogue.
        FileFaults: Several things are; all are listed in one message.
    """
    catalogue = read_catalogue(study.catalogue) if study.catalogue else None
    texts = read_texts(study.texts) if study.texts else None
    candidates = read_manifest(study) if study.manifest else None
    columns = study.columns
    asked_for = [columns.annotator] if columns.annotator != _DEFAULT.annotator else []
    needed = [columns.filename, columns.score, *asked_for]
    if study.manifest is not None:
        file = manifest_rows(study.manifest)
    else:
        file = read_csv_file(study.human_scores, needed, "fidelity.columns", [columns.annotator])
    _refuse_other_annotator_column(file, columns)
    faults = Faults(file.name)
    exclusions: list[Exclusion] = []
    algorithms = known_algorithms(study, catalogue)
    written = file.as_written([columns.score], [columns.annotator])
    names = SpelledNames()
    records: dict[int, dict[str, Any]] = {}
    for row, cells in file.records():
        record: dict[str, Any] | None
        if candidates is not None:
            record = _candidate_columns(candidates[object_of(cells[columns.filename])])
        elif texts is not None:
            record = _text_columns(cells[columns.filename], texts, row, faults)
        else:
            record = _object_columns(cells[columns.filename], algorithms, catalogue, row, faults)
        annotator = names.first(written.label(columns.annotator, cells.get(columns.annotator, ONLY_ANNOTATOR)))
        if not annotator:
            faults.add(f"column '{columns.annotator}' is blank.", "Name who gave the score.", row)
        elif annotator.casefold() == EVERYBODY:
            problem = (
                f"annotator '{annotator}' in column '{columns.annotator}' is the name of all of them in the tables."
            )
            faults.add(problem, "Call this one something else; leave rows out that hold the mean of several.", row)
        cell = cells[columns.score]
        if not cell:
            exclusions.append(Exclusion(file.name, row, columns.score, cell, BLANK_SCORE))
            continue
        score = _score(written, cell, study, row, faults)
        if record is not None and score is not None:
            records[row] = {**record, "annotator": annotator, "score": score}
    _refuse_two_names(records, faults)
    _refuse_duplicates(records, columns.annotator, list(file.frame.columns), faults)
    faults.raise_if_any()
    if not records:
        faults.add(f"there is no score in column '{columns.score}'.", "Give at least one object a score.")
        faults.raise_if_any()
    which = message("Annotators in column '{column}'", column=Name(columns.annotator))
    return HumanScoresRead(
        frame=_table(records),
        n_rows_in_file=len(file.frame),
        exclusions=tuple(exclusions),
        notes=(*written.notes(), *names.notes(which)),
        n_catalogue_jobs=len(catalogue.jobs) if catalogue else None,
        n_catalogue_duplicates=catalogue.n_duplicates if catalogue else None,
    )


def _text_columns(id_: str, texts: Mapping[str, Text], row: int, faults: Faults) -> dict[str, Any] | None:
    """The same columns of an object that is a text; null where there is no such text."""
    text = texts.get(object_of(id_))
    if text is None:
        faults.add(f"there is no text with id '{id_}'.", "Add it to `texts.file`, or remove the row.", row)
        return None
    names = {"filename": text.id, "object": text.object, "item_id": text.id, "product_id": text.group}
    return {**names, "variant": None, "algorithm": text.source, **dict.fromkeys(CATEGORIES)}


def _candidate_columns(candidate: Candidate) -> dict[str, Any]:
    """The same columns of a render that a manifest names."""
    names = {"filename": candidate.name, "object": candidate.object, "item_id": candidate.item_id}
    made = {"product_id": candidate.group, "variant": None, "algorithm": candidate.source}
    return {**names, **made, **dict.fromkeys(CATEGORIES)}


def _object_columns(
    path: str, algorithms: tuple[str, ...], catalogue: Catalogue | None, row: int, faults: Faults
) -> dict[str, Any] | None:
    """The columns that follow from the file name and the catalogue; null when something is wrong with them."""
    try:
        name = parse_object_name(path, algorithms)
    except BadObjectName as error:
        faults.add(error.problem, error.remedy, row)
        return None
    variant = name.variant
    categories: dict[str, str | None] = dict.fromkeys(CATEGORIES)
    if catalogue is not None:
        job = _job(name, catalogue, row, faults)
        if job is None:
            return None
        variant = job["variant"]
        categories = {level: job[level] for level in CATEGORIES}
    return {
        "filename": name.filename,
        "object": name.object,
        "item_id": item_id(name.product_id, variant),
        "product_id": name.product_id,
        "variant": variant,
        "algorithm": name.algorithm,
        **categories,
    }


def _job(name: ObjectName, catalogue: Catalogue, row: int, faults: Faults) -> dict[str, str | None] | None:
    """The object's row of the catalogue, blank cells as null."""
    job = catalogue.jobs.get(name.object)
    if job is None:
        problem = f"object '{name.object}' of '{name.filename}' is not in the catalogue {catalogue.name}."
        faults.add(problem, "Add its job to the catalogue, or remove the row.", row)
        return None
    said = (name.product_id, name.item_id, name.algorithm.casefold())
    product, algorithm = job["product_id"] or "", job["algo"] or ""
    listed_as = (product, item_id(product, job["variant"]), algorithm.casefold())
    if said != listed_as:
        faults.add(
            f"'{name.filename}' says item {name.item_id} by {name.algorithm}, and the catalogue {catalogue.name} "
            f"lists job {job['job_id']} as item {listed_as[1]} by {algorithm or 'no one'}.",
            "Correct the file name or the catalogue.",
            row,
        )
        return None
    return job


def _score(written: WrittenColumns, cell: str, study: FidelityStudy, row: int, faults: Faults) -> float | None:
    """The score on 0-1; null when the cell holds none."""
    column = study.columns.score
    try:
        value = written.number(column, cell)
    except WrittenOtherwise as other:
        faults.add(other.problem, other.remedy, row)
        return None
    if value is None or not math.isfinite(value):
        remedy = "Write it with a point, or leave the cell blank to leave the row out."
        faults.add(f"score '{cell}' is no number in column '{column}'.", remedy, row)
        return None
    low, high = study.people_scale
    value = written.on_scale(column, value, low, high)
    if not low <= value <= high:
        remedy = "Correct it, or declare the scale that people used, such as `scale: [1, 10]`."
        if study.scale is None and study.manifest is None:
            key = "texts.scale" if study.texts else "score_max"
            remedy = f"Divide by the scale's maximum, or set `{key}`."
        faults.add(f"score {cell} is outside {low:g}-{high:g} in column '{column}'.", remedy, row)
        return None
    return (value - low) / (high - low)


def _refuse_other_annotator_column(file: CsvFile, columns: HumanScoreColumns) -> None:
    """End the reading where the annotators' column is missing and another looks like it: all would become one person.

    Raises:
        FileFault: That is so.
    """
    others = [name for name in file.frame.columns if name not in (columns.filename, columns.score)]
    if columns.annotator in others:
        return
    near = nearest_of(columns.annotator, others, _LIKE_ANNOTATOR)
    if near is not None:
        problem = f"there is no column '{columns.annotator}', and column '{near}' looks like it."
        remedy = f"Rename it, or set `columns.annotator` to '{near}' in touchstone.yaml."
        raise FileFault(file.name, problem, remedy, row=file.header_row)


def _refuse_two_names(records: dict[int, dict[str, Any]], faults: Faults) -> None:
    """The hash tells objects apart, so that two files of one hash would be taken for one object."""
    first: dict[str, tuple[int, str]] = {}
    for row, record in records.items():
        first_row, name = first.setdefault(record["object"], (row, record["filename"]))
        if record["filename"].casefold() != name.casefold():
            faults.add(
                f"object '{record['object']}' has two file names: '{name}' in row {first_row} and "
                f"'{record['filename']}' in row {row}.",
                "Correct the name that is wrong; of two objects that share a hash leave one out.",
                row,
            )


def _refuse_duplicates(
    records: dict[int, dict[str, Any]], annotator_column: str, columns: list[str], faults: Faults
) -> None:
    rows_of: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row, record in records.items():
        rows_of[record["object"], record["filename"].casefold(), record["annotator"]].append(row)
    remedy = f"Keep one of the rows, or tell the annotators apart in column '{annotator_column}'"
    if annotator_column not in columns:
        there = listing(map(repr, columns), 30)
        remedy += f", which is missing; name yours in `columns.annotator` if it is among {there}"
    for (scored, _, annotator), rows in rows_of.items():
        if len(rows) > 1:
            problem = (
                f"object '{scored}' is scored {len(rows)} times by annotator '{annotator}', in rows {listing(rows)}."
            )
            faults.add(problem, f"{remedy}.", rows[1])


def _table(records: dict[int, dict[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame.from_records(list(records.values()), columns=list(COLUMNS))
    return frame.astype({column: "float64" if column == "score" else "str" for column in COLUMNS})
