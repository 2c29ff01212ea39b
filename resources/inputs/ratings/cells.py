"""The cells of the columns of ratings, row by row, without rows that repeat another or sum up those above them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from resources.errors import listing
from resources.inputs.ratings.other_columns import OtherColumn
from resources.inputs.ratings.summary_rows import sentences, summary_rows
from resources.inputs.record_files import Record, RecordFile


@dataclass
class Cells:
    """The texts of the wanted columns row by row; null where a cell is blank.

    `order` has the places of the rows among the file's records, from 0; `differ` says of two rows of one object, by
    their numbers, in which columns they differ.
    """

    rows: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    others: list[OtherColumn] = field(default_factory=list)
    blanks: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    differ: dict[tuple[int, int], str] = field(default_factory=dict)

    def without_copies(self, file: RecordFile, keys: Sequence[str]) -> None:
        """Leave out every row that repeats the first one of its object in all columns of the file, and say so.

        Args:
            file: It is read once more where an object comes twice, with all its columns.
            keys: The columns that name what has one row.
        """
        first: dict[tuple[str | None, ...], int] = {}
        twice: dict[int, int] = {}
        for place, key in enumerate(zip(*(self.columns[name] for name in keys), strict=True)):
            if None not in key and first.setdefault(key, place) != place:
                twice[place] = first[key]
        if not twice:
            return
        wanted, fields = {self.order[place]: place for place in (*twice, *twice.values())}, {}
        for place, record in enumerate(one for one in file.records() if isinstance(one, Record)):
            if place in wanted:
                fields[wanted[place]] = record.fields
        copies = []
        for place, before in twice.items():
            here, there = fields[place], fields[before]
            names = [name for name in {**there, **here} if here.get(name) != there.get(name)]
            if names:
                self.differ[self.rows[before], self.rows[place]] = listing((f"'{name}'" for name in names), 3)
            else:
                copies.append(place)
        if copies:
            which = listing(f"row {self.rows[place]:,} (as row {self.rows[twice[place]]:,})" for place in copies)
            self.remarks.append(f"Counted once, as they repeat a row in every column: {which}.")
        self._leave_out(copies)

    def _leave_out(self, places: Iterable[int]) -> None:
        out = set(places)
        parts: list[list[Any]] = [self.rows, self.order, *self.columns.values()]
        for texts in [*parts, *(part for other in self.others for part in other[1:])] if out else []:
            texts[:] = [text for place, text in enumerate(texts) if place not in out]

    def without_summaries(self, names: Iterable[str | None], raters: Iterable[str]) -> None:
        """Leave out the last rows that sum up those above them, and say so.

        Args:
            names: What the last rows are called.
            raters: The columns of ratings.
        """
        last = list(names)
        called = dict(enumerate(last, start=len(self.rows) - len(last)))
        found = summary_rows(called, [self.columns[name] for name in raters])
        self.remarks += sentences(found, self.rows)
        self._leave_out(one.place for one in found if one.sums_up)

    @property
    def notes(self) -> list[str]:
        """What was written where there is no rating."""
        seen = [f"'{text}' ({count:,} times)" for text, count in self.blanks.items()]
        read = [f"Read as no rating: {listing(seen)}. `--labels` makes a label of it."] if seen else []
        return read + self.remarks
