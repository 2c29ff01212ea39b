"""Reads a user's CSV file as text, whole: a table with the file's own row numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from upath import UPath

from resources.errors import FileFault, listing, nearest_of
from resources.inputs.column_names import own_name
from resources.inputs.csv_rows import CsvRows, refuse_names_twice
from resources.inputs.faults import BadRow, Faults
from resources.inputs.written_columns import WrittenColumns, columns_as_written


@dataclass(frozen=True)
class CsvFile:
    """A file as text: stripped cells, blank ones as ``""``; the index is the row in the file (the header is row 1)."""

    name: str
    frame: pd.DataFrame
    delimiter: str
    header_row: int

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
        return columns_as_written(self.name, self._cells(numbers), self._cells(labels), self.delimiter)

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
    return CsvFile(rows.name, named, rows.delimiter, rows.header_row)


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
