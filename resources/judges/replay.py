"""The judge `replay`: answers that were recorded before, so that a study can be computed again without a call."""

import hashlib
import json
import math
import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from resources.configuration.settings import Setting, setting_from_key
from resources.errors import FileFault, UserError, listing
from resources.inputs.faults import Faults
from resources.inputs.fidelity.texts import object_of
from resources.inputs.record_files import no_json
from resources.judges.answers import FULL_SCALE, stated_score
from resources.judges.contract import SAID_BY_SERVER, Call, FreeJudge, JudgedObject, JudgeIdentity, Reply
from resources.judges.vfscore_tree import VfscoreTree
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.opened_files import lines_of, refuse_no_file
from resources.tables.call_states import ANSWER_STATES, FAULT_STATES, SCORED_STATES

# So many answers at most 1 out of 100 are no bad opinion: they were recorded on another scale.
_ENOUGH_TO_TELL_THE_SCALE = 10
_COUNTS = ("tokens_in", "tokens_out", "tokens_cached")
NOT_RECORDED = "not recorded"
CODE_VERSION = "2"
Scale = tuple[float, float]


class _Scale:
    """Collects stated scores, until one tells that they are on 0-100."""

    def __init__(self) -> None:
        self._n_scores = 0
        self._largest = 0.0

    def see(self, fields: Mapping[str, Any]) -> None:
        """Note the row's score, if its answer states one."""
        if self._largest > 1 or fields.get("state") not in (None, *SCORED_STATES):
            return
        score = stated_score(fields.get("raw_answer"))
        if score is not None:
            self._n_scores += 1
            self._largest = max(self._largest, abs(score))

    def refuse_unit_scale(self, faults: Faults) -> None:
        """Note a fault where all scores fit 0-1 and are too many for chance."""
        if self._n_scores >= _ENOUGH_TO_TELL_THE_SCALE and 0 < self._largest <= 1:
            faults.add(
                f"the {self._n_scores} scores in field 'raw_answer' are on 0-1 (the largest is {self._largest:g}), and "
                f"answers state scores and sub-scores on 0-{FULL_SCALE}.",
                f"Multiply them by {FULL_SCALE}; VFScore's own files, which are on 0-1, are replayed from the folder "
                "llm_calls/{model}.",
            )


class _Key(NamedTuple):
    object: str
    setting: str
    repeat: int


class _Attempt(NamedTuple):
    number: int
    row: int
    start: int
    length: int
    digest: bytes


class RecordedRows:
    """The rows of one file, indexed by object, setting and repeat; only the places stay in memory."""

    def __init__(self, path: Path, scale: Scale | None = None) -> None:
        """Index the file; with a `scale` its rows hold scores on it and no answers.

        Raises:
            FileFault: A line is no JSON object, lacks a field, or repeats another's key; or all scores are on 0-1.
            FileFaults: Several such faults.
        """
        self._path, self._bare_scale = path, scale
        self._attempts: dict[_Key, list[_Attempt]] = defaultdict(list)
        self._scale = _Scale()
        models: set[str] = set()
        digest = hashlib.sha256()
        faults = Faults(path.name)
        start = 0
        with path.open("rb") as file:
            for row, line in enumerate(lines_of(file, path.name, "Write one JSON object per line."), start=1):
                digest.update(line)
                if line.strip():
                    models.update(self._index(line, row, start, faults))
                start += len(line)
        self._scale.refuse_unit_scale(faults)
        if not self._attempts and not faults.found:
            faults.add("there is no recorded call in it.", "Record calls, or correct `judge.path`.")
        faults.raise_if_any()
        self.models = tuple(sorted(models))
        self.digest = digest.hexdigest()
        self.n_recorded = len(self._attempts)
        self.calls = frozenset((key.object, key.setting, key.repeat) for key in self._attempts)

    def reply_to(self, call: Call) -> Reply | None:
        """Every recorded attempt at this object, setting and repeat with these images: the last, with the `earlier`.

        A fault that was recorded after an answer is left out, because the answer counts.

        Returns:
            Null where nothing is recorded.

        Raises:
            OSError: The file cannot be read any more.
            ValueError: The file is not the one that was indexed.
        """
        recorded = sorted(self._attempts.get(_Key(call.judged.object, call.setting.key, call.repeat), []))
        fields = [row for row in self._rows(recorded) if _shows(row, call.judged.image_hashes)]
        replies = [_reply(row) for row in fields]
        answers = [place for place, reply in enumerate(replies) if reply.fault is None]
        counted = replies[: answers[-1] + 1] if answers else replies
        return replace(counted[-1], earlier=tuple(counted[:-1])) if counted else None

    def _rows(self, recorded: list[_Attempt]) -> list[dict[str, Any]]:
        if not recorded:
            return []
        lines = []
        with self._path.open("rb") as file:
            for attempt in recorded:
                file.seek(attempt.start)
                line = file.read(attempt.length)
                if _digest(line) != attempt.digest:
                    raise ValueError(f"{self._path}, row {attempt.row} is not what it was at the start")
                lines.append(line)
        rows = [json.loads(line) for line in lines]
        return rows if self._bare_scale is None else [_as_answer(row) for row in rows]

    def _index(self, line: bytes, row: int, start: int, faults: Faults) -> Iterator[str]:
        """Note where the row lies, or what is wrong with it; yields the model that it names."""
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.add(no_json(line, error), "Correct the line or remove it.", row)
            return
        try:
            if not isinstance(fields, dict):
                raise ValueError("it is no JSON object")
            if self._bare_scale is not None:
                _refuse_no_score(fields, self._bare_scale)
                fields = _as_answer(fields)
            key, number = _key(fields), _count(fields, "attempt", 1)
            _refuse_nothing_recorded(fields)
            _refuse_other_types(fields)
        except (ValueError, UserError) as error:
            faults.add(f"{error}.".replace("..", "."), "Correct the line or remove it.", row)
            return
        same = [attempt.row for attempt in self._attempts[key] if attempt.number == number]
        if same:
            call = f"{key.object}, setting {key.setting}, repeat {key.repeat}, attempt {number}"
            remedy = "Keep one; a recording holds the calls of one judge."
            faults.add(f"the call of object {call} stands in row {same[0]} too.", remedy, row)
        if self._bare_scale is None:
            self._scale.see(fields)
        self._attempts[key].append(_Attempt(number, row, start, len(line), _digest(line)))
        model = fields.get("model_answered") or fields.get("model_asked")
        if model:
            yield str(model)


def open_rows(path: Path, scale: Scale | None = None) -> RecordedRows:
    """The recording in a JSONL file, indexed once for each content; with a `scale` one of scores without answers.

    Raises:
        FileFault: There is no such file, or something is wrong with it.
    """
    refuse_no_file(path)
    try:
        digest = sha256_of_file(path)
        rows = _indexed(path, scale, digest)
        if rows.digest != digest:
            # It was written meanwhile.
            _indexed.cache_clear()
        return rows
    except OSError as error:
        raise FileFault(path, f"it cannot be opened ({error.strerror}).", "Correct `judge.path`.") from error


@lru_cache(maxsize=4)
def _indexed(path: Path, scale: Scale | None, digest: str) -> RecordedRows:
    return RecordedRows(path, scale)


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=8).digest()


def _shows(fields: Mapping[str, Any], image_hashes: tuple[str, ...]) -> bool:
    """Whether the recorded call was about these images, as far as it says."""
    hashes = fields.get("image_hashes")
    return hashes is None or tuple(hashes) == image_hashes


def _reply(fields: Mapping[str, Any]) -> Reply:
    state, raw = fields.get("state"), fields.get("raw_answer")
    fault = state if state in FAULT_STATES else None
    # What the server said of an answer is not in its text: the beginning of 0.8 is a number too.
    without_text = fault is None and (state in SAID_BY_SERVER or not (raw or "").strip())
    return Reply(
        raw_answer=None if fault else raw,
        fault=fault,
        fault_message=fields.get("fault_message") if fault or without_text else None,
        answer_state=state if without_text else None,
        model_answered=fields.get("model_answered"),
        fingerprint=fields.get("fingerprint"),
        tokens_in=fields.get("tokens_in"),
        tokens_out=fields.get("tokens_out"),
        tokens_cached=fields.get("tokens_cached"),
        cost_usd=fields.get("cost_usd") or 0.0,
    )


def _as_answer(fields: dict[str, Any]) -> dict[str, Any]:
    """A row with a score as one with an answer that holds the number alone."""
    score = fields.get("score")
    return fields if score is None else {**fields, "raw_answer": repr(score)}


def _refuse_no_score(fields: Mapping[str, Any], scale: Scale) -> None:
    score, (low, high) = fields.get("score"), scale
    if score is None and fields.get("state") in (*ANSWER_STATES, *FAULT_STATES):
        return
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise ValueError(f"field 'score' is missing or no number: {score!r}")
    if not low <= score <= high:
        raise ValueError(f"field 'score' is {score:g}, outside `judge.scale` {low:g}-{high:g}")


def _key(fields: Mapping[str, Any]) -> _Key:
    scored = fields.get("object")
    if scored is None and isinstance(name := fields.get("candidate"), str) and name.strip():
        scored = object_of(name.strip())
    if not isinstance(scored, str) or not scored:
        raise ValueError(f"field 'object' (or 'candidate', as a manifest names it) is missing or no text: {scored!r}")
    return _Key(scored, _setting(fields).key, _count(fields, "repeat", None))


def _setting(fields: Mapping[str, Any]) -> Setting:
    key = fields.get("setting")
    if isinstance(key, str):
        return setting_from_key(key)
    if key is not None:
        raise ValueError(f"field 'setting' is no text: {key!r}")
    numbers = [fields.get("temperature"), fields.get("top_p")]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in numbers):
        raise ValueError("field 'setting' is missing, and 'temperature' and 'top_p' are not both numbers")
    return Setting(*(float(value) for value in numbers if value is not None))


def _count(fields: Mapping[str, Any], name: str, default: int | None) -> int:
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"field '{name}' is no whole number from 1: {value!r}")
    return value


def _refuse_nothing_recorded(fields: Mapping[str, Any]) -> None:
    state, raw = fields.get("state"), fields.get("raw_answer")
    if state is not None and state not in ANSWER_STATES + FAULT_STATES:
        raise ValueError(f"field 'state' is unknown: {state!r}")
    if not isinstance(fields.get("image_hashes", []), list | None):
        raise ValueError("field 'image_hashes' is no list")
    if raw is not None and not isinstance(raw, str):
        raise ValueError("field 'raw_answer' is no text")
    if (raw is None and state is None) or (state in SCORED_STATES and not (raw or "").strip()):
        raise ValueError("field 'raw_answer' is missing, and no fault is recorded")


def _refuse_other_types(fields: Mapping[str, Any]) -> None:
    for name in _COUNTS:
        value = fields.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            raise ValueError(f"field '{name}' is no whole number from 0: {value!r}")
    cost = fields.get("cost_usd")
    if cost is not None and not _is_cost(cost):
        raise ValueError(f"field 'cost_usd' is no number from 0: {cost!r}")
    for name in ("model_answered", "fingerprint", "fault_message"):
        value = fields.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"field '{name}' is no text: {value!r}")


def _is_cost(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


class ReplayJudge(FreeJudge):
    """Gives back recorded answers; a call without a record is a fault, and `n_not_recorded` counts them."""

    faults_are_final = True  # the recording is part of the identity: another one is asked anew
    attempts = 1

    def __init__(self, recording: RecordedRows | VfscoreTree, scale: Scale | None = None) -> None:
        self._recording = recording
        self._lock = threading.Lock()
        self.workers = os.cpu_count() or 1
        self.n_recorded = recording.n_recorded
        self.recorded_calls: frozenset[tuple[str, str, int]] = recording.calls
        self.n_not_recorded = 0
        self._identity = JudgeIdentity(
            judge="replay",
            model="+".join(recording.models) or "unnamed",
            rubric_version="recorded",
            code_version=CODE_VERSION,
            parameters={"recording_sha256": recording.digest} | ({} if scale is None else {"scale": list(scale)}),
        )

    @property
    def identity(self) -> JudgeIdentity:
        """Other recorded answers make another judge."""
        return self._identity

    def reply(self, call: Call) -> Reply:
        """What is recorded, every attempt of it, or the fault ``provider_error`` where there is nothing.

        Raises:
            UserError: The recording is another than at the start.
        """
        try:
            reply = self._recording.reply_to(call)
        except (OSError, ValueError) as error:
            raise UserError(f"The recording changed during the run: {error}. Run again when it is complete.") from error
        if reply is None:
            with self._lock:
                self.n_not_recorded += 1
            return Reply(None, fault="provider_error", fault_message=NOT_RECORDED)
        return reply


def open_replay(path: Path, judged: Iterable[JudgedObject], scale: Scale | None = None) -> ReplayJudge:
    """The judge for a recording.

    Args:
        path: A JSONL file of ledger rows, or VFScore's folder ``llm_calls/{model}``.
        judged: The study's objects: VFScore records per item, so that each recorded item may have one only.
        scale: What scores without answers run from and to, in a JSONL file that holds such.

    Raises:
        UserError: The recording cannot be read, or the objects of an item cannot be distinguished in it.
    """
    if not path.is_dir():
        return ReplayJudge(open_rows(path, scale), scale)
    tree = VfscoreTree(path)
    objects_of = defaultdict(set)
    for each in judged:
        if each.item_id.casefold() in tree.items:
            objects_of[each.item_id].add(each.object)
    shared = [f"{item} ({', '.join(sorted(objects))})" for item, objects in objects_of.items() if len(objects) > 1]
    if shared:
        raise UserError(
            f"{path}: calls are recorded per item, and these items have several objects to judge: {listing(shared)}. "
            "Name the object of each in `selected_objects`, or replay a JSONL file of ledger rows."
        )
    return ReplayJudge(tree)
