"""Files of ratings in forms of their own: TREC's judgments and runs, Label Studio's export, battles of models."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from upath import UPath

from analysis.messages import Name, message
from analysis.preference.pair_judging import both_orders, first_shown
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import LEVELS
from analysis.words import bounded, count_noun
from resources.errors import FileFault, UserError, listing
from resources.inputs.battles import JUDGE, is_battles, read_battles
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.faults import BadRow
from resources.inputs.ratings.likely import looks_like_a_model
from resources.inputs.record_files import Record, RecordFile
from resources.inputs.whole_files import JsonList
from resources.inputs.written_columns import looks_like_number
from resources.runtime.opened_files import lines_of, opened

TREC_ENDINGS: Final = (".qrels", ".qrel", ".run", ".trec")
_ITERATIONS: Final = ("0", "Q0")
JUDGMENT, RUN = ("topic", "iteration", "document", "grade"), ("topic", "Q0", "document", "rank", "score", "run")
# Of a rater's rows; study C allows as many without a usable rating.
MOST_LEFT_OUT: Final = 0.05
ITEM, RATER, RATING, QUESTION = "item", "rater", "rating", "question"
_ANNOTATIONS, _PREDICTIONS = "annotations", "predictions"
_PICKED: Final = {"A": 1, "B": 2, "tie": 0}
FIRST_SHOWN: Final = (
    "The place counts for '{who}': on pairs seen in both orders the share of its {n:,} answers other than ties that "
    "are for the first shown is {seen}, 0.5 without a preference."
)
A_TIE_HERE: Final = (
    "A tie is an answer here, on all pairs. Study B asks which of two wins, on pairs that people decide: there their "
    "ties are no votes and a judge's agrees with half of the votes."
)
# What a person filled in, by the kind of control: the key of its value.
_VALUES: Final = {"choices": "choices", "rating": "rating", "number": "number", "taxonomy": "taxonomy"}


class LongColumns(NamedTuple):
    """The columns of a file with a row for each rating that name object, rater, rating and, if known, source."""

    item: str
    rater: str
    score: str
    cluster: str | None = None


class Trec(RecordFile):
    """TREC's qrels (topic, iteration, document, grade) or runs (topic, Q0, document, rank, score, tag), one a rater.

    Grades of a qrels file and scores of a run are ratings of a document for a topic; the file's name without its ending
    names the rater. A grade of -1 says that a document was not judged.
    """

    numbers_are_text = True
    no_rating = ("-1",)

    def __init__(self, paths: Sequence[str | Path | UPath]) -> None:
        """Name the files."""
        super().__init__(paths[0])
        self._paths = [UPath(path) for path in paths]
        stems = [path.stem for path in self._paths]
        if len(set(stems)) < len(stems):
            raise UserError(f"Two files have one name, {listing(stems)}: it names the rater. Rename one.")
        self.name = listing(path.name for path in self._paths)

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """A record a line of each file: object, rater, rating and topic."""
        for path in self._paths:
            _refuse_another_order(path)
            with opened(path) as file:
                for row, line in enumerate(lines_of(file, path.name, "Write one judgment in a line."), start=1):
                    cells = line.decode("utf-8", "replace").split()
                    if cells:
                        yield self._record(path, row, cells)

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """Those of a record."""
        return [ITEM, RATER, RATING, JUDGMENT[0]], True

    @property
    def long_columns(self) -> LongColumns:
        """What its columns mean."""
        return LongColumns(ITEM, RATER, RATING, JUDGMENT[0])

    @cached_property
    def machines(self) -> frozenset[str]:
        """Raters that are runs of a system, never people."""
        return frozenset(path.stem for path in self._paths if len(_first_cells(path)) == len(RUN))

    def _record(self, path: UPath, row: int, cells: list[str]) -> Record | BadRow:
        if len(cells) not in (len(JUDGMENT), len(RUN)):
            problem = f"{path.name} has {len(cells)} parts here, in '{' '.join(cells)[:120]}'."
            remedy = f"A line of qrels has {' '.join(JUDGMENT)}, one of a run {' '.join(RUN)}."
            return BadRow(row, problem, remedy)
        topic, _, document = cells[:3]
        rating = cells[3] if len(cells) == len(JUDGMENT) else cells[4]
        if len(cells) == len(RUN) and rating in self.no_rating:
            rating = f"{rating}.0"  # a score
        return Record(row, {ITEM: f"{topic} {document}", RATER: path.stem, RATING: rating, JUDGMENT[0]: topic})


class LabelStudio(JsonList):
    """Label Studio's JSON export: a record for what one annotator, or one model's prediction, said of one task.

    Each control (choices, rating, number) that was filled in is a column by its name.
    """

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """A record an annotation that was not cancelled, and one a prediction; rows are tasks."""
        for row, task in enumerate(self._values, start=1):
            if not isinstance(task, dict):
                yield BadRow(row, f"entry {row} of the list is no task, in '{task!r:.120}'.", "Fix it.")
                continue
            for kind in (_ANNOTATIONS, _PREDICTIONS):
                for one in task.get(kind) or ():
                    if not one.get("was_cancelled"):
                        answers = dict(_answers(one.get("result") or ()))
                        yield Record(row, {ITEM: str(task.get("id", row)), RATER: _rater(one, kind), **answers})

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """Object, rater, and every control."""
        return [ITEM, RATER, *self._controls], True

    @property
    def long_columns(self) -> LongColumns:
        """What its columns mean.

        Raises:
            FileFault: There is no control that rates, or several.
        """
        if len(self._controls) != 1:
            problem = f"its controls that rate are {listing(map(repr, self._controls)) or 'none'}."
            remedy = "Name one: `--item item --rater rater --score NAME`." if self._controls else "Export a rating."
            raise FileFault(self.name, problem, remedy)
        return LongColumns(ITEM, RATER, self._controls[0])

    @cached_property
    def machines(self) -> frozenset[str]:
        """Raters that are predictions, never people."""
        tasks = [task for task in self._values if isinstance(task, dict)]
        return frozenset(_rater(one, _PREDICTIONS) for task in tasks for one in task.get(_PREDICTIONS) or ())

    @cached_property
    def _controls(self) -> list[str]:
        names: dict[str, None] = {}
        for record in self.records():
            if isinstance(record, Record):
                names.update(dict.fromkeys(name for name in record.fields if name not in (ITEM, RATER)))
        return list(names)


class BattleRatings(RecordFile):
    """A file of battles with the column judge: a record for what one judge said of one pair of models' texts.

    The rating is A where the model won whose name comes first in the alphabet, B where the other did, else tie; what
    one judge says of a pair in both orders is a tie where the two differ, and a place that proves to decide is said. A
    pair of which a judge says different things in one order is left out, up to one pair or `MOST_LEFT_OUT` of its own
    rows; beyond that `refused` says so.
    """

    def __init__(self, path: str | Path | UPath) -> None:
        """Read the file."""
        super().__init__(path)
        self._rows = read_battles(path).rows
        self._records, self.remarks = list[Record](), (remarks := list[str]())
        self.refused = dict[str, str]()
        names, torn = SpelledNames(), defaultdict[str, list[tuple[list[int], list[Record]]]](list)
        places = defaultdict[str, list[tuple[int, int, str]]](list)
        n_rows, n_ties = Counter[str](), Counter[str]()
        said: dict[tuple[str, str], dict[str, list[tuple[int, str, str]]]] = {}
        for one in self._rows:
            turned = one.a.name > one.b.name
            first, second = (one.b.name, one.a.name) if turned else (one.a.name, one.b.name)
            label = "tie" if one.winner == 0 else "B" if (one.winner == 2) != turned else "A"
            n_rows[who := names.first(one.judge or "")] += 1
            of_pair = said.setdefault((who, f"{first} | {second}"), {})
            of_pair.setdefault(one.a.name, []).append((one.row, label, one.question))
        for (who, item), orders in said.items():
            rows = [row for of_order in orders.values() for row in of_order]
            labels = {label for _, label, _ in rows}
            differ = [rows for rows in orders.values() if len({label for _, label, _ in rows}) > 1]
            label = "tie" if len(labels) > 1 else rows[0][1]
            kept = rows if differ else [(rows[0][0], label, rows[0][2])]
            records = [Record(row, {ITEM: item, JUDGE: who, RATING: one, QUESTION: asked}) for row, one, asked in kept]
            if differ:
                torn[who].append(([row for of_order in differ for row, *_ in of_order], records))
                continue
            self._records += records
            n_ties[who] += len(labels) > 1
            if len(orders) > 1:
                one_first, two_first = (_PICKED[orders[name][0][1]] for name in sorted(orders))
                places[who].append((one_first, two_first, rows[0][2]))
        remarks += filter(None, (self._left_out(who, of_pairs, n_rows[who]) for who, of_pairs in torn.items()))
        remarks += names.notes(message("Names in column '{column}'", column=Name(JUDGE)))
        for who, n in (+n_ties).items():
            ties = "Ties, as '{who}' answers otherwise in the other order: {n:,} of {all:,} pairs seen in both."
            remarks.append(message(ties, who=Name(who), n=n, all=len(places[who])))
        remarks += filter(None, (_preferred_place(who, one, len(places)) for who, one in places.items()))
        if any(one.fields[RATING] == "tie" for one in self._records):
            remarks.append(message(A_TIE_HERE))

    def _left_out(self, who: str, of_pairs: Sequence[tuple[list[int], list[Record]]], n_rows: int) -> str:
        """What is said of pairs in one order of which a rater contradicts itself; nothing where they are `refused`.

        Args:
            who: The rater.
            of_pairs: Of each pair the rows that contradict each other, and all its records.
            n_rows: All of the rater's.
        """
        n, everything = (sum(len(pair[part]) for pair in of_pairs) for part in (0, 1))
        # Of a person with a dozen rows one slip is more than that.
        if n > MOST_LEFT_OUT * n_rows and (len(of_pairs) > 1 or everything == n_rows):
            self._records += [record for _, records in of_pairs for record in records]
            self.refused[who] = (
                f"'{who}' contradicts itself in one order of {count_noun(len(of_pairs), 'pair')}, in {n:,} of its "
                f"{n_rows:,} rows ({100 * n / n_rows:.1f} %): up to one pair or {100 * MOST_LEFT_OUT:g} % would be "
                "left out."
            )
            return ""
        which = listing((" / ".join(f"{row:,}" for row in rows) for rows, _ in of_pairs), 3)
        left_out = (
            "Left out, as '{who}' contradicts itself in one order of a pair: {n:,} of its {all:,} rows ({which})."
        )
        return message(left_out, who=Name(who), n=n, all=n_rows, which=which)

    def records(self, wanted: Collection[str] | None = None) -> Iterator[Record | BadRow]:
        """A record a judge and pair; one for each row where too many contradict each other to be left out."""
        yield from self._records

    def names(self, whole: bool = False) -> tuple[list[str], bool]:
        """Those of a record."""
        return [ITEM, JUDGE, RATING, QUESTION], True

    @property
    def long_columns(self) -> LongColumns:
        """What its columns mean."""
        return LongColumns(ITEM, JUDGE, RATING, QUESTION)

    @cached_property
    def machines(self) -> frozenset[str]:
        """Judges whose names are models', never people."""
        return frozenset(one.judge for one in self._rows if one.judge and looks_like_a_model(one.judge))


def _preferred_place(who: str, said: Sequence[tuple[int, int, str]], n_raters: int) -> str:
    """That a rater prefers a place, proven with all raters in mind; the interval is the one of study B."""
    one_first, two_first, questions = zip(*said, strict=True)
    answers, clusters = both_orders(one_first, two_first), np.array(questions)
    try:
        shown, sure = (
            first_shown(
                answers, clusters, resampling=Resampling(LEVELS.seed, confidence=1.0 - (1.0 - LEVELS.confidence) / n)
            )
            for n in (1, n_raters)
        )
    except UndefinedStatistic:
        return ""
    low, high = sure.interval.low, sure.interval.high
    if low is None or high is None or low <= 0.5 <= high:
        return ""
    seen = bounded(shown.share, shown.interval.low, shown.interval.high)
    return message(FIRST_SHOWN, who=Name(who), seen=seen, n=shown.votes)


LongFile = Trec | LabelStudio | BattleRatings


def is_battle_ratings(file: RecordFile, named: Collection[str]) -> bool:
    """Whether each row says which of two models one judge prefers, and none of these names is a column."""
    names, _ = file.names()
    return (
        is_battles([*names]) and own_name(JUDGE, names) is not None and not any(own_name(one, names) for one in named)
    )


def is_trec(path: str | Path | UPath) -> bool:
    """Whether a file holds TREC's judgments or runs: by its ending, without a telling one by its first line."""
    if (ending := UPath(path).suffix.lower()) not in ("", ".txt"):
        return ending in TREC_ENDINGS
    cells = _first_cells(UPath(path))
    numbers = {len(JUDGMENT): cells[3:4], len(RUN): cells[3:5]}.get(len(cells), [])
    return bool(numbers) and cells[1] in _ITERATIONS and all(map(looks_like_number, numbers))


def _refuse_another_order(path: UPath) -> None:
    """Raise where the first line of judgments has its grade or its iteration in another place."""
    cells = _first_cells(path)
    if len(cells) != len(JUDGMENT):
        return
    is_third = cells[1] not in _ITERATIONS and cells[2] in _ITERATIONS
    if is_third or not looks_like_number(cells[3]):
        problem = f"'{' '.join(cells)}' has its columns in another order than qrels have: {' '.join(JUDGMENT)}."
        raise FileFault(path.name, problem, f"Write {cells[0]} 0 DOCUMENT GRADE in each line.", row=1)


def _first_cells(path: UPath) -> list[str]:
    with opened(path) as file:
        return file.readline(4096).decode("utf-8", "replace").split()


def is_label_studio(file: RecordFile) -> bool:
    """Whether the first object of a JSON list is a task with annotations."""
    first = next(iter(file.records()), None) if isinstance(file, JsonList) else None
    return isinstance(first, Record) and isinstance(first.fields.get(_ANNOTATIONS), list) and "data" in first.fields


def _answers(results: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The name of each control that was filled in, and its value; of several choices, those joined."""
    for result in results:
        key = _VALUES.get(result.get("type"))
        if key is not None and (value := (result.get("value") or {}).get(key)) is not None:
            yield str(result.get("from_name", key)), " + ".join(map(str, value)) if isinstance(value, list) else value


def _rater(one: dict[str, Any], kind: str) -> str:
    if kind == _PREDICTIONS:
        return str(one.get("model_version") or "prediction")
    who = one.get("completed_by")
    return str(who.get("email") or who.get("id")) if isinstance(who, dict) else f"annotator {who}"
