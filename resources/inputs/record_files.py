"""Streams a file of records - JSONL, CSV or Parquet - one record at a time, with the file's own row numbers."""

import codecs
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from upath import UPath

from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault, UserError, did_you_mean, listing
from resources.inputs.column_names import own_name
from resources.inputs.csv_files import CsvRows, refuse_names_twice
from resources.inputs.faults import BadRow, Faults
from resources.runtime.opened_files import begins_utf16, lines_of, opened

BATCH_ROWS: Final = 8192
BATCH_BYTES: Final = 2**28  # of decoded values at a time
_DELTA: Final = "DELTA_BYTE_ARRAY"  # each text by what it adds to the one before: to see its length is to decode it
FEW_ROWS: Final = 256
_DICTIONARY_ROWS: Final = 2**18  # each batch has the whole dictionary once more
_VALUE_BYTES: Final = 8
SHOWN_FIELDS = 40
# How data frames and spreadsheets write that there is no value.
NO_VALUE: Final = frozenset({"NA", "N/A", "n/a", "nan", "NaN", "NAN", "<NA>"})
Fields = dict[str, Any]
HEAD_RECORDS = 1000
# One of a pair of code units, as JSON escapes it.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_SINGLE_LINES = "Write one JSON object per line (`jq -c '.[]' FILE` does it)."


class TooMuch(Exception):
    """The file holds more than is read; `size` is how much, or more where `is_least`, bytes."""

    def __init__(self, size: int, *, is_least: bool = False) -> None:
        super().__init__(size)
        self.size, self.is_least = size, is_least


def refuse_large(about: pq.FileMetaData, most: int) -> None:
    """Refuse a file that the sizes in its own end say is too large.

    Raises:
        TooMuch: Decompressed, all columns together are larger.
    """
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    stored = sum(group.total_byte_size for group in groups)
    n_values = sum(group.column(number).num_values for group in groups for number in range(about.num_columns))
    if (size := max(stored, n_values * _VALUE_BYTES)) > most:
        raise TooMuch(size)


def rows_at_a_time(file: Any, about: pq.FileMetaData, columns: Sequence[str] | None, most: int) -> int:
    """So many rows that their decoded values take little memory.

    Args:
        file: The open file.
        about: Its end.
        columns: Dotted names of those that are read; null for all.
        most: The largest size that may be read, bytes.

    Raises:
        TooMuch: Decoded, these columns are larger.
    """
    read = [one for one in range(about.num_columns) if _is_read(about.schema.column(one).path, columns)]
    size, bound, shared = 0, 0, []
    for number in read:
        chunks = [about.row_group(group).column(number) for group in range(about.num_row_groups)]
        if any(_stands_for_more(chunk) for chunk in chunks):
            shared.append((about.schema.column(number).path, any(_DELTA in chunk.encodings for chunk in chunks)))
            bound += sum(chunk.num_values * chunk.total_uncompressed_size for chunk in chunks)
        else:
            size += sum(max(chunk.total_uncompressed_size, chunk.num_values * _VALUE_BYTES) for chunk in chunks)
    if size + bound <= min(most, BATCH_BYTES):
        return BATCH_ROWS
    longest = 0
    for path, is_delta in shared:
        for decoded in _decoded(file, path, is_delta=is_delta):
            size += decoded.size
            longest = max(longest, decoded.longest)
            if size > most:
                raise TooMuch(size, is_least=True)
    return max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, longest)))


class _Decoded(NamedTuple):
    """Of one batch of values, bytes: all of them, and the longest."""

    size: int
    longest: int


def _is_read(path: str, columns: Sequence[str] | None) -> bool:
    return columns is None or any(path == name or path.startswith(f"{name}.") for name in columns)


def _stands_for_more(chunk: pq.ColumnChunkMetaData) -> bool:
    """Whether texts are stored once for several values, or by what they add to the one before."""
    return chunk.physical_type == "BYTE_ARRAY" and any(
        "DICTIONARY" in encoding or encoding == _DELTA for encoding in chunk.encodings
    )


def _decoded(file: Any, path: str, *, is_delta: bool) -> Iterator[_Decoded]:
    """The size of one column's values, batch by batch, without decoding those that a dictionary holds."""
    stored = pq.ParquetFile(file, read_dictionary=[] if is_delta else [path])
    for batch in stored.iter_batches(batch_size=FEW_ROWS if is_delta else _DICTIONARY_ROWS, columns=[path]):
        values = _leaf(batch.column(0))
        if pa.types.is_dictionary(values.type):
            lengths = pc.take(pc.binary_length(values.dictionary), values.indices)
        else:
            lengths = pc.binary_length(values)
        yield _Decoded(pc.sum(lengths).as_py() or 0, pc.max(lengths).as_py() or 0)


def _leaf(values: pa.Array) -> pa.Array:
    """The values within groups and lists."""
    while pa.types.is_nested(values.type):
        values = values.field(0) if pa.types.is_struct(values.type) else values.flatten()
    return values


class SeveralValues(Exception):
    """A field that should hold one value holds a list or a group of fields."""


def leaves(record: Fields) -> Iterator[tuple[str, Any]]:
    """Every field of a record by its dotted name; what is no group of fields is a field, lists and nulls too."""
    # No recursion: how deep a file nests is not ours to limit.
    groups = [("", iter(record.items()))]
    while groups:
        prefix, items = groups[-1]
        for key, value in items:
            if isinstance(value, dict):
                groups.append((f"{prefix}{key}.", iter(value.items())))
                break
            yield prefix + key, value
        else:
            groups.pop()


def value_of(name: str) -> Callable[[Fields], Any]:
    """A function that finds the field in a record: null where it is absent.

    A key that is spelled with its dots, as a column of a CSV file is, comes before a nested field.
    """
    parts = name.split(".")
    if len(parts) == 1:
        return lambda record: record.get(name)

    def nested(record: Fields) -> Any:
        if name in record:
            return record[name]
        value: Any = record
        key = ""
        for part in parts:
            # Names of groups may have dots too.
            key = f"{key}.{part}" if key else part
            if isinstance(value, dict) and key in value:
                value, key = value[key], ""
        if not key:
            return value
        return _within(record, parts) if len(parts) > 2 else None  # of two there is no other way

    return nested


def _within(value: Any, parts: list[str]) -> Any:
    """The field with these parts of a name, where of two names with dots one begins the other: gpt-4 and gpt-4.1."""
    if not isinstance(value, dict):
        return None
    key = ""
    for end, part in enumerate(parts, start=1):
        key = f"{key}.{part}" if key else part
        if key in value:
            inner = value[key]
            if end == len(parts) or (inner := _within(inner, parts[end:])) is not None:
                return inner
    return None


def as_text(value: Any) -> str | None:
    """A single value as text, without outer spaces; null where there is none.

    Raises:
        SeveralValues: It is a list or a group of fields.
    """
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list | tuple | dict | bytes):
        raise SeveralValues(f"{value!r:.60}")
    if isinstance(value, bool):
        return str(value).lower()
    # A number that is none is how a data frame writes a missing one.
    return None if value is None or value != value else str(value)


def unknown_field(name: str, names: Iterable[str]) -> UserError | None:
    """The error for a field that the file does not have in any letter case, with those it has; else null."""
    there = list(names)
    if own_name(name, there) is not None:
        return None
    within = [other for other in there if other.startswith(f"{name}.")]
    if within:
        return UserError(f"'{name}' is a group of fields: {listing(map(repr, within), SHOWN_FIELDS)}.")
    fields = listing(map(repr, there), SHOWN_FIELDS) or "none"
    return UserError(f"there is no field '{name}'{did_you_mean(name, there)}; the fields there are: {fields}.")


class KeyTwice(Exception):
    """A JSON object has a key twice; the words are the key."""


class Record(NamedTuple):
    """One record: its row in the file and its fields, which may be nested."""

    row: int
    fields: Fields


class RecordFile(ABC):
    """A file of records that is read as a stream, as often as asked."""

    # Whether a number can only be written as text in this kind of file.
    numbers_are_text = False
    # What separates its cells.
    delimiter = ""
    # Sentences on what was skipped above its header, or left out.
    remarks: Sequence[str] = ()
    # What such files write where there is no rating.
    no_rating: Collection[str] = ()

    def __init__(self, path: str | Path | UPath, likely: Collection[str] = ()) -> None:
        """Name the file; `likely` are field names that help to tell a CSV file's delimiter."""
        self.path = UPath(path)
        self.name = self.path.name
        self.likely = tuple(likely)

    @abstractmethod
    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every record, or what is wrong with its row; ``wanted`` lets a file with columns skip the others.

        Raises:
            FileFault: The file cannot be read, or not beyond some row.
        """

    @abstractmethod
    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """Dotted names of the fields in the order they appear, and whether there can be no others.

        Args:
            whole: Read every record for it where the file does not say; else the first 1,000.
        """


class JsonLines(RecordFile):
    """One JSON object per line; blank lines are skipped; rows are lines, from 1."""

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every line, parsed whole: JSON has no columns to skip."""
        row = 0
        with opened(self.path) as file:
            if begins_utf16(file):
                raise FileFault(self.name, "the text is UTF-16.", "Save it as UTF-8.")
            for line in lines_of(file, self.name, _SINGLE_LINES):
                row += 1
                if not line.isspace():
                    yield self._parsed(line, row)

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """Names seen in the first records, or in all."""
        most = current_limits().columns
        records = self.records()
        head = records if whole else islice(records, HEAD_RECORDS)
        # Whether some record holds a value there.
        names: dict[str, bool] = {}
        for record in head:
            if isinstance(record, Record):
                for name, value in leaves(record.fields):
                    names[name] = names.get(name, False) or value is not None
                if len(names) > most:
                    problem = (
                        f"the records have {len(names):,} different fields up to here, and at most {most:,} are read."
                    )
                    remedy = f"Put one sample in a record, {raise_it('columns')}"
                    raise FileFault(self.name, problem, remedy, row=record.row)
        # A group that is null in some record looks like a field there; an odd record's group hides no field.
        prefixes = {name[:end] for name in names for end, letter in enumerate(name) if letter == "."}
        groups = {name for name in prefixes if not names.get(name)}
        return [name for name in names if name not in groups], whole or next(records, None) is None

    def _parsed(self, line: bytes, row: int) -> Record | BadRow:
        try:
            value = json.loads(line, object_pairs_hook=unique_keys)
        except KeyTwice as error:
            return BadRow(row, f"{error} stands twice in '{_shown(line)}'.", "Keep one of the two.")
        except (ValueError, RecursionError) as error:
            start = line.removeprefix(codecs.BOM_UTF8).strip()
            if row == 1 and start == b"{":
                raise FileFault(self.name, "the records stretch over several lines.", _SINGLE_LINES, row=1) from error
            return BadRow(row, no_json(line, error), "Fix or remove the line.")
        if isinstance(value, dict):
            bad = half_letter(value, row) if _HALF.search(line) else None
            return bad or Record(row, value)
        return BadRow(row, f"the line is no JSON object, in '{_shown(line)}'.", "Fix or remove the line.")


class CsvRecords(RecordFile):
    """A CSV file: every value is text, a blank cell is ``""``; the header is row 1."""

    numbers_are_text = True

    def __init__(self, path: str | Path | UPath, likely: Collection[str] = (), encoding: str | None = None) -> None:
        """Read the header."""
        super().__init__(path, likely)
        self._encoding = encoding
        with CsvRows(path, self.likely, encoding) as rows:
            refuse_names_twice(rows.name, rows.columns, rows.header_row)
            self._columns, self.delimiter, self.remarks = rows.columns, rows.delimiter, rows.remarks

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every row as a flat record."""
        with CsvRows(self.path, self.likely, self._encoding) as rows:
            kept = [
                (index, column)
                for index, column in enumerate(rows.header)
                if column and (wanted is None or column in wanted)
            ]
            for found in rows:
                if isinstance(found, BadRow):
                    yield found
                else:
                    yield Record(found.row, {column: found.cells[index] for index, column in kept})

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """The header."""
        return list(self._columns), True


class ParquetRecords(RecordFile):
    """A Parquet file; only the wanted columns are read; rows count from 1."""

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every row, batch by batch."""
        row = 0
        with opened(self.path) as file:
            stored = self._stored(file)
            columns = None if wanted is None else list(wanted)
            batches = stored.iter_batches(batch_size=self._rows_at_a_time(file, stored, columns), columns=columns)
            while (batch := self._next(batches, row)) is not None:
                for fields in batch.to_pylist():
                    row += 1
                    yield Record(row, fields)

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """The stored schema's leaves."""
        with opened(self.path) as file:
            return list(_schema_names(self._stored(file).schema_arrow)), True

    def _next(self, batches: Iterator[pa.RecordBatch], row: int) -> pa.RecordBatch | None:
        try:
            return next(batches, None)
        except (pa.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            raise FileFault(self.name, f"it is damaged ({reason}).", "Export it again.", row=row + 1) from error

    def _stored(self, file: Any) -> pq.ParquetFile:
        try:
            stored = pq.ParquetFile(file)
        except pa.ArrowException as error:
            raise FileFault(self.name, f"it is no Parquet file ({error}).", "Export it again.") from error
        with self._refusing_large(stored.metadata) as most:
            refuse_large(stored.metadata, most)
        return stored

    def _rows_at_a_time(self, file: Any, stored: pq.ParquetFile, columns: list[str] | None) -> int:
        with self._refusing_large(stored.metadata) as most:
            try:
                return rows_at_a_time(file, stored.metadata, columns, most)
            except (pa.ArrowException, OSError):
                return FEW_ROWS  # reading names the row that is damaged

    @contextmanager
    def _refusing_large(self, about: pq.FileMetaData) -> Iterator[int]:
        """A file of kilobytes may hold gigabytes: equal values are stored once, with how often they come."""
        most = current_limits().parquet_bytes
        try:
            yield most
        except TooMuch as much:
            size, needed = ("more than", None) if much.is_least else ("about", much.size)
            problem = f"decompressed it is {size} {much.size:,} bytes ({about.num_rows:,} rows), and at most {most:,} "
            remedy = f"Keep the rows that are needed, {raise_it('parquet_bytes', needed)}"
            raise FileFault(self.name, f"{problem}are read.", remedy) from much


def no_json(line: bytes, error: ValueError | RecursionError) -> str:
    """A sentence on a line that the parser refused."""
    reason = str(error) if isinstance(error, ValueError) else "too deeply nested"
    return f"the line is no JSON ({reason}), in '{_shown(line)}'."


def refuse_unreadable(file: RecordFile) -> None:
    """Of a file in which no record has a field, say what is wrong with its rows where they cannot be read.

    Raises:
        FileFault: One row cannot be read.
        FileFaults: Several cannot.
    """
    faults = Faults(file.name)
    for record in file.records():
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
    faults.raise_if_any()


def _schema_names(fields: Any, prefix: str = "") -> Iterator[str]:
    for field in fields:
        if pa.types.is_struct(field.type):
            yield from _schema_names(field.type, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


def unique_keys(pairs: list[tuple[str, Any]]) -> Fields:
    """A JSON object; parsers disagree on which of two values of one key counts.

    Raises:
        KeyTwice: A key stands there twice.
    """
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise KeyTwice(f"'{name}'")
            seen.add(name)
    return fields


def half_letter(fields: Fields, row: int) -> BadRow | None:
    """What is wrong with a record whose names or texts hold half of a pair of code units; null where nothing is."""
    for name, value in leaves(fields):
        try:
            json.dumps([name, value], ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return BadRow(row, f"{value!r:.60} in column {name!r:.60} holds half a letter.", "Remove it.")
    return None


def _shown(line: bytes) -> str:
    return line[:120].decode("utf-8", "replace").strip()
