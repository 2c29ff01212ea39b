"""The other columns of a file of ratings, as what a judge's errors may depend on: numbers, groups, lengths of texts."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np

from analysis.resampling.bootstrap import FEWEST_CLUSTERS
from analysis.verdict.errors import Factor
from resources.errors import UserError
from resources.inputs.column_names import SpelledNames
from resources.inputs.record_files import NO_VALUE, SeveralValues, as_text
from resources.inputs.written_columns import WrittenOtherwise, evidence_of, looks_like_number

# A cell's beginning is kept; of longer ones the length counts.
MOST_KEPT: Final = 80
# A column whose cells are longer than this on average is text.
TEXT: Final = 40
# More rows are not searched unless a column is named.
MOST_ROWS: Final = 200_000
MOST_COLUMNS: Final = 40
MOST_BLANK: Final = 0.5
# Texts that hardly come again are names, not groups.
FEWEST_A_GROUP: Final = 3


class OtherColumn(NamedTuple):
    """The beginnings of a column's cells and their lengths, row by row; null and 0 where a cell is blank."""

    name: str
    texts: list[str | None]
    lengths: list[int]

    def add(self, text: str | None) -> None:
        """One cell more."""
        self.texts.append(None if text is None else text[:MOST_KEPT])
        self.lengths.append(0 if text is None else len(text))

    @property
    def first_spellings(self) -> list[str | None]:
        """The texts, each in the spelling that came first."""
        names = SpelledNames()
        return [None if text is None else names.first(text) for text in self.texts]

    def at(self, rows: list[int]) -> "OtherColumn":
        """Some of its cells."""
        return OtherColumn(self.name, [self.texts[row] for row in rows], [self.lengths[row] for row in rows])


def written_text(value: Any) -> str | None:
    """A cell; of a list or a group of fields, how it is written."""
    try:
        return as_text(value)
    except SeveralValues:
        return json.dumps(value, ensure_ascii=False, default=str)


def other_text(value: Any) -> str | None:
    """A cell of a column that is no rating; null where it says that there is none."""
    text = written_text(value)
    return None if text in NO_VALUE else text


def factor(column: OtherColumn) -> Factor | None:
    """What a column may tell of errors; nothing where it is blank, constant or names every object."""
    texts = column.first_spellings
    given = [text for text in texts if text is not None]
    different = set(given)
    if len(given) < len(column.texts) * (1.0 - MOST_BLANK) or len(different) < 2:
        return None
    numbers = {text: _number(text) for text in different}
    if all(number is not None for number in numbers.values()):
        values = np.array([np.nan if text is None else numbers[text] for text in texts], dtype=np.float64)
        counts_rows = len(different) == len(given) and bool((np.diff(values) == 1.0).all())
        return None if counts_rows else Factor(column.name, values, "number")
    lengths = np.array(column.lengths, dtype=np.float64)
    if lengths[lengths > 0].mean() > TEXT:
        return Factor(f"length of '{column.name}'", np.where(lengths > 0, lengths, np.nan), "length")
    if len(different) * FEWEST_A_GROUP > len(given):
        return None
    return Factor(column.name, np.array(["" if text is None else text for text in texts]), "group")


def are_clusters(texts: Sequence[object]) -> bool:
    """Whether values come again, and are as many as the fewest clusters that an interval needs."""
    return FEWEST_CLUSTERS <= len({*texts}) < len(texts)


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if np.isfinite(found) else None


def with_decimal_points(others: Iterable[OtherColumn], file: str, delimiter: str) -> tuple[OtherColumn, ...]:
    """The same columns with numbers as programs write them, of a file whose ratings have decimal commas.

    Args:
        others: They keep their texts where these are no numbers, or are written otherwise.
        file: Its name.
        delimiter: What separates its cells.
    """
    found = []
    for one in others:
        texts = {text for text in one.texts if text is not None}
        numbers: dict[str | None, str] = {}
        if texts and all(map(looks_like_number, texts)):
            with suppress(UserError, WrittenOtherwise):
                read = evidence_of({one.name: texts}).decided(file, delimiter, ",")
                seen = ((text, read.number(one.name, text)) for text in texts)
                numbers = {text: repr(number).removesuffix(".0") for text, number in seen if number != _number(text)}
        found.append(one._replace(texts=[numbers.get(text, text) for text in one.texts]))
    return tuple(found)
