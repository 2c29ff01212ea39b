"""A table's rows as Parquet and back, with the declared types, units and meanings."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.messages import messages_behind, remember
from resources.errors import UserError, listing
from resources.tables.declare import DTYPES, Column, Kind, Table

if TYPE_CHECKING:
    from pandera.errors import SchemaErrors

ARROW: dict[Kind, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float64(),
    "whole": pa.int64(),
    "flag": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "time": pa.timestamp("us", tz="UTC"),
}


NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
NOTHING = "Nothing was stored."
WITHOUT_MESSAGES = ("raw_answer", "rationale")  # a judge's own words, long and many
MOST_NOTED = 4_000_000  # characters in a file's notes; a file with 100 million could not be read again
SMALL_BYTES, TICK_NS = 100_000, 20_000_000
_NUMBERED = r"\d+"


class TableFault(UserError):
    """Rows that are not what their table declares; nothing was stored."""


def checked(table: Table, frame: Any, where: str = "") -> pd.DataFrame:
    """The frame with declared types and the declared order of columns.

    Raises:
        TableFault: It is no frame, or does not keep to the declaration: every column at fault, with value and count.
    """
    name = f"Table '{table.name}'{where}"
    if not isinstance(frame, pd.DataFrame):
        raise TableFault(f"{name}: the asset returned {type(frame).__name__}, not a DataFrame. {NOTHING}")
    try:
        valid = table.validated(frame)
    except Exception as error:
        from pandera.errors import SchemaErrors

        if not isinstance(error, SchemaErrors):
            raise
        raise TableFault(f"{name}, {len(frame)} rows: {_faults(table, frame, error)}. {NOTHING}") from None
    declared = _declared(table, valid.columns)
    lists = {label: _lists(name, label, valid[label]) for label, column in declared if column.kind == "texts"}
    labels = [label for label, _ in declared]
    # Choosing columns copies them all.
    kept = (valid if list(valid.columns) == labels else valid[labels]).assign(**lists)
    kept.attrs = dict(frame.attrs)
    return kept


def write(table: Table, frame: pd.DataFrame, file: BinaryIO) -> None:
    """Write a checked frame, with what `attrs["about"]` says of it; a missing number becomes a null, not a NaN.

    What its sentences were made of (`analysis.messages`) is stored with it, so that reports in other languages know;
    not where that is too much, and those reports have the English sentences then.
    """
    declared = _declared(table, frame.columns)
    fields = [
        pa.field(label, ARROW[column.kind], column.nullable, {"meaning": column.meaning, "unit": column.unit})
        for label, column in declared
    ]
    texts = [
        (frame[label].explode() if column.kind == "texts" else frame[label]).dropna().unique()
        for label, column in declared
        if column.kind in ("text", "texts") and label not in WITHOUT_MESSAGES
    ]
    known = {"about": frame.attrs.get("about"), "messages": messages_behind(itertools.chain.from_iterable(texts))}
    notes = {name: json.dumps(note) for name, note in known.items() if note}
    if len(notes.get("messages", "")) > MOST_NOTED:
        del notes["messages"]
    schema = pa.schema(fields, metadata={"table": table.name, "meaning": table.meaning, **notes})
    pq.write_table(pa.Table.from_pandas(frame, schema=schema, preserve_index=False), file)


def read(table: Table, file: BinaryIO, where: str = "", path: object = None) -> pd.DataFrame:
    """What `write` wrote, with the declared types, also where there is no row.

    Raises:
        UserError: The file is damaged, or holds other columns than the table declares now.
    """
    stored = _Stored(_content(file, table), table, file, where, path)
    frame, made = _kept(stored) if stored.content else _read(stored)
    remember(made)
    return frame.copy()


@dataclass(frozen=True)
class _Stored:
    """A file of rows, known by its content and by the declaration that reads it."""

    content: tuple[int, ...]
    table: Table = field(compare=False)
    file: BinaryIO = field(compare=False)
    where: str = field(compare=False)
    path: object = field(compare=False)


def _content(file: BinaryIO, table: Table) -> tuple[int, ...]:
    """What a small file on a disk shares with no other, nor with itself once it was written again; empty of others."""
    try:
        seen = os.fstat(file.fileno())
    except OSError:
        return ()
    # What is written twice within a tick of the system's clock has the same times.
    if seen.st_size > SMALL_BYTES or time.time_ns() - seen.st_ctime_ns < TICK_NS:
        return ()
    return id(table), seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _read(asked: _Stored) -> tuple[pd.DataFrame, object]:
    """The rows, and what their sentences were made of."""
    table, file, where, path = asked.table, asked.file, asked.where, asked.path
    try:
        stored = pq.ParquetFile(file).read()
        stored.validate(full=True)
        # What pandas notes of its own in the file says nothing that the declaration does not.
        frame, labels = stored.to_pandas(types_mapper=NULLABLE.get, ignore_metadata=True), stored.column_names
        notes = stored.schema.metadata or {}
        about, made = json.loads(notes.get(b"about", b"{}")), _messages(notes.get(b"messages", b"{}"))
    except (pa.ArrowException, OSError, ValueError) as error:
        if getattr(error, "errno", None) is not None:  # the disk's or the network's error, not the content's
            raise
        reason = " ".join(str(error).split())
        raise UserError(
            f"Table '{table.name}'{where}: the file {path or 'with its rows'} is empty, cut off or damaged ({reason}). "
            "Delete it and make the table again with `touchstone run`."
        ) from error
    columns = _declared(table, labels)
    required = {column.name: column for column in table.columns if not column.optional}
    missing = [_words(required[name]) for name in required.keys() - {column.name for _, column in columns}]
    unknown = set(labels) - {label for label, _ in columns}
    if missing or unknown:
        raise UserError(
            f"Table '{table.name}'{where} was stored by another version of Touchstone: column "
            f"{listing(sorted({*missing, *unknown}))} is in the file or in the declaration, not in both. Make it again."
        )
    for label, column in columns:
        if column.kind == "texts":
            frame[label] = [None if cell is None else list(cell) for cell in frame[label]]
    present = frame.dtypes
    # Most are of their type already, and a cast takes a millisecond even then.
    casts = {label: dtype for label, column in columns if present[label] != (dtype := DTYPES[column.kind])}
    typed = frame.astype(casts) if casts else frame
    if about:
        typed.attrs["about"] = about
    return typed, made


# A run reads its small tables four times each: their gates do, and what is made from them.
_kept = lru_cache(maxsize=64)(_read)


def _messages(note: bytes) -> object:
    """What sentences were made of; nothing where the note cannot be read, because the rows are whole without."""
    try:
        return json.loads(note)
    except (ValueError, RecursionError):
        return {}


def _declared(table: Table, labels: Iterable[str]) -> list[tuple[str, Column]]:
    """The labels that the table declares, in its order, each with its declaration."""
    present = list(labels)
    found: list[tuple[str, Column]] = []
    for column in table.columns:
        if column.pattern:
            # Like pandera, which takes the expression as a beginning.
            found += [(label, column) for label in present if re.match(column.name, label)]
        elif column.name in present:
            found.append((column.name, column))
    return found


def _words(column: Column) -> str:
    """The column's name as a reader knows it: ``repeat_1, ...`` for the expression of numbered columns."""
    return f"{column.name.replace(_NUMBERED, '1')}, ..." if column.pattern else column.name


def _lists(name: str, label: str, cells: pd.Series) -> pd.Series:
    """The cells as lists of words in an object column, also where there is no row."""
    lists: list[list[str] | None] = []
    for cell in cells:
        if isinstance(cell, list | tuple | np.ndarray) and all(isinstance(word, str) for word in cell):
            lists.append(list(cell))
        elif cell is None or cell is pd.NA or (isinstance(cell, float) and np.isnan(cell)):
            lists.append(None)
        else:
            raise TableFault(
                f"{name}, {len(cells)} rows: column '{label}' holds {cell!r}, not a list of words. {NOTHING}"
            )
    return pd.Series(lists, index=cells.index, dtype="object")


def _faults(table: Table, frame: pd.DataFrame, error: SchemaErrors) -> str:
    """Every fault once, in words."""
    sentences: dict[str, None] = {}
    cases = error.failure_cases
    shown = {column.name: _words(column) for column in table.columns}
    uncoerced = set(cases.loc[cases["check"].str.startswith("coerce_dtype"), "column"])
    for (column, check), group in cases.groupby(["column", "check"], sort=False, dropna=False):
        value = _plain(group["failure_case"].iloc[0])
        rows = f"{group['index'].nunique()} of {len(frame)} rows, first row {group['index'].iloc[0]}, counted from 0"
        if check == "column_in_schema":
            sentence = f"column '{value}' is not declared"
        elif check == "column_in_dataframe":
            sentence = f"column '{value}' is missing"
        elif str(check).startswith("no_regex_column_match"):
            sentence = f"column '{shown[str(column)]}' is missing"
        elif check == "multiple_fields_uniqueness":
            sentence = _duplicates(table, frame)
        elif str(check).startswith("coerce_dtype"):
            sentence = f"column '{column}' holds {_misfit(table, str(column), frame)}"
        elif str(check).startswith("dtype") and column in uncoerced:
            continue
        elif check == "not_nullable":
            sentence = f"column '{column}' may not be null ({rows})"
        else:
            sentence = f"column '{column}' holds {value!r}, which fails {check} ({rows})"
        sentences[sentence] = None
    return "; ".join(sentences)


def _duplicates(table: Table, frame: pd.DataFrame) -> str:
    key = list(table.key)
    repeated = frame[frame.duplicated(key, keep=False)]
    first = ", ".join(f"{name} {value}" for name, value in zip(key, repeated[key].iloc[0], strict=True))
    return f"key columns {key} do not tell {len(repeated)} rows apart, such as {first}"


def _misfit(table: Table, label: str, frame: pd.DataFrame) -> str:
    """The first value that cannot become the declared type."""
    kind = next(column.kind for name, column in _declared(table, [label]))
    for value in frame[label].dropna():
        try:
            pd.Series([value]).astype(DTYPES[kind])
        except (TypeError, ValueError):
            return f"{_plain(value)!r}, which is not of kind '{kind}'"
    return f"a value that is not of kind '{kind}'"


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
