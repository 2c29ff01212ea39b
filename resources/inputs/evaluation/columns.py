"""Decides what an evaluation file holds, scores or answers, and which of its fields say what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from analysis.spelling import one_spelling
from resources.errors import FileFault, UserError, did_you_mean, listing
from resources.inputs.column_names import own_name
from resources.inputs.record_files import SHOWN_FIELDS, Record, RecordFile, refuse_unreadable, unknown_field, value_of
from resources.inputs.written_columns import looks_like_number
from resources.inputs.written_values import NOT_A_NUMBER, score_in

Kind = Literal["scores", "answers"]
SAMPLE_ID = "sample_id"
OPTIONS = "options"
SNIFFED_RECORDS = 200
NAME_IT = (
    "Name the fields with --prediction and --truth (in touchstone.yaml: `prediction:` and `truth:` of the data set)."
)
_CHOOSE = "Say --kind scores or --kind answers (in touchstone.yaml: `kind: scores` or `kind: answers`)."


class Sides(NamedTuple):
    """Fields that hold a kind's predictions and truths, the one that counts first."""

    prediction: tuple[str, ...]
    truth: tuple[str, ...]


KNOWN: dict[Kind, Sides] = {
    "scores": Sides(
        ("final_score", "result.final_score", "quality_score", "prediction", "score"), ("mos", "metadata.mos")
    ),
    "answers": Sides(("prediction",), ("answer",)),
}
# Names that tell one delimiter of a CSV file from another.
LIKELY = (SAMPLE_ID, OPTIONS, *(name for sides in KNOWN.values() for side in sides for name in side))


@dataclass(frozen=True)
class EvaluationColumns:
    """What is read from a file: dotted names of its fields.

    `sample_id` is null where there is no such field, `options` where the file holds scores, `fields` where every
    field is kept. `known_fields` are those that can be kept as far as the names are known, `rivals` those that would
    have been chosen had they been among them. `truths` are the fields with each person's where there are several, the
    first as `truth`; what counts is their mean, or their majority.
    """

    kind: Kind
    prediction: str
    truth: str
    sample_id: str | None
    options: str | None
    fields: tuple[str, ...] | None
    known_fields: tuple[str, ...]
    rivals: tuple[str, ...]
    truths: tuple[str, ...] = ()

    @property
    def truth_named(self) -> str:
        """The truth's field, or those that it is taken from."""
        return ", ".join(self.truths or (self.truth,))

    @property
    def wanted(self) -> list[str]:
        """Every field to read."""
        kept = self.known_fields if self.fields is None else self.fields
        named = (self.prediction, self.truth, *self.truths, self.sample_id, self.options, *kept)
        return list(dict.fromkeys(name for name in named if name is not None))

    def holds_values(self, name: str) -> bool:
        """Whether a field is read for what it says of a sample's scores or answers, and is no metadata."""
        own = (self.prediction, self.truth, *self.truths, self.sample_id, self.options)
        return name in own or (self.options is not None and name.startswith(f"{self.options}."))


def evaluation_columns(
    file: RecordFile,
    kind: Kind | None = None,
    prediction: str | None = None,
    truth: str | Sequence[str] | None = None,
    fields: Sequence[str] | None = None,
) -> EvaluationColumns:
    """What to read from a file.

    Args:
        file: The file; its first records decide, all of them where those lack a field that is needed.
        kind: What it holds; null to recognise it by the truth.
        prediction: Dotted name of the field with predictions; null for the first known one that is there, in any
            letter case.
        truth: The same for the truth; several where each person's is in a field.
        fields: Dotted names of the metadata to keep; null for all.

    Raises:
        FileFault: Both kinds fit, or none does; a field is not there; no row can be read.
        FileFaults: No row can be read, and there are several.
    """
    asked = _Asked(kind, prediction, truth, fields)
    names, complete = file.names()
    try:
        return _columns(file, names, asked)
    except UserError:
        if complete and names:
            raise
    names, _ = file.names(whole=True)
    if not names:
        refuse_unreadable(file)
    return _columns(file, names, asked)


class _Asked(NamedTuple):
    """As `evaluation_columns` is asked."""

    kind: Kind | None
    prediction: str | None
    truth: str | Sequence[str] | None
    fields: Sequence[str] | None


def _columns(file: RecordFile, names: Sequence[str], asked: _Asked) -> EvaluationColumns:
    kind, prediction, truth, fields = asked
    given = () if truth is None else (truth,) if isinstance(truth, str) else tuple(truth)
    truths = tuple(dict.fromkeys(own for name in given if (own := _own(file, name, names)) is not None))
    prediction, truth = _own(file, prediction, names), truths[0] if truths else None
    fields = None if fields is None else [own for name in fields if (own := _own(file, name, names)) is not None]
    kind = kind or _recognised(file, names, prediction, truth)
    chosen_prediction, passed = _field_of(file, names, "prediction", KNOWN[kind].prediction, prediction)
    chosen_truth, passed_truths = _field_of(file, names, "truth", KNOWN[kind].truth, truth)
    if chosen_prediction in (chosen_truth, *truths):
        raise FileFault(file.name, f"'{chosen_prediction}' is named as prediction and as truth.", "Name two fields.")
    sample_id = own_name(SAMPLE_ID, names)
    columns = EvaluationColumns(
        kind=kind,
        prediction=chosen_prediction,
        truth=chosen_truth,
        sample_id=sample_id,
        options=(own_name(OPTIONS, {name.split(".")[0] for name in names}) or OPTIONS) if kind == "answers" else None,
        fields=None if fields is None else tuple(dict.fromkeys(fields)),
        known_fields=(),
        rivals=(*passed, *passed_truths, *(() if sample_id == SAMPLE_ID else (SAMPLE_ID,))),
        truths=truths if len(truths) > 1 else (),
    )
    known = tuple(name for name in names if not columns.holds_values(name))
    return EvaluationColumns(**{**vars(columns), "known_fields": known})


def _own(file: RecordFile, name: str | None, names: Sequence[str]) -> str | None:
    """The file's spelling of a name that was given."""
    if name is None:
        return None
    fault = unknown_field(name, names)
    if fault:
        raise FileFault(file.name, str(fault), "Correct the name.")
    return own_name(name, names)


def _field_of(
    file: RecordFile, names: Sequence[str], side: str, known: Sequence[str], named: str | None
) -> tuple[str, tuple[str, ...]]:
    """The field of one side, and the known ones that would have come before it."""
    if named is not None:
        return named, ()
    for place, name in enumerate(known):
        found = spellings_of(name, names)
        if found:
            # Its own spelling would have come before another one.
            return found[0], (*known[:place], *([name] if found[0] != name else []))
    problem = f"there is no {side}, {_none_of(known, names)}; the fields there are: {_shown(names)}."
    raise FileFault(file.name, problem, NAME_IT)


def spellings_of(name: str, names: Sequence[str]) -> list[str]:
    """The names that are this one but for letter case and white space, the one that is spelled alike first."""
    same = [one for one in names if one_spelling(one) == one_spelling(name)]
    return sorted(same, key=lambda one: one != name)


def _first(known: Sequence[str], names: Sequence[str]) -> str | None:
    return next((found for name in known for found in spellings_of(name, names)), None)


def _recognised(file: RecordFile, names: Sequence[str], prediction: str | None, truth: str | None) -> Kind:
    """What the truth says that the file holds: by its name, else by its values."""
    if truth is None:
        return _recognised_unnamed(file, names, prediction)
    for kind, sides in KNOWN.items():
        if spellings_of(truth, sides.truth):
            return kind
    numbers = _share_of_numbers(file, truth)
    if numbers == 0:
        return "answers"
    if numbers == 1 and not any(name.split(".")[0].casefold() == OPTIONS for name in names):
        return "scores"
    raise _unclear(file, names, dict.fromkeys(KNOWN, truth), prediction)


def _recognised_unnamed(file: RecordFile, names: Sequence[str], prediction: str | None) -> Kind:
    truths = {kind: found for kind, sides in KNOWN.items() if (found := _first(sides.truth, names))}
    if not truths:
        lacks = "; ".join(f"for {kind} {_none_of(sides.truth, names)}" for kind, sides in KNOWN.items())
        problem = f"it holds neither scores nor answers, there is no truth: {lacks}; the fields there are: "
        raise FileFault(file.name, f"{problem}{_shown(names)}.", NAME_IT)
    fitting = [kind for kind in truths if _fits(KNOWN[kind].prediction, names, prediction)] or list(truths)
    if len(fitting) == 1:
        return fitting[0]
    shared = {prediction or _first(KNOWN[kind].prediction, names) for kind in fitting}
    field = shared.pop()
    if not shared and field is not None and _share_of_numbers(file, field) == 0:
        return "answers"
    raise _unclear(file, names, truths, prediction)


def _fits(known: Sequence[str], names: Sequence[str], prediction: str | None) -> bool:
    """Whether predictions of a kind are there, or were named and are not known for the other kind only."""
    if prediction is None:
        return _first(known, names) is not None
    everywhere = [name for sides in KNOWN.values() for name in sides.prediction]
    return bool(spellings_of(prediction, known)) or not spellings_of(prediction, everywhere)


def _unclear(file: RecordFile, names: Sequence[str], truths: Mapping[Kind, str], prediction: str | None) -> FileFault:
    pairs = {kind: (prediction or _first(KNOWN[kind].prediction, names), truth) for kind, truth in truths.items()}
    fields = dict.fromkeys(field for field, _ in pairs.values() if field is not None)
    if len(fields) == 1:
        return FileFault(file.name, f"Is '{next(iter(fields))}' a score or an answer?", _CHOOSE)
    either = " or ".join(f"{kind} ('{field}' against '{truth}')" for kind, (field, truth) in pairs.items() if field)
    problem = f"Does it hold {either}?" if either else "Does it hold scores or answers?"
    return FileFault(file.name, problem, _CHOOSE)


def _share_of_numbers(file: RecordFile, name: str) -> float:
    """Which share of the first values there are is a number."""
    value = value_of(name)
    records = (found for found in file.records([name]) if isinstance(found, Record))
    scores = [
        score_in(0.0 if isinstance(found := value(record.fields), str) and looks_like_number(found) else found)
        for record in islice(records, SNIFFED_RECORDS)
    ]
    read = [score.cause is None for score in scores if score.cause in (None, NOT_A_NUMBER)]
    return sum(read) / len(read) if read else 0.5


def _none_of(known: Sequence[str], names: Sequence[str]) -> str:
    return "none of " + ", ".join(f"'{name}'{did_you_mean(name, names)}" for name in known)


def _shown(names: Sequence[str]) -> str:
    return listing(map(repr, names), SHOWN_FIELDS) or "none"
