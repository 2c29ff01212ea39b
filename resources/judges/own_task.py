"""A task of the user's own: its prompt file filled in for an object, and its answers read on its own scale."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from resources.configuration.task import SCORE, Task
from resources.database.call_records import ALTERATION_SIGN
from resources.errors import FileFault, UserError, did_you_mean
from resources.inputs.fidelity.texts import Text, text_of
from resources.judges.answers import Parsed, json_objects, no_text, refuses, without_reasoning
from resources.judges.contract import Attempt, Call, JudgedObject
from resources.judges.prompt import call_of
from resources.judges.relevance.openai_relevance import parse_relevance
from resources.judges.relevance.prompts import LONGEST_BYTES, scale_asked_for
from resources.runtime.opened_files import refuse_no_file
from resources.tables.call_states import OWN_RUBRIC

OWN_RUBRIC_VERSION: Final = f"{OWN_RUBRIC}1"
IMAGES, DOCUMENT = "images", "document"
DOCUMENT_A, DOCUMENT_B = "document_a", "document_b"
PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "images": ("item_id", "category_l1", "category_l2", "category_l3", "n_photos", "run_id", IMAGES),
    "text": ("item_id", "run_id", "query", DOCUMENT),
    "both": ("item_id", "category_l1", "category_l2", "category_l3", "n_photos", "run_id", IMAGES, DOCUMENT),
}
PLACES_OF_PAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "images": ("run_id", IMAGES),
    "text": ("run_id", "query", DOCUMENT_A, DOCUMENT_B),
}
NO_TEXT: Final = Text("", "", "", "", "")
_PLACE: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WORD: Final = r"(?<!\w){}(?!\w)"
_NEGATED: Final = r"(?:(?<!\w)(?:not|no|never)|n['\u2019]t)\s+{}(?!\w)"


@dataclass(frozen=True)
class OwnTask:
    """A task with its prompt read; `sha256` is of the file's bytes, in hex; `texts` are judged, or part of it."""

    task: Task
    text: str
    sha256: str
    texts: Mapping[str, Text] | None = None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What of the task tells one judge from another."""
        task = self.task
        scale = list(task.labels or task.range)
        return {"prompt_sha256": self.sha256, "scale": scale, "answer": task.answer, "rubric": task.shares}

    @property
    def schema(self) -> dict[str, Any] | None:
        """A JSON schema of the answer, with a reason where the prompt names one; null where it is no JSON."""
        if self.task.answer != "json":
            return None
        names = [*self.task.rubric] or [SCORE]
        if SCORE not in names and f'"{SCORE}"' in self.text:
            names.append(SCORE)
        fields: dict[str, Any] = {name: {"type": "number"} for name in names}
        fields |= {name: {"type": "string"} for name in ("reason", "rationale") if f'"{name}"' in self.text}
        return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}

    def messages(self, judged: JudgedObject, run_id: str) -> tuple[str, str]:
        """What comes before the images, a system message, and what comes after them; nothing is added to either.

        Raises:
            UserError: The text is another than the one whose hash was recorded.
        """
        if self.task.shows == "text":
            return "", self.filled(self.text, self._about(judged) | {"run_id": run_id}).strip()
        first, second, third = (category or "" for category in judged.categories)
        filled = {
            "item_id": judged.item_id,
            "category_l1": first,
            "category_l2": second,
            "category_l3": third,
            "n_photos": str(len(judged.reference_paths)),
            "run_id": run_id,
        }
        if self.task.shows == "both":
            # An altered render and one of another occasion go with the text of the original.
            filled[DOCUMENT] = self._text(judged.object.partition(ALTERATION_SIGN)[0]).document
        before, _, after = self.text.partition(f"{{{IMAGES}}}")
        return self.filled(before, filled).strip(), self.filled(after, filled).strip()

    def filled(self, text: str, values: Mapping[str, str]) -> str:
        """The text with these places filled in, and others left as they are."""
        return _PLACE.sub(lambda found: values.get(found[1], found[0]), text)

    def _about(self, judged: JudgedObject) -> dict[str, str]:
        """What the places say of a text; nothing of an object without a name, than which no call is smaller."""
        text = self._text(judged.object)
        if judged.object and text.sha256 != judged.candidate_sha256:
            table = "golden_images" if ALTERATION_SIGN in judged.object else "study_objects"
            raise UserError(f"The text '{text.id}' changed since {table} was made; make {table} again.")
        return {"item_id": judged.item_id, "query": text.query, DOCUMENT: text.document}

    def _text(self, object_: str) -> Text:
        return text_of(self.texts, object_) if object_ and self.texts is not None else NO_TEXT

    def prompt_hash(self, judged: JudgedObject) -> str:
        """SHA-256 in hex of the filled prompt without the nonce, and of how its answers are read."""
        facts = [OWN_RUBRIC_VERSION, *self.messages(judged, ""), self.parameters]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def call(self, judged: JudgedObject, attempt: Attempt) -> Call:
        """One planned call; the same arguments always give the same call."""
        return call_of(judged, attempt, self.prompt_hash(judged), partial(self.messages, judged))

    def read(self, raw: str | None, score_source: str = "stated") -> Parsed:
        """The state and the score of one answer, on 0-1.

        Args:
            raw: The answer as it came, on the task's scale.
            score_source: Whether the stated score counts, or the weighted mean of the rubric's parts.
        """
        if self.task.answer == "number":
            return of_one_number(raw, self.task.range)
        text = without_reasoning(raw)
        if not text:
            return no_text(raw)
        if self.task.answer == "label":
            return _label(text, self.task.labels or ())
        return self._fields(text, score_source)

    def _fields(self, text: str, score_source: str) -> Parsed:
        names = [*self.task.rubric]
        found, is_whole = json_objects(text, (*names, SCORE))
        if not found:
            if refuses(text):
                return Parsed("refused", problem=f"the judge refused: {text[:200]}")
            return Parsed("invalid_json", problem=f"no JSON object with {', '.join(names or [SCORE])}: {text[:80]}")
        answer = found[-1]
        if len({json.dumps([one.get(name) for name in (*names, SCORE)]) for one in found}) > 1:
            return Parsed("ambiguous", problem="two verdicts in one answer that differ")
        wanted = names if names and SCORE not in answer else [*names, SCORE]
        low, high = self.task.range
        shares: dict[str, float] = {}
        for name in wanted:
            value = answer.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
                return Parsed("schema_error", problem=f"{name} is {'missing' if name not in answer else 'no number'}")
            if not low <= value <= high:
                return Parsed("out_of_range", problem=f"outside {low:g}-{high:g}: {name} {value!r}"[:120])
            shares[name] = (value - low) / (high - low)
        mean = min(math.fsum(share * shares[name] for name, share in self.task.shares.items()), 1.0) if names else None
        stated = shares.get(SCORE, mean)
        reasons = [answer[name] for name in ("reason", "rationale") if isinstance(answer.get(name), str)]
        return Parsed(
            state="valid" if is_whole else "recovered",
            score=stated if score_source == "stated" or mean is None else mean,
            score_stated=stated,
            score_recomputed=stated if mean is None else mean,
            subscores={name: shares[name] for name in names} or None,
            rationale=tuple(reasons),
        )


def of_one_number(raw: str | None, scale: tuple[float, float]) -> Parsed:
    """The state and the score of an answer that is a number on a scale."""
    return _both(parse_relevance(raw, scale))


def _both(parsed: Parsed) -> Parsed:
    return Parsed(parsed.state, parsed.score, parsed.score, parsed.score, problem=parsed.problem)


def _label(text: str, labels: tuple[str, ...]) -> Parsed:
    """The label that is the whole answer, or the only one that is in it as a word and not negated."""
    places = {label.casefold(): place / (len(labels) - 1) for place, label in enumerate(labels)}
    whole = text.strip(" \t\r\n\"'`*.").casefold()
    if whole in places:
        return _both(Parsed("valid", places[whole]))
    rest, found = text.casefold(), []
    for label in sorted(places, key=len, reverse=True):  # `very good` is not also `good`
        if re.search(_NEGATED.format(re.escape(label)), rest):
            return Parsed("ambiguous", problem=f"'{label}' comes after a negation: {text[:80]}")
        rest, n = re.subn(_WORD.format(re.escape(label)), " ", rest)
        found += [label] * bool(n)
    if len(found) == 1:
        return _both(Parsed("recovered", places[found[0]]))
    if found:
        return Parsed("ambiguous", problem=f"which label is meant is not said: {text[:80]}")
    if refuses(text):
        return Parsed("refused", problem=f"the judge refused: {text[:200]}")
    return Parsed("out_of_range", problem=f"none of the labels {', '.join(labels)}: {text[:80]}")


def own_task(task: Task, texts: Mapping[str, Text] | None = None) -> OwnTask:
    """The task with its prompt, read once for each state of the file.

    Args:
        task: As configured.
        texts: What is judged, or goes with its images, by object, where the task shows text.

    Raises:
        FileFault: The file is missing, empty, too long or no UTF-8, has an unknown place or none for what is judged,
            or asks for another scale than the task names.
    """
    try:
        refuse_no_file(task.prompt)
        written = task.prompt.stat()
    except OSError as error:
        raise FileFault(task.prompt, f"the prompt cannot be read ({error.strerror}).", "Correct its path.") from error
    return replace(_read(task.prompt, task.model_dump_json(), written.st_mtime_ns, written.st_size), texts=texts)


@lru_cache(16)
def _read(path: Path, task_json: str, mtime_ns: int, size: int) -> OwnTask:
    task, data = Task.model_validate_json(task_json), path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFault(path, "the prompt is not UTF-8.", "Save it as UTF-8.") from error
    if not text.strip() or len(data) > LONGEST_BYTES:
        raise FileFault(path, f"the prompt has {len(data):,} bytes.", f"Write something, at most {LONGEST_BYTES:,}.")
    is_pair = task.object == "pair"
    places, known = _PLACE.findall(text), (PLACES_OF_PAIRS if is_pair else PLACES)[task.shows]
    if strange := [name for name in places if name not in known]:
        problem = f"there is no place '{{{strange[0]}}}'{did_you_mean(strange[0], known)}."
        raise FileFault(path, problem, f"Places are {', '.join(f'{{{name}}}' for name in known)}.")
    for needed in (DOCUMENT_A, DOCUMENT_B) if is_pair else (DOCUMENT,):
        if task.shows != "images" and needed not in places:
            raise FileFault(path, f"the place '{{{needed}}}' is missing.", "Write it where the text is to be read.")
    if task.shows != "text" and places.count(IMAGES) != 1:
        shown = "both photos, A and B," if is_pair else "the photos and the candidate"
        problem = f"the prompt has the place '{{{IMAGES}}}' {places.count(IMAGES)} times."
        raise FileFault(path, problem, f"Write it once, where {shown} are to be shown.")
    if task.shows != "text" and not text.partition(f"{{{IMAGES}}}")[2].strip():
        problem = f"nothing comes after '{{{IMAGES}}}'."
        raise FileFault(path, problem, "Write the question and the answer's form there.")
    asked = scale_asked_for(text)
    if asked is not None and task.labels is None and asked != task.range:
        (low, high), (from_, to) = asked, task.range
        problem = f"the prompt asks for answers from {low:g} to {high:g}, and `scale` is [{from_:g}, {to:g}]."
        raise FileFault(path, problem, "Correct one of the two.")
    if task.labels and (lacks := [label for label in task.labels if label.casefold() not in text.casefold()]):
        raise FileFault(path, f"the prompt does not name the label '{lacks[0]}'.", "Name every label of `scale` in it.")
    if is_pair and task.answer == "json" and '"winner"' not in text:
        raise FileFault(path, 'the prompt does not name the field "winner".', 'Ask for {"winner": ...} in JSON.')
    if lacks := [name for name in task.rubric if name not in text]:
        raise FileFault(path, f"the prompt does not name '{lacks[0]}' of the rubric.", "Ask for each part by its name.")
    return OwnTask(task, text, hashlib.sha256(data).hexdigest())
