"""Decides what an evaluation file holds, scores or answers, and which of its fields say what."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from resources.errors import FileFault, UserError, listed, nearest
from resources.inputs.evaluation_values import NOT_A_NUMBER, score_in
from resources.inputs.record_fields import SHOWN_FIELDS, unknown_field, value_of
from resources.inputs.record_files import Record, RecordFile

Kind = Literal["scores", "answers"]
SAMPLE_ID = "sample_id"
OPTIONS = "options"
SNIFFED_RECORDS = 200
_NAME_IT = "Name it with --prediction or --truth, or in touchstone.yaml."
_CHOOSE = "Say which with --kind scores or --kind answers, or name --prediction and --truth."


class Sides(NamedTuple):
    """Fields that hold a kind's predictions and truths, the one that counts first."""

    prediction: tuple[str, ...]
    truth: tuple[str, ...]


KNOWN: dict[Kind, Sides] = {
    "scores": Sides(("final_score", "result.final_score", "quality_score"), ("mos", "metadata.mos")),
    "answers": Sides(("prediction",), ("answer",)),
}
# Names that tell one delimiter of a CSV file from another.
LIKELY = (SAMPLE_ID, OPTIONS, *(name for sides in KNOWN.values() for side in sides for name in side))


@dataclass(frozen=True)
class EvaluationColumns:
    """What is read from a file: dotted names of its fields.

    `sample_id` is null where there is no such field, `options` where the file holds scores, `fields` where every
    field is kept. `known_fields` are those that can be kept as far as the names are known, `rivals` those that would
    have been chosen had they been among them.
    """

    kind: Kind
    prediction: str
    truth: str
    sample_id: str | None
    options: str | None
    fields: tuple[str, ...] | None
    known_fields: tuple[str, ...]
    rivals: tuple[str, ...]

    @property
    def wanted(self) -> list[str]:
        """Every field to read."""
        kept = self.known_fields if self.fields is None else self.fields
        named = (self.prediction, self.truth, self.sample_id, self.options, *kept)
        return list(dict.fromkeys(name for name in named if name is not None))

    def holds_values(self, name: str) -> bool:
        """Whether a field is read for what it says of a sample's scores or answers, and is no metadata."""
        own = (self.prediction, self.truth, self.sample_id, self.options)
        return name in own or (self.options is not None and name.startswith(f"{self.options}."))


def evaluation_columns(
    file: RecordFile,
    kind: Kind | None = None,
    prediction: str | None = None,
    truth: str | None = None,
    fields: Sequence[str] | None = None,
) -> EvaluationColumns:
    """What to read from a file.

    Args:
        file: The file; its first records decide, all of them where those lack a field that is needed.
        kind: What it holds; null to recognise it.
        prediction: Dotted name of the field with predictions; null for the first known one that is there.
        truth: The same for the truth.
        fields: Dotted names of the metadata to keep; null for all.

    Raises:
        FileFault: Both kinds fit, or none does; a field is not there.
    """
    names, complete = file.names()
    try:
        return _columns(file, names, kind, prediction, truth, fields)
    except UserError:
        if complete:
            raise
    return _columns(file, file.names(whole=True)[0], kind, prediction, truth, fields)


def _columns(
    file: RecordFile,
    names: Sequence[str],
    kind: Kind | None,
    prediction: str | None,
    truth: str | None,
    fields: Sequence[str] | None,
) -> EvaluationColumns:
    for name in (prediction, truth, *(fields or ())):
        fault = unknown_field(name, names) if name is not None else None
        if fault:
            raise FileFault(file.name, f"{fault}", "Correct the name.")
    kind = kind or _recognised(file, names, prediction, truth)
    chosen_prediction, passed = _chosen(file, names, "prediction", KNOWN[kind].prediction, prediction)
    chosen_truth, passed_truths = _chosen(file, names, "truth", KNOWN[kind].truth, truth)
    if chosen_prediction == chosen_truth:
        raise FileFault(file.name, f"'{chosen_truth}' is named as prediction and as truth.", "Name two fields.")
    columns = EvaluationColumns(
        kind=kind,
        prediction=chosen_prediction,
        truth=chosen_truth,
        sample_id=SAMPLE_ID if SAMPLE_ID in names else None,
        options=OPTIONS if kind == "answers" else None,
        fields=None if fields is None else tuple(dict.fromkeys(fields)),
        known_fields=(),
        rivals=(*passed, *passed_truths, *(() if SAMPLE_ID in names else (SAMPLE_ID,))),
    )
    known = tuple(name for name in names if not columns.holds_values(name))
    return EvaluationColumns(**{**vars(columns), "known_fields": known})


def _chosen(
    file: RecordFile, names: Sequence[str], side: str, known: Sequence[str], named: str | None
) -> tuple[str, tuple[str, ...]]:
    """The field of one side, and the known ones that would have come before it."""
    if named is not None:
        return named, ()
    for place, name in enumerate(known):
        if name in names:
            return name, tuple(known[:place])
    problem = f"there is no {side}, {_none_of(known, names)}; the fields there are: {_shown(names)}."
    raise FileFault(file.name, problem, _NAME_IT)


def _recognised(file: RecordFile, names: Sequence[str], prediction: str | None, truth: str | None) -> Kind:
    fitting: list[Kind] = [kind for kind in KNOWN if _fits(kind, names, prediction, truth)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        lacks = "; ".join(f"for {kind} {' and '.join(_lacking(kind, names, prediction, truth))}" for kind in KNOWN)
        problem = f"it holds neither scores nor answers: {lacks}; the fields there are: {_shown(names)}."
        raise FileFault(file.name, problem, _NAME_IT)
    if prediction is not None and truth is not None:
        numbers = _share_of_numbers(file, truth)
        has_options = any(name.split(".")[0] == OPTIONS for name in names)
        if numbers == 1 and not has_options:
            return "scores"
        if numbers == 0:
            return "answers"
    found = [repr(name) for kind in KNOWN for side in KNOWN[kind] for name in side if name in names]
    problem = f"it could hold scores or answers{', with fields ' + listed(found) if found else ''}."
    raise FileFault(file.name, problem, _CHOOSE)


def _fits(kind: Kind, names: Sequence[str], prediction: str | None, truth: str | None) -> bool:
    return not _lacking(kind, names, prediction, truth)


def _lacking(kind: Kind, names: Sequence[str], prediction: str | None, truth: str | None) -> list[str]:
    """What keeps a file from holding this kind: a side without a field, or with a field known for the other kind."""
    others = {name for other, sides in KNOWN.items() if other != kind for side in sides for name in side}
    lacking = []
    for named, known in zip((prediction, truth), KNOWN[kind], strict=True):
        if named is None and not set(known) & set(names):
            lacking.append(_none_of(known, names))
        elif named in others:
            lacking.append(f"'{named}' is of another kind")
    return lacking


def _share_of_numbers(file: RecordFile, name: str) -> float:
    """Which share of the first values there are is a number."""
    value = value_of(name)
    records = (found for found in file.records([name]) if isinstance(found, Record))
    scores = [
        score_in(file.plain_number(text) if isinstance(text := value(record.fields), str) else text)
        for record in islice(records, SNIFFED_RECORDS)
    ]
    told = [score.cause is None for score in scores if score.cause in (None, NOT_A_NUMBER)]
    return sum(told) / len(told) if told else 0.5


def _none_of(known: Sequence[str], names: Sequence[str]) -> str:
    return "none of " + ", ".join(f"'{name}'{nearest(name, names)}" for name in known)


def _shown(names: Sequence[str]) -> str:
    return listed(map(repr, names), SHOWN_FIELDS) or "none"
