"""Reads a file of predicted scores or multiple-choice answers with their truths, as a stream."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from upath import UPath

from resources.errors import SHOWN, FileFault, listed, nearest
from resources.inputs.evaluation_columns import LIKELY, SAMPLE_ID, EvaluationColumns, Kind, evaluation_columns
from resources.inputs.evaluation_duplicates import repeated_samples
from resources.inputs.evaluation_rows import ANSWER_COLUMNS, SCORE_COLUMNS, LeftOut, Pair, RowFault, row_reader
from resources.inputs.faults import BadRow, Exclusion, Faults
from resources.inputs.packed_columns import PackedColumn
from resources.inputs.record_fields import Fields, SeveralValues, as_text, leaves, value_of
from resources.inputs.record_files import RecordFile, record_file

FIELD = "field."
BROKEN_ROW = "broken_row"
_SKIP = " `--skip-bad-rows` leaves such rows out and counts them."


@dataclass(frozen=True)
class EvaluationRead:
    """The samples of one file and what was left out on the way.

    `frame` has `sample_id`, `prediction`, `truth` and one text column `field.<dotted name>` per metadata field, null
    where a sample lacks it; answers have `options` (a list) and `answer_as_given` too, and their `prediction` is null
    where the answer names no option. `excluded` counts the rows left out by cause, so that with the rows of `frame`
    they make `n_rows_in_file`; `examples` are the first ten of each cause. `n_normalised` counts the rows whose
    prediction or truth was written in another way: a number as text, ``(b)`` for ``B``.
    """

    name: str
    kind: Kind
    frame: pd.DataFrame
    prediction_field: str
    truth_field: str
    fields: tuple[str, ...]
    sample_id_is_row: bool
    n_rows_in_file: int
    excluded: dict[str, int]
    examples: tuple[Exclusion, ...]
    n_normalised: int
    n_invalid_answers: int
    notes: tuple[str, ...]


def read_evaluation_file(
    path: str | Path | UPath,
    *,
    kind: Kind | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    fields: Sequence[str] | None = None,
    skip_bad_rows: bool = False,
) -> EvaluationRead:
    """Predictions and truths, sample by sample, with the metadata that groups them.

    The file is read as a stream: memory holds the columns that are kept, never the file.

    Args:
        path: Local path or fsspec address of a JSONL, CSV or Parquet file.
        kind: What it holds; null to recognise it by its fields.
        prediction: Dotted name of the field with predictions; null for the first known one that is there.
        truth: The same for the truth.
        fields: Dotted names of the metadata to keep; null for every field with a single value.
        skip_bad_rows: Leave out and count rows that cannot be read, instead of refusing the file.

    Returns:
        The samples in the file's order. Rows without a finite score on both sides, or without an answer or its
        truth, are left out and counted; so are repetitions of a sample with the same scores.

    Raises:
        FileFault: The file cannot be read or recognised, a field is not there, or no sample is left.
        FileFaults: Several rows cannot be read, or give one sample different scores.
    """
    file = record_file(path, LIKELY)
    columns = evaluation_columns(file, kind, prediction, truth, fields)
    reading = _Reading(file, columns, skip_bad_rows)
    for found in file.records(columns.wanted):
        if isinstance(found, BadRow):
            reading.refuse(found.row, found.problem, found.remedy)
        else:
            reading.take(found.row, found.fields)
    return reading.result()


class _Reading:
    """What one pass over a file has gathered."""

    def __init__(self, file: RecordFile, columns: EvaluationColumns, skip_bad_rows: bool) -> None:
        self.file, self.columns, self.skip_bad_rows = file, columns, skip_bad_rows
        self.faults = Faults(file.name)
        self.excluded: Counter[str] = Counter()
        self.examples: list[Exclusion] = []
        self.n_rows = self.n_kept = 0
        self.read_row = row_reader(file, columns)
        self.sample_id = value_of(columns.sample_id) if columns.sample_id else None
        self.rivals = [(name, value_of(name)) for name in columns.rivals]
        chosen = columns.fields
        self.chosen = None if chosen is None else [(name, value_of(name)) for name in chosen]
        self.own = SCORE_COLUMNS if columns.kind == "scores" else ANSWER_COLUMNS
        self.packed = {name: PackedColumn(type_) for name, type_ in self.own.items()}
        self.fields = {name: PackedColumn(pa.string()) for name in chosen or ()}

    def take(self, row: int, record: Fields) -> None:
        """Keep one record, or note why not."""
        self.n_rows += 1
        for name, value in self.rivals:
            if value(record) is not None:
                self._refuse_rival(row, name)
        try:
            sample_id = as_text(self.sample_id(record)) if self.sample_id else str(row)
            if sample_id is None:
                raise RowFault(f"'{SAMPLE_ID}' is missing.", "Name the sample.")
            pair = self.read_row(record)
            texts = self._texts(record)
        except LeftOut as left_out:
            self._exclude(row, left_out.field, left_out.value, left_out.cause)
            return
        except (RowFault, SeveralValues) as fault: ...


    def refuse(self, row: int, problem: str, remedy: str) -> None: ...
