"""What the columns of a file of ratings hold in its first rows."""

from collections.abc import Collection
from itertools import islice
from typing import Final, NamedTuple

from analysis.spelling import one_spelling
from resources.inputs.column_names import SpelledNames
from resources.inputs.ratings.criteria import names_a_criterion
from resources.inputs.ratings.no_rating import stands_for_no_rating
from resources.inputs.record_files import HEAD_RECORDS, NO_VALUE, Record, RecordFile, SeveralValues, as_text, value_of
from resources.inputs.written_columns import looks_like_number

# Labels come again and again: more different texts than this share of the rows, or than so many, are no ratings.
MOST_LABELS: Final = 12
# A column whose cells are numbers but for so few holds numbers; each of the others is named.
NEARLY_ALL: Final = 0.9
FEWEST_NUMBERS: Final = 5
LONGEST_CELL: Final = 24
# What is shown of a list in a cell.
A_LIST: Final = "[...]"


class OddCell(NamedTuple):
    """The different cells of a column of numbers that are none, and a sentence that names the first."""

    texts: tuple[str, ...]
    sentence: str


def shortened(text: str, most: int) -> str:
    """A text, or its beginning and an ellipsis, in at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _by_size(text: str) -> tuple[float, str]:
    try:
        return float(text.replace(",", ".")), text
    except ValueError:
        return float("inf"), text


def is_nearly_all(n: int, given: int) -> bool:
    """Whether so many of the cells that are filled in are all but a few."""
    return n >= FEWEST_NUMBERS and n >= NEARLY_ALL * given


class SeenColumn(NamedTuple):
    """The texts of a column's first records, each in the spelling that came first; blanks are left out."""

    name: str
    texts: list[str]
    n: int
    rows: list[int]

    @property
    def odd(self) -> OddCell | None:
        """The first cell of a column of numbers that is none; null where all are."""
        places = [place for place, text in enumerate(self.texts) if not looks_like_number(text)]
        if not places or not self.are_numbers:
            return None
        text = self.texts[places[0]][:60]
        many = f" ({len(places)} of {len(self.texts)} are none)" if len(places) > 1 else ""
        sentence = f"Row {self.rows[places[0]]}: '{text}' in column '{self.name}' is no finite number{many}."
        return OddCell(tuple(dict.fromkeys(self.texts[place] for place in places)), sentence)

    @property
    def different(self) -> int:
        """How many different texts there are."""
        return len(set(self.texts))

    @property
    def are_numbers(self) -> bool:
        """Whether all are numbers, or all but a few."""
        by_text = {text: looks_like_number(text) for text in set(self.texts)}
        n = sum(by_text[text] for text in self.texts)
        return bool(n) and (n == len(self.texts) or is_nearly_all(n, len(self.texts)))

    @property
    def are_labels(self) -> bool:
        """Whether they come again and again."""
        return 1 <= self.different <= min(MOST_LABELS, max(2, len(self.texts) // 2))

    @property
    def holds(self) -> str:
        """What it holds, in a few words."""
        if not self.texts:
            return "nothing"
        blank = f", {self.n - len(self.texts)} blank" if len(self.texts) < self.n else ""
        if self.are_numbers and self.different > MOST_LABELS:
            numbers = islice(filter(looks_like_number, self.texts), 3)
            return f"numbers, such as {', '.join(numbers)}{blank}"
        some = sorted(set(self.texts), key=_by_size)[:6]
        short = ", ".join(shortened(text, LONGEST_CELL) for text in some)
        return f"{short}{' ...' if self.different > len(some) else ''}{blank}"


def seen_columns(file: RecordFile, *, whole: bool = True, blank: Collection[str] = ()) -> list[SeenColumn]:
    """What the columns hold in the first 1,000 rows, or a criterion's in all; none where there is no row."""
    no_rating = {one_spelling(text) for text in blank}
    names, _ = file.names()
    records = [record for record in islice(file.records(), HEAD_RECORDS) if isinstance(record, Record)]
    if not records:
        return []
    found = []
    for name in names:
        value = value_of(name)
        rows = file.records([name]) if whole and names_a_criterion(name) else records
        texts = [(record.row, _text(value(record.fields))) for record in rows if isinstance(record, Record)]
        given = [(row, text) for row, text in texts if text and text not in NO_VALUE and not stands_for_no_rating(text)]
        given = [one for one in given if one_spelling(one[1]) not in no_rating] if no_rating else given
        written, spelled = [text for _, text in given], SpelledNames()
        # What is another text in every row are names of objects, in which letter case may count.
        alike = written if len({*written}) == len(written) else [spelled.first(text) for text in written]
        found.append(SeenColumn(name, alike, len(texts), [row for row, _ in given]))
    return found


def _text(value: object) -> str | None:
    try:
        return as_text(value)
    except SeveralValues:
        return A_LIST
