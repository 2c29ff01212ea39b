"""Files in which each row sets two models' texts against each other, as MT-Bench and the arenas write them."""

import ast
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from upath import UPath

from analysis.spelling import one_spelling
from resources.errors import FileFault
from resources.inputs.any_file import record_file
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.record_files import SeveralValues, as_text, unknown_field

MODEL_A, MODEL_B, WINNER, JUDGE = "model_a", "model_b", "winner", "judge"
NEEDED: Final = (MODEL_A, MODEL_B, WINNER)
READ: Final = (
    *(*NEEDED, JUDGE, "question_id", "question", "prompt", "turn"),
    *("conversation_a", "conversation_b", "response_a", "response_b"),
)
# How a file with a column for each outcome says who won: 1 in one of three.
OUTCOMES: Final = ("winner_model_a", "winner_model_b", "winner_tie")
TIE, FIRST, SECOND = 0, 1, 2
_SIDES: Final = {FIRST: MODEL_A, SECOND: MODEL_B}
_WON, _NOT_WON = ("1", "1.0", "true"), ("", "0", "0.0", "false")
_WORDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("model_a", "model a", "a", "left", "model_1"), FIRST),
    **dict.fromkeys(("model_b", "model b", "b", "right", "model_2"), SECOND),
    **dict.fromkeys(("tie", "draw", "neither", "both", "bothbad", "both bad", "both_bad"), TIE),
}
_TIE: Final = re.compile(r"tie\s*\(.*\)")  # tie (bothbad)
_OF_ARRAYS: Final = re.compile(r"\}\s+\{")  # how an array of mappings is written into a CSV file
_PEOPLE: Final = ("user", "human")
SHORT: Final = 8


class Thing(NamedTuple):
    """One text: what was asked, what was answered (null where the file holds no texts), and which model wrote it."""

    name: str
    query: str
    document: str | None
    source: str

    @property
    def sha256(self) -> str:
        """Of what a judge reads."""
        return hashlib.sha256(f"{self.query}\0{self.document or ''}".encode()).hexdigest()


class Battle(NamedTuple):
    """One row: two texts as they were shown, who won (1, 2; 0 a tie), and who said so, null where it is not named."""

    row: int
    question: str
    turn: int
    a: Thing
    b: Thing
    winner: int
    judge: str | None
    cluster: str


@dataclass(frozen=True)
class Battles:
    """The rows of a file with a winner; `notes` are sentences on what was left out."""

    name: str
    rows: tuple[Battle, ...]
    notes: tuple[str, ...]


def is_battles(names: Sequence[str]) -> bool:
    """Whether a file with these columns is such a file."""
    return any(all(own_name(name, names) for name in (MODEL_A, MODEL_B, *won)) for won in ((WINNER,), OUTCOMES))


def read_battles(
    path: str | Path | UPath, columns: Mapping[str, str] | None = None, cluster_column: str | None = None
) -> Battles:
    """Every row with a winner, read once for each state of a local file.

    Args:
        path: JSONL, a JSON list, CSV or Parquet with `NEEDED` (or `OUTCOMES` in place of the winner) and perhaps more
            of `READ`. A conversation is a list of messages with role and content, or the same as JSON in a text.
        columns: Names of these columns in the file, where they differ.
        cluster_column: What questions share; none: a question shares nothing.

    Raises:
        FileFault: One thing is wrong with the file.
        FileFaults: Several things are.
    """
    place, given = UPath(path), tuple(sorted((columns or {}).items()))
    if not isinstance(place, Path) or not place.is_file():
        return _read(place, given, cluster_column, 0, 0)
    written = place.stat()
    return _read(place, given, cluster_column, written.st_mtime_ns, written.st_size)


@lru_cache(2)
def _read(
    path: UPath, columns: tuple[tuple[str, str], ...], cluster_column: str | None, mtime_ns: int, size: int
) -> Battles:
    file, given = record_file(path, NEEDED), dict(columns)
    names, _ = file.names(whole=True)
    wanted = {name: given.get(name, name) for name in READ} | {name: name for name in OUTCOMES}
    theirs = {name: own for name, column in wanted.items() if (own := own_name(column, names)) is not None}
    by_column = WINNER not in theirs and all(name in theirs for name in OUTCOMES)
    for name in NEEDED if not by_column else NEEDED[:2]:
        if name not in theirs:
            absent = unknown_field(wanted[name], names)
            raise FileFault(file.name, str(absent), f"Name it in `columns`: {{{name}: ...}}.")
    if cluster_column is not None and own_name(cluster_column, names) is None:
        raise FileFault(file.name, str(unknown_field(cluster_column, names)), "Correct `cluster_column`.")
    cluster = own_name(cluster_column, names) if cluster_column else None
    faults, things = Faults(file.name), _Things()
    rows, n_open, clusters = [], 0, dict[str, tuple[str, int]]()
    for record in file.records([*theirs.values(), *([cluster] if cluster else [])]):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        cells = {name: record.fields.get(column) for name, column in theirs.items()}
        try:
            if (winner := _outcome(cells) if by_column else _winner(cells, wanted[WINNER])) is None:
                n_open += 1
                continue
            shared = as_text(record.fields.get(cluster)) if cluster else None
            found = things.battle(record.row, cells, winner, shared)
        except (_Wrong, SeveralValues) as wrong:
            problem, remedy = wrong.args if isinstance(wrong, _Wrong) else (f"several values, {wrong}.", "Write one.")
            faults.add(problem, remedy, record.row)
            continue
        first, row = clusters.setdefault(found.question, (found.cluster, record.row))
        if first != found.cluster:
            problem = f"question {found.question} is in cluster '{found.cluster}' here and in '{first}' in row {row}."
            faults.add(problem, "A question has one cluster: correct the one that is wrong.", record.row)
        rows.append(found)
    faults.raise_if_any()
    if not rows:
        raise FileFault(file.name, "there is no row with a winner.", "Export it again with its rows.")
    notes = [f"Rows without a winner, left out: {n_open:,}."] if n_open else []
    if things.n_others:
        notes.append(f"Texts of one model to one question that differ, each a text of its own: {things.n_others:,}.")
    return Battles(file.name, tuple(rows), tuple(notes))


class _Wrong(Exception):
    """What is wrong with a row, and the remedy."""


class _Things:
    """Names texts: question, turn from the second on, and model; another text of the same gets a number."""

    def __init__(self) -> None:
        self._known: dict[str, list[Thing]] = {}

    @property
    def n_others(self) -> int:
        """Texts that got a number."""
        return sum(len(known) - 1 for known in self._known.values())

    def battle(self, row: int, cells: Mapping[str, Any], winner: int, cluster: str | None) -> Battle:
        """The row.

        Raises:
            _Wrong: A cell is.
            SeveralValues: A cell holds a list.
        """
        models = [as_text(cells.get(name)) for name in (MODEL_A, MODEL_B)]
        for name, model in zip((MODEL_A, MODEL_B), models, strict=True):
            if model is None:
                raise _Wrong(f"there is no value in column '{name}'.", "Write which model wrote the text.")
        turn = _turn(cells.get("turn"))
        texts = [_texts(cells, side, turn) for side in ("a", "b")]
        query = texts[0][0] or texts[1][0] or _joined(cells.get("question") or cells.get("prompt")) or ""
        question = as_text(cells.get("question_id"))
        if question is None:
            if not query:
                raise _Wrong("it does not say its question.", "Add a column question_id or question.")
            question = hashlib.sha256(query.encode()).hexdigest()[:SHORT]
        a, b = (
            self._named(question, turn, str(model), query, document)
            for model, (_, document) in zip(models, texts, strict=True)
        )
        if a.name == b.name:
            raise _Wrong(f"question {question} sets '{models[0]}' against itself.", "Correct a model, or remove it.")
        judge = cells.get(JUDGE)
        who = " ".join(map(str, judge)) if isinstance(judge, list | tuple) else as_text(judge)
        return Battle(row, question, turn, a, b, winner, who, question if cluster is None else cluster)

    def _named(self, question: str, turn: int, model: str, query: str, document: str | None) -> Thing:
        name = f"{question}/{model}" if turn == 1 else f"{question}/turn{turn}/{model}"
        known = self._known.setdefault(name, [])
        for one in known:
            if (one.query, one.document) == (query, document):
                return one
        number = f"#{len(known) + 1}" if known else ""
        known.append(Thing(f"{name}{number}", query, document, model))
        return known[-1]


def _winner(cells: Mapping[str, Any], column: str) -> int | None:
    """1, 2, or 0 for a tie; none where the cell is blank."""
    said = as_text(cells.get(WINNER))
    if said is None:
        return None
    plain, models = one_spelling(said), {side: as_text(cells.get(name)) or "" for side, name in _SIDES.items()}
    named = [side for side, model in models.items() if model == said]
    named = named or [side for side, model in models.items() if one_spelling(model) == plain]
    word = TIE if _TIE.fullmatch(plain) else _WORDS.get(plain)
    if word is not None and named not in ([], [word]):
        problem = f"'{said}' in column '{column}' is the name of a model and the word for another winner."
        raise _Wrong(problem, "Write model_a, model_b or tie.")
    if word is not None:
        return word
    if len(named) != 1:
        raise _Wrong(f"'{said}' in column '{column}' names neither model.", "Write model_a, model_b or tie.")
    return named[0]


def _outcome(cells: Mapping[str, Any]) -> int | None:
    written = [(as_text(cells.get(name)) or "").casefold() for name in OUTCOMES]
    for name, one in zip(OUTCOMES, written, strict=True):
        if one not in (*_WON, *_NOT_WON):
            raise _Wrong(f"'{one}' in column '{name}' is neither 1 nor 0.", "Write 1 in the column of who won, else 0.")
    said = [one in _WON for one in written]
    if sum(said) > 1:
        raise _Wrong("two of the columns winner_model_a, winner_model_b, winner_tie are 1.", "Keep one.")
    return (FIRST, SECOND, TIE)[said.index(True)] if any(said) else None


def _turn(cell: Any) -> int:
    said = as_text(cell)
    if said is None:
        return 1
    if not re.fullmatch(r"[1-9][0-9]{0,5}(\.0*)?", said):
        raise _Wrong(f"'{said}' in column 'turn' is no whole number from 1.", "Correct it, or leave the column out.")
    return int(float(said))


def _texts(cells: Mapping[str, Any], side: str, turn: int) -> tuple[str, str | None]:
    """What was asked, where the conversation says it, and what was answered up to the turn."""
    conversation = _parsed(cells.get(f"conversation_{side}"), f"conversation_{side}")
    if isinstance(conversation, list) and conversation and all(isinstance(one, dict) for one in conversation):
        messages = [(str(one.get("role", "")).casefold(), _joined(one.get("content")) or "") for one in conversation]
        ends = [place for place, (role, _) in enumerate(messages) if role in _PEOPLE][turn:]
        messages = messages[: ends[0]] if ends else messages
        start = next((place for place, (role, _) in enumerate(messages) if role not in _PEOPLE), len(messages))
        asked = "\n\n".join(text for _, text in messages[:start])
        rest = [f"User: {text}" if role in _PEOPLE else text for role, text in messages[start:]]
        return asked, "\n\n".join(rest) or None
    return "", _joined(conversation) or _joined(_parsed(cells.get(f"response_{side}"), f"response_{side}"))


def _parsed(cell: Any, column: str) -> Any:
    """A list of texts or messages where the cell holds one as text; a list of numbers is what a model answered."""
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return cell
    try:
        found = json.loads(cell)
        return found if all(one is None or isinstance(one, str | dict) for one in found) else cell
    except ValueError:
        if not cell.lstrip().startswith(("[{", "['", '["')):
            return cell  # a text may begin with a bracket
    try:
        return ast.literal_eval(_OF_ARRAYS.sub("}, {", cell.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        if column.startswith("response"):
            return cell
        remedy = "Write the messages as a JSON list, each with role and content."
        raise _Wrong(f"column '{column}' holds no list of messages, in '{cell[:60]}'.", remedy) from error


def _joined(cell: Any) -> str | None:
    """One text; of a list of texts, or of parts with a text each, all of them."""
    if isinstance(cell, list | tuple):
        parts = [one.get("text") if isinstance(one, dict) else one for one in cell]
        return "\n\n".join(str(part) for part in parts if part) or None
    if isinstance(cell, str) and cell.lstrip().startswith('["'):
        try:
            return _joined(json.loads(cell))
        except ValueError:
            return cell
    return as_text(cell)
