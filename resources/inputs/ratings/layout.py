"""Where the ratings of a file are, a column a rater or a row a rating: the texts that each rater gave each object."""

import shlex
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from upath import UPath

from analysis.messages import Name, message
from analysis.spelling import one_spelling
from resources.errors import FileFault, UserError, did_you_mean, listing
from resources.inputs.any_file import AS_IT_IS, Opening, record_file
from resources.inputs.column_names import SpelledNames, alike_names, own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.ratings.cells import Cells, ChosenRows
from resources.inputs.ratings.clusters import dependence
from resources.inputs.ratings.criteria import CriterionColumns
from resources.inputs.ratings.exports import (
    TREC_ENDINGS,
    BattleRatings,
    LabelStudio,
    LongFile,
    Trec,
    is_battle_ratings,
    is_label_studio,
    is_trec,
)
from resources.inputs.ratings.likely import Role, likely_columns, looks_like_a_model, names_objects, names_objects_only
from resources.inputs.ratings.nested import whole_object, with_named_entries
from resources.inputs.ratings.no_rating import stands_for_no_rating
from resources.inputs.ratings.other_columns import MOST_COLUMNS, MOST_ROWS, OtherColumn, other_text
from resources.inputs.ratings.summary_rows import MOST_COLUMNS as MOST_NAMES
from resources.inputs.ratings.summary_rows import MOST_ROWS as MOST_SUMMARIES
from resources.inputs.ratings.summary_rows import row_names
from resources.inputs.record_files import (
    NO_VALUE,
    Record,
    RecordFile,
    SeveralValues,
    as_text,
    refuse_unreadable,
    unknown_field,
    value_of,
)
from resources.runtime.opened_files import refuse_no_file

Scale = Literal["nominal", "ordinal", "interval"]
RatingsPath = str | Path | UPath | list[str]
# A column that names every object at most so often looks as if it named objects, not their sources.
MOST_REPEATS: Final = 3
# Labels and scores come again and again, names of a million objects do not.
MOST_REMEMBERED: Final = 10_000


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
        positive: Labels that count as good; the rest are the other of two labels. None: all labels count.
        blank: What is written where there is no rating, besides what programs write.
        by: Columns on which a judge's errors may depend; none: every other column.
        where: Columns and a value of each: only rows that hold them are read; of a column's several values, any.
    """

    judges: tuple[str, ...]
    people: tuple[str, ...]
    item: str | None = None
    rater: str | None = None
    score: str | None = None
    cluster: str | None = None
    scale: Scale | None = None
    labels: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether a row holds one rating."""
        return self.rater is not None or self.score is not None


def ratings_file(path: RatingsPath, likely: Collection[str] = (), opening: Opening = AS_IT_IS) -> RecordFile:
    """The file, in any form in which ratings come.

    Raises:
        UserError: Several files are named that are no TREC files, or one cannot be read.
    """
    paths = list(path) if isinstance(path, list | tuple) else [path]
    for one in paths:
        refuse_no_file(one)
    if all(map(is_trec, paths)):
        return Trec(paths)
    if len(paths) > 1:
        remedy = f"Only TREC files ({listing(TREC_ENDINGS)}) are read several at once."
        raise UserError(f"{listing(paths)}: put all ratings into one file, a column a rater. {remedy}")
    file = whole_object(record_file(paths[0], likely, opening))
    if is_label_studio(file):
        return LabelStudio(paths[0])
    of_battles = opening == AS_IT_IS and is_battle_ratings(file, likely)
    return BattleRatings(paths[0]) if of_battles else with_named_entries(file)


@dataclass(frozen=True)
class RawRatings:
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
    delimiter: str
    faults: Faults
    others: tuple[OtherColumn, ...] = ()
    decimal: str | None = None
    # Whether the file's form has a sign of its own for no rating, such as -1 in qrels.
    has_blank: bool = False
    dependence: str = ""


def raw_ratings(
    path: RatingsPath, columns: RatingColumns, opening: Opening = AS_IT_IS, *, collect: bool = False
) -> RawRatings:
    """What each rater wrote of each object.

    Args:
        path: As `table.read_ratings` takes it.
        columns: What its columns mean.
        opening: What the file does not say of itself.
        collect: Whether rows that cannot be read and objects that come twice are left to the caller, in `faults`.

    Raises:
        FileFault: The file cannot be read, a column is not there, a rater has no rating at all, or there is no row.
        FileFaults: Several rows cannot be read, or a rater rated one object twice.
    """
    file = ratings_file(path, (*columns.judges, *columns.people), opening)
    columns, names = _own_columns(file, columns)
    faults = Faults(file.name)
    cells = _cells(file, columns, names, _others(file, columns), faults)
    cells.remarks[:0] = file.remarks
    raw = _long(cells, columns, file, faults) if columns.is_long else _wide(cells, columns, file, faults)
    empty = [name for name, texts in raw.ratings.items() if not any(text is not None for text in texts)]
    if empty:
        faults.add(f"{listing(map(repr, empty))} has no rating at all.", "Leave it out.")
        faults.raise_if_any()
    if not collect:
        faults.raise_if_any()
    said = "" if columns.cluster or isinstance(file, LongFile) else dependence(file, raw.others, _given(columns))
    return replace(raw, decimal=opening.decimal, has_blank=bool(file.no_rating), dependence=said)


def _own_columns(file: RecordFile, columns: RatingColumns) -> tuple[RatingColumns, list[str]]:
    """The file's own spelling of every name, and all its columns."""
    if isinstance(file, LongFile) and not columns.is_long:
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
    if not columns.is_long and not columns.people:
        raise UserError("`--human` is missing: name each column with a person's ratings, or with means of people.")
    if columns.is_long and (columns.rater is None or columns.score is None or columns.item is None):
        problem = "a file with a row for each rating needs three columns."
        raise UserError(f"{file.name}: {problem} Name `--item`, `--rater` and `--score`.")
    raters = {} if columns.is_long else {name: str(own(name)) for name in (*columns.judges, *columns.people)}
    judges = columns.judges if columns.is_long else tuple(dict.fromkeys(raters[name] for name in columns.judges))
    people = columns.people if columns.is_long else tuple(dict.fromkeys(raters[name] for name in columns.people))
    both = [name for name in judges if name in people]
    if both:
        raise UserError(f"{file.name}: {listing(map(repr, both))} is named as a judge and as a person. Keep one.")
    by = tuple(str(own(name)) for name in columns.by)
    where = tuple((str(own(name)), value) for name, value in columns.where)
    item, rater, score, cluster = (own(getattr(columns, name)) for name in ("item", "rater", "score", "cluster"))
    columns = replace(columns, judges=judges, people=people, by=by, where=where)
    return replace(columns, item=item, rater=rater, score=score, cluster=cluster), names


def _others(file: RecordFile, columns: RatingColumns) -> list[str]:
    """The columns that are named, else those that are neither ratings nor names of objects."""
    if columns.by or isinstance(file, LongFile):
        return list(columns.by)
    taken = {*columns.judges, *columns.people, columns.item, columns.rater, columns.score, columns.cluster}
    likely = likely_columns(file, whole=False).columns
    others = ("other", "source", "criterion")
    found = [one.name for one in likely if one.role in others or (one.role == "object" and one.repeats)]
    return [name for name in found if name not in taken][:MOST_COLUMNS]


def _given(columns: RatingColumns) -> dict[str, Role]:
    raters = () if columns.is_long else (*columns.judges, *columns.people)
    roles: dict[str, Role] = {name: "judge" if name in columns.judges else "person" for name in raters}
    return roles | ({columns.item: "object"} if columns.item else {})


def _cells(
    file: RecordFile, columns: RatingColumns, file_names: Sequence[str], others: list[str], faults: Faults
) -> Cells:
    raters = () if columns.is_long else (*columns.judges, *columns.people)
    wanted = [name for name in (*raters, columns.item, columns.rater, columns.score, columns.cluster) if name]
    wanted = list(dict.fromkeys(wanted))
    own = {one_spelling(text) for text in columns.labels}
    blank = {one_spelling(text) for text in columns.blank} | ({one_spelling(text) for text in NO_VALUE} - own)
    usual = set[str]()
    numbers = {number for text in columns.blank if (number := _as_number(text)) is not None}
    found = Cells(columns={name: [] for name in wanted})
    found.others = [OtherColumn(name, [], []) for name in others]
    readers = [(name, value_of(name), found.columns[name]) for name in wanted]
    names = [] if columns.is_long else _names_of_rows(file, columns)
    name_readers, first = [value_of(name) for name in names], dict[int, list[str | None]]()
    last = deque[tuple[int, list[str | None]]](maxlen=MOST_SUMMARIES)
    other_readers = [(value_of(other.name), other) for other in found.others]
    chosen, used = ChosenRows(columns.where), {*wanted, *dict(columns.where)}
    criteria = CriterionColumns(name for name in file_names if name not in used and not isinstance(file, LongFile))
    for record in file.records([*dict.fromkeys([*wanted, *others, *names, *chosen.names, *criteria.n_by_text])]):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        if not chosen.holds(record.fields):
            continue
        found.rows.append(record.row)
        found.order.append(chosen.n_rows - 1)
        for name, value, texts in readers:
            try:
                text = as_text(value(record.fields))
            except SeveralValues as several:
                faults.add(f"'{name}' holds several values, {several}.", "Put one rating in a cell.", record.row)
                text = None
            if text in usual:
                texts.append(text)
                continue
            plain = one_spelling(text or "")
            none = stands_for_no_rating(text) or text in file.no_rating
            if text is not None and none and plain not in own:
                found.blanks[text] += 1
                text = None
            # -1.00 is the -1 that is named.
            is_blank = not plain or plain in blank or (numbers and _as_number(text) in numbers)
            texts.append(None if is_blank else text)
            if texts[-1] is not None and len(usual) < MOST_REMEMBERED:
                usual.add(texts[-1])
        last.append((len(found.rows) - 1, [other_text(value(record.fields)) for value in name_readers]))
        first |= [last[-1]] if len(found.rows) <= MOST_SUMMARIES else []
        criteria.add(record.fields)
        for value, other in other_readers:
            other.add(other_text(value(record.fields)))
        if len(found.rows) == MOST_ROWS and other_readers and not columns.by:
            other_readers, found.others = [], []
            many = message("More than {n:,} rows: `--by COL` says on what errors may depend.", n=MOST_ROWS)
            found.remarks.append(many)
    faults.raise_if_any()
    found.remarks += chosen.remarks(file.name)
    found.choice = criteria.choice([found.columns[name] for name in raters or (columns.score,) if name], found.remarks)
    if not found.rows:
        raise FileFault(file.name, "there is no row.", "Export it again with its rows.")

    def whole(column: int) -> Iterator[str | None]:
        rows = ChosenRows(columns.where)
        records = (one for one in file.records([names[column], *rows.names]) if isinstance(one, Record))
        return (other_text(name_readers[column](one.fields)) for one in records if rows.holds(one.fields))

    found.without_summaries(file.name, row_names(first | dict(last), whole), raters)
    keys = (columns.item, columns.rater) if columns.is_long else (columns.item,)
    found.without_copies(file, [name for name in keys if name is not None])
    return found


def _as_number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _names_of_rows(file: RecordFile, columns: RatingColumns) -> list[str]:
    """The columns in which a row that sums up those above it would say so."""
    likely = [one.name for one in likely_columns(file, whole=False).columns if one.role == "object"]
    names = [columns.item, *likely, *file.names()[0][:MOST_NAMES]]
    taken = {*columns.judges, *columns.people, *dict(columns.where)}
    return [name for name in dict.fromkeys(names) if name is not None and name not in taken]


def _wide(cells: Cells, columns: RatingColumns, file: RecordFile, faults: Faults) -> RawRatings:
    raters = (*columns.judges, *columns.people)
    objects = [str(row) for row in cells.rows]
    if columns.item is not None:
        objects = [name or objects[place] for place, name in enumerate(cells.columns[columns.item])]
        _refuse_twice(objects, cells, columns.item, faults)
    clusters = objects
    if columns.cluster is not None:
        clusters = [
            one_spelling(name) if name else objects[place] for place, name in enumerate(cells.columns[columns.cluster])
        ]
    ratings = {name: cells.columns[name] for name in raters}
    rows = dict.fromkeys(raters, cells.rows)
    same = {name: name for name in raters}
    n = len(cells.rows)
    notes = (*cells.notes, *_source_notes(cells, columns, file), *_repeated_notes(cells, columns))
    return RawRatings(
        name=file.name,
        objects=tuple(objects),
        judges=columns.judges,
        people=columns.people,
        rows=rows,
        ratings=ratings,
        column=same,
        clusters=clusters,
        n_rows=n,
        notes=notes,
        delimiter=file.delimiter,
        faults=faults,
        others=tuple(cells.others),
    )


def _repeated_notes(cells: Cells, columns: RatingColumns) -> list[str]:
    """What is said where no column names the objects and one that looks as if it did names one of them twice."""
    if columns.item is not None:
        return []
    for other in cells.others:
        first: dict[str, int] = {}
        for row, text in zip(cells.rows, other.texts, strict=True):
            if text is not None and text in first and names_objects(other.name) and other.name != columns.cluster:
                different = len({text for text in other.texts if text is not None})
                if different * MOST_REPEATS >= len(other.texts) or names_objects_only(other.name):
                    twice = (
                        "Column '{name}' repeats ('{text}' is in rows {row} and {other}) and each row counts: "
                        "`--item {name}`?"
                    )
                    return [message(twice, name=Name(other.name), text=Name(text), row=first[text], other=row)]
                break
            if text is not None:
                first[text] = row
    return []


def _source_notes(cells: Cells, columns: RatingColumns, file: RecordFile) -> list[str]:
    """What is said where the column of sources has gaps.

    Raises:
        FileFault: It is blank throughout.
    """
    texts = cells.columns[columns.cluster] if columns.cluster is not None else []
    n = sum(text is None for text in texts)
    if n and n == len(texts):
        raise FileFault(file.name, f"column '{columns.cluster}' is blank in every row.", "Leave out `--cluster`.")
    source = Name(columns.cluster or "")
    return [message("Rows without '{source}' are a source of their own: {n:,}.", source=source, n=n)] if n else []


def _refuse_twice(objects: Sequence[str], cells: Cells, item: str, faults: Faults) -> None:
    first: dict[str, int] = {}
    counts = Counter(objects)
    remedy = "Keep the row that is right."
    if sum(count > 1 for count in counts.values()) * 2 > len(counts):
        remedy = "Keep one row an object, or name `--rater` and `--score`; if rows are other objects that share it, "
        remedy += f"`--cluster {shlex.quote(item)}` in place of `--item {shlex.quote(item)}`."
    twice: list[tuple[int, str]] = []
    for name, row in zip(objects, cells.rows, strict=True):
        if name in first:
            other = cells.differ.get((first[name], row))
            differ = f", with other values in {other}" if other else ""
            twice.append((row, f"'{name}' in column '{item}' is in row {first[name]} already{differ}."))
        first.setdefault(name, row)
    _add_twice(twice, remedy, cells, faults)


def _add_twice(twice: Sequence[tuple[int, str]], remedy: str, cells: Cells, faults: Faults) -> None:
    """Each row that repeats an object is a fault; where several criteria make them, all are one."""
    for row, problem in twice[:1] if cells.choice else twice:
        more = f" So are {len(twice) - 1:,} rows more." if cells.choice and len(twice) > 1 else ""
        faults.add(problem + more, f"Choose one of the criteria: {cells.choice}." if cells.choice else remedy, row)


def _long(cells: Cells, columns: RatingColumns, file: RecordFile, faults: Faults) -> RawRatings:
    assert columns.item is not None
    assert columns.rater is not None
    assert columns.score is not None
    items, raters, scores = (cells.columns[name] for name in (columns.item, columns.rater, columns.score))
    spelled = SpelledNames()
    names = [None if name is None else spelled.first(name) for name in raters]
    there = dict.fromkeys(name for name in names if name is not None)
    judges = {_there(name, there, columns.rater, file) for name in columns.judges}
    people = {_there(name, there, columns.rater, file) for name in columns.people}
    machines = {name for name in there if looks_like_a_model(name)}
    machines |= file.machines if isinstance(file, LongFile) else set()
    people = people or set(there) - judges - machines
    unused = [name for name in there if name in machines and name not in judges | people]
    rated = [None if text is None else name for name, text in zip(names, scores, strict=True)]
    items, alike = alike_names(items, rated, columns.item)
    places: dict[str, int] = {}
    for item in items:
        if item is not None:
            places.setdefault(item, len(places))
    wanted = [name for name in there if name in judges or name in people]
    ratings: dict[str, list[str | None]] = {name: [None] * len(places) for name in wanted}
    rows: dict[str, list[int]] = {name: [0] * len(places) for name in wanted}
    clusters, twice = list(places), list[tuple[int, str]]()
    for place, (item, name, text, row) in enumerate(zip(items, names, scores, cells.rows, strict=True)):
        if item is None or name is None:
            missing = columns.item if item is None else columns.rater
            faults.add(f"column '{missing}' is blank.", "Fill it in, or remove the row.", row)
            continue
        if columns.cluster is not None and (source := cells.columns[columns.cluster][place]) is not None:
            clusters[places[item]] = one_spelling(source)
        if name not in ratings or text is None:
            continue
        if ratings[name][places[item]] is not None:
            before = rows[name][places[item]]
            differ = f", with other values in {cells.differ[before, row]}" if (before, row) in cells.differ else ""
            twice.append((row, f"'{name}' rated '{item}' in row {before} already{differ}."))
            continue
        ratings[name][places[item]], rows[name][places[item]] = text, row
    if isinstance(file, BattleRatings):
        for problem in (problem for name, problem in file.refused.items() if name in ratings):
            faults.add(problem, "Keep one answer of each pair and order.")
    _add_twice(twice, "Keep one.", cells, faults)
    notes = [
        *cells.notes,
        *_source_notes(cells, columns, file),
        *spelled.notes(message("Names in column '{column}'", column=Name(columns.rater or ""))),
        *alike,
    ]
    if unused:
        which = listing(map(Name, unused))
        notes.append(message("Not used, as models are no people: {which}. Name them by `--judge`.", which=which))
    return RawRatings(
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
        delimiter=file.delimiter,
        faults=faults,
        others=tuple(_of_objects(cells.others, items, places)),
    )


def _of_objects(
    others: Sequence[OtherColumn], items: Sequence[str | None], places: Mapping[str, int]
) -> Iterator[OtherColumn]:
    """Of a file with a row for each rating, the columns that say the same of an object in all its rows."""
    first: dict[str, int] = {}
    for row, item in enumerate(items):
        if item is not None:
            first.setdefault(item, row)
    rows = [first[item] for item in places]
    for other in others:
        texts = other.first_spellings
        same = all(item is None or texts[row] == texts[first[item]] for row, item in enumerate(items))
        if same:
            yield other.at(rows)


def _there(name: str, there: Collection[str], column: str, file: RecordFile) -> str:
    found = own_name(name, there)
    if found is None:
        problem = f"column '{column}' holds no '{name}'{did_you_mean(name, there)}; it holds {listing(there)}."
        raise FileFault(file.name, problem, "Name a rater that is there.")
    return found
