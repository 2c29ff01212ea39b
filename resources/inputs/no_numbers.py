"""Cells of columns of numbers that hold text and no number: a few are counted, many are the column's own form."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from analysis.words import count_noun, noun
from resources.errors import FileFault

# Of a column's values, the largest share that may be written like 4/5, 1_000 or 2024-05-01 and be left out.
MOST_IN_ANOTHER_FORM: Final = 0.05
_MOST_WORDS: Final = 0.5  # of a column that no limit on unusable rows covers
_FEW: Final = 3  # of a small file any share is large
_SHOWN: Final = 60
_REMEDY: Final = "Write plain numbers, such as 0.8 for 4/5 and 1000 for 1_000, or name another column."


@dataclass
class _Found:
    """How many texts, how many of them look like numbers, the first of either, each as words with its row."""

    n: int = 0
    n_like: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    first_like: tuple[int, str] | None = None


class NoNumbers:
    """What stands in columns of numbers instead of one."""

    def __init__(self) -> None:
        """Nothing was seen."""
        self._found: dict[str, _Found] = defaultdict(_Found)

    def see(self, column: str, row: int, text: str) -> None:
        """Note a text that is no number."""
        found = self._found[column]
        found.n += 1
        if len(found.first) < _FEW:
            found.first.append((row, text[:_SHOWN]))
        if any(letter.isdecimal() for letter in text) and not any(letter.isalpha() for letter in text):
            found.n_like += 1
            found.first_like = found.first_like or (row, text[:_SHOWN])

    def refuse(self, name: str, n_kept: int, metadata: Mapping[str, int]) -> None:
        """End the reading of a file where what is no number is the form of a column and no exception in it.

        Args:
            name: The file's.
            n_kept: Rows with a number on both sides.
            metadata: Columns of metadata, with how many of their values are not missing: most must be numbers.

        Raises:
            FileFault: Too many values of a column look like numbers in a form that is not read, or most are none.
        """
        for column, found in self._found.items():
            n_values = metadata.get(column, n_kept + found.n)
            first, n = found.first_like, found.n_like
            if first is None or n <= _FEW or n <= MOST_IN_ANOTHER_FORM * n_values:
                first, n = found.first[0], found.n
                if column not in metadata or n <= _MOST_WORDS * n_values:
                    continue
            row, text = first
            others = f", nor are {n - 1:,} more of its {count_noun(n_values, 'value')}" if n > 1 else ""
            raise FileFault(name, f"'{text}' in column '{column}' is no number{others}.", _REMEDY, row=row)

    def notes(self, metadata: frozenset[str]) -> Iterator[str]:
        """A sentence for each of these columns in which texts count as missing."""
        for column, found in self._found.items():
            if column in metadata:
                shown = ", ".join(f"'{text}' in row {row}" for row, text in found.first)
                more = f" and {found.n - _FEW:,} more" if found.n > _FEW else ""
                said = noun(found.n, "value is no number and counts", "values are no numbers and count")
                yield f"Column '{column}': {found.n:,} {said} as missing: {shown}{more}."
