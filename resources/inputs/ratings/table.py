"""Reads one file of ratings, a column a rater or a row a rating, into what people and judges gave each object."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from upath import UPath

from resources.errors import SHOWN, FileFault, UserError, did_you_mean, listing
from resources.inputs.any_file import AS_IT_IS, Opening, record_file
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.ratings.exports import TREC_ENDINGS, LabelStudio, Trec, is_label_studio, is_trec
from resources.inputs.record_files import (
    NO_VALUE,
    RecordFile,
    SeveralValues,
    as_text,
    refuse_unreadable,
    unknown_field,
    value_of,
)
from resources.inputs.whole_files import JsonList
from resources.inputs.written_columns import WrittenColumns, WrittenOtherwise, columns_as_written, looks_like_number
from resources.runtime.opened_files import refuse_no_file

Scale = Literal["nominal", "ordinal", "interval"]
Floats = NDArray[np.float64]
# Whole numbers of at most so many values are steps of a scale, more are a measure.
MOST_STEPS: Final = 11
# A code is rarer among the ratings than this share.
RARE: Final = 0.2
FEWEST_STEPS: Final = 3
# What programs and people write where there is no rating; no label has such a name.
NO_RATING: Final = frozenset({"None", "null", "NULL", "#N/A", "#NA", "-", "--", "?", ".", "n.a."})


@dataclass(frozen=True)
class RatingColumns:
    """Which columns of a file mean what.

    Attributes:
        judges: Columns of judges; with `rater`, what that column calls them.
        people: Columns of people, likewise.
        item: Column that names the object; none: every row is one.
        rater: Column that says who rated, in a file with a row for each rating.
        score: Column of the rating then.
        cluster: Column whose equal values share a source.
        scale: What the ratings are; none: as they look.
        labels: Ratings that are words, in their order.
        blank: What is written where there is no rating, besides what programs write.
    """

    judges: tuple[str, ...]
    people: tuple[str, ...]
    item: str | None = None
    rater: str | None = None
    score: str | None = None
    cluster: str | None = None
    scale: Scale | None = None
    labels: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether a row holds one rating."""
        return self.rater is not None or self.score is not None


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

    @property
    def is_numeric(self) -> bool:
        """Whether the ratings are numbers that can be subtracted."""
        return not self.labels


RatingsPath = str | Path | UPath | list[str]


def ratings_file(path: RatingsPath, likely: Collection[str] = (), opening: Opening = AS_IT_IS) -> RecordFile:
    """The file, in any form in which ratings come.

    Raises:
        UserError: Several files are named that are no TREC files, or one cannot be read.
    """
    paths = list(path) if isinstance(path, list | tuple) else [path]
    for one in paths:
        refuse_no_file(one)
    if all(UPath(one).suffix.lower() in TREC_ENDINGS or _is_plain_trec(one) for one in paths):
        return Trec(paths)
    if len(paths) > 1:
        remedy = f"Only TREC files ({listing(TREC_ENDINGS)}) are read several at once."
        raise UserError(f"{listing(paths)}: put all ratings into one file, a column a rater. {remedy}")
    file = record_file(paths[0], likely, opening)
    return LabelStudio(paths[0]) if isinstance(file, JsonList) and is_label_studio(file) else file


def _is_plain_trec(path: str | Path | UPath) -> bool:
    return UPath(path).suffix.lower() in ("", ".txt") and is_trec(path)


def file_is_long(path: RatingsPath) -> bool:
    """Whether the form of a file says that a row holds one rating, so that whoever is no judge is a person."""
    return isinstance(ratings_file(path), Trec | LabelStudio)


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
    file = ratings_file(path, (*columns.judges, *columns.people), opening)
    columns = _own_columns(file, columns)
    cells = _cells(file, columns)
    raw = _long(cells, columns, file) if columns.is_long else _wide(cells, columns, file)
    return _read(raw, columns, file)


@dataclass
class _Cells:
    """The texts of the wanted columns row by row; null where a cell is blank."""

    rows: list[int] = field(default_factory=list)
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    blanks: Counter[str] = field(default_factory=Counter)

    @property
    def notes(self) -> list[str]:
        """What was written where there is no rating."""
        seen = [f"'{text}' ({count:,} times)" for text, count in self.blanks.items()]
        return [f"Read as no rating: {listing(seen)}. `--labels` makes a label of it."] if seen else []


@dataclass(frozen=True)
class _Raw:
    """Texts of each rater by object; a row for messages, and the column that a rater's cells stand in."""

    name: str
    objects: tuple[str, ...]
    judges: tuple[str, ...]
    people: tuple[str, ...]
    rows: dict[str, list[int]]
    ratings: dict[str, list[str | None]]
    column: dict[str, str]
    clusters: list[str]
    n_rows: int
    notes: tuple[str, ...]


def _own_columns(file: RecordFile, columns: RatingColumns) -> RatingColumns:
    """The file's own spelling of every name."""
    if isinstance(file, Trec | LabelStudio) and not columns.is_long:
        columns = replace(columns, **{k: getattr(columns, k) or v for k, v in file.long_columns._asdict().items()})
    names, complete = file.names()
    if not complete:
        names, _ = file.names(whole=True)
    if not names:
        refuse_unreadable(file)
        raise FileFault(file.name, "there is no row.", "Export it again with its rows.")

    def own(name: str | None) -> str | None:
        if name is None:
            return None
        fault = unknown_field(name, names)
        if fault is not None:
            raise FileFault(file.name, str(fault), "Name a column that is there.")
        return own_name(name, names)

    if "" in columns.labels:
        raise UserError("`--labels` holds an empty label. Write each between commas.")
    if columns.is_long and (columns.rater is None or columns.score is None or columns.item is None):
        problem = "a file with a row for each rating needs three columns."
        raise UserError(f"{file.name}: {problem} Name `--item`, `--rater` and `--score`.")
    raters = {} if columns.is_long else {name: str(own(name)) for name in (*columns.judges, *columns.people)}
    judges = columns.judges if columns.is_long else tuple(dict.fromkeys(raters[name] for name in columns.judges))
    people = columns.people if columns.is_long else tuple(dict.fromkeys(raters[name] for name in columns.people))
    both = [name for name in judges if name in people]
    if both:
        raise UserError(f"{file.name}: {listing(map(repr, both))} is named as a judge and as a person. Keep one.")
    own_names = {name: own(getattr(columns, name)) for name in ("item", "rater", "score", "cluster")}
    return RatingColumns(
        judges=judges, people=people, scale=columns.scale, labels=columns.labels, blank=columns.blank, **own_names
    )


def _cells(file: RecordFile, columns: RatingColumns) -> _Cells:
    raters = () if columns.is_long else (*columns.judges, *columns.people)
    wanted = [name for name in (*raters, columns.item, columns.rater, columns.score, columns.cluster) if name]
    wanted = list(dict.fromkeys(wanted))
    own = {text.casefold() for text in columns.labels}
    blank = {text.strip().casefold() for text in columns.blank} | ({text.casefold() for text in NO_VALUE} - own)
    found, faults = _Cells(columns={name: [] for name in wanted}), Faults(file.name)
    readers = [(name, value_of(name), found.columns[name]) for name in wanted]
    for record in file.records(wanted):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        found.rows.append(record.row)
        for name, value, texts in readers:
            try:
                text = as_text(value(record.fields))
            except SeveralValues as several:
                faults.add(f"'{name}' holds several values, {several}.", "Put one rating in a cell.", record.row)
                text = None
            if text in NO_RATING and text.casefold() not in own:
                found.blanks[text] += 1
                text = None
            texts.append(None if text in blank or text is None or text.casefold() in blank else text)
    faults.raise_if_any()
    if not found.rows:
        raise FileFault(file.name, "there is no row.", "Export it again with its rows.")
    return found


def _wide(cells: _Cells, columns: RatingColumns, file: RecordFile) -> _Raw:
    raters = (*columns.judges, *columns.people)
    objects = [str(row) for row in cells.rows]
    if columns.item is not None:
        objects = [name or objects[place] for place, name in enumerate(cells.columns[columns.item])]
        _refuse_twice(objects, cells.rows, columns.item, file)
    clusters = objects
    if columns.cluster is not None:
        clusters = [
            name.casefold() if name else objects[place] for place, name in enumerate(cells.columns[columns.cluster])
        ]
    ratings = {name: cells.columns[name] for name in raters}
    rows = dict.fromkeys(raters, cells.rows)
    same = {name: name for name in raters}
    n = len(cells.rows)
    notes = (*cells.notes, *_source_notes(cells, columns, file))
    return _Raw(file.name, tuple(objects), columns.judges, columns.people, rows, ratings, same, clusters, n, notes)


def _source_notes(cells: _Cells, columns: RatingColumns, file: RecordFile) -> list[str]:
    """What is said where the column of sources has gaps.

    Raises:
        FileFault: It is blank throughout.
    """
    texts = cells.columns[columns.cluster] if columns.cluster is not None else []
    n = sum(text is None for text in texts)
    if n and n == len(texts):
        raise FileFault(file.name, f"column '{columns.cluster}' is blank in every row.", "Leave out `--cluster`.")
    return [f"Rows without '{columns.cluster}' are a source of their own: {n:,}."] if n else []


def _refuse_twice(objects: Sequence[str], rows: Sequence[int], item: str, file: RecordFile) -> None:
    first: dict[str, int] = {}
    faults = Faults(file.name)
    for name, row in zip(objects, rows, strict=True):
        if name in first:
            problem = f"'{name}' in column '{item}' is in row {first[name]} already."
            faults.add(problem, "Keep one row an object, or name `--rater` and `--score`.", row)
        first.setdefault(name, row)
    faults.raise_if_any()


def _long(cells: _Cells, columns: RatingColumns, file: RecordFile) -> _Raw:
    assert columns.item is not None
    assert columns.rater is not None
    assert columns.score is not None
    items, raters, scores = (cells.columns[name] for name in (columns.item, columns.rater, columns.score))
    spelled = SpelledNames()
    names = [None if name is None else spelled.first(name) for name in raters]
    there = dict.fromkeys(name for name in names if name is not None)
    judges = {_there(name, there, columns.rater, file) for name in columns.judges}
    people = {_there(name, there, columns.rater, file) for name in columns.people}
    machines = file.machines if isinstance(file, Trec | LabelStudio) else frozenset()
    people = people or set(there) - judges - machines
    unused = [name for name in there if name in machines and name not in judges | people]
    places: dict[str, int] = {}
    for item in items:
        if item is not None:
            places.setdefault(item, len(places))
    wanted = [name for name in there if name in judges or name in people]
    ratings: dict[str, list[str | None]] = {name: [None] * len(places) for name in wanted}
    rows: dict[str, list[int]] = {name: [0] * len(places) for name in wanted}
    clusters = list(places)
    faults = Faults(file.name)
    for place, (item, name, text, row) in enumerate(zip(items, names, scores, cells.rows, strict=True)):
        if item is None or name is None:
            missing = columns.item if item is None else columns.rater
            faults.add(f"column '{missing}' is blank.", "Fill it in, or remove the row.", row)
            continue
        if columns.cluster is not None and (source := cells.columns[columns.cluster][place]) is not None:
            clusters[places[item]] = source.casefold()
        if name not in ratings or text is None:
            continue
        if ratings[name][places[item]] is not None:
            faults.add(f"'{name}' rated '{item}' in row {rows[name][places[item]]} already.", "Keep one.", row)
            continue
        ratings[name][places[item]], rows[name][places[item]] = text, row
    faults.raise_if_any()
    notes = [*cells.notes, *_source_notes(cells, columns, file), *spelled.notes(f"Names in column '{columns.rater}'")]
    if unused:
        notes.append(f"Not used, as models are no people: {listing(unused)}. Name them by `--judge`.")
    return _Raw(
        name=file.name,
        objects=tuple(places),
        judges=tuple(name for name in wanted if name in judges),
        people=tuple(name for name in wanted if name in people),
        rows=rows,
        ratings=ratings,
        column=dict.fromkeys(wanted, columns.score),
        clusters=clusters,
        n_rows=len(cells.rows),
        notes=tuple(notes),
    )


def _there(name: str, there: Collection[str], column: str, file: RecordFile) -> str:
    found = own_name(name, there)
    if found is None:
        problem = f"column '{column}' holds no '{name}'{did_you_mean(name, there)}; it holds {listing(there)}."
        raise FileFault(file.name, problem, "Name a rater that is there.")
    return found


def _read(raw: _Raw, columns: RatingColumns, file: RecordFile) -> Ratings:
    """Ratings as numbers, or as the numbers of their labels."""
    empty = [name for name, texts in raw.ratings.items() if not any(text is not None for text in texts)]
    if empty:
        raise FileFault(file.name, f"{listing(map(repr, empty))} has no rating at all.", "Leave it out.")
    if columns.labels or columns.scale == "nominal":
        return _labelled(raw, columns, file)
    words = _first_words(raw)
    if words and len(words) < len(raw.ratings):
        _refuse_mixed(raw, words, file)
    if not words:
        return _numbered(raw, columns, file)
    if columns.scale is not None:
        _, (row, text, _) = next(iter(words.items()))
        remedy = "Name the labels in their order by `--labels`, lowest first, or leave out `--scale`."
        raise FileFault(file.name, f"'{text:.60}' is no number, and words have no order of their own.", remedy, row=row)
    return _labelled(raw, columns, file)


def _first_words(raw: _Raw) -> dict[str, tuple[int, str, int]]:
    """Raters whose ratings are not all numbers: row and text of the first that is none, and how many are none."""
    found: dict[str, tuple[int, str, int]] = {}
    for name, texts in raw.ratings.items():
        words = {text for text in set(texts) if text is not None and not looks_like_number(text)}
        places = [place for place, text in enumerate(texts) if text in words] if words else []
        if places:
            found[name] = (raw.rows[name][places[0]], str(texts[places[0]]), len(places))
    return found


def _refuse_mixed(raw: _Raw, words: Mapping[str, tuple[int, str, int]], file: RecordFile) -> None:
    """Some raters gave numbers and some did not, or numbers with a few words among them."""
    name, (row, text, count) = next(iter(words.items()))
    given = sum(one is not None for one in raw.ratings[name])
    others = [other for other in raw.ratings if other not in words]
    problem = f"'{text:.60}' of '{name}' is no number ({count} of its {given} ratings are none), and all of "
    problem += f"{listing(map(repr, others))} are."
    remedy = f"If it stands for no rating, add `--blank '{text:.60}'`; if ratings are labels, add `--scale nominal`."
    raise FileFault(file.name, problem, remedy, row=row)


def _numbered(raw: _Raw, columns: RatingColumns, file: RecordFile) -> Ratings:
    by_column: dict[str, dict[str, None]] = {}
    for name, texts in raw.ratings.items():
        by_column.setdefault(raw.column[name], {}).update(dict.fromkeys(text for text in texts if text is not None))
    plain = all(_is_plain(text) for texts in by_column.values() for text in texts)
    written = WrittenColumns() if plain else columns_as_written(file.name, by_column, {}, file.delimiter)
    values, faults = {}, Faults(file.name)
    for name, texts in raw.ratings.items():
        numbers: dict[str | None, float] = {None: np.nan}
        for place, text in enumerate(texts):
            if text in numbers or text is None:
                continue
            numbers[text] = np.nan
            try:
                number = written.number(raw.column[name], text)
            except WrittenOtherwise as other:
                faults.add(other.problem, other.remedy, raw.rows[name][place])
                continue
            if number is None or not np.isfinite(number):
                faults.add(f"'{text:.60}' of '{name}' is no finite number.", "Correct it.", raw.rows[name][place])
                continue
            numbers[text] = number
        values[name] = np.array([numbers[text] for text in texts])
    faults.raise_if_any()
    _refuse_codes(raw, values, columns, file)
    scale = columns.scale or _numeric_scale(values)
    labels: tuple[str, ...] = ()
    if scale == "nominal":
        there = np.unique(np.concatenate([column[~np.isnan(column)] for column in values.values()]))
        labels = tuple(f"{value:g}" for value in there)
        values = {name: np.where(np.isnan(v), np.nan, np.searchsorted(there, v)) for name, v in values.items()}
    return _ratings(raw, values, scale, labels, written.notes())


def _refuse_codes(raw: _Raw, values: Mapping[str, Floats], columns: RatingColumns, file: RecordFile) -> None:
    """A 99 or a -1 among people's 1 to 5 stands for something else: as a rating it would raise every agreement.

    Raises:
        FileFault: A whole number is further from all other ratings of people than those are from each other.
    """
    if columns.scale is not None or not raw.people:
        return
    given = np.concatenate([values[name][~np.isnan(values[name])] for name in raw.people])
    there, counts = np.unique(given, return_counts=True)
    if len(there) < FEWEST_STEPS + 1 or len(there) > MOST_STEPS + 2 or bool((there != np.round(there)).any()):
        return
    for place, others in ((-1, there[:-1]), (0, there[1:])):
        gap = abs(there[place] - others[place])
        if gap > np.ptp(others) and counts[place] < len(given) * RARE:
            name = next(one for one in raw.people if bool((values[one] == there[place]).any()))
            row = raw.rows[name][int(np.flatnonzero(values[name] == there[place])[0])]
            code = f"{there[place]:g}"
            problem = f"'{name}' has a {code} ({counts[place]:,} in all), and people's other ratings are "
            problem += f"{others[0]:g} to {others[-1]:g}."
            remedy = f"If it stands for no rating, add `--blank {code}`; if it is one, add `--scale ordinal`."
            raise FileFault(file.name, problem, remedy, row=row)


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


def _labelled(raw: _Raw, columns: RatingColumns, file: RecordFile) -> Ratings:
    spelled = SpelledNames()
    order = [spelled.first(_whole(label)) for label in columns.labels]
    if len(set(order)) < len(order):
        raise UserError("`--labels` names a label twice. Each has one place in the order.")
    faults, given, unknown = Faults(file.name), {}, set[str]()
    for name, texts in raw.ratings.items():
        given[name] = [None if text is None else spelled.first(_whole(text)) for text in texts]
        if order:
            for row, label in zip(raw.rows[name], given[name], strict=True):
                if label is not None and label not in order and label not in unknown:
                    unknown.add(label)
                    problem = f"'{label:.60}' of '{name}' is none of the labels {listing(order)}."
                    faults.add(problem, f"Add it to `--labels`, or say `--blank '{label:.60}'`.", row)
    faults.raise_if_any()
    there = dict.fromkeys(label for texts in given.values() for label in texts if label is not None)
    labels = tuple(order or sorted(there, key=_sortable))
    if len(labels) > SHOWN * 10:
        problem = f"the ratings are {len(labels):,} different texts, the first {listing(labels, 3)}."
        raise FileFault(file.name, problem, "Name the columns that hold ratings.")
    codes = {label: float(place) for place, label in enumerate(labels)}
    values = {
        name: np.array([np.nan if label is None else codes[label] for label in texts]) for name, texts in given.items()
    }
    notes = spelled.notes("Labels")
    for label, code in codes.items():
        n = {name: int((column == code).sum()) for name, column in values.items()}
        for which, names in (("judges", raw.judges), ("people", raw.people)):
            if sum(n[name] for name in names) == sum(n.values()) > 0:
                notes.append(f"Only {which} give '{label}' ({sum(n.values()):,} times).")
    return _ratings(raw, values, columns.scale or ("ordinal" if columns.labels else "nominal"), labels, notes)


def _whole(text: str) -> str:
    """A label that arrives as ``2.0`` is ``2``."""
    head, _, tail = text.partition(".")
    return head if tail and not tail.strip("0") and head.lstrip("-").isdecimal() else text


def _sortable(label: str) -> tuple[int, float, str]:
    return (0, float(label), "") if _is_plain(label) else (1, 0.0, label.casefold())


def _ratings(
    raw: _Raw, values: Mapping[str, Floats], scale: Scale, labels: tuple[str, ...], notes: Sequence[str]
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
    )
