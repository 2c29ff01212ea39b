"""Files of texts with one score from 0 to 1 a row - CSV, JSONL or Parquet - every fault reported with its row."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from resources.errors import FileFault
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.record_files import SeveralValues, as_text, record_file, refuse_unreadable, unknown_field
from resources.inputs.written_columns import WrittenColumns, WrittenOtherwise, read_as_written
from resources.inputs.written_values import score_in


class ScoredRow(NamedTuple):
    """Row in the file, the texts in the order asked for, and the score, null where the file has none."""

    row: int
    texts: tuple[str, ...]
    score: float | None


def scored_rows(
    path: Path, texts: Sequence[str], score: str, *, score_may_be_missing: bool, ids: Sequence[str] = ()
) -> list[ScoredRow]:
    """Every row of a file.

    Args:
        path: CSV, JSONL or Parquet.
        texts: Columns of texts, none of which may be empty, and which together tell a row from the others.
        score: The column of the score.
        score_may_be_missing: Whether a row without a score is no fault.
        ids: Those of `texts` that are ids: ``1.0`` is ``1`` where a whole column is so.

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
    own = {column: own_name(column, names) or column for column in columns}

    def read(written: WrittenColumns) -> list[ScoredRow]:
        faults = Faults(file.name)
        first_row: dict[tuple[str, ...], int] = {}
        rows = []
        for record in file.records(list(own.values())):
            if isinstance(record, BadRow):
                faults.add(record.problem, record.remedy, record.row)
                continue
            fields = {column: record.fields.get(theirs) for column, theirs in own.items()}
            one = _read(record.row, fields, texts, ids, score, written, faults)
            if one is None:
                continue
            if one.score is None and not score_may_be_missing:
                faults.add(f"there is no value in column '{score}'.", "Write a number from 0 to 1.", one.row)
            if (earlier := first_row.setdefault(one.texts, one.row)) != one.row:
                faults.add(f"it has the same {', '.join(texts)} as row {earlier}.", "Remove one of the two.", one.row)
            rows.append(one)
        faults.raise_if_any()
        if not rows:
            raise FileFault(file.name, "there is no row in it.", f"Give it rows with {', '.join(columns)}.")
        return rows

    return read_as_written(read, file.name, file.delimiter)


def _read(
    row: int,
    fields: dict[str, Any],
    texts: Sequence[str],
    ids: Sequence[str],
    score: str,
    written: WrittenColumns,
    faults: Faults,
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
        found.append(written.label(column, text) if column in ids else text)
    value = fields.get(score)
    try:
        text = as_text(value)
    except SeveralValues:
        text = repr(value)[:60]
    if text is None:
        return ScoredRow(row, tuple(found), None)
    try:
        number = score_in(value, partial(written.number, score)).value
    except WrittenOtherwise as other:
        faults.add(other.problem, other.remedy, row)
        return None
    if not written.reads:
        return ScoredRow(row, tuple(found), None)
    if not 0 <= number <= 1:
        problem = "is outside 0-1" if math.isfinite(number) else "is no number"
        faults.add(f"'{text[:60]}' in column '{score}' {problem}.", "Write a number from 0 to 1.", row)
        return None
    return ScoredRow(row, tuple(found), number + 0.0)
