"""The cells of the columns of ratings, row by row, without rows that repeat another or sum up the others."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.messages import Name, message
from analysis.spelling import one_spelling
from analysis.words import how_often
from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.ratings.other_columns import OtherColumn, written_text
from resources.inputs.ratings.summary_rows import sentences, summary_rows
from resources.inputs.record_files import Record, RecordFile, value_of


class ChosenRows:
    """The rows that `--where` chooses: in each named column they hold one of its values, in any spelling."""

    def __init__(self, where: Iterable[tuple[str, str]]) -> None:
        """Take columns of the file, with a value each."""
        self._values: dict[str, dict[str, str]] = {}
        for name, value in where:
            self._values.setdefault(name, {})[one_spelling(value)] = value
        self._read = {name: value_of(name) for name in self._values}
        self._seen: dict[str, dict[str, str]] = {name: {} for name in self._values}
        self.n_rows = self.n_chosen = 0

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self._values)

    def holds(self, fields: dict[str, Any]) -> bool:
        """Whether a row is chosen."""
        chosen = True
        for name, values in self._values.items():
            text = written_text(self._read[name](fields)) or ""
            plain = one_spelling(text)
            self._seen[name].setdefault(plain, text)
            chosen &= plain in values
        self.n_rows += 1
        self.n_chosen += chosen
        return chosen

    def remarks(self, file: str) -> list[str]:
        """How many rows there are of how many.

        Raises:
            FileFault: A value is in no row, or no row has one of each column.
        """
        for name, values in self._values.items():
            seen = self._seen[name]
            for value in (value for plain, value in values.items() if plain not in seen):
                there = [text for text in seen.values() if text]
                problem = f"column '{name}' holds no '{value}'{did_you_mean(value, there)}; it holds {listing(there)}."
                raise FileFault(file, problem, "Correct `--where`.")
        if self._values and not self.n_chosen:
            raise FileFault(file, "no row holds all that `--where` names.", "Leave one out.")
        which = Name(", ".join(f"{name}={one}" for name, values in self._values.items() for one in values.values()))
        said = message("Only rows with {which}: {n:,} of {all:,}.", which=which, n=self.n_chosen, all=self.n_rows)
        return [said] if self._values else []


@dataclass
class Cells:
    """The texts of the wanted columns row by row; null where a cell is blank.

    `order` has the places of the rows among the file's records, from 0; `differ` says of two rows of one object, by
    their numbers, in which columns they differ; `choice` is the option that chooses one of several criteria.
    """

    rows: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    others: list[OtherColumn] = field(default_factory=list)
    blanks: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    differ: dict[tuple[int, int], str] = field(default_factory=dict)
    choice: str | None = None

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
            which = listing(
                message("row {row:,} (as row {other:,})", row=self.rows[place], other=self.rows[twice[place]])
                for place in copies
            )
            self.remarks.append(message("Counted once, as they repeat a row in every column: {which}.", which=which))
        self._leave_out(copies)

    def _leave_out(self, places: Iterable[int]) -> None:
        out = set(places)
        parts: list[list[Any]] = [self.rows, self.order, *self.columns.values()]
        for texts in [*parts, *(part for other in self.others for part in other[1:])] if out else []:
            texts[:] = [text for place, text in enumerate(texts) if place not in out]

    def without_summaries(self, file: str, names: Mapping[int, str | None], raters: Iterable[str]) -> None:
        """Leave out the first and last rows that sum up the others, and say so.

        Raises:
            FileFault: A row is named so, and is neither a sum nor like the others.
        """
        found = summary_rows(names, [self.columns[name] for name in raters])
        self.remarks += sentences(file, found, self.rows)
        self._leave_out(one.place for one in found if one.sums_up)

    @property
    def notes(self) -> list[str]:
        """What was written where there is no rating."""
        seen = [
            message("'{text}' ({often})", text=Name(text), often=how_often(count))
            for text, count in self.blanks.items()
        ]
        said = message("Read as no rating: {seen}. `--labels` makes a label of it.", seen=listing(seen))
        read = [said] if seen else []
        return read + self.remarks
