"""Recorded calls as VFScore keeps them: ``{model}/{item}/batch_*/rep_1.json``, scores on 0-1, one candidate an item."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from resources.configuration.settings import Setting
from resources.errors import FileFault, UserError, listing
from resources.inputs.faults import Faults
from resources.judges.contract import Call, Reply

BATCHES = "batch_*"
BATCH_INFO = "batch_info.json"
_REPEAT = re.compile(r"rep_(\d+)\.json")
_MEND = "Correct the file or remove it."


class _Batch(NamedTuple):
    folder: Path
    setting: Setting
    recorded_at: datetime
    model: str
    n_repeats: int
    repeats: tuple[int, ...]


class _Place(NamedTuple):
    folder: Path
    number: int
    model: str


class VfscoreTree:
    """The answers below one model's folder, indexed by item, setting and repeat; only the places stay in memory."""

    def __init__(self, root: Path) -> None:
        """Read every file once.

        Raises:
            FileFault: A file is no JSON, a score is outside 0-1, or a batch does not say its setting.
            FileFaults: Several such faults.
        """
        self._root = model_folder(root)
        self._places: dict[tuple[str, str, int], _Place] = {}
        self._digest = hashlib.sha256()
        self._sha256: dict[Path, str] = {}
        faults = Faults(str(root))
        models: set[str] = set()
        items: set[str] = set()
        for item in _folders(self._root):
            batches = [batch for folder in sorted(item.glob(BATCHES)) if (batch := self._batch(folder, faults))]
            self._place(item.name.casefold(), batches)
            models.update(batch.model for batch in batches)
            items.update([item.name.casefold()] if batches else [])
        faults.raise_if_any()
        self.items = frozenset(items)
        self.models = tuple(sorted(models))
        self.digest = self._digest.hexdigest()
        self.n_recorded = len(self._places)
        self.calls = frozenset(self._places)

    def reply_to(self, call: Call) -> Reply | None:
        """The recorded reply; null where there is none for this item, setting and repeat.

        Raises:
            OSError: The file cannot be read any more.
            ValueError: The file is not the one that was read at the start.
        """
        place = self._places.get((call.judged.item_id.casefold(), call.setting.key, call.repeat))
        if place is None:
            return None
        file = place.folder / f"rep_{place.number}.json"
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() != self._sha256[file]:
            raise ValueError(f"{file} is not what it was at the start")
        recorded = json.loads(data)
        answer = {key: value for key, value in recorded.items() if key != "metadata"}
        if str(answer.get("item_id")).casefold() == call.judged.item_id.casefold():
            answer["item_id"] = call.judged.item_id
        answer["score"] = _on_answer_scale(answer.get("score"))
        if isinstance(answer.get("subscores"), dict):
            answer["subscores"] = {name: _on_answer_scale(value) for name, value in answer["subscores"].items()}
        return Reply(raw_answer=json.dumps(answer, ensure_ascii=False), model_answered=place.model)

    def _place(self, item: str, batches: list[_Batch]) -> None:
        """Repeats of one setting go on where the batch before it ended, failed repeats of that batch included."""
        planned: dict[str, int] = defaultdict(int)
        for batch in sorted(batches, key=lambda each: (each.recorded_at, each.folder.name)):
            key = batch.setting.key
            for number in batch.repeats:
                self._places[item, key, planned[key] + number] = _Place(batch.folder, number, batch.model)
            planned[key] += max(batch.n_repeats, *batch.repeats, 0)

    def _batch(self, folder: Path, faults: Faults) -> _Batch | None:
        """One batch with every file in it checked; null where it does not say what it is."""
        info = self._json(folder / BATCH_INFO, faults)
        if info is None:
            return None
        try:
            setting = Setting(_number(info, "temperature"), _number(info, "top_p"))
            recorded_at = _instant(info)
        except ValueError as error:
            faults.add(f"{self._name(folder / BATCH_INFO)}: {error}.", _MEND)
            return None
        names = sorted(int(match[1]) for file in folder.iterdir() if (match := _REPEAT.fullmatch(file.name)))
        for number in names:
            self._check(folder / f"rep_{number}.json", setting, faults)
        planned = info.get("repeats")
        return _Batch(
            folder=folder,
            setting=setting,
            recorded_at=recorded_at,
            model=str(info.get("model")),
            n_repeats=planned if isinstance(planned, int) else 0,
            repeats=tuple(names),
        )

    def _check(self, file: Path, setting: Setting, faults: Faults) -> None:
        recorded = self._json(file, faults)
        if recorded is None:
            return
        subscores = recorded.get("subscores")
        scores = {"score": recorded.get("score"), **(subscores if isinstance(subscores, dict) else {})}
        for name, value in scores.items():
            if _is_number(value) and not 0 <= value <= 1:
                remedy = "VFScore stores 0-1; divide by 100 what was stored on 0-100."
                faults.add(f"{self._name(file)}: {name} {value} is outside 0-1.", remedy)
        metadata = recorded.get("metadata")
        stated = metadata if isinstance(metadata, dict) else {}
        for name, value in setting._asdict().items():
            if name in stated and stated[name] != value:
                problem = f"{self._name(file)}: {name} {stated[name]} differs from {value} in {BATCH_INFO}."
                faults.add(problem, "Move the file to a batch of its own.")

    def _json(self, file: Path, faults: Faults) -> Mapping[str, Any] | None:
        try:
            data = file.read_bytes()
            content = json.loads(data)
            if not isinstance(content, dict):
                raise ValueError("no JSON object")
        except (OSError, ValueError) as error:
            faults.add(f"{self._name(file)}: cannot be read ({error}).", _MEND)
            return None
        self._sha256[file] = hashlib.sha256(data).hexdigest()
        self._digest.update(json.dumps([self._name(file), self._sha256[file]]).encode())
        return content

    def _name(self, file: Path) -> str:
        return file.relative_to(self._root).as_posix()


def model_folder(root: Path) -> Path:
    """The folder with one folder per item: ``root`` itself, or the only model below it.

    Raises:
        UserError: There are no batches, or batches of several models.
    """
    if any(root.glob(f"*/{BATCHES}")):
        return root
    models = [folder for folder in _folders(root) if any(folder.glob(f"*/{BATCHES}"))]
    if len(models) == 1:
        return models[0]
    if models:
        names = listing(folder.name for folder in models)
        raise UserError(f"{root}: there are calls of several models ({names}). Set `judge.path` to one of them.")
    raise FileFault(root, "there is no {item}/batch_*/ below it.", "Set `judge.path` to a folder llm_calls/{model}.")


def _folders(root: Path) -> Iterator[Path]:
    return (folder for folder in sorted(root.iterdir()) if folder.is_dir())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(fields: Mapping[str, Any], name: str) -> float:
    value = fields.get(name)
    if not _is_number(value):
        raise ValueError(f"field '{name}' is no number: {value!r}")
    return float(fields[name])


def _instant(fields: Mapping[str, Any]) -> datetime:
    try:
        value = datetime.fromisoformat(str(fields.get("timestamp")))
    except ValueError as error:
        raise ValueError(f"field 'timestamp' is no ISO time: {fields.get('timestamp')!r}") from error
    # Only the order counts, and VFScore writes no zone.
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _on_answer_scale(value: Any) -> Any:
    """0-1 to 0-100 in decimals: 0.29 * 100 in binary would be 28.999999999999996. What is no number stays."""
    return float(Decimal(repr(value)) * 100) if _is_number(value) else value
