"""Reads a file of predicted scores or multiple-choice answers with their truths, as a stream."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from upath import UPath

from resources.configuration.evaluation import Dataset
from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import SHOWN, FileFault, did_you_mean, listing
from resources.inputs.any_file import record_file
from resources.inputs.column_names import own_name
from resources.inputs.evaluation.columns import (
    KNOWN,
    LIKELY,
    NAME_IT,
    SAMPLE_ID,
    EvaluationColumns,
    Kind,
    evaluation_columns,
    spellings_of,
)
from resources.inputs.evaluation.rows import (
    AnswerRows,
    LeftOut,
    NoNumbers,
    PackedColumn,
    RowReader,
    ScoreRows,
    as_asked,
    shown,
    single,
    whole_texts,
    without_nul,
)
from resources.inputs.faults import BadRow, Exclusion, Faults, RowFault
from resources.inputs.ratings.summary_rows import end_places, kind_of, row_names, summary_rows
from resources.inputs.record_files import NO_VALUE, Fields, RecordFile, as_text, leaves, value_of
from resources.inputs.written_columns import WrittenColumns, read_as_written
from resources.inputs.written_values import NOT_A_NUMBER

# Scales that people are given; the narrowest that holds nearly all scores, and is used from end to end, is apparent.
SCALES: Final = ((0, 1), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (1, 100), (0, 100))
FEWEST: Final = 20
OUTSIDE_SHARE: Final = 0.01
USED_SHARE: Final = 0.75
FIELD = "field."
AS_IT_LOOKS: Final = Dataset()
BROKEN_ROW, DUPLICATE, DUPLICATE_OTHER_FIELDS = "broken_row", "duplicate", "duplicate_other_fields"
ValueIn = Callable[[Fields], Any]
_SKIP = " `--skip-bad-rows` (in touchstone.yaml: `skip_bad_rows: true`) leaves such rows out and counts them."


def outside_scale(column: str, scores: NDArray[np.float64], rows: NDArray[np.int64], of_people: bool) -> str | None:
    """A sentence on scores that are outside the apparent scale; null where none is, or no scale is apparent.

    Args:
        column: Where they are.
        scores: Shape ``(n,)``, finite.
        rows: Shape ``(n,)``, their rows in the file.
        of_people: Whether people gave them, on a scale of theirs; a measure has one only where it is in whole steps.
    """
    if len(scores) < FEWEST:
        return None
    in_steps = np.mean(scores == np.floor(scores)) >= 1 - OUTSIDE_SHARE
    if not (of_people or in_steps):
        return None
    most = max(1, int(OUTSIDE_SHARE * len(scores)))
    for low, high in SCALES:
        outside = (scores < low) | (scores > high)
        n_outside = int(outside.sum())
        if n_outside == 0:
            return None
        if n_outside <= most and np.ptp(scores[~outside]) >= USED_SHARE * (high - low):
            found = [f"{score:g} in row {row}" for score, row in zip(scores[outside], rows[outside], strict=True)]
            return (
                f"Column '{column}': outside {low}-{high}, where the other {len(scores) - n_outside:,} scores are: "
                f"{listing(found)}. They are used; correct them if they are wrong."
            )
    return None


def outside_scales(
    prediction: str, truth: str, values: Mapping[str, pa.ChunkedArray], rows: NDArray[np.int64]
) -> list[str]:
    """One sentence for each side with scores outside its apparent scale.

    Args:
        prediction: The column of predictions.
        truth: The column of truths.
        values: Shape ``(n,)`` each, as `prediction` and `truth`.
        rows: Shape ``(n,)``, their rows in the file.
    """
    sides = ((prediction, "prediction"), (truth, "truth"))
    found = [outside_scale(name, values[side].to_numpy(), rows, side == "truth") for name, side in sides]
    return [note for note in found if note is not None]


class Repeated(NamedTuple):
    """Rows that repeat an earlier row of their sample: shape ``(n,)``, true where they do."""

    same_fields: NDArray[np.bool_]
    other_fields: NDArray[np.bool_]


def repeated_samples(
    sample_ids: pa.ChunkedArray,
    rows: NDArray[np.int64],
    compared: Sequence[pa.Array],
    fields: Sequence[pa.ChunkedArray],
    faults: Faults,
) -> Repeated:
    """Which rows repeat a sample with the same values.

    Args:
        sample_ids: Shape ``(n,)``.
        rows: Shape ``(n,)``, rows in the file.
        compared: Columns of shape ``(n,)`` that rows of one sample must have in common, or it is noted as a fault.
        fields: Further columns of shape ``(n,)``; they only tell the two kinds of repetition apart.
        faults: Where samples with different values are noted, each with all its rows.
    """
    codes, _ = pd.factorize(pd.array(sample_ids, dtype="str"))
    _, first_of_code = np.unique(codes, return_index=True)
    first = first_of_code[codes]
    repeated = np.flatnonzero(first != np.arange(len(codes)))
    none = np.zeros(len(codes), dtype=bool)
    if not len(repeated):
        return Repeated(none, none.copy())
    conflicting = _differs(compared, repeated, first[repeated])
    by_code = np.argsort(codes, kind="stable")
    for code in np.unique(codes[repeated[conflicting]]):
        start, end = np.searchsorted(codes, [code, code + 1], sorter=by_code)
        own = by_code[start:end]
        faults.add(
            f"sample_id '{sample_ids[int(own[0])]}' stands in rows {listing(rows[own].tolist(), SHOWN)} "
            "with different scores or answers.",
            "Keep one row per sample_id.",
            int(rows[own[-1]]),
        )
    differs = _differs(fields, repeated, first[repeated])
    same, other = none.copy(), none
    same[repeated[~differs]] = True
    other[repeated[differs]] = True
    return Repeated(same, other)


def _differs(columns: Sequence[pa.Array], left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Where two choices of rows differ in any column; two nulls are alike."""
    differs = np.zeros(len(left), dtype=bool)
    for column in columns:
        codes, _ = pd.factorize(column.take(pa.array(np.concatenate([left, right]))).to_pandas())
        differs |= codes[: len(left)] != codes[len(left) :]
    return differs


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
    dataset: Dataset = AS_IT_LOOKS,
    *,
    fields: Sequence[str] | None = None,
    named: Sequence[str] = (),
) -> EvaluationRead:
    """Predictions and truths, sample by sample, with the metadata that groups them.

    The file is read as a stream: memory holds the columns that are kept, never the file.

    Args:
        path: Local path or fsspec address of a JSONL, CSV or Parquet file.
        dataset: What its fields are: kind and fields that it does not name are recognised. Those of the opinions are
            numbers, whose texts are as programs write them whatever the file does.
        fields: Dotted names of the metadata to keep; null for every field with a single value.
        named: More names of metadata that the caller uses. The table has a field under the name that it is asked by,
            in any letter case.

    Returns:
        The samples in the file's order. Rows without a finite score on both sides, or without a true answer,
        are left out and counted; so are repetitions of a sample with the same scores.

    Raises:
        FileFault: The file cannot be read or recognised, a field is not there, or no sample is left.
        FileFaults: Several rows cannot be read, or give one sample different scores.
    """
    file = record_file(path, LIKELY)
    kind = "answers" if dataset.options else dataset.kind
    numbers = [name for name in (dataset.opinion_sd, dataset.votes) if name is not None]
    columns = evaluation_columns(file, kind, dataset.prediction, dataset.truth, fields)
    asked = tuple(dict.fromkeys((*(fields or ()), *numbers, *named)))

    def read(written: WrittenColumns) -> EvaluationRead:
        reader: RowReader = (
            ScoreRows(file, columns, written, dataset.scale)
            if columns.kind == "scores"
            else AnswerRows(file, columns, dataset.normalise_answers, dataset.options)
        )
        reading = _Reading(_Source(file, columns, written), reader, numbers, dataset.skip_bad_rows)
        for found in file.records(columns.wanted):
            reading.n_rows += 1
            if isinstance(found, BadRow):
                reading.refuse(found.row, found.problem, found.remedy)
            else:
                reading.take(found.row, found.fields)
        return reading.result(asked)

    return read_as_written(read, file.name, file.delimiter, file.remarks)


class _Source(NamedTuple):
    file: RecordFile
    columns: EvaluationColumns
    written: WrittenColumns


class _Reading:
    """What one pass over a file gathers."""

    def __init__(self, source: _Source, reader: RowReader, numbers: Sequence[str], skip_bad_rows: bool) -> None:
        self.file, self.columns, self.written = source
        self.reader, self.skip_bad_rows = reader, skip_bad_rows
        file, columns = self.file, self.columns
        self.numbers = {own_name(name, columns.known_fields) or name for name in numbers}
        self.faults, self.no_numbers = Faults(file.name), NoNumbers()
        self.excluded: Counter[str] = Counter()
        self.examples: list[Exclusion] = []
        self.n_rows = self.n_kept = self.row = 0
        self.sample_id = value_of(columns.sample_id) if columns.sample_id else None
        self.rivals = [(name, value_of(name)) for name in columns.rivals]
        self.chosen = None if columns.fields is None else [(name, value_of(name)) for name in columns.fields]
        self.rows, self.sample_ids = PackedColumn(pa.int64()), PackedColumn(pa.string())
        self.values = [PackedColumn(type_) for type_ in self.reader.types.values()]
        self.fields = {name: PackedColumn(pa.string()) for name in columns.fields or ()}
        self.passed_over: set[str] = set()
        self.most_fields = current_limits().columns

    def take(self, row: int, record: Fields) -> None:
        """Keep one record, or note why not."""
        self.row = row
        self._refuse_rivals(row, record)
        try:
            sample_id = self._sample_id(row, record)
            values = self.reader.read(record)
            texts = self._every_text(record) if self.chosen is None else self._chosen_texts(record, self.chosen)
        except LeftOut as left_out:
            if left_out.cause.endswith(NOT_A_NUMBER) and isinstance(left_out.value, str):
                self.no_numbers.see(left_out.field, row, left_out.value.strip())
            self._exclude(Exclusion(self.file.name, row, left_out.field, shown(left_out.value), left_out.cause))
            return
        except RowFault as fault:
            self.refuse(row, fault.problem, fault.remedy)
            return
        self.rows.put(self.n_kept, row)
        self.sample_ids.put(self.n_kept, sample_id)
        for column, value in zip(self.values, values, strict=True):
            column.put(self.n_kept, value)
        for name, text in texts:
            self.fields[name].put(self.n_kept, text)
        self.n_kept += 1

    def refuse(self, row: int, problem: str, remedy: str) -> None:
        """Note a row that cannot be read, or count it where such rows are skipped."""
        if self.skip_bad_rows:
            self._exclude(Exclusion(self.file.name, row, "", problem, BROKEN_ROW))
        else:
            self.faults.add(problem, remedy + _SKIP, row)

    def result(self, asked: Sequence[str]) -> EvaluationRead:
        """The table, once the file is read; its fields are under the names by which they are asked for."""
        self.faults.raise_if_any()
        ids, rows = whole_texts(self.sample_ids.array(self.n_kept)), self.rows.array(self.n_kept).to_numpy()
        values = {name: column.array(self.n_kept) for name, column in zip(self.reader.types, self.values, strict=True)}
        fields = {name: whole_texts(self.fields[name].array(self.n_kept)) for name in self._in_file_order()}
        if not self.skip_bad_rows:
            self._refuse_no_numbers(fields)
        scores = self.columns.kind == "scores"
        if scores:
            self._refuse_summary(rows, ids, [*fields.values()], [*values.values()][:2])
        outside = outside_scales(self.columns.prediction, self.columns.truth_named, values, rows) if scores else []
        if self.sample_id is not None:
            compared = self.reader.compared(values)
            repeated = repeated_samples(ids, rows, compared, list(fields.values()), self.faults)
            self.faults.raise_if_any()
            for mask, cause in ((repeated.same_fields, DUPLICATE), (repeated.other_fields, DUPLICATE_OTHER_FIELDS)):
                for index in np.flatnonzero(mask):
                    where = (self.file.name, int(rows[index]), SAMPLE_ID, str(ids[int(index)]))
                    self._exclude(Exclusion(*where, cause))
            kept = pa.array(~(repeated.same_fields | repeated.other_fields))
            ids = ids.filter(kept)
            values = {name: column.filter(kept) for name, column in values.items()}
            fields = {name: column.filter(kept) for name, column in fields.items()}
        self._refuse_nothing(len(ids))
        fields = as_asked(fields, asked)
        frame = pd.DataFrame(
            {
                "sample_id": pd.array(ids, dtype="str"),
                **self.reader.table(values),
                **{FIELD + name: pd.array(column, dtype="str") for name, column in fields.items()},
            }
        )
        return EvaluationRead(
            name=self.file.name,
            kind=self.columns.kind,
            frame=frame,
            prediction_field=self.columns.prediction,
            truth_field=self.columns.truth_named,
            fields=tuple(fields),
            sample_id_is_row=self.sample_id is None,
            n_rows_in_file=self.n_rows,
            excluded=dict(self.excluded),
            examples=tuple(sorted(self.examples, key=lambda exclusion: exclusion.row)),
            n_normalised=int(values["normalised"].to_numpy().sum()),
            n_invalid_answers=int(values["prediction"].null_count),
            notes=(*self._notes(), *self.reader.notes(values), *outside),
        )

    def _refuse_no_numbers(self, fields: Mapping[str, pa.ChunkedArray]) -> None:
        """What is no number in most of a column, or in a form that may be one, is no exception in it."""
        given = {name: len(fields[name]) - fields[name].null_count for name in self.numbers & fields.keys()}
        self.no_numbers.refuse(self.file.name, self.n_kept, given)

    def _refuse_summary(
        self, rows: NDArray[np.int64], ids: pa.Array, fields: Sequence[pa.Array], sides: Sequence[pa.Array]
    ) -> None:
        """A first or last row of means or totals is no sample.

        Raises:
            FileFault: There is one.
        """
        ends = {place: [one[place].as_py() for one in (ids, *fields)] for place in end_places(self.n_kept)}
        names = row_names(ends, lambda column: (ids, *fields)[column].to_pylist())
        if not any(map(kind_of, names.values())):
            return
        for one in summary_rows(names, [[repr(value) for value in side.to_pylist()] for side in sides]):
            if one.sums_up:
                problem = f"the row '{one.name}' sums up the {one.others}, and is no sample."
                raise FileFault(self.file.name, problem, "Remove it.", row=int(rows[one.place]))

    def _in_file_order(self) -> list[str]:
        """The metadata's names: as the first records have them, then those that came later."""
        order = self.columns.fields or self.columns.known_fields
        return [name for name in dict.fromkeys((*order, *self.fields)) if name in self.fields]

    def _sample_id(self, row: int, record: Fields) -> str:
        name = self.columns.sample_id
        if name is None or self.sample_id is None:
            return str(row)
        text = single(name, self.sample_id(record))
        if text is None:
            raise RowFault(f"'{name}' is missing.", "Name the sample.")
        return without_nul(name, text)

    def _chosen_texts(self, record: Fields, chosen: list[tuple[str, ValueIn]]) -> list[tuple[str, str | None]]:
        return [(name, self._text(name, single(name, value(record)))) for name, value in chosen]

    def _every_text(self, record: Fields) -> list[tuple[str, str | None]]:
        """All single values; a field that appears for the first time begins a column."""
        texts = []
        for name, value in leaves(record):
            if name in self.passed_over or value is None or isinstance(value, list | bytes):
                continue
            if name not in self.fields:
                if self.columns.holds_values(name):
                    self.passed_over.add(name)
                    continue
                if len(self.fields) >= self.most_fields:
                    problem = f"the records have more than {self.most_fields:,} different fields."
                    remedy = f"Put one sample in a record, {raise_it('columns')}"
                    raise FileFault(self.file.name, problem, remedy)
                self.fields[name] = PackedColumn(pa.string())
            texts.append((name, self._text(name, as_text(value))))
        return texts

    def _text(self, name: str, text: str | None) -> str | None:
        """A field's text, a number as programs write it."""
        if text is None or text in NO_VALUE:
            return None
        if name in self.numbers:
            number = self.written.number(name, text)
            if number is not None:
                return str(number)
            self.no_numbers.see(name, self.row, text)
        return without_nul(name, text)

    def _exclude(self, exclusion: Exclusion) -> None:
        self.excluded[exclusion.cause] += 1
        if self.excluded[exclusion.cause] <= SHOWN:
            self.examples.append(exclusion)

    def _refuse_rivals(self, row: int, record: Fields) -> None:
        for name, value in self.rivals:
            if value(record) is not None:
                problem = f"field '{name}' is here and was in none of the first rows, by which the fields were chosen."
                remedy = f"{NAME_IT} Have a sample_id in every row or in none."
                raise FileFault(self.file.name, problem, remedy, row=row)

    def _refuse_nothing(self, n_kept: int) -> None:
        if n_kept:
            return
        causes = ", ".join(f"{count} {cause}" for cause, count in self.excluded.items())
        sides = f"'{self.columns.prediction}' and '{self.columns.truth_named}'"
        first = f" The first: {listing(self.examples, 3)}." if self.examples else ""
        problem = f"no row has both {sides}, of {self.n_rows} rows ({causes}).{first}" if causes else "there is no row."
        raise FileFault(self.file.name, problem, "Correct the file, or name other fields.")

    def _notes(self) -> Iterator[str]:
        columns = self.columns
        yield from self.written.notes()
        yield from self.no_numbers.notes(frozenset(self.numbers))
        if columns.sample_id is None:
            near = did_you_mean(SAMPLE_ID, columns.known_fields)
            yield f"There is no field '{SAMPLE_ID}'{near}; the row in the file names the sample."
        for chosen, known in zip((columns.prediction, columns.truth), KNOWN[columns.kind], strict=True):
            also = [found for name in known for found in spellings_of(name, columns.known_fields)]
            if spellings_of(chosen, known) and also:
                yield f"'{chosen}' was read; {listing(map(repr, also))} is there too."
