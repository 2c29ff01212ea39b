"""Files of texts with one score from 0 to 1 a row - CSV, JSONL or Parquet - every fault told of with its row."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from resources.errors import FileFault
from resources.inputs.csv_rows import number_in
from resources.inputs.faults import BadRow, Faults
from resources.inputs.record_fields import SeveralValues, as_text, unknown_field
from resources.inputs.record_files import RecordFile, record_file, refuse_unreadable


class ScoredRow(NamedTuple):
    """Row in the file, the texts in the order asked for, and the score, null where the file has none."""

    row: int
    texts: tuple[str, ...]
    score: float | None


def scored_rows(path: Path, texts: Sequence[str], score: str, *, score_may_be_missing: bool) -> list[ScoredRow]:
    """Every row of a file.

    Args:
        path: CSV, JSONL or Parquet.
        texts: Columns of texts, none of which may be empty, and which together tell a row from the others.
        score: The column of the score.
        score_may_be_missing: Whether a row without a score is no fault.

    Raises:
        FileFault: The file cannot be read, lacks a column, or has one fault.
        FileFaults: It has several.
    """
    columns = [*texts, score]
    file = record_file(path, columns)
    names, _ = file.names(whole=True)
    if not names:
        refuse_unreadable(file)
    for column in columns:
        if problem := unknown_field(column, names):
            raise FileFault(file.name, str(problem), f"The columns that are read are {', '.join(columns)}.")
    faults = Faults(file.name)
    first_row: dict[tuple[str, ...], int] = {}
    rows = []
    for record in file.records(columns):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        read = _read(record.row, record.fields, texts, score, file, faults)
        if read is None:
            continue
        if read.score is None and not score_may_be_missing:
            faults.add(f"there is no value in column '{score}'.", "Write a number from 0 to 1.", read.row)
        if (earlier := first_row.setdefault(read.texts, read.row)) != read.row:
            faults.add(f"it has the same {', '.join(texts)} as row {earlier}.", "Remove one of the two.", read.row)
        rows.append(read)
    faults.raise_if_any()
    if not rows:
        raise FileFault(file.name, "there is no row in it.", f"Give it rows with {', '.join(columns)}.")
    return rows


def _read(
    row: int, fields: dict[str, Any], texts: Sequence[str], score: str, file: RecordFile, faults: Faults
) -> ScoredRow | None:
    found = []
    for column in texts:
        try:
            text = as_text(fields.get(column))
        except SeveralValues as several:
            faults.add(f"{several} in column '{column}' is no single value.", "Write one text.", row)
            return None
        if text is None:
            faults.add(f"there is no value in column '{column}'.", "Write one, or remove the row.", row)
            return None
        found.append(text)
    value = fields.get(score)
    try:
        written = as_text(value)
    except SeveralValues:
        written = repr(value)[:60]
    if written is None:
        return ScoredRow(row, tuple(found), None)
    is_number = not isinstance(value, bool) and (file.numbers_are_text or not isinstance(value, str))
    number = number_in(file.plain_number(written)) if is_number else None
    if number is None or not 0 <= number <= 1:
        problem = "is no number" if number is None else "is outside 0-1"
        faults.add(f"'{written[:60]}' in column '{score}' {problem}.", "Write a number from 0 to 1.", row)
        return None
    return ScoredRow(row, tuple(found), number + 0.0)
