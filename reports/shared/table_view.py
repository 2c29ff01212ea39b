"""Tables as a page shows them: heads and cells in every language, or built in the browser from the embedded data."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from reports.shared.text import Part, Text, same


@dataclass(frozen=True)
class Head:
    """A column's head; `term` is the glossary's entry that it links to, `numeric` columns are set to the right."""

    label: Part
    numeric: bool = True
    term: str | None = None
    note: Text | None = None  # a second line, such as a limit
    wide: bool = False  # sentences, which need room


@dataclass(frozen=True)
class TableView:
    """A small table, written into the page; the first column names the row.

    `stacks`: on a narrow window each row becomes a list of its cells, each with its head, and nothing scrolls sideways.
    """

    caption: Text
    heads: Sequence[Head]
    rows: Sequence[Sequence[Part]]
    emphasised: frozenset[int] = field(default_factory=frozenset)  # rows to read first
    stacks: bool = False

    @property
    def filled(self) -> list[int]:
        """Places of the columns that are shown: all but those that are empty in every row."""
        return [
            place for place in range(len(self.heads)) if not self.rows or any(row[place] != "" for row in self.rows)
        ]


@dataclass(frozen=True)
class DataColumn:
    """A column of a `DataTable`: its name in the embedded table, and decimals where it is a number.

    `pictured`: above a cell is the picture that the page has under the cell's words, if any.
    """

    name: str
    label: Text
    decimals: int | None = None
    pictured: bool = False


@dataclass(frozen=True)
class DataTable:
    """A long table that the browser builds from the embedded one when it is opened, for the setting that is shown.

    `searchable`: a field above it keeps the rows that hold all of its words, and its heads sort it.
    """

    caption: Text
    source: str
    columns: Sequence[DataColumn]
    searchable: bool = False

    def spec(self) -> dict[str, object]:
        """As the browser reads it."""
        return {
            "source": self.source,
            "searchable": self.searchable,
            "columns": [
                {"name": one.name, "label": one.label.plains, "decimals": one.decimals, "pictured": one.pictured}
                for one in self.columns
            ],
        }


def all_rows(
    caption: Text,
    source: str,
    frame: pd.DataFrame,
    labels: Mapping[str, Text] | None = None,
    pictured: Collection[str] = (),
) -> DataTable:
    """Every row of an embedded table, to search and sort.

    Args:
        caption: Of the table.
        source: Its name in the page's data.
        frame: That table, without lists.
        labels: Heads of columns; the others are called as in the data.
        pictured: Columns whose cells have pictures.
    """
    labels = labels or {}
    decimals = {"f": 3, "i": 0, "u": 0}
    columns = [
        DataColumn(
            str(name), labels.get(str(name), same(str(name))), decimals.get(frame[name].dtype.kind), name in pictured
        )
        for name in frame
    ]
    return DataTable(caption, source, columns, searchable=True)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A table's rows with none for every null."""
    return [{str(name): None if null(cell) else cell for name, cell in row.items()} for row in frame.to_dict("records")]


def null(cell: Any) -> bool:
    """Whether a cell is empty; a list is not."""
    return not isinstance(cell, list) and pd.api.types.is_scalar(cell) and bool(pd.isna(cell))
