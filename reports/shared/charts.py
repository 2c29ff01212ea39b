"""A chart of a page: what it draws, with its words and the same numbers as a table."""

from dataclasses import dataclass
from typing import Any

from reports.shared.drawing import Drawing
from reports.shared.table_view import DataTable, TableView
from reports.shared.text import Text


@dataclass(frozen=True)
class Chart:
    """A drawing with its words and the same numbers as a table; `empty` says why there is nothing to draw."""

    id: str
    title: Text
    reading: Text
    table: TableView | DataTable | None
    drawing: Drawing
    empty: Text | None = None

    @property
    def specification(self) -> dict[str, Any]:
        """As Vega-Lite reads it, in English."""
        return self.drawing.specification()
