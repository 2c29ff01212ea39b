"""Reads one record of an evaluation file: a pair of scores, or an answer with its options and truth."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from analysis.accuracy.option_answers import OptionAnswer, normalised_answer, written_answer
from analysis.words import count_noun, noun
from resources.errors import FileFault, listing
from resources.inputs.column_names import own_name
from resources.inputs.evaluation.columns import EvaluationColumns
from resources.inputs.faults import RowFault
from resources.inputs.ratings.no_rating import NO_RATING
from resources.inputs.record_files import NO_VALUE, Fields, RecordFile, SeveralValues, as_text, value_of
from resources.inputs.written_columns import WrittenColumns
from resources.inputs.written_values import (
    INFINITE,
    MISSING,
    NOT_A_NUMBER,
    NoOptions,
    Options,
    Score,
    as_whole,
    options_in,
    score_in,
)

_CAUSES = {MISSING: "missing_{}", NOT_A_NUMBER: "{}_not_a_number", INFINITE: "infinite_{}"}
_CACHED = 65_536
EXAMPLES, _LONGEST_EXAMPLE = 3, 60
TIED: Final = "tied_truth"
Arrays = Mapping[str, pa.ChunkedArray]
Scale = tuple[float, float]
_WHOLE, _FRACTION = r"^-?\d+(\.0*)?$", r"\.0*$"
PIECE = 16384
# Of a column's values, the largest share that may be written like 4/5, 1_000 or 2024-05-01 and be left out.
MOST_IN_ANOTHER_FORM: Final = 0.05
_MOST_WORDS: Final = 0.5  # of a column that no limit on unusable rows covers
_FEW: Final = 3  # of a small file any share is large
_SHOWN: Final = 60
_REMEDY: Final = "Write plain numbers, such as 0.8 for 4/5 and 1000 for 1_000, or name another column."


class LeftOut(Exception):
    """A record without a usable value on one side: it is left out and counted."""

    def __init__(self, field: str, value: Any, cause: str) -> None:
        super().__init__(cause)
        self.field, self.value, self.cause = field, value, cause


class RowReader(Protocol):
    """Reads the records of one kind of file into columns."""

    types: Mapping[str, pa.DataType]

    def read(self, record: Fields) -> tuple[Any, ...]:
        """The record's values in the order of `types`.

        Raises:
            LeftOut: One side has no usable value.
            RowFault: The record is wrong.
        """

    def compared(self, arrays: Arrays) -> list[pa.Array]:
        """What two rows of one sample must have in common to count as one."""

    def table(self, arrays: Arrays) -> dict[str, Any]:
        """The columns of the finished table."""

    def notes(self, arrays: Arrays) -> Iterator[str]:
        """What a reader of the results should know of the values, a sentence each."""


class ScoreRows:
    """A predicted score and the true one."""

    types: Mapping[str, pa.DataType] = {"prediction": pa.float64(), "truth": pa.float64(), "normalised": pa.bool_()}

    def __init__(
        self, file: RecordFile, columns: EvaluationColumns, written: WrittenColumns, scale: Scale | None = None
    ) -> None:
        """Find the two fields; `scale` is what people's scores run from and to, where that is known."""
        self._sides = [
            [(side, name, value_of(name), partial(written.number, name)) for name in names]
            for side, names in (("prediction", (columns.prediction,)), ("truth", columns.truths or (columns.truth,)))
        ]
        self._numbers_are_text, self._scale, self._written = file.numbers_are_text, scale, written

    def read(self, record: Fields) -> tuple[Any, ...]:
        """Prediction, truth, and whether one of them is written as text where a number could stand."""
        values: list[float] = []
        from_text = False
        for fields in self._sides:
            found: list[float] = []
            for side, name, value_in, number in fields:
                value = value_in(record)
                score = score_in(value, number)
                if len(fields) > 1 and _is_no_rating(value):
                    score = score._replace(cause=MISSING)
                if score.cause == MISSING and (found or name != fields[-1][1]):
                    continue  # another person's may be there
                if score.cause is not None:
                    raise LeftOut(name, value, _CAUSES[score.cause].format(side))
                scale = self._scale if side == "truth" and self._written.reads else None
                found.append(score.value if scale is None else self._on_scale(name, score, scale))
                from_text = from_text or score.from_text
            values.append(sum(found) / len(found))
        return values[0], values[1], from_text and not self._numbers_are_text

    def _on_scale(self, name: str, score: Score, scale: Scale) -> float:
        """A person's score, which must not be outside the scale."""
        low, high = scale
        value = self._written.on_scale(name, score.value, low, high) if score.from_text else score.value
        if not low <= value <= high:
            problem = f"score {value:g} in column '{name}' is outside the scale {low:g}-{high:g}."
            raise RowFault(problem, "Correct it, or declare the scale that people used as `scale: [low, high]`.")
        return value

    def compared(self, arrays: Arrays) -> list[pa.Array]:
        """Both scores."""
        return [arrays[name] for name in ("prediction", "truth")]

    def notes(self, arrays: Arrays) -> Iterator[str]:
        """Nothing: why a score is left out is counted by cause."""
        return iter(())

    def table(self, arrays: Arrays) -> dict[str, Any]:
        """Both scores."""
        return {name: arrays[name].to_numpy() for name in ("prediction", "truth")}


class AnswerRows:
    """An answer, the true one and the options of the question."""

    types: Mapping[str, pa.DataType] = {
        "prediction": pa.string(),
        "truth": pa.string(),
        "normalised": pa.bool_(),
        "answer_as_given": pa.string(),
        "option_set": pa.int32(),
    }

    def __init__(
        self, file: RecordFile, columns: EvaluationColumns, normalise: bool = True, options: Sequence[str] = ()
    ) -> None:
        """Find the three fields; without `normalise` an answer counts as it is written.

        Args:
            file: The file.
            columns: Its fields.
            normalise: Whether "(B)" is read as B.
            options: Of every question; none: each row has its own.

        Raises:
            FileFault: The options are fewer than two, or two are alike.
        """
        self._columns, self._normalise = columns, normalise
        self._prediction = value_of(columns.prediction)
        self._truths = [(name, value_of(name)) for name in columns.truths or (columns.truth,)]
        self._options = value_of(columns.options or "")
        try:
            self._of_all = options_in(list(options)) if options else None
        except NoOptions as fault:
            raise FileFault(file.name, str(fault), "Name at least two different options.") from fault
        self._option_sets: dict[tuple[str, ...], int] = {}

    def read(self, record: Fields) -> tuple[Any, ...]:
        """Prediction (null where it names no option), truth, whether one was respelled, answer, number of options."""
        columns = self._columns
        try:
            options = self._of_all or options_in(self._options(record))
        except NoOptions as fault:
            raise RowFault(str(fault), f"Give at least two different options in field '{columns.options}'.") from fault
        given = self._text(columns.prediction, self._prediction(record))
        prediction = _named(as_whole(given, options), options, self._normalise)
        truth = self._true(record, options)
        number = self._option_sets.setdefault(options.names, len(self._option_sets))
        return prediction.option, truth.option, prediction.normalised or truth.normalised, given, number

    def _true(self, record: Fields, options: Options) -> OptionAnswer:
        """The truth; of several people's the one that most gave.

        Raises:
            LeftOut: There is none, or two were given equally often.
            RowFault: It is none of the options.
        """
        found: list[OptionAnswer] = []
        for name, value in self._truths:
            true = self._text(name, value(record))
            truth = _named(as_whole(true, options), options)
            if truth.option is None and (not true.strip() or true.strip() in NO_VALUE):
                continue
            if truth.option is None:
                among = listing(map(repr, options.names))
                remedy = "Correct either." if self._of_all is None else "Correct it, or add it to the options."
                if self._of_all is None and self._options(record) is None:
                    remedy = (
                        "Correct it, or name every question's options by `--options` (in touchstone.yaml `options:`)."
                    )
                raise RowFault(f"'{true:.60}' in field '{name}' is none of the options {among}.", remedy)
            found.append(truth)
        if not found:
            raise LeftOut(self._columns.truth, "", _CAUSES[MISSING].format("truth"))
        (most, n), *others = Counter(one.option for one in found).most_common(2)
        if others and others[0][1] == n:
            raise LeftOut(self._columns.truth_named, " / ".join(str(one.option) for one in found), TIED)
        return next(one for one in found if one.option == most)

    def compared(self, arrays: Arrays) -> list[pa.Array]:
        """The options, the truth and the answer: as the option that it names, or as given where it names none."""
        answer = pc.coalesce(arrays["prediction"], arrays["answer_as_given"])
        return [arrays["option_set"], arrays["truth"], answer]

    def table(self, arrays: Arrays) -> dict[str, Any]:
        """Answer, truth, options and the answer as given."""
        sets = [list(names) for names in self._option_sets]
        options = pd.Series([sets[number] for number in arrays["option_set"].to_pylist()], dtype="object")
        words = {name: pd.array(arrays[name], dtype="str") for name in ("prediction", "truth", "answer_as_given")}
        return {"prediction": words["prediction"], "truth": words["truth"], "options": options, **words}

    def notes(self, arrays: Arrays) -> Iterator[str]:
        """Which answers count as none, and which were read as an option that they are not written as."""
        given = pc.utf8_trim_whitespace(arrays["answer_as_given"])
        none = pc.is_null(arrays["prediction"])
        if n_invalid := pc.sum(none).as_py():
            shown = _with_examples([repr(text) for text in pc.unique(given.filter(none)).to_pylist()])
            names = "1 answer names" if n_invalid == 1 else f"{n_invalid:,} answers name"
            yield f"{names} no option, or more than one (invalid, counted as wrong): {shown}."
        if not self._normalise:
            yield "Answers are not normalised: one that is not written as an option is invalid."
            return
        other = pc.fill_null(pc.not_equal(arrays["answer_as_given"], arrays["prediction"]), False)
        pairs = dict.fromkeys(
            zip(given.filter(other).to_pylist(), arrays["prediction"].filter(other).to_pylist(), strict=True)
        )
        if pairs:
            shown = _with_examples([f"{text!r} as {option}" for text, option in pairs])
            yield (
                f"Answers are normalised: {shown}. `--no-normalise-answers` (in touchstone.yaml: "
                "`normalise_answers: false`) takes them as they are written."
            )

    def _text(self, field: str, value: Any) -> str:
        """No answer at all is a blank one, and wrong: a model must not gain by not answering."""
        try:
            return value if isinstance(value, str) else as_text(value) or ""
        except SeveralValues as fault:
            raise RowFault(f"field '{field}' holds {fault}, not a single answer.", "Write one answer.") from fault


def _is_no_rating(value: Any) -> bool:
    """Whether a person's cell says that there is none, as a verdict reads it."""
    return value != value or (isinstance(value, str) and value.strip() in NO_VALUE | NO_RATING)


def _with_examples(shown: Sequence[str]) -> str:
    return ", ".join(
        one if len(one) <= _LONGEST_EXAMPLE else f"{one[:_LONGEST_EXAMPLE]}..." for one in shown[:EXAMPLES]
    ) + (f" and {len(shown) - EXAMPLES:,} other texts" if len(shown) > EXAMPLES else "")


@lru_cache(maxsize=_CACHED)
def _named(text: str, options: Options, normalise: bool = True) -> OptionAnswer:
    """The option that a text names, as `normalised_answer` says, or as it is written."""
    return (normalised_answer if normalise else written_answer)(text, options.names, options.texts)


def whole_texts(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts, ``2.0`` as ``2`` where all of them are whole numbers."""
    if pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py():
        return pc.replace_substring_regex(texts, _FRACTION, "")
    return texts


def as_asked(fields: dict[str, pa.ChunkedArray], names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
    """The fields, each under the names by which it is asked for; under its own where it is not."""
    owns = {name: own_name(name, fields) for name in names}
    others = {name: fields[own] for name, own in owns.items() if own is not None and own != name}
    replaced = {own for name, own in owns.items() if name in others} - set(names)
    return {name: column for name, column in fields.items() if name not in replaced} | others


def single(name: str, value: Any) -> str | None:
    """A single value as text; null where there is none.

    Raises:
        RowFault: It is a list or a group of fields.
    """
    try:
        return as_text(value)
    except SeveralValues as fault:
        raise RowFault(f"field '{name}' holds {fault}, not a single value.", "Write one value.") from fault


def without_nul(name: str, text: str) -> str:
    """The text.

    Raises:
        RowFault: It holds NUL.
    """
    if "\0" in text:
        raise RowFault(f"{text!r:.60} in field '{name}' holds NUL.", "Remove it.")
    return text


def shown(value: Any) -> str:
    """A value's beginning, for messages."""
    return "" if value is None else f"{value:.60}" if isinstance(value, str) else f"{value!r:.60}"


class PackedColumn:
    """Values of one Arrow type, each put at its position; positions that nothing was put at are null."""

    def __init__(self, kind: pa.DataType) -> None:
        """Begin empty."""
        self._kind = kind
        self._pieces: list[pa.Array] = []
        self._packed = 0
        self._open: list[Any] = []

    def put(self, position: int, value: Any) -> None:
        """Put a value at a position beyond those before it."""
        gap = position - self._packed - len(self._open)
        if gap > PIECE:
            self._fill(position)
        elif gap:
            self._open.extend([None] * gap)
        self._open.append(value)
        if len(self._open) >= PIECE:
            self._pack()

    def array(self, length: int) -> pa.ChunkedArray:
        """All values, with nulls up to a length."""
        self._fill(length)
        return pa.chunked_array(self._pieces, self._kind)

    def _fill(self, length: int) -> None:
        self._pack()
        if length > self._packed:
            self._pieces.append(pa.nulls(length - self._packed, self._kind))
            self._packed = length

    def _pack(self) -> None:
        if self._open:
            self._pieces.append(pa.array(self._open, self._kind))
            self._packed += len(self._open)
            self._open = []


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
