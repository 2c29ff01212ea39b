"""Reads a user's CSV file as text, whole: a table with the file's own row numbers."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import pandas as pd
from upath import UPath

from analysis.messages import Name, message
from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault, listing, nearest_of
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.written_columns import WrittenColumns, evidence_of, looks_like_number
from resources.runtime.opened_files import begins_utf16, lines_of, opened

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# A column that Qualtrics' exports have.
_QUALTRICS = "ResponseId"
# Lines that are looked at for the header below a title.
MOST_TITLES = 10
_SAVE_AS = "CSV UTF-8"
_DECLARE_IT = (
    f"Save it as {_SAVE_AS}; `touchstone verdict` and `init --from` take `--encoding latin-1`, or what it is, such as "
    "gb18030 of Chinese and shift_jis of Japanese."
)
# With this line a file tells Excel what separates its cells.
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)
_CLOSE_IT = "Write one sample in a line, close every quotation mark."
_TOO_LONG = "field larger than field limit"


class CsvRow(NamedTuple):
    """One row of the file: its number, counted from 1 at the file's first line, and its stripped cells."""

    row: int
    cells: list[str]


class CsvRows:
    """An open CSV file: its header now, its rows one at a time; closes with the `with` statement."""

    def __init__(self, path: str | Path | UPath, likely: Sequence[str] = (), encoding: str | None = None) -> None:
        """Open the file and read its header.

        Args:
            path: Local path or fsspec address.
            likely: Column names that help to tell the delimiter.
            encoding: Of the text, as Python names it; none: UTF-8, or UTF-16 where the file begins with its mark.

        Raises:
            FileFault: Missing, empty or in another encoding, or the header's line is empty.
        """
        self.path = UPath(path)
        self.name = self.path.name
        self._file: BinaryIO = opened(path)
        try:
            self.encoding = encoding or ("utf-16" if begins_utf16(self._file) else "utf-8-sig")
            self._text = io.TextIOWrapper(self._file, encoding=self.encoding, newline="")
            self._lines = lines_of(self._text, self.name, _CLOSE_IT)
            first, self.header_row = self._line(), 1
            said = _SEPARATOR_LINE.fullmatch(first)
            if said:
                first, self.header_row = self._line(), 2
            self._refuse_many_columns(first)
            self.remarks: list[str] = []
            if not said:
                first = self._below_titles(first, likely)
            self.delimiter = said[1] if said else _delimiter(first, likely)
            self._records: Iterator[list[str]] = csv.reader(
                chain([first], self._lines), delimiter=self.delimiter, strict=True
            )
            self.header = [cell.strip() for cell in self._next(self.header_row - 1) or []]
            self._read_on()
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
        except UnicodeError as error:
            raise self._undecodable() from error

    def _below_titles(self, first: str, likely: Sequence[str]) -> str:
        """The header's line: the first, or below a title the first that names several columns of a table below it.

        It is certain where each of its cells has text, no number, and the next line has as many cells and a number.
        """
        title = _filled(first, likely)
        # A cell may go on in the next line, and one column that is asked for is a header.
        if len(title) != 1 or title[0] in likely or first.count('"') % 2:
            return first
        lines = [first]
        while len(lines) < MOST_TITLES and (line := self._line()):
            lines.append(line)
        texts = [place for place, line in enumerate(lines) if _filled(line, likely)]
        header = next((place for place in texts if len(_filled(lines[place], likely)) > 1), 0)
        below = next((line for line in lines[header + 1 :] if _filled(line, likely)), "")
        delimiter = _delimiter(lines[header], likely)
        names, cells = _cells(lines[header], delimiter), _cells(below, delimiter)
        are_names = "" not in names and len({*names}) == len(names) and not any(map(looks_like_number, names))
        if not (header and are_names and len(cells) == len(names) and any(map(looks_like_number, cells))):
            header = 0
        self._lines = chain(lines[header + 1 :], self._lines)
        titles = [(place + 1, _filled(lines[place], likely)[0]) for place in texts if place < header]
        self.remarks = title_remarks(titles)
        self.header_row += header
        return lines[header]

    def _read_on(self) -> None:
        """Take further rows of the header, where it has a sign of such."""
        if not (any(self.header) and ("" in self.header[1:] or _QUALTRICS in self.header)):
            return
        below = [cells for cells in (self._next(self.header_row + more) for more in range(2)) if cells is not None]
        self.header, n, remarks = whole_header(self.header, below, self.header_row)
        self._records = chain(below[n:], self._records)
        self.remarks += remarks
        self.header_row += n

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
        except UnicodeError as error:
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
        known = "UTF-8" if self.encoding == "utf-8-sig" else self.encoding
        row = 0
        with opened(self.path) as file:
            for row, line in enumerate(file, start=1):
                try:
                    line.decode(self.encoding)
                except UnicodeDecodeError as error:
                    text = line.decode("latin-1").strip()
                    problem = f"byte 0x{line[error.start]:02x} is not {known}, in '{text[:120]}'."
                    return FileFault(self.name, problem, _DECLARE_IT, row=row)
                except UnicodeError:
                    break
        return FileFault(self.name, f"the text is not {known}.", _DECLARE_IT, row=row)


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


def whole_header(upper: list[str], below: Sequence[Sequence[str]], row: int) -> tuple[list[str], int, list[str]]:
    """The names of a header that goes on below its first row, how many rows more it has, and what is said of them.

    A second row names what the first leaves blank, as SurveyMonkey and merged cells do. Its first cell is blank, or the
    one above it, merged; where that is blank, a number comes below. Qualtrics has the questions and its own ids there.

    Args:
        upper: The first row's names, stripped.
        below: The two rows below it.
        row: The number of the first.
    """
    rows = [[cell.strip() for cell in [*cells, *[""] * len(upper)][: len(upper)]] for cells in below]
    if len(rows) > 1 and any(cell.startswith('{"ImportId"') for cell in rows[1]):
        said = message(
            "Left out, as Qualtrics' questions and ids: rows {row:,} and {other:,}.", row=row + 1, other=row + 2
        )
        return upper, 2, [said]
    unnamed = [place for place, name in enumerate(upper) if place and not name and rows and rows[0][place]]
    lower = rows[0] if rows else []
    if upper[0]:  # a row of labels without an object has some of them again in the next
        goes_on = unnamed and lower[0] in ("", upper[0]) and not {*lower} & {*rows[-1]} - {""}
    else:
        goes_on = any(looks_like_number(rows[-1][at]) for at in unnamed)
    if not goes_on or any(map(looks_like_number, lower)):
        which = listing(message("column {n:,}", n=place + 1) for place in unnamed)
        said = message("Not read, as the header does not name it: {which}.", which=which)
        return upper, 0, [said] if unnamed else []
    names, question = [], ""
    for name, more in zip(upper, lower, strict=True):
        question = name or question
        again = more != name and (lower.count(more) > 1 or more in upper)
        names.append(f"{question}: {more}" if more and again else more or name)
    return names, 1, [message("Rows {row:,} and {other:,} are the header.", row=row, other=row + 1)]


def title_remarks(titles: Sequence[tuple[int, str]]) -> list[str]:
    """What is said of rows above a table: their numbers and texts."""
    said = listing(message("row {row:,} ('{name}')", row=row, name=Name(text[:60])) for row, text in titles)
    return [message("Left out, as titles above the table: {said}.", said=said)] if titles else []


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _filled(line: str, likely: Sequence[str]) -> list[str]:
    """The cells of a line that hold text."""
    return [cell for cell in _cells(line, _delimiter(line, likely)) if cell]


def _delimiter(line: str, likely: Sequence[str]) -> str:
    """The delimiter under which the header shows the most likely columns, then the most columns."""

    def fit(delimiter: str) -> tuple[int, int]:
        cells = _cells(line, delimiter)  # reading the header reports an error, with its row
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


@dataclass(frozen=True)
class CsvFile:
    """A file as text: stripped cells, blank ones as ``""``; the index is the row in the file (the header is row 1)."""

    name: str
    frame: pd.DataFrame
    delimiter: str
    header_row: int
    remarks: Sequence[str] = ()

    def records(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each row of the file with its cells by column."""
        columns = list(self.frame.columns)
        for row, *cells in self.frame.itertuples(name=None):
            yield row, dict(zip(columns, cells, strict=True))

    def as_written(self, numbers: Sequence[str], labels: Sequence[str] = ()) -> WrittenColumns:
        """How columns of numbers and of labels are to be read; those that the file lacks count as empty.

        Raises:
            FileFault: A column's commas may be decimal signs or separate thousands.
        """
        cells = self._cells(numbers), self._cells(labels)
        return evidence_of(*cells).decided(self.name, self.delimiter, remarks=self.remarks)

    def _cells(self, columns: Sequence[str]) -> dict[str, list[str]]:
        return {name: self.frame[name].unique().tolist() for name in columns if name in self.frame}


def read_csv_file(
    path: str | Path | UPath, required: Sequence[str], named_under: str | None = None, optional: Sequence[str] = ()
) -> CsvFile:
    """Every row of a CSV file as text.

    Args:
        path: Local path or fsspec address.
        required: Column names that must be there, in any letter case; the table has them as they are written here.
        named_under: The key of touchstone.yaml that gives them other names, where there is one.
        optional: More column names, which may be absent.

    Returns:
        All named columns; lines without any text are skipped but keep their row number.

    Raises:
        FileFault: Missing, empty or not UTF-8; a required column is absent, a column name stands twice.
        FileFaults: Several rows have another number of cells than the header.
    """
    with CsvRows(path, required) as rows:
        refuse_names_twice(rows.name, rows.columns, rows.header_row)
        _refuse_missing(rows, required, named_under)
        faults = Faults(rows.name)
        records: dict[int, list[str]] = {}
        for found in rows:
            if isinstance(found, BadRow):
                faults.add(found.problem, found.remedy, found.row)
            else:
                records[found.row] = found.cells
    faults.raise_if_any()
    asked_as = {own_name(column, rows.columns) or column: column for column in (*optional, *required)}
    header = [asked_as.get(column, column) for column in rows.header]
    frame = pd.DataFrame.from_dict(records, orient="index", columns=header, dtype="str")
    named = frame.rename_axis("row").loc[:, [column != "" for column in header]]
    return CsvFile(rows.name, named, rows.delimiter, rows.header_row, rows.remarks)


def _refuse_missing(rows: CsvRows, required: Sequence[str], named_under: str | None) -> None:
    columns = rows.columns
    missing = [column for column in required if own_name(column, columns) is None]
    if not missing:
        return
    many = len(missing) > 1
    problem = (
        f"column{'s' if many else ''} {' and '.join(_with_nearest(column, columns) for column in missing)} "
        f"{'are' if many else 'is'} missing; the columns there are: {listing(map(repr, columns), 30)}."
    )
    them = "them" if many else "it"
    where = f", or name yours under `{named_under}` in touchstone.yaml" if named_under else ""
    raise FileFault(rows.name, problem, f"Name {them} so in the file{where}.", row=rows.header_row)


def _with_nearest(column: str, columns: Sequence[str]) -> str:
    """The absent column with the one that may be meant by it, which is the file's and not the other way round."""
    match = nearest_of(column, columns)
    return f"'{column}'" if match is None else f"'{column}' (there is '{match}')"
