"""Reads one file of ratings into what people and judges gave each object, as numbers or as the numbers of labels."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.messages import Name, message
from analysis.spelling import one_spelling
from analysis.verdict.findings import FEWEST_OF_A_PERSON
from analysis.verdict.panel import MOST_STEPS
from analysis.verdict.zeros import what_zero_is, zeros_next_to_a_scale
from analysis.words import how_often
from resources.errors import SHOWN, FileFault, UserError, did_you_mean, listing
from resources.inputs.any_file import AS_IT_IS, Opening
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.ratings.known_orders import known_order, numbered_order, order_but_one
from resources.inputs.ratings.layout import RatingColumns, RatingsPath, RawRatings, Scale, raw_ratings
from resources.inputs.ratings.likely import names_a_metric
from resources.inputs.ratings.no_rating import correction, refuse_no_labels
from resources.inputs.ratings.other_columns import OtherColumn, with_decimal_points
from resources.inputs.ratings.scale_ends import without_scale_ends
from resources.inputs.ratings.seen_columns import is_nearly_all
from resources.inputs.written_columns import WrittenColumns, WrittenOtherwise, evidence_of, looks_like_number

Floats = NDArray[np.float64]
# A code is rarer among the ratings than this share.
RARE: Final = 0.2
# What is written for no rating where only numbers can be.
CODES: Final = frozenset({-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0})
FEWEST_STEPS: Final = 3
FEWEST_A_STEP: Final = 5
# So many equal values are a slip of the keyboard, among so many of people's.
MOST_TYPED: Final = 3
# Numbers up to here may be points of 100, unless none is above the highest step of a usual scale.
MOST_POINTS, MOST_OF_STEPS = 100.0, 10.0
ALIKE: Final = "Write both alike in the file, or name the good ones of both by `--positive`."


@dataclass(frozen=True)
class Ratings:
    """What each rater gave each object, NaN where nothing; labels are numbers 0, 1, 2 ... in the order of `labels`.

    Attributes:
        name: The file's.
        objects: Names of the objects, or their rows.
        judges: By name, shape ``(n,)``.
        people: By name, shape ``(n,)``.
        clusters: Shape ``(n,)``, the source that an object shares with others.
        scale: Nominal and ordinal ratings of words have `labels`; ordinal numbers have none.
        labels: What the numbers stand for.
        n_rows: Rows of the file.
        notes: One sentence for each thing that was read in another way than it is written.
        positive: Whether the second of two labels is the good one.
        others: The columns that hold no ratings, an entry for each object.
        dependence: A sentence where objects look as if they shared sources and are taken as independent.
    """

    name: str
    objects: tuple[str, ...]
    judges: dict[str, Floats]
    people: dict[str, Floats]
    clusters: NDArray[np.str_]
    scale: Scale
    labels: tuple[str, ...]
    n_rows: int
    notes: tuple[str, ...]
    positive: bool = False
    others: tuple[OtherColumn, ...] = ()
    dependence: str = ""


def read_ratings(path: RatingsPath, columns: RatingColumns, opening: Opening = AS_IT_IS) -> Ratings:
    """The ratings of a file.

    Args:
        path: Local path or fsspec address of a CSV, JSONL, JSON, Parquet, Excel or ODS file, or of Label Studio's
            export; one or several files of TREC, each of which is a rater.
        columns: What its columns mean.
        opening: What the file does not say of itself.

    Raises:
        FileFault: The file cannot be read, a column is not there, ratings are numbers for some and words for others,
            or there is no row.
        FileFaults: Several rows cannot be read, or a rater rated one object twice.
    """
    raw = raw_ratings(path, columns, opening, collect=True)
    found = _read(raw, columns)
    raw.faults.raise_if_any()
    return found


def _read(raw: RawRatings, columns: RatingColumns) -> Ratings:
    """Ratings as numbers, or as the numbers of their labels."""
    if columns.positive:
        return _two_labels(_labelled(raw, columns), columns)
    if columns.labels or columns.scale == "nominal":
        return _labelled(raw, columns)
    raw = without_scale_ends(raw)
    words = _first_words(raw)
    if words and (len(words) < len(raw.ratings) or all(one.is_odd for one in words.values())):
        _refuse_mixed(raw, words)
        return _numbered(raw, columns)
    if not words:
        return _numbered(raw, columns)
    if columns.scale is not None and not (columns.scale == "ordinal" and _known_order(raw)):
        one = next(iter(words.values()))
        remedy = "Name the labels in their order by `--labels`, lowest first, or leave out `--scale`."
        raise FileFault(
            raw.name, f"'{one.text:.60}' is no number, and words have no order of their own.", remedy, row=one.row
        )
    return _labelled(raw, columns)


def _known_order(raw: RawRatings) -> list[str] | None:
    spelled = SpelledNames()
    return known_order({spelled.first(text) for texts in raw.ratings.values() for text in texts if text is not None})


class _Words(NamedTuple):
    """Of a rater's ratings that are no numbers the row and text of the first, how many they are, and of how many."""

    row: int
    text: str
    n: int
    given: int

    @property
    def is_odd(self) -> bool:
        """Whether all others but a few are numbers."""
        return is_nearly_all(self.given - self.n, self.given)


def _first_words(raw: RawRatings) -> dict[str, _Words]:
    """Raters whose ratings are not all numbers."""
    found: dict[str, _Words] = {}
    for name, texts in raw.ratings.items():
        words = {text for text in set(texts) if text is not None and not looks_like_number(text)}
        places = [place for place, text in enumerate(texts) if text in words] if words else []
        if places:
            given = sum(text is not None for text in texts)
            found[name] = _Words(raw.rows[name][places[0]], str(texts[places[0]]), len(places), given)
    return found


def _refuse_mixed(raw: RawRatings, words: Mapping[str, _Words]) -> None:
    """Some raters gave numbers and another only words, of which the first is named."""
    others = [other for other in raw.ratings if other not in words]
    for name, one in words.items():
        if one.n == one.given:
            number = next(text for text in raw.ratings[others[0]] if text is not None)
            problem = f"no rating of '{name}' is a number (the first is '{one.text:.60}'), and all of "
            problem += f"{listing(map(repr, others))} are (the first is '{number:.60}')."
            raw.faults.add(problem, ALIKE, one.row)
            raw.faults.raise_if_any()


def _numbered(raw: RawRatings, columns: RatingColumns) -> Ratings:
    by_column: dict[str, dict[str, None]] = {}
    for name, texts in raw.ratings.items():
        by_column.setdefault(raw.column[name], {}).update(dict.fromkeys(text for text in texts if text is not None))
    plain = all(_is_plain(text) for texts in by_column.values() for text in texts) and raw.decimal != ","
    written = WrittenColumns() if plain else evidence_of(by_column).decided(raw.name, raw.delimiter, raw.decimal)
    if written.has_decimal_commas:
        raw = replace(raw, others=with_decimal_points(raw.others, raw.name, raw.delimiter))
    written = _in_one_unit(raw, by_column, written)
    values: dict[str, Floats] = {}
    odd: dict[tuple[str, str], _Odd] = {}
    for name, texts in raw.ratings.items():
        numbers: dict[str | None, float] = {None: np.nan}
        for place, text in enumerate(texts):
            if text in numbers or text is None:
                continue
            numbers[text] = np.nan
            row, key = raw.rows[name][place], (name, text)
            try:
                number = written.number(raw.column[name], text)
            except WrittenOtherwise as other:
                one = _Odd(row, other.problem, other.remedy, [])
                odd.setdefault((raw.column[name], ""), one).cells.append(key)
                continue
            if number is not None and np.isfinite(number):
                numbers[text] = number
            else:
                labels = ", `--scale nominal` if all are labels" if number is None else ""
                problem = f"'{text:.60}' of '{name}' is no {'' if number is None else 'finite '}number."
                odd[key] = _Odd(row, problem, correction(text, labels), [key])
        values[name] = np.array([numbers[text] for text in texts])
    for one in odd.values():
        n = sum(raw.ratings[name].count(text) for name, text in one.cells)
        raw.faults.add(one.problem + (f" {n:,} cells are so." if n > 1 else ""), one.remedy, one.row)
    _refuse_codes(raw, values, columns)
    # What follows takes every rater to have ratings.
    raw.faults.raise_if_any()
    notes = [] if columns.scale is not None or raw.has_blank else _zero_notes(raw, values)
    scale = columns.scale or _numeric_scale(values)
    labels_there: tuple[str, ...] = ()
    if scale == "nominal":
        there = np.unique(np.concatenate([column[~np.isnan(column)] for column in values.values()]))
        labels_there = tuple(f"{value:g}" for value in there)
        values = {name: np.where(np.isnan(v), np.nan, np.searchsorted(there, v)) for name, v in values.items()}
    return _ratings(raw, values, scale, labels_there, [*written.notes(), *notes])


def _in_one_unit(raw: RawRatings, texts: Mapping[str, Iterable[str]], written: WrittenColumns) -> WrittenColumns:
    """Percentages next to columns of numbers on 0-100 as points of 100, next to such on 0-1 as shares.

    Where people write both, theirs are the numbers that say it; else the judges'. A metric, and a judge on neither
    scale, says nothing.

    Raises:
        FileFault: People's numbers are neither.
    """
    shares, ranges = written.shares, dict[str, tuple[float, float]]()
    for column in texts if shares else ():
        given = set[float]()
        for text in texts[column] if column not in shares else ():
            with suppress(WrittenOtherwise):
                number = written.number(column, text)
                given |= set() if number is None else {number}
        if others := given - CODES:
            ranges[column] = min(others), max(others)
    of_people = {raw.column[name] for name in raw.people}
    both = [ranges[column] for column in ranges if column in of_people]
    bounds = [(min(low for low, _ in both), max(high for _, high in both))] if both else []
    said = bounds or [limits for column, limits in ranges.items() if not names_a_metric(column)]
    of_points = any(low >= 0.0 and MOST_OF_STEPS < high <= MOST_POINTS for low, high in said)
    if of_points and not any(low >= 0.0 and high <= 1.0 for low, high in said):
        return written.with_points()
    if both and not 0.0 <= bounds[0][0] <= bounds[0][1] <= 1.0:
        name = next(name for name, column in raw.column.items() if column == shares[0])
        place = next(place for place, text in enumerate(raw.ratings[name]) if text is not None)
        problem = f"'{raw.ratings[name][place]}' in column '{shares[0]}' is a percentage, and people's numbers are "
        remedy = "Write all in one unit, or this column without its sign if its unit is another."
        raise FileFault(raw.name, f"{problem}{bounds[0][0]:g} to {bounds[0][1]:g}.", remedy, row=raw.rows[name][place])
    return written


class _Odd(NamedTuple):
    """A cell that is no number, or another form of one: its row, what to say, and each rater and text that is so."""

    row: int
    problem: str
    remedy: str
    cells: list[tuple[str, str]]


def _refuse_codes(raw: RawRatings, values: Mapping[str, Floats], columns: RatingColumns) -> None:
    """Note each 99 or -1 among 1 to 5, and each 44: as ratings of people they would raise every agreement.

    People are asked as one, each judge by itself; what people give is no code of a judge's.
    """
    if columns.scale is not None:
        return
    of_people = {float(value) for name in raw.people for value in np.unique(values[name])}
    for names, whose in ((raw.people, "people's"), *(((name,), "its") for name in raw.judges)):
        given = np.concatenate([values[name][~np.isnan(values[name])] for name in names] or [np.empty(0)])
        codes: list[float] = []
        scale = "ordinal" if _numeric_scale(values) == "ordinal" else "interval"
        others = given
        while len(codes) < SHOWN and (code := _code(others, whose == "people's")) is not None:
            others = others[others != code]
            codes.append(code)
        for code in codes:
            if whose == "its" and code in of_people:
                continue
            name = next(one for one in names if bool((values[one] == code).any()))
            places = np.flatnonzero(values[name] == code)
            n = int((given == code).sum())
            problem = f"'{name}' has a {code:g} ({n:,} in all), and {whose} other ratings are "
            problem += f"{others.min():g} to {others.max():g}."
            # So far from several people's it would be another scale.
            few = len(names) == 1 or np.count_nonzero(~np.isnan(values[name])) < FEWEST_OF_A_PERSON
            is_near = few or abs(others - code).min() <= np.ptp(others)
            remedy = correction(f"{code:g}", f", `--scale {scale}` if it is one" if is_near else "")
            raw.faults.add(problem, remedy, raw.rows[name][int(places[0])])


def _zero_notes(raw: RawRatings, values: Mapping[str, Floats]) -> list[str]:
    """What is said of zeros that may be ratings; a fault where they are none. People are asked as one."""
    notes = []
    for names in (raw.people, *((name,) for name in raw.judges)):
        given = np.concatenate([values[name] for name in names] or [np.empty(0)])
        with_zeros = [name for name in names if bool((values[name] == 0.0).any())]
        if not zeros_next_to_a_scale(given) or (zero := what_zero_is(values, with_zeros, raw.people)) == "a rating":
            continue
        n, others = int((given == 0.0).sum()), given[given > 0.0]
        if zero == "cannot say":
            said = "0 is read as a rating in {which} ({often}). If it stands for no rating, add `--blank 0`."
            notes.append(message(said, which=listing(map(Name, with_zeros)), often=how_often(n)))
            continue
        problem = f"'{with_zeros[0]}' has a 0 ({n:,} in all) next to ratings of {others.min():g} to {others.max():g}, "
        problem += "and the others rate these objects about as high as the rest."
        scale = "ordinal" if _numeric_scale(values) == "ordinal" else "interval"
        remedy = correction("0", f", `--scale {scale}` if it is one")
        raw.faults.add(problem, remedy, raw.rows[with_zeros[0]][int(np.argmax(values[with_zeros[0]] == 0.0))])
    return notes


def _code(given: Floats, of_people: bool) -> float | None:
    """The lowest or highest where it is rare: of a few numbers a usual code or far from all others.

    Of measures it is a usual code below 0 where no other is, or far from all others; of people's also any of a few
    numbers further from all others than their whole range.
    """
    there, counts = np.unique(given, return_counts=True)
    if len(there) < FEWEST_STEPS + 1:
        return None
    are_whole = bool((there == np.round(there)).all())
    # Steps of a half come again and again; few values of a measure do not.
    are_steps = len(there) <= MOST_STEPS + 2 and (are_whole or len(given) >= len(there) * FEWEST_A_STEP)
    for place, others in ((-1, there[:-1]), (0, there[1:])):
        code, gap = float(there[place]), abs(there[place] - others[place])
        is_usual = code in CODES and (gap > np.diff(others).max() or (code < 0 <= others[0]))
        is_alone = code < 0 < others[0]
        if not are_steps:
            is_rare = counts[place] < len(given) * RARE
            is_typed = of_people and counts[place] <= MOST_TYPED and len(given) >= FEWEST_OF_A_PERSON
            if code in CODES and is_rare and (code < 0 <= others[0] or gap > np.ptp(others)):
                return code
            if is_typed and gap > np.ptp(others):
                return code
            continue
        if (gap > np.ptp(others) or is_usual or is_alone) and counts[place] < len(given) * RARE:
            return code
    return None


def _is_plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _numeric_scale(values: Mapping[str, Floats]) -> Scale:
    """Few whole numbers are steps of a scale, two of them labels; all else is a measure."""
    found = np.unique(np.concatenate([column[~np.isnan(column)] for column in values.values()]))
    if len(found) > MOST_STEPS or bool((found != np.round(found)).any()):
        return "interval"
    return "ordinal" if len(found) >= FEWEST_STEPS else "nominal"


def _labelled(raw: RawRatings, columns: RatingColumns) -> Ratings:
    spelled = SpelledNames()
    order = [spelled.first(_whole(label)) for label in columns.labels]
    if len(set(order)) < len(order):
        raise UserError("`--labels` names a label twice. Each has one place in the order.")
    faults, given, unknown = raw.faults, {}, set[str]()
    for name, texts in raw.ratings.items():
        given[name] = [None if text is None else spelled.first(_whole(text)) for text in texts]
        if order:
            for row, label in zip(raw.rows[name], given[name], strict=True):
                if label is not None and label not in order and label not in unknown:
                    unknown.add(label)
                    problem = f"'{label:.60}' of '{name}' is none of the labels {listing(order)}."
                    faults.add(problem, f"Add it to `--labels`, or say `--blank '{label:.60}'`.", row)
    if columns.scale != "nominal":
        settled = {*order, *(spelled.first(_whole(label)) for label in columns.positive)}
        refuse_no_labels((raw.people, raw.judges), given, raw.rows, settled, faults)
    faults.raise_if_any()
    there = dict.fromkeys(label for texts in given.values() for label in texts if label is not None)
    known = known_order(there) if not (order or columns.positive or columns.scale == "nominal") else None
    order = order or known or []
    labels = tuple(order or sorted(there, key=_sortable))
    if len(labels) > SHOWN * 10:
        problem = f"the ratings are {len(labels):,} different texts, the first {listing(labels, 3)}."
        raise FileFault(raw.name, problem, "Name the columns that hold ratings.")
    codes = {label: float(place) for place, label in enumerate(labels)}
    values = {
        name: np.array([np.nan if label is None else codes[label] for label in texts]) for name, texts in given.items()
    }
    notes = spelled.notes(message("Labels"))
    if known:
        read = message(
            "Labels are read in their order, lowest first: {known}. "
            "`--labels` gives another order, `--scale nominal` none.",
            known=listing(map(Name, known)),
        )
        notes.append(read)
    elif not (columns.labels or columns.positive) and (numbered := numbered_order(labels)):
        add = f"--labels {shlex.quote('|'.join(numbered))}"
        notes.append(message("Labels look numbered or graded: where that is their order, add `{add}`.", add=Name(add)))
    elif not (columns.labels or columns.positive or columns.scale) and (but := order_but_one(there)):
        add = f"--labels {shlex.quote('|'.join(but.order))} --blank {shlex.quote(but.label)}"
        one_is_odd = "All labels but '{label}' have a known order: where it is no rating, add `{add}`."
        notes.append(message(one_is_odd, label=Name(but.label), add=Name(add)))
    for label, code in codes.items():
        n = {name: int((column == code).sum()) for name, column in values.items()}
        for which, names in ((message("judges"), raw.judges), (message("people"), raw.people)):
            if sum(n[name] for name in names) == sum(n.values()) > 0:
                often = how_often(sum(n.values()))
                notes.append(
                    message("Only {which} give '{label}' ({often}).", which=which, label=Name(label), often=often)
                )
    if not columns.labels:
        _refuse_unshared(raw, values, labels, {spelled.first(_whole(label)) for label in columns.positive})
    return _ratings(raw, values, columns.scale or ("ordinal" if order else "nominal"), labels, notes)


def _refuse_unshared(raw: RawRatings, values: Mapping[str, Floats], labels: Sequence[str], good: set[str]) -> None:
    """A judge that writes `Pass.` where people write `pass` would agree with them never, whatever it is worth.

    Raises:
        FileFault: A judge gives no label of people's, words are among them, and not some of both sides' are good.
    """

    def given(names: Sequence[str]) -> set[str]:
        return {labels[int(code)] for name in names for code in np.unique(values[name]) if not np.isnan(code)}

    people = given(raw.people)
    for name in raw.judges:
        own = given([name])
        if not (own and people) or own & people or (own & good and people & good):
            continue
        if not all(map(_is_plain, own | people)):
            texts = [listing([f"'{text:.60}'" for text in sorted(side, key=_sortable)], 3) for side in (own, people)]
            problem = f"'{name}' and people share no label: it gives {texts[0]}, people give {texts[1]}."
            raise FileFault(raw.name, problem, ALIKE)


def _two_labels(found: Ratings, columns: RatingColumns) -> Ratings:
    """Good and not good in place of several labels or grades.

    Raises:
        FileFault: A label is not there, or all of them are good.
    """
    good = []
    for name in columns.positive:
        own = own_name(_whole(name), found.labels)
        if own is None:
            near = did_you_mean(name, found.labels)
            raise FileFault(found.name, f"no rating is '{name}'{near}.", f"`--positive` takes {listing(found.labels)}.")
        good.append(own)
    rest = [label for label in found.labels if label not in good]
    if not rest:
        raise FileFault(found.name, "`--positive` names every label there is.", "Leave out those that are not good.")
    good = [label for label in found.labels if label in good]
    labels = (" or ".join(rest), " or ".join(good))
    codes = [found.labels.index(label) for label in good]

    def two(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {name: np.where(np.isnan(v), np.nan, np.isin(v, codes)) for name, v in values.items()}

    return replace(
        found,
        judges=two(found.judges),
        people=two(found.people),
        scale="nominal",
        labels=labels,
        positive=True,
        notes=(
            *found.notes,
            message("Two labels: {good} is good, {bad} is not.", good=Name(labels[1]), bad=Name(labels[0])),
        ),
    )


def _whole(text: str) -> str:
    """A label that arrives as ``2.0`` is ``2``, and ``-0`` is ``0``."""
    head, _, tail = text.partition(".")
    whole = head if tail and not tail.strip("0") and head.lstrip("-").isdecimal() else text
    return "0" if whole == "-0" else whole


def _sortable(label: str) -> tuple[int, float, str]:
    return (0, float(label), "") if _is_plain(label) else (1, 0.0, one_spelling(label))


def _ratings(
    raw: RawRatings, values: Mapping[str, Floats], scale: Scale, labels: tuple[str, ...], notes: Sequence[str]
) -> Ratings:
    return Ratings(
        name=raw.name,
        objects=raw.objects,
        judges={name: values[name] for name in raw.judges},
        people={name: values[name] for name in raw.people},
        clusters=np.array(raw.clusters, dtype=np.str_),
        scale=scale,
        labels=labels,
        n_rows=raw.n_rows,
        notes=(*raw.notes, *notes),
        others=raw.others,
        dependence=raw.dependence,
    )
