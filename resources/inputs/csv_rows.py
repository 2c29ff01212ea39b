"""Streams a user's CSV file row by row: any of three delimiters, BOM or none, with the file's own row numbers."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from upath import UPath

from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault, listing
from resources.inputs.faults import BadRow
from resources.runtime.opened_files import lines_of, opened, refuse_utf16

DELIMITERS = (",", ";", "\t")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab"}
_SAVE_AS = "CSV UTF-8"
# With this line a file tells Excel what separates its cells.
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?\s*', re.IGNORECASE)
_CLOSE_IT = "Write one sample in a line, close every quotation mark."
_TOO_LONG = "field larger than field limit"


class CsvRow(NamedTuple):
    """One row of the file: its number, counted from 1 at the file's first line, and its stripped cells."""

    row: int
    cells: list[str]


class CsvRows:
    """An open CSV file: its header now, its rows one at a time; closes with the `with` statement."""

    def __init__(self, path: str | Path | UPath, likely: Sequence[str] = ()) -> None:
        """Open the file and read its header.

        Args:
            path: Local path or fsspec address.
            likely: Column names that help to tell the delimiter.

        Raises:
            FileFault: Missing, empty or not UTF-8, or the header's line is empty.
        """
        self.path = UPath(path)
        self.name = self.path.name
        self._file: BinaryIO = opened(path)
        try:
            refuse_utf16(self._file, self.name, _SAVE_AS)
            self._text = io.TextIOWrapper(self._file, encoding="utf-8-sig", newline="")
            self._lines = lines_of(self._text, self.name, _CLOSE_IT)
            first, self.header_row = self._line(), 1
            said = _SEPARATOR_LINE.fullmatch(first)
            if said:
                first, self.header_row = self._line(), 2
            self._refuse_many_columns(first)
            self.delimiter = said[1] if said else _delimiter(first, likely)
            self._records = csv.reader(chain([first], self._lines), delimiter=self.delimiter, strict=True)
            self.header = [cell.strip() for cell in self._next(self.header_row - 1) or []]
            if not self.columns:
                which = "first line" if self.header_row == 1 else "line of the header"
                remedy = "Delete it: this line names the columns."
                raise FileFault(self.name, f"the {which} is empty.", remedy, row=self.header_row)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def columns(self) -> list[str]:
        """The header's names; a column without a name is none."""
        return [column for column in self.header if column]

    def __iter__(self) -> Iterator[CsvRow | BadRow]:
        """Each row, or what is wrong with it; lines without any text are skipped but keep their row number.

        Raises:
            FileFault: A byte is not UTF-8, or a quotation mark is never closed.
        """
        row = self.header_row
        while (cells := self._next(row)) is not None:
            row += 1
            if any(cell.strip() for cell in cells):
                yield _fitted(cells, self.header, row, self.delimiter)

    def _line(self) -> str:
        try:
            return next(self._lines, "")
        except UnicodeDecodeError as error:
            raise self._undecodable() from error

    def _refuse_many_columns(self, line: str) -> None:
        """Before the line is taken apart, which may take minutes."""
        most = current_limits().columns
        n_columns = 1 + max(line.count(delimiter) for delimiter in DELIMITERS)
        if n_columns > most:
            problem = f"the header has {n_columns:,} columns, and at most {most:,} are read."
            remedy = f"Put one sample in a row, {raise_it('columns', n_columns)}"
            raise FileFault(self.name, problem, remedy, row=self.header_row)

    def _next(self, row: int) -> list[str] | None:
        try:
            return next(self._records, None)
        except UnicodeDecodeError as error:
            raise self._undecodable() from error
        except csv.Error as error:
            if _TOO_LONG in str(error):
                problem = f"a cell is longer than {csv.field_size_limit():,} characters."
                remedy = "Shorten it; if no text is so long, a quotation mark in this row is never closed."
                raise FileFault(self.name, problem, remedy, row=row + 1) from error
            problem = f"the quotation marks do not match ({error})."
            raise FileFault(self.name, problem, "Close every quotation mark.", row=row + 1) from error

    def _undecodable(self) -> FileFault:
        """What is wrong, with the line; the file is read again because the decoder knows no lines."""
        row = 0
        with opened(self.path) as file:
            for row, line in enumerate(file, start=1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as error:
                    text = line.decode("latin-1").strip()
                    problem = f"byte 0x{line[error.start]:02x} is not UTF-8, in '{text[:120]}'."
                    return FileFault(self.name, problem, f"Save it as {_SAVE_AS}.", row=row)
        return FileFault(self.name, "the text is not UTF-8.", f"Save it as {_SAVE_AS}.", row=row)


def refuse_names_twice(name: str, columns: Sequence[str], header_row: int) -> None:
    """End the reading of a file whose header names a column twice.

    Raises:
        FileFault: It does.
    """
    twice = sorted(column for column, count in Counter(columns).items() if count > 1)
    if twice:
        raise FileFault(
            name, f"the header names {listing(map(repr, twice))} twice.", "Rename one of them.", row=header_row
        )


def _delimiter(line: str, likely: Sequence[str]) -> str:
    """The delimiter under which the header shows the most likely columns, then the most columns."""

    def fit(delimiter: str) -> tuple[int, int]:
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
        except csv.Error:
            return 0, 0  # reading the header reports it, with its row
        return len(set(likely) & set(cells)), len(cells)

    return max(DELIMITERS, key=fit)


def _fitted(cells: list[str], header: Sequence[str], row: int, delimiter: str) -> CsvRow | BadRow:
    """The row's cells stripped; blank cells beyond the header are dropped, anything else is a fault."""
    stripped = [cell.strip() for cell in cells]
    if "\0" in "".join(cells):
        column, cell = next((name, cell) for name, cell in zip_longest(header, stripped, fillvalue="") if "\0" in cell)
        problem = f"{cell!r:.60} in column '{column}' holds NUL."
        return BadRow(row, problem, "Remove it; where every letter is so, the file is UTF-16: save it as CSV UTF-8.")
    while len(stripped) > len(header) and not stripped[-1]:
        stripped.pop()
    if len(stripped) == len(header):
        return CsvRow(row, stripped)
    line = delimiter.join(cells)[:120]
    problem = f"there are {len(stripped)} cells and the header has {len(header)} columns, in '{line}'."
    remedy = f"Put quotation marks around text with a {_NAMES[delimiter]} in it"
    return BadRow(row, problem, remedy + (", and write numbers with a point." if delimiter == "," else "."))
