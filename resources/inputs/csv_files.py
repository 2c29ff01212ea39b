"""Reads a user's CSV file as text: any of three delimiters, BOM or none, with the file's own row numbers."""

import codecs
import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from upath import UPath

from resources.errors import FileFault, listed, nearest
from resources.inputs.faults import Faults

DELIMITERS = (",", ";", "\t")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab"}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class CsvFile:
    """A file as text: stripped cells, blank ones as ``""``; the index is the row in the file (the header is row 1)."""

    name: str
    frame: pd.DataFrame
    delimiter: str

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each row of the file with its cells by column."""
        columns = list(self.frame.columns)
        for row, *cells in self.frame.itertuples(name=None):
            yield row, dict(zip(columns, cells, strict=True))

    def number(self, cell: str) -> float | None:
        """The number in a cell, null where it holds none; a decimal comma counts where commas do not separate."""
        if self.delimiter != "," and "." not in cell and cell.count(",") == 1:
            cell = cell.replace(",", ".")
        value = float(cell) if _NUMBER.fullmatch(cell) else math.nan
        return value if math.isfinite(value) else None


def read_csv_file(path: str | Path | UPath, required: Sequence[str]) -> CsvFile:
    """Every row of a CSV file as text.

    Args:
        path: Local path or fsspec address.
        required: Column names that must be there.

    Returns:
        All named columns; lines without any text are skipped but keep their row number.

    Raises:
        FileFault: Missing, empty or not UTF-8; a required column is absent, a column name stands twice.
        FileFaults: Several rows have another number of cells than the header.
    """
    name = UPath(path).name
    text = _text(path, name)
    delimiter = _delimiter(text, required)
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    faults = Faults(name)
    row = 0
    try:
        header = [cell.strip() for cell in next(records, [])]
        _refuse_bad_header(name, header, required)
        rows, row = {}, 1
        for row, cells in enumerate(records, start=2):
            if any(cell.strip() for cell in cells):
                rows[row] = _fitted(cells, header, row, faults, delimiter)
    except csv.Error as error:
        problem = f"the quotation marks do not match ({error})."
        raise FileFault(name, problem, "Close every quotation mark.", row=row + 1) from error
    faults.raise_if_any()
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=header, dtype="str")
    return CsvFile(name, frame.rename_axis("row").loc[:, [column != "" for column in header]], delimiter)


def _text(path: str | Path | UPath, name: str) -> str:
    try:
        data = UPath(path).read_bytes()
    except FileNotFoundError as error:
        raise FileFault(path, "there is no such file.", "Correct its path in touchstone.yaml.") from error
    except OSError as error:
        raise FileFault(path, f"it cannot be opened ({error}).", "Check the path and its permissions.") from error
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        raise FileFault(name, "the file is empty.", "Export it again with its header and rows.")
    if data.startswith(_UTF16_MARKS):
        raise FileFault(name, "the text is UTF-16.", "Save it as CSV UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_start = data.rfind(b"\n", 0, error.start) + 1
        line_end = data.find(b"\n", error.start)
        line = data[line_start : line_end if line_end >= 0 else None].decode("latin-1").strip()
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8, in '{line[:120]}'."
        row = data.count(b"\n", 0, error.start) + 1
        raise FileFault(name, problem, "Save it as CSV UTF-8.", row=row) from error


def _delimiter(text: str, required: Sequence[str]) -> str:
    """The delimiter under which the header shows the most required columns, then the most columns."""
    header = text.splitlines()[0]

    def fit(delimiter: str) -> tuple[int, int]:
        cells = [cell.strip() for cell in next(csv.reader([header], delimiter=delimiter), [])]
        return len(set(required) & set(cells)), len(cells)

    return max(DELIMITERS, key=fit)


def _refuse_bad_header(name: str, header: Sequence[str], required: Sequence[str]) -> None:
    named = [column for column in header if column]
    twice = sorted({column for column in named if named.count(column) > 1})
    if twice:
        raise FileFault(name, f"the header names {listed(map(repr, twice))} twice.", "Rename one of them.", row=1)
    missing = [column for column in required if column not in named]
    if missing:
        wanted = ", ".join(f"'{column}'{nearest(column, named)}" for column in missing)
        problem = f"column {wanted} is missing; the columns there are: {listed(map(repr, named), 30)}."
        raise FileFault(name, problem, "Rename the column, or name it in touchstone.yaml.", row=1)


def _fitted(cells: list[str], header: Sequence[str], row: int, faults: Faults, delimiter: str) -> list[str]:
    """The row's cells stripped; blank cells beyond the header are dropped, anything else is a fault."""
    stripped = [cell.strip() for cell in cells]
    while len(stripped) > len(header) and not stripped[-1]:
        stripped.pop()
    if len(stripped) != len(header):
        line = delimiter.join(cells)[:120]
        problem = f"there are {len(stripped)} cells and the header has {len(header)} columns, in '{line}'."
        remedy = f"Put quotation marks around text with a {_NAMES[delimiter]} in it"
        faults.add(problem, remedy + (", and write numbers with a point." if delimiter == "," else "."), row)
    return stripped
