"""Reads one record of an evaluation file: a pair of scores, or an answer with its options and truth."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from analysis.option_answers import OptionAnswer, normalised_answer
from analysis.rounding import rounded_on_own_scale
from resources.errors import listed
from resources.inputs.evaluation_columns import EvaluationColumns
from resources.inputs.evaluation_values import (
    INFINITE,
    MISSING,
    NOT_A_NUMBER,
    NoOptions,
    Options,
    options_in,
    score_in,
)
from resources.inputs.record_fields import Fields, SeveralValues, as_text, value_of
from resources.inputs.record_files import RecordFile

_CAUSES = {MISSING: "missing_{}", NOT_A_NUMBER: "{}_not_a_number", INFINITE: "infinite_{}"}
_CACHED = 65_536
# What stands between a letter and what it says; a space alone would read "A red" out of a sentence.
_BETWEEN = r"(?:\s*[)\]}.:,;]+\s*(?:[-\u2013\u2014]\s*)?|\s*[-\u2013\u2014]\s*)"
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


class ScoreRows:
    """A predicted score and the true one."""

    types: Mapping[str, pa.DataType] = {"prediction": pa.float64(), "truth": pa.float64(), "normalised": pa.bool_()}

    def __init__(self, file: RecordFile, columns: EvaluationColumns) -> None:
        """Find the two fields."""
        self._sides = [
            (side, name, value_of(name))
            for side, name in (("prediction", columns.prediction), ("truth", columns.truth))
        ]
        self._plain = file.plain_number if file.numbers_are_text else None

    def read(self, record: Fields) -> tuple[Any, ...]:
        """Prediction, truth, and whether one of them is written as text where a number could stand."""
        values: list[float] = []
        from_text = False
        for side, name, value_in in self._sides:
            value = value_in(record)
            score = score_in(self._plain(value) if self._plain and isinstance(value, str) else value)
            if score.cause is not None:
                raise LeftOut(name, value, _CAUSES[score.cause].format(side))
            values.append(score.value)
            from_text = from_text or score.from_text
        return values[0], values[1], from_text and self._plain is None

    def compared(self, arrays: Arrays) -> list[pa.Array]:
        """Both scores, rounded as every comparison is."""
        return [pa.array(rounded_on_own_scale(arrays[name].to_numpy())) for name in ("prediction", "truth")]

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

    def __init__(self, file: RecordFile, columns: EvaluationColumns) -> None:
        """Find the three fields."""
        self._columns = columns
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
        prediction, truth = _named(given, options), _named(true, options)
        if truth.option is None:
            among = listed(map(repr, options.names))
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

    def _text(self, field: str, value: Any) -> str:
        """No answer at all is a blank one, and wrong: a model must not gain by not answering."""
        try:
            return value if isinstance(value, str) else as_text(value) or ""
        except SeveralValues as fault:
            raise RowFault(f"field '{field}' holds {fault}, not a single answer.", "Write one answer.") from fault


def row_reader(file: RecordFile, columns: EvaluationColumns) -> RowReader:
    """What reads the records of this kind of file."""
    return ScoreRows(file, columns) if columns.kind == "scores" else AnswerRows(file, columns)


@lru_cache(maxsize=_CACHED)
def _named(text: str, options: Options) -> OptionAnswer:
    """The option that a text names by its name, by what it says, by both, or by the letter of its place."""
    names = options.names
    ways: list[tuple[str, ...]] = [names]
    if options.texts is not None:
        ways.append(options.texts)
    elif all(len(name) > 1 for name in names):
        ways.append(tuple(ascii_uppercase[: len(names)]))
    for way in ways:
        option = normalised_answer(text, way).option
        if option is not None:
            name = names[way.index(option)]
            return OptionAnswer(name, text != name)
    if options.texts is not None:
        return _named_by_both(text, names, options.texts)
    return OptionAnswer(None, False)


def _named_by_both(text: str, names: Sequence[str], texts: Sequence[str]) -> OptionAnswer:
    """The option whose letter and text an answer such as "A: red", "(A) red" or "A - red" holds."""
    for name, said in zip(names, texts, strict=True):
        parts = re.fullmatch(rf"[\s(\[{{]*{re.escape(name)}{_BETWEEN}(\S.*)", text, re.IGNORECASE | re.DOTALL)
        rest = None if parts is None else parts[1]
        # The rest alone may name an option by its text only: "A - B" names none.
        if rest is not None and normalised_answer(rest, tuple(texts)).option == said:
            return OptionAnswer(name, True)
    return OptionAnswer(None, False)
