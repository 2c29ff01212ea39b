"""First and last rows of a spreadsheet that sum up the others, and so are no objects: mean, total, std and the like."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from analysis.messages import Name, message
from analysis.spelling import one_spelling
from resources.errors import FileFault, listing

# So many rows at either end are looked at, and so many first columns for their names.
MOST_ROWS: Final = 12
MOST_COLUMNS: Final = 5
FEWEST_ABOVE: Final = 3
MOST_UNNAMED: Final = 4
# A name that comes in more rows than a few is that of a group.
MOST_OF_A_NAME: Final = 3
NO_SUMMARY: Final = "-"
_WORDS: Final = {
    "mean": r"mean|average|avg|media|moyenne|mittelwert|promedio",
    "sum": r"totals?|sum|totale|totali|somma|summe",
    "std": r"std|sd|stdev|st\.? ?dev|std\.? ?dev|standard deviation|deviazione standard|dev\.? ?st(d|andard)?",
    "variance": r"var|variance|varianza",
    "median": r"median|mediana",
    "min": r"min|minimum|minimo",
    "max": r"max|maximum|massimo",
    "count": r"count|n|number|numero|conteggio",
    # Says that it sums up, not how.
    "any": r"overall|summary|all|riepilogo|complessivo|tutti",
}
_NAMES: Final = {
    kind: re.compile(rf"\W*((grand|overall|column) )?({words})( (score|rating|value)s?)?\W*", re.IGNORECASE)
    for kind, words in _WORDS.items()
}
_HOW: Final[dict[str, Sequence[Callable[[np.ndarray], float]]]] = {
    "mean": (np.mean,),
    "sum": (np.sum, np.mean),
    "std": (np.std, lambda values: np.std(values, ddof=1)),
    "variance": (np.var, lambda values: np.var(values, ddof=1)),
    "median": (np.median,),
    "min": (np.min,),
    "max": (np.max,),
    "count": (len,),
    "any": (np.mean, np.sum),
}
_HOW["unnamed"] = tuple(how for one in _HOW.values() for how in one)


class SummaryRow(NamedTuple):
    """A row at either end that is named as a summary is.

    Attributes:
        place: Among the rows that were read, from 0.
        name: What it is called.
        sums_up: Whether its numbers are that summary of the other rows, so that it is no object.
        is_step: Whether its numbers are whole where those of the other rows are, so that it may be an object.
        others: The other rows in words.
    """

    place: int
    name: str
    sums_up: bool
    is_step: bool = True
    others: str = "rows above it"


def kind_of(name: str | None) -> str | None:
    """What a row of this name would hold of the rows above it; none where it is named otherwise."""
    return next((kind for kind, pattern in _NAMES.items() if name is not None and pattern.fullmatch(name)), None)


def end_places(n: int) -> list[int]:
    """The places of the first and last of so many rows, from 0."""
    return sorted({*range(n)[:MOST_ROWS], *range(n)[-MOST_ROWS:]})


def row_names(
    ends: Mapping[int, Sequence[str | None]], whole: Callable[[int], Iterable[str | None]]
) -> dict[int, str | None]:
    """What the first and last rows are called: the first of a row's texts that is a summary's name, else the first.

    Args:
        ends: By place, what stands in each column that may name the row.
        whole: All texts of one of these columns. It is read where a text is a summary's name: one that comes often is a
            group, such as the criterion overall, and names no row.
    """
    width, groups = max(map(len, ends.values()), default=0), set[tuple[int, str]]()
    for column in range(width):
        named = {one_spelling(text) for of_row in ends.values() if kind_of(text := of_row[column]) and text}
        counts = Counter(one_spelling(text) for text in (whole(column) if named else ()) if text)
        groups |= {(column, text) for text in named if counts[text] > MOST_OF_A_NAME}

    def name(of_row: Sequence[str | None]) -> str | None:
        given = [
            NO_SUMMARY if (column, one_spelling(text)) in groups else text for column, text in enumerate(of_row) if text
        ]
        return next(filter(kind_of, given), next(iter(given), None))

    return {place: name(of_row) for place, of_row in ends.items()}


def summary_rows(names: Mapping[int, str | None], columns: Sequence[Sequence[str | None]]) -> list[SummaryRow]:
    """The rows at the beginning and at the end that are named as summaries are.

    Args:
        names: By place, from 0, what each of the first and last rows is called; null where it is not.
        columns: The raters' texts, row by row; null where a cell is blank.

    Returns:
        In the file's order. Of a column of words a number or a percentage below it sums up.
    """
    n = len(columns[0]) if columns else 0
    last = _summary_names(names, columns, range(n - 1, max(-1, n - 1 - MOST_ROWS), -1))
    first = _summary_names(names, columns, range(min(n, MOST_ROWS)))
    low, high = max(first, default=-1) + 1, min(last, default=n)
    kinds = first | last
    if not kinds or high - low < FEWEST_ABOVE:
        return _without_names(names, columns, n)
    others = [_numbers(column[low:high]) for column in columns]
    found = []
    for place in sorted(kinds):
        cells = [column[place] for column in columns]
        sums_up, is_step = _sums_up(cells, others, kinds[place]), all(map(_is_step, cells, others))
        which = message("rows above it") if place in last else message("rows below it")
        found.append(SummaryRow(place, str(names[place]), sums_up, is_step, which))
    return found


def _summary_names(
    names: Mapping[int, str | None], columns: Sequence[Sequence[str | None]], places: Iterable[int]
) -> dict[int, str]:
    """By place what rows would hold that are named as summaries are, up to the first other row with a rating."""
    kinds = {}
    for place in places:
        kind = kind_of(names.get(place))
        if kind is not None:
            kinds[place] = kind
        elif any(column[place] is not None for column in columns):
            break
    return kinds


def _is_step(cell: str | None, others: np.ndarray | None) -> bool:
    """Whether a rating is a number, and a whole one where the others are."""
    if cell is None or others is None or (others != np.round(others)).any():
        return True
    number = _number(cell.rstrip("% "))
    return number is not None and number == round(number)


def _without_names(
    names: Mapping[int, str | None], columns: Sequence[Sequence[str | None]], n: int
) -> list[SummaryRow]:
    """Last rows without a name, the first of which has the means of at least two columns, which no object has."""
    for first in range(max(FEWEST_ABOVE, n - MOST_UNNAMED), n):
        if any(names.get(place) is not None for place in range(first, n)):
            continue
        above = [_numbers(column[:first]) for column in columns]
        texts = [column[first] for column in columns]
        off = [
            text for text, column in zip(texts, columns, strict=True) if text is not None and text not in column[:first]
        ]
        if len(off) < 2 or None in texts or any(one is None for one in above) or not _sums_up(texts, above, "mean"):
            continue
        rest = [_sums_up([column[place] for column in columns], above, "unnamed") for place in range(first, n)]
        if all(rest):
            return [SummaryRow(place, "", True) for place in range(first, n)]
    return []


def sentences(file: str, found: Sequence[SummaryRow], rows: Sequence[int]) -> list[str]:
    """What is said of them: which are left out, and which count as objects though they are named so.

    Raises:
        FileFault: One that sums up nothing has fractions where all others have steps, which would change the scale.
    """
    for one in found:
        if not (one.sums_up or one.is_step):
            problem = (
                f"it is named '{one.name}', does not sum up the {one.others}, and has fractions where they have none,"
            )
            remedy = "Remove it, or name it otherwise if it is an object."
            raise FileFault(file, f"{problem} so that it would change the scale.", remedy, row=rows[one.place])
    said = []
    for which in dict.fromkeys(one.others for one in found if one.sums_up):
        out = listing(
            message("row {row:,} ('{name}')" if one.name else "row {row:,}", row=rows[one.place], name=Name(one.name))
            for one in found
            if one.sums_up and one.others == which
        )
        said.append(message("Left out, as its numbers sum up the {which}: {out}.", which=which, out=out))
    said += [
        message(
            "Row {row:,} is named '{name}' and counts as an object: if it sums up the {others}, remove it.",
            row=rows[one.place],
            name=Name(one.name),
            others=message("rows above") if "above" in one.others else message("rows below"),
        )
        for one in found
        if not one.sums_up
    ]
    return said


def _sums_up(cells: Sequence[str | None], above: Sequence[np.ndarray | None], kind: str) -> bool:
    checked = []
    for text, values in zip(cells, above, strict=True):
        if text is None:
            continue
        bare = text.rstrip("% ")
        number = _number(bare)
        if number is None:
            return False
        if values is None:
            checked.append(True)
            continue
        _, *decimals = re.split(r"[.,]", bare)
        room = 0.51 * 10.0 ** -len(decimals[-1] if decimals else "")
        of_all = [float(how(values)) for how in _HOW[kind]] if len(values) else []
        checked.append(any(abs(number - one) <= room + 1e-9 * abs(one) for one in of_all))
    return bool(checked) and all(checked)


def _numbers(texts: Sequence[str | None]) -> np.ndarray | None:
    """A column's numbers; none where some are words."""
    given = [text for text in texts if text is not None]
    by_text = {text: _number(text) for text in set(given)}
    if any(number is None for number in by_text.values()):
        return None
    return np.array([by_text[text] for text in given], dtype=np.float64)


def _number(text: str) -> float | None:
    for written in (text, text.replace(",", ".")):
        try:
            found = float(written)
        except ValueError:
            continue
        return found if np.isfinite(found) else None
    return None
