"""Reads one record of an evaluation file: a pair of scores, or an answer with its options and truth."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from analysis.accuracy.option_answers import OptionAnswer, normalised_answer, written_answer
from resources.errors import listing
from resources.inputs.evaluation.columns import EvaluationColumns
from resources.inputs.record_files import Fields, RecordFile, SeveralValues, as_text, value_of
from resources.inputs.written_columns import WrittenColumns
from resources.inputs.written_values import (
    INFINITE,
    MISSING,
    NOT_A_NUMBER,
    NoOptions,
    Options,
    as_whole,
    options_in,
    score_in,
)

_CAUSES = {MISSING: "missing_{}", NOT_A_NUMBER: "{}_not_a_number", INFINITE: "infinite_{}"}
_CACHED = 65_536
EXAMPLES, _LONGEST_EXAMPLE = 3, 60
Arrays = Mapping[str, pa.ChunkedArray]


class LeftOut(Exception):
    """A record without a usable value on one side: it is left out and counted."""

    def __init__(self, field: str, value: Any, cause: str) -> None:
        super().__init__(cause)
        self.field, self.value, self.cause = field, value, cause


class RowFault(Exception):
    """A record that is wrong; both parts are sentences."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


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

    def __init__(self, file: RecordFile, columns: EvaluationColumns, written: WrittenColumns) -> None:
        """Find the two fields."""
        self._sides = [
            (side, name, value_of(name), partial(written.number, name))
            for side, name in (("prediction", columns.prediction), ("truth", columns.truth))
        ]
        self._numbers_are_text = file.numbers_are_text

    def read(self, record: Fields) -> tuple[Any, ...]:
        """Prediction, truth, and whether one of them is written as text where a number could stand."""
        values: list[float] = []
        from_text = False
        for side, name, value_in, number in self._sides:
            value = value_in(record)
            score = score_in(value, number)
            if score.cause is not None:
                raise LeftOut(name, value, _CAUSES[score.cause].format(side))
            values.append(score.value)
            from_text = from_text or score.from_text
        return values[0], values[1], from_text and not self._numbers_are_text

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

    def __init__(self, file: RecordFile, columns: EvaluationColumns, normalise: bool = True) -> None:
        """Find the three fields; without `normalise` an answer counts as it is written."""
        self._columns, self._normalise = columns, normalise
        self._prediction, self._truth = value_of(columns.prediction), value_of(columns.truth)
        self._options = value_of(columns.options or "")
        self._option_sets: dict[tuple[str, ...], int] = {}

    def read(self, record: Fields) -> tuple[Any, ...]:
        """Prediction (null where it names no option), truth, whether one was respelled, answer, number of options."""
        columns = self._columns
        try:
            options = options_in(self._options(record))
        except NoOptions as fault:
            raise RowFault(str(fault), f"Give at least two different options in field '{columns.options}'.") from fault
        given = self._text(columns.prediction, self._prediction(record))
        true = self._text(columns.truth, self._truth(record))
        if not true.strip():
            raise LeftOut(columns.truth, true, _CAUSES[MISSING].format("truth"))
        prediction = _named(as_whole(given, options), options, self._normalise)
        truth = _named(as_whole(true, options), options)
        if truth.option is None:
            among = listing(map(repr, options.names))
            raise RowFault(
                f"'{true:.60}' in field '{columns.truth}' is none of the options {among}.", "Correct either."
            )
        number = self._option_sets.setdefault(options.names, len(self._option_sets))
        return prediction.option, truth.option, prediction.normalised or truth.normalised, given, number

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


def row_reader(
    file: RecordFile, columns: EvaluationColumns, written: WrittenColumns, normalise_answers: bool = True
) -> RowReader:
    """What reads the records of this kind of file."""
    if columns.kind == "scores":
        return ScoreRows(file, columns, written)
    return AnswerRows(file, columns, normalise_answers)


def _with_examples(shown: Sequence[str]) -> str:
    return ", ".join(
        one if len(one) <= _LONGEST_EXAMPLE else f"{one[:_LONGEST_EXAMPLE]}..." for one in shown[:EXAMPLES]
    ) + (f" and {len(shown) - EXAMPLES:,} other texts" if len(shown) > EXAMPLES else "")


@lru_cache(maxsize=_CACHED)
def _named(text: str, options: Options, normalise: bool = True) -> OptionAnswer:
    """The option that a text names, as `normalised_answer` says, or as it is written."""
    return (normalised_answer if normalise else written_answer)(text, options.names, options.texts)
