"""Files of records that are read whole: one JSON list, and sheets of Excel and OpenDocument."""

import codecs
import json
import re
import zipfile  # noqa: TID251 -- sizes are read first, and no more of a part than they say
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import date, datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook
from upath import UPath

from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.column_names import own_name
from resources.inputs.csv_files import refuse_names_twice, title_remarks, whole_header
from resources.inputs.faults import BadRow
from resources.inputs.record_files import HEAD_RECORDS, KeyTwice, Record, RecordFile, half_letter, leaves, unique_keys
from resources.runtime.opened_files import opened

# The attributes of a cell of Excel with a formula and no value.
_NOT_COMPUTED = re.compile(rb"<c\b([^>]*)><f\b(?:[^>]*/>|[^>]*>[^<]*</f>)(?:<v ?/>|<v></v>)?</c>")
SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def is_json_list(path: str | Path | UPath) -> bool:
    """Whether the first sign of a file is a bracket: it then is one list, not a record a line."""
    with opened(path) as file:
        head = file.read(4096).removeprefix(codecs.BOM_UTF8).lstrip()
        while not head and (more := file.read(4096)):
            head = more.lstrip()
    return head.startswith(b"[")


class JsonList(RecordFile):
    """One JSON list of objects; rows are places in the list, from 1."""

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every object, parsed whole."""
        for row, value in enumerate(self._values, start=1):
            if isinstance(value, dict):
                yield half_letter(value, row) or Record(row, value)
            else:
                yield BadRow(row, f"entry {row} of the list is no JSON object, in '{value!r:.120}'.", "Fix it.")

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """Names seen in the first records, or in all."""
        names: dict[str, None] = {}
        for value in self._values if whole else islice(self._values, HEAD_RECORDS):
            if isinstance(value, dict):
                names.update(dict.fromkeys(name for name, _ in leaves(value)))
        most = current_limits().columns
        if len(names) > most:
            problem = f"the records have {len(names):,} different fields, and at most {most:,} are read."
            raise FileFault(self.name, problem, f"Put one sample in a record, {raise_it('columns')}")
        return list(names), whole or len(self._values) <= HEAD_RECORDS

    @cached_property
    def _values(self) -> list[Any]:
        return list(self._parsed())

    def _parsed(self) -> Any:
        most = current_limits().parquet_bytes
        with opened(self.path) as file:
            text = file.read(most + 1)
        if len(text) > most:
            problem = f"the list is longer than {most:,} bytes."
            raise FileFault(self.name, problem, f"Write one JSON object per line, {raise_it('parquet_bytes')}")
        try:
            return json.loads(text.removeprefix(codecs.BOM_UTF8), object_pairs_hook=unique_keys)
        except KeyTwice as error:
            raise FileFault(self.name, f"{error} stands twice in one object.", "Keep one of the two.") from error
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, ValueError) else "too deeply nested"
            raise FileFault(self.name, f"the list is no JSON ({reason}).", "Export it again.") from error


class Sheet(RecordFile):
    """A sheet of a workbook: the first row with text is the header, rows have the sheet's own numbers.

    A title above the table, one cell where the rows below have several, is no header.
    """

    def __init__(self, path: str | Path | UPath, likely: Collection[str] = (), sheet: str | None = None) -> None:
        """Read the sheet; without a name the only one that holds anything."""
        super().__init__(path, likely)
        every = self._rows(sheet)
        rows = _below_titles(every)
        titles = every[: len(every) - len(rows)]
        self.remarks = title_remarks([(row, _text(next(filter(_is_filled, cells)))) for row, cells in titles])
        below = [[_text(cell) for cell in cells] for _, cells in rows[1:3]]
        self._header, more, remarks = whole_header([_text(cell) for cell in rows[0][1]], below, rows[0][0])
        self.remarks = [*self.remarks, *remarks]
        refuse_names_twice(self.name, [name for name in self._header if name], rows[0][0])
        self._records = rows[1 + more :]

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """Every row with text as a flat record."""
        for row, cells in self._records:
            named = zip(self._header, cells, strict=False)
            yield Record(row, {name: cell for name, cell in named if name and (wanted is None or name in wanted)})

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """The header."""
        return [name for name in self._header if name], True

    def _rows(self, sheet: str | None) -> list[tuple[int, list[Any]]]:
        with opened(self.path) as file:
            self._refuse_large(file)
            file.seek(0)
            try:
                book = CalamineWorkbook.from_filelike(file)
                own = None if sheet is None else own_name(sheet, book.sheet_names)
                names = list(book.sheet_names) if own is None else [own]
                if sheet is not None and own is None:
                    problem = f"there is no sheet '{sheet}'{did_you_mean(sheet, book.sheet_names)}; there are "
                    raise FileFault(self.name, f"{problem}{listing(book.sheet_names)}.", "Correct `--sheet`.")
                found = {name: self._of_sheet(book, name) for name in names}
            except (CalamineError, zipfile.BadZipFile, ValueError) as error:
                raise FileFault(self.name, f"it is no workbook ({error}).", "Export it again.") from error
        filled = {name: rows for name, rows in found.items() if rows}
        if not filled:
            raise FileFault(self.name, "no sheet holds anything.", "Export it again with its rows.")
        if len(filled) > 1:
            problem = f"several sheets hold something: {listing(map(repr, filled))}."
            raise FileFault(self.name, problem, "Name one by `--sheet`, or save it in a file of its own.")
        [(name, rows)] = filled.items()
        with opened(self.path) as file, suppress(zipfile.BadZipFile, KeyError), zipfile.ZipFile(file) as archive:
            self._refuse_formulas(archive, list(book.sheet_names).index(name))
        return rows

    def _refuse_formulas(self, archive: zipfile.ZipFile, place: int) -> None:
        """Raise where a program wrote formulas that no spreadsheet has computed: their cells read as blank."""
        key = re.findall(rb'<sheet\b[^>]*\br:id="([^"]+)"', archive.read("xl/workbook.xml"))[place]
        parts = re.findall(rb"<Relationship\b[^>]*>", archive.read("xl/_rels/workbook.xml.rels"))
        [part] = [one for one in parts if b'Id="%s"' % key in one]
        target = part.partition(b'Target="')[2].partition(b'"')[0].decode().removeprefix("/xl/")
        cells = [
            re.search(rb'\br="([A-Z]+)(\d+)"', attributes)
            for attributes in _NOT_COMPUTED.findall(archive.read(f"xl/{target}"))
            if b't="str"' not in attributes  # an empty text is a result
        ]
        if cells:
            n = len(cells)
            problem = f"the file lacks the results of {n:,} formula{'s' if n > 1 else ''}" + (
                f", the first in {cells[0][0][3:-1].decode()}." if cells[0] else "."
            )
            raise FileFault(self.name, problem, "Open it in Excel or LibreOffice and save it: that computes them.")

    def _of_sheet(self, book: CalamineWorkbook, name: str) -> list[tuple[int, list[Any]]]:
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=False)
        n_columns = len(rows[0]) if rows else 0
        for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
            # A cell over several rows stands for each of them; over several columns it is a title.
            for cells in rows[top + 1 : bottom + 1] if left == right < n_columns else ():
                cells[left] = rows[top][left]
        most = current_limits().columns
        if n_columns > most:
            problem = f"sheet '{name}' has {n_columns:,} columns, and at most {most:,} are read."
            raise FileFault(self.name, problem, f"Put one sample in a row, {raise_it('columns', n_columns)}")
        numbered = [(row, [_value(cell) for cell in cells]) for row, cells in enumerate(rows, start=1)]
        return [(row, cells) for row, cells in numbered if any(cell not in ("", None) for cell in cells)]

    def _refuse_large(self, file: Any) -> None:
        """A workbook is a compressed archive: kilobytes may hold gigabytes."""
        most = current_limits().parquet_bytes
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(file) as archive:
            size = sum(part.file_size for part in archive.infolist())
            if size > most:
                problem = f"decompressed it is {size:,} bytes, and at most {most:,} are read."
                remedy = f"Keep the rows that are needed, {raise_it('parquet_bytes', size)}"
                raise FileFault(self.name, problem, remedy)


def _below_titles(rows: list[tuple[int, list[Any]]]) -> list[tuple[int, list[Any]]]:
    """The rows from the first with several cells on, where there is such a one."""
    first = next((place for place, (_, cells) in enumerate(rows) if sum(map(_is_filled, cells)) > 1), 0)
    return rows[first:]


def _is_filled(cell: Any) -> bool:
    return cell not in ("", None)


def _value(cell: Any) -> Any:
    """A cell as other files hold it: spreadsheets keep whole numbers as fractions, dates as moments."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell.isoformat() if isinstance(cell, date | datetime) else cell


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
