"""The judge `recorded`: scores that were given earlier, in a file of query_id, doc_id, judge, prompt_version, score."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.any_file import record_file
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.record_files import SeveralValues, as_text, refuse_unreadable, unknown_field
from resources.inputs.written_columns import WrittenColumns, WrittenOtherwise, read_as_written
from resources.inputs.written_values import score_in
from resources.judges.contract import JudgeIdentity
from resources.judges.relevance.documents import AskedDocument, Judged, JudgedBy
from resources.judges.relevance.prompts import RUBRIC_VERSION

COLUMNS: Final = ("query_id", "doc_id", "judge", "prompt_version")
SCORE: Final = "score"
NO_SCORE: Final = "recorded without a score"
CODE_VERSION: Final = "1"


Scale = tuple[float, float]
UNIT: Final[Scale] = (0.0, 1.0)


class ScoredRow(NamedTuple):
    """Row in the file, the texts in the order asked for, and the score, null where the file has none."""

    row: int
    texts: tuple[str, ...]
    score: float | None


class ScoredColumns(NamedTuple):
    """The columns of a row by their names.

    Attributes:
        texts: Columns of texts, none of which may be empty, and which together tell a row from the others.
        score: The column of the score.
        ids: Those of `texts` that are ids: ``1.0`` is ``1`` where a whole column is so.
        may_lack: Those of `texts` that a row, or the file, need not have; they are "" then.
        scale: What the scores run from and to; they come back on 0-1.
    """

    texts: Sequence[str]
    score: str
    ids: Sequence[str] = ()
    may_lack: Sequence[str] = ()
    scale: Scale = UNIT


def scored_rows(path: Path, asked: ScoredColumns, *, score_may_be_missing: bool) -> list[ScoredRow]:
    """Every row of a file.

    Args:
        path: CSV, JSONL or Parquet.
        asked: Its columns.
        score_may_be_missing: Whether a row without a score is no fault.

    Raises:
        FileFault: The file cannot be read, lacks a column, or has one fault.
        FileFaults: It has several.
    """
    texts, score, _, may_lack, scale = asked
    columns = [*texts, score]
    file = record_file(path, columns)
    names, _ = file.names(whole=True)
    if not names:
        refuse_unreadable(file)
    for column in [name for name in columns if name not in may_lack]:
        if problem := unknown_field(column, names):
            raise FileFault(file.name, str(problem), f"The columns that are read are {', '.join(columns)}.")
    own = {column: own_name(column, names) or column for column in columns}

    def read(written: WrittenColumns) -> list[ScoredRow]:
        faults = Faults(file.name)
        first_row: dict[tuple[str, ...], int] = {}
        rows = []
        for record in file.records(list(own.values())):
            if isinstance(record, BadRow):
                faults.add(record.problem, record.remedy, record.row)
                continue
            fields = {column: record.fields.get(theirs) for column, theirs in own.items()}
            one = _read(record.row, fields, asked, written, faults)
            if one is None:
                continue
            if one.score is None and not score_may_be_missing:
                remedy = f"Write a number from {scale[0]:g} to {scale[1]:g}."
                faults.add(f"there is no value in column '{score}'.", remedy, one.row)
            if (earlier := first_row.setdefault(one.texts, one.row)) != one.row:
                faults.add(f"it has the same {', '.join(texts)} as row {earlier}.", "Remove one of the two.", one.row)
            rows.append(one)
        faults.raise_if_any()
        if not rows:
            raise FileFault(file.name, "there is no row in it.", f"Give it rows with {', '.join(columns)}.")
        return rows

    return read_as_written(read, file.name, file.delimiter)


def _read(
    row: int, fields: dict[str, Any], asked: ScoredColumns, written: WrittenColumns, faults: Faults
) -> ScoredRow | None:
    found = []
    for column in asked.texts:
        try:
            text = as_text(fields.get(column))
        except SeveralValues as several:
            faults.add(f"{several} in column '{column}' is no single value.", "Write one text.", row)
            return None
        if text is None and column in asked.may_lack:
            text = ""
        if text is None:
            faults.add(f"there is no value in column '{column}'.", "Write one, or remove the row.", row)
            return None
        found.append(written.label(column, text) if column in asked.ids else text)
    value, score = fields.get(asked.score), asked.score
    try:
        text = as_text(value)
    except SeveralValues:
        text = repr(value)[:60]
    if text is None:
        return ScoredRow(row, tuple(found), None)
    try:
        number = score_in(value, partial(written.number, score)).value
    except WrittenOtherwise as other:
        faults.add(other.problem, other.remedy, row)
        return None
    if not written.reads:
        return ScoredRow(row, tuple(found), None)
    low, high = asked.scale
    number = written.on_scale(score, number, low, high)
    if not low <= number <= high:
        problem = f"is outside {low:g}-{high:g}" if math.isfinite(number) else "is no number"
        remedy = f"Write a number from {low:g} to {high:g}."
        faults.add(f"'{text[:60]}' in column '{score}' {problem}.", remedy, row)
        return None
    return ScoredRow(row, tuple(found), number + 0.0 if asked.scale == UNIT else (number - low) / (high - low))


class RecordedJudge:
    """Gives back one judge's recorded answers under one prompt version.

    Its identity follows from these answers alone: others that are added to the file change nothing.
    """

    def __init__(self, name: str, path: Path, prompt_version: str, scale: Scale = UNIT) -> None:
        """Read the file; a judge without a prompt version is the same under each.

        Raises:
            FileFault: It cannot be read, or has nothing of this judge and version.
            FileFaults: Several rows are wrong.
        """
        self._name, self._version = name, prompt_version
        columns = ScoredColumns(COLUMNS, SCORE, ids=COLUMNS[:2], may_lack=COLUMNS[3:], scale=scale)
        rows = scored_rows(path, columns, score_may_be_missing=True)
        judges = dict.fromkeys(row.texts[2] for row in rows)
        theirs = own_name(name, judges)
        if theirs is None:
            meant = did_you_mean(name, judges)
            problem = f"there is no judge '{name}'{meant} in column 'judge'; there are {listing(judges)}."
            raise FileFault(path, problem, "Name the judge in the configuration as in the file.")
        versions = dict.fromkeys(row.texts[3] for row in rows if row.texts[2] == theirs)
        version = "" if "" in versions and prompt_version not in versions else prompt_version
        if version not in versions:
            problem = (
                f"judge '{name}' has no answer under prompt_version '{prompt_version}'; it has {listing(versions)}."
            )
            raise FileFault(path, problem, "Add its answers, or name another file or version.")
        self._score_of = {row.texts[:2]: row.score for row in rows if row.texts[2:] == (theirs, version)}
        answers = json.dumps(sorted([*key, score] for key, score in self._score_of.items()))
        self.identity = JudgeIdentity(
            judge="recorded",
            model=name,
            rubric_version=RUBRIC_VERSION,
            code_version=CODE_VERSION,
            parameters={"answers_sha256": hashlib.sha256(answers.encode()).hexdigest()},
        )

    def judged(self, asked: Sequence[AskedDocument], prompt_version: str) -> list[Judged]:
        """The recorded judgments of these documents; one without a record is not in it."""
        by = JudgedBy(self._name, self.identity.digest, prompt_version, datetime.now(UTC))
        score_of = self._scores_of(asked)
        return [
            Judged.without_prompt(
                one,
                by,
                score=(score := score_of[one.query_id, one.doc_id]),
                measured=score,
                message=NO_SCORE if score is None else None,
            )
            for one in asked
            if (one.query_id, one.doc_id) in score_of
        ]

    def _scores_of(self, asked: Sequence[AskedDocument]) -> Mapping[tuple[str, ...], float | None]:
        """The scores by the ids that are asked for: ``0001`` is ``1`` where none would be found otherwise."""
        ids = [(one.query_id, one.doc_id) for one in asked]
        if any(key in self._score_of for key in ids):
            return self._score_of
        short = {_without_zeros(key): score for key, score in self._score_of.items()}
        if len(short) < len(self._score_of):
            return {}
        return {key: short[found] for key in ids if (found := _without_zeros(key)) in short}


def _without_zeros(ids: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one.lstrip("0") or "0" if one.isdecimal() else one for one in ids)
