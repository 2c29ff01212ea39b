"""One file of a user's, looked at for a study: what its columns are, their scale, and how a section writes them."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np

from analysis.spelling import one_spelling
from resources.configuration.made_up import StudyName
from resources.errors import FileFault, listing
from resources.inputs.any_file import AS_IT_IS, Opening
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.faults import BadRow
from resources.inputs.ratings.likely import LikelyColumn, LikelyColumns, likely_columns, models_among
from resources.inputs.ratings.likely_command import likely_command
from resources.inputs.ratings.nested import NamedEntries, OneObject
from resources.inputs.ratings.seen_columns import A_LIST, SeenColumn, seen_columns
from resources.inputs.ratings.summary_rows import MOST_COLUMNS, end_places, row_names, summary_rows
from resources.inputs.record_files import NO_VALUE, Record, RecordFile, SeveralValues, as_text, value_of
from resources.inputs.written_columns import WrittenOtherwise, evidence_of, looks_like_number

# Scales that people are given, from 1 and from 0; the narrowest that holds all ratings is taken.
FROM_ONE: Final = ((1, 5), (1, 7), (1, 10))
FROM_ZERO: Final = ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 10), (0, 100))
UNREAD: Final = "not read"


@dataclass(frozen=True)
class Drafted:
    """The study that a file is for, the lines of its section, what each column is taken for, and what else to know.

    `files` are written next to the configuration.
    """

    study: StudyName
    lines: tuple[str, ...]
    taken: tuple[tuple[str, str, str], ...]
    name: str
    remarks: tuple[str, ...] = ()
    files: tuple[tuple[Path, str], ...] = ()


class Draft:
    """One file, what its columns are likely to be, and what goes with the configuration."""

    def __init__(self, file: RecordFile, path: Path, folder: Path, opening: Opening = AS_IT_IS) -> None:
        self.file, self.path, self.folder, self.opening = file, path, folder, opening
        self.decimal = opening.decimal
        self.seen: list[SeenColumn] = seen_columns(file)
        self.found: LikelyColumns = likely_columns(file)
        self.likely: tuple[LikelyColumn, ...] = self.found.columns
        self.meaning: dict[str, str] = {}
        self.copy: Path | None = None
        self.judges: tuple[str, ...] = ()
        self.files: list[tuple[Path, str]] = []
        self.remarks: list[str] = []

    @property
    def taken(self) -> tuple[tuple[str, str, str], ...]:
        """Each column, what it is taken for, and what it holds."""
        return tuple((one.name, self.meaning.get(one.name, one.role), one.holds) for one in self.likely)

    @cached_property
    def where(self) -> str:
        """The file, as the configuration names it."""
        return quoted(self.relative(self.copy or self.path))

    def _copied(self) -> str:
        """The file as a CSV in UTF-8, with decimal points where the decimal sign was named."""
        lists = {one.name for one in self.seen if A_LIST in one.texts}
        names = [name for name in self.file.names()[0] if name not in lists]
        readers = [(name, value_of(name)) for name in names]
        numbers = [one.name for one in self.seen if one.are_numbers and one.name not in self.roles("object", "rater")]
        plain = self._with_decimal_points(numbers) if self.decimal else {}
        out = io.StringIO()
        # With the same delimiter a decimal comma stays one.
        writer = csv.writer(out, delimiter=("" if plain else self.file.delimiter) or ",", lineterminator="\n")
        writer.writerow(names)
        for record in self.records(names):
            if not isinstance(record, Record):
                raise FileFault(self.file.name, record.problem, record.remedy, row=record.row)
            texts = ((name, self._copied_cell(name, value(record.fields), record.row)) for name, value in readers)
            writer.writerow([plain.get(cell, cell[1]) for cell in texts])
        return out.getvalue()

    def _copied_cell(self, name: str, value: object, row: int) -> str:
        """A value as text; blank where it is a list that no study reads, of which the first records have none."""
        try:
            return as_text(value) or ""
        except SeveralValues as several:
            if name in self.roles("other"):
                return ""
            problem = f"'{name}' holds several values, {several}."
            raise FileFault(self.file.name, problem, "Put one rating in a cell.", row=row) from several

    def _with_decimal_points(self, columns: Sequence[str]) -> dict[tuple[str, str], str]:
        """How programs write the numbers of these columns, by column and cell; digits, and other forms, stay."""
        texts, found = self.texts_in(columns), {}
        written = evidence_of(texts).decided(self.file.name, self.file.delimiter, self.decimal)
        for name, of_one in texts.items():
            # Digits may name something: 007, or more of them than a float holds.
            for text in (one for one in of_one if not (one.isascii() and one.isdigit())):
                with suppress(WrittenOtherwise):
                    if (number := written.number(name, text)) is not None:
                        of_share = f"{number * 100:.15g} %" if name in written.shares else None
                        found[name, text] = of_share or repr(number).removesuffix(".0")
        return found

    def relative(self, path: Path) -> str:
        """A path as the configuration, which is in the folder, names it."""
        place, folder = path.resolve(), self.folder.resolve()
        if place.is_relative_to(folder):
            return place.relative_to(folder).as_posix()
        next_to = place.is_relative_to(folder.parent)
        return f"../{place.relative_to(folder.parent).as_posix()}" if next_to else place.as_posix()

    def leave_out_judges(self, rater: str | None) -> None:
        """Raters that are judges by the rule of `touchstone verdict` are no people: the study's copy lacks them."""
        raters = [] if rater is None else self.names_in(rater)
        self.judges, unsure = models_among(raters)
        if len(self.judges) == len(raters):
            self.judges, unsure = (), self.judges
        named = listing(f"'{name}'" for name in self.judges or unsure)
        if unsure:
            asked = f"Which of {named} in '{rater}' are judges?"
            self.remarks.append(f"{asked} All count as people: remove the judges' rows.")
        if self.judges:
            self._rater = str(rater)
            self.copy = self.copy or free_path(self.folder / f"{self.path.stem}.csv")
            command = likely_command(self.found, [str(self.path)])
            said = f"{named} in '{rater}' is taken for a judge: {self.copy.name} in the study's folder is without it."
            self.remarks.append(f"{said} The verdict on it: {command}")

    def records(self, columns: Sequence[str]) -> Iterator[Record | BadRow]:
        """The rows with these columns, without those of judges that are left out."""
        if not self.judges:
            yield from self.file.records(columns)
            return
        who, left_out = value_of(self._rater), {one_spelling(name) for name in self.judges}
        for record in self.file.records(dict.fromkeys([*columns, self._rater])):
            name = cell_text(who(record.fields)) if isinstance(record, Record) else None
            if name is None or one_spelling(name) not in left_out:
                yield record

    def names_in(self, column: str) -> list[str]:
        """What a column holds in the whole file, letter case aside."""
        spelled = SpelledNames()
        return list(dict.fromkeys(spelled.first(name) for name in self.texts_in([column])[column]))

    def roles(self, *roles: str) -> list[str]:
        """The columns of these roles."""
        return [one.name for one in self.likely if one.role in roles]

    def takes(self, meaning: Mapping[str, str | None]) -> None:
        """The columns that a study reads, by what they are to it; it reads no others."""
        self.meaning = {one.name: UNREAD for one in self.likely}
        self.meaning |= {name: what for what, name in meaning.items() if name is not None}

    def as_drafted(self, study: StudyName, lines: Iterable[str]) -> Drafted:
        """The section with these lines."""
        read = [one for one in self.likely if self.meaning.get(one.name) != UNREAD]
        odd = [f"{one.odd.sentence} Correct it." for one in read if one.odd]
        files = self.files
        if self.copy is not None:
            files.append((self.copy, self._copied()))
            copy = f"{self.copy.name} in the study's folder is a copy of the file."
            if isinstance(self.file, NamedEntries | OneObject):
                odd.append(f"A study takes no nested lists, so {copy}")
            elif self.opening != AS_IT_IS:
                odd.append(f"A study takes no encoding, sheet or decimal sign, so {copy}")
        return Drafted(study, tuple(lines), self.taken, self.file.name, (*odd, *self.remarks), tuple(files))

    def alike(self, *names: str) -> str | None:
        """The first of these names that a column has, letter case aside."""
        there = [one.name for one in self.seen]
        return next((own for name in names if (own := own_name(name, there)) is not None), None)

    def refuse_summaries(self, columns: Sequence[str]) -> None:
        """A study would count a last row of means or totals as an object.

        Raises:
            FileFault: There is one.
        """
        called = dict.fromkeys([*self.roles("object"), *(one.name for one in self.seen[:MOST_COLUMNS])])
        named = [name for name in called if name not in columns]
        records = [one for one in self.file.records([*named, *columns]) if isinstance(one, Record)]
        sides = [
            [[cell_text(value_of(name)(one.fields)) for one in records] for name in side] for side in (named, columns)
        ]
        ends = {place: [texts[place] for texts in sides[0]] for place in end_places(len(records))}
        names = row_names(ends, sides[0].__getitem__)
        for one in summary_rows(names, sides[1]):
            if one.sums_up:
                problem = f"the row '{one.name}' sums up the {one.others}, and a study would count it as an object."
                raise FileFault(self.file.name, problem, "Remove the rows of sums.", row=records[one.place].row)

    def texts_in(self, columns: Sequence[str]) -> dict[str, dict[str, None]]:
        """What each column holds in the whole file, blanks left out."""
        readers = [(name, value_of(name)) for name in columns]
        found: dict[str, dict[str, None]] = {name: {} for name in columns}
        for record in self.records(columns):
            if isinstance(record, Record):
                for name, value in readers:
                    text = cell_text(value(record.fields))
                    if text is not None:
                        found[name][text] = None
        return found

    def numbers(self, columns: Sequence[str]) -> np.ndarray:
        """All numbers of the columns."""
        texts = {name: [text for text in of_one if looks_like_number(text)] for name, of_one in
                 self.texts_in(columns).items()}  # fmt: skip
        written = evidence_of(texts).decided(self.file.name, self.file.delimiter, self.decimal)
        found = [written.on_scale(name, number, 0, 100) for name, of_one in texts.items() for text in of_one
                 if (number := written.number(name, text)) is not None]  # fmt: skip
        return np.array(found, dtype=np.float64)

    def scale(self, columns: Sequence[str]) -> tuple[float, float]:
        """The narrowest scale that people are given which holds all ratings.

        Raises:
            FileFault: There is no number.
        """
        numbers = self.numbers(columns)
        if not numbers.size:
            raise FileFault(self.file.name, f"{listing(map(repr, columns))} holds no number.", "Export it again.")
        low, high = float(numbers.min()), float(numbers.max())
        scales = (*FROM_ONE, *FROM_ZERO) if low >= 1 else FROM_ZERO
        known = (one for one in scales if one[0] <= low and high <= one[1])
        return next(known, (float(np.floor(low)), float(np.ceil(high))))

    def range(self, columns: Sequence[str]) -> str:
        """What the ratings run from and to, in words."""
        numbers = self.numbers(columns)
        said = f"the ratings run from {numbers.min():g} to {numbers.max():g}"
        return f"{said}: correct it where the scale goes further"


def free_path(path: Path) -> Path:
    """The path, with a number where there is such a file already."""
    numbered = (path if n == 1 else path.with_stem(f"{path.stem}-{n}") for n in count(1))
    return next(one for one in numbered if not one.exists())


def cell_text(value: object) -> str | None:
    """A cell; null where it is blank or holds several values."""
    try:
        text = as_text(value)
    except SeveralValues:
        return None
    return None if text in NO_VALUE else text


def quoted(text: str) -> str:
    """A text as YAML reads it back."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*", text) and text.lower() not in ("true", "false", "yes", "no", "null",
                                                                              "on", "off", "y", "n"):  # fmt: skip
        return text
    return json.dumps(text, ensure_ascii=False)


def mapping(values: Mapping[str, str]) -> str:
    """A mapping in one line."""
    return "{" + ", ".join(f"{quoted(ours)}: {quoted(theirs)}" for ours, theirs in values.items()) + "}"


def yaml_list(values: Iterable[object]) -> str:
    """A list in one line."""
    return "[" + ", ".join(f"{one:g}" if isinstance(one, float | int) else str(one) for one in values) + "]"
