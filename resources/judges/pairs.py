"""Judges of pairs: which of two photos or texts is better, A or B or neither, each pair asked in both orders."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

import pandas as pd

from resources.configuration.openai_judge import ModelJudge
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.configuration.settings import Setting
from resources.configuration.task import FIRST, SECOND, TIE
from resources.errors import UserError
from resources.judges.answers import Parsed, json_objects, no_text, refuses, without_reasoning
from resources.judges.asking import LedgerRun
from resources.judges.contract import Attempt, Call, JudgeIdentity
from resources.judges.openai.access import Access
from resources.judges.openai.chat_judge import ChatJudge
from resources.judges.openai.image_payload import ImagePayload
from resources.judges.openai.task import AnswerSchema, Remedies
from resources.judges.own_task import DOCUMENT_A, DOCUMENT_B, IMAGES, OwnTask, own_task
from resources.judges.prompt import call_of
from resources.judges.relevance.documents import escaped
from resources.tables.call_states import ANSWER_STATES, OWN_RUBRIC, SCORED_STATES

RUBRIC_VERSION: Final = f"{OWN_RUBRIC}pair-1"
SETTING: Final = Setting(0.0, 1.0)
WINNER: Final = "winner"
LABELS: Final = ("A", "B")  # under which photos are shown
# The ledger keeps a share for the one shown first; which labels stand for it.
SHARES: Final[Mapping[str, float]] = {FIRST.casefold(): 1.0, SECOND.casefold(): 0.0, TIE.casefold(): 0.5}
MARKED_TIE: Final = "c"  # as MT-Bench's prompts mark it
WRITTEN_TOKENS: Final = 60
_MARKED: Final = re.compile(r"\[\[([^\[\]]{1,30})\]\]")
_LAST: Final = re.compile(r"[:\n]\s*([^:\n]{1,30})\s*$")
_AROUND: Final = " \t\r\n\"'`*.[]()"
REMEDIES: Final = Remedies(
    too_large="Send smaller images: lower `image_side_px`; or leave out the longest texts.",
    temperature="Pairs are asked at temperature 0. Choose another model; models that reason may take a temperature "
    "with `reasoning_effort: none`.",
    top_p="`send_neutral_top_p: false` leaves a top_p of 1 out.",
    smaller="lower image_side_px or max_output_tokens",
    run_it_yourself="Run `touchstone run pairwise` yourself",
)


class Shown(NamedTuple):
    """A photo or a text: its name, the photo's address or what the text says, and the SHA-256 of either."""

    name: str
    content: str
    sha256: str


@dataclass(frozen=True)
class ShownPair:
    """Two things in the order in which the judge sees them, and what was asked where they are texts."""

    first: Shown
    second: Shown
    query: str = ""

    @property
    def object(self) -> str:
        """Its name in the ledger; the other order is another object."""
        return f"{escaped(self.first.name)}/{escaped(self.second.name)}"

    @property
    def item_id(self) -> str:
        """Both names."""
        return f"{self.first.name} | {self.second.name}"

    @property
    def image_hashes(self) -> tuple[str, ...]:
        """Of the first, then of the second."""
        return (self.first.sha256, self.second.sha256)


NOTHING: Final = ShownPair(Shown("", "", ""), Shown("", "", ""))  # no call is smaller than one about it


@dataclass(frozen=True)
class PairTask:
    """The user's task with its prompt read: filled in for a pair, and answers read as A, B or tie."""

    own: OwnTask

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What of the task tells one judge from another."""
        return {**self.own.parameters, "object": "pair"}

    @property
    def schema(self) -> dict[str, Any] | None:
        """A JSON schema of the answer, with a reason first where the prompt names one; null where it is no JSON."""
        if self.own.task.answer != "json":
            return None
        names = [name for name in ("reason", "rationale") if f'"{name}"' in self.own.text]
        fields = {name: {"type": "string"} for name in (*names, WINNER)}
        return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}

    def messages(self, pair: ShownPair, run_id: str) -> tuple[str, str]:
        """What comes before the photos, a system message, and what comes after them; nothing is added to either."""
        if self.own.task.shows == "text":
            places = {"query": pair.query, DOCUMENT_A: pair.first.content, DOCUMENT_B: pair.second.content}
            return "", self.own.filled(self.own.text, places | {"run_id": run_id}).strip()
        before, _, after = self.own.text.partition(f"{{{IMAGES}}}")
        return self.own.filled(before, {"run_id": run_id}).strip(), self.own.filled(after, {"run_id": run_id}).strip()

    def prompt_hash(self, pair: ShownPair) -> str:
        """SHA-256 in hex of the filled prompt without the nonce, and of how its answers are read."""
        facts = [RUBRIC_VERSION, *self.messages(pair, ""), self.parameters]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def call(self, pair: ShownPair, attempt: Attempt) -> Call:
        """One planned call; the same arguments always give the same call."""
        return call_of(pair, attempt, self.prompt_hash(pair), partial(self.messages, pair))

    def read(self, raw: str | None) -> Parsed:
        """The state of one answer, and the share for the one shown first: A 1, B 0, tie 0.5.

        A label is the whole answer, or in double brackets as MT-Bench asks for it (``[[C]]`` a tie), or the last line
        or what comes after its colon. `A` within a sentence is an article and no answer.
        """
        text = without_reasoning(raw)
        if not text:
            return no_text(raw)
        if self.own.task.answer == "json":
            return self._field(text)
        if (picked := self._share(text)) is not None:
            return _scored("valid", picked)
        marked = [self._share(word, marked=True) for word in _MARKED.findall(text)]
        if found := {share for share in marked if share is not None}:
            if len(found) == 1:
                return _scored("valid", found.pop())
            return Parsed("ambiguous", problem=f"two verdicts in one answer that differ: {text[-80:]}")
        last = _LAST.search(text)
        if last and not marked and (picked := self._share(last[1])) is not None:
            return _scored("recovered", picked)
        if refuses(text):
            return Parsed("refused", problem=f"the judge refused: {text[:200]}")
        return Parsed("out_of_range", problem=f"none of the labels {', '.join(self._labels)}: {text[-80:]}")

    def _field(self, text: str) -> Parsed:
        found, is_whole = json_objects(text, (WINNER,))
        if not found:
            if refuses(text):
                return Parsed("refused", problem=f"the judge refused: {text[:200]}")
            return Parsed("invalid_json", problem=f"no JSON object with {WINNER}: {text[:80]}")
        if len({json.dumps(one[WINNER]) for one in found}) > 1:
            return Parsed("ambiguous", problem="two verdicts in one answer that differ")
        said = found[-1][WINNER]
        picked = self._share(said) if isinstance(said, str) else None
        if picked is None:
            return Parsed("out_of_range", problem=f"{WINNER} is none of {', '.join(self._labels)}: {said!r}"[:120])
        reasons = [found[-1][name] for name in ("reason", "rationale") if isinstance(found[-1].get(name), str)]
        return _scored("valid" if is_whole else "recovered", picked, tuple(reasons))

    @property
    def _labels(self) -> tuple[str, ...]:
        return self.own.task.labels or ()

    def _share(self, word: str, *, marked: bool = False) -> float | None:
        plain = word.strip(_AROUND).casefold()
        known = {label.casefold() for label in self._labels}
        if marked and plain == MARKED_TIE and TIE in known:
            return SHARES[TIE]
        return SHARES[plain] if plain in known else None


def _scored(state: str, share: float, reasons: tuple[str, ...] = ()) -> Parsed:
    return Parsed(state, share, share, share, rationale=reasons)


class PairQuestion:
    """What a model is sent about a pair: both photos behind their labels, or nothing but text."""

    rubric_version = RUBRIC_VERSION
    remedies = REMEDIES
    written_tokens = WRITTEN_TOKENS

    def __init__(self, configuration: Configuration, task: PairTask) -> None:
        self._task, self._shows_images = task, task.own.task.shows == "images"
        self._images = ImagePayload(configuration.image_side_px, configuration.image_format, configuration.image_detail)
        self.schema = None if task.schema is None else AnswerSchema("picked", task.schema)
        self.schema_bytes = len(json.dumps(task.schema)) if task.schema else 0

    @property
    def size(self) -> "PairQuestion":
        """For guesses of tokens."""
        return self

    def labels(self, call: Call) -> str:
        """Of both photos."""
        return "".join(LABELS) if self._shows_images else ""

    def n_pictures(self, call: Call) -> int:
        """Two, or none of texts."""
        return len(LABELS) if self._shows_images else 0

    def parameters(self, configuration: Configuration) -> Mapping[str, Any]:
        """How images are sent, and the task."""
        return (self._images.parameters if self._shows_images else {}) | {"task": self._task.parameters}

    def smallest(self, identity: JudgeIdentity) -> Call:
        """About two things without names."""
        return self._task.call(NOTHING, Attempt("", SETTING, identity))

    def parts(self, call: Call) -> list[dict[str, Any]]:
        """Both photos in order; all of a text is in the message.

        Raises:
            UserError: A photo is another than the one whose hash was recorded.
            UnreadableImage: A photo cannot be read.
        """
        pair = call.judged
        if not self._shows_images or not isinstance(pair, ShownPair):
            return []
        both = (pair.first, pair.second)
        return self._images.labelled(LABELS, [one.content for one in both], pair.image_hashes, made="photo_pairs")


@dataclass(frozen=True)
class PairPlan:
    """Each order of a pair is asked once, in an order drawn from the seed."""

    seed: int
    repeats: int = 1


@dataclass(frozen=True)
class PairRun(LedgerRun[ShownPair, PairPlan]):
    """One judge's calls about pairs; `objects` holds both orders of each."""

    task: PairTask = field(kw_only=True)
    what: str = "pair calls"

    def answers(self) -> pd.DataFrame:
        """What the ledger has to the planned calls, by object: the last score counts, and without any the last attempt.

        Returns:
            Columns share (1 for the one shown first, 0, 0.5 a tie; null without a score), state, message, latency_ms
            of the attempt that counts, cost_usd of all attempts; the index is `ShownPair.object`.
        """
        calls = self.ledger.rows(self.study, self.judge.identity.digest, self._setting_keys, self._planned.keys())
        ordered = calls.assign(
            scored=calls["state"].isin(SCORED_STATES), answered=calls["state"].isin(ANSWER_STATES)
        ).sort_values(["scored", "answered", "attempt"], kind="stable")
        last = ordered.drop_duplicates("object", keep="last").set_index("object")
        return pd.DataFrame(
            {
                "share": last["score"],
                "state": last["state"],
                "message": last["fault_message"],
                "latency_ms": last["latency_ms"],
                "cost_usd": calls.groupby("object")["cost_usd"].sum(),
            }
        )

    def _prompt_hash(self, judged: ShownPair) -> str:
        return self.task.prompt_hash(judged)

    def _call(self, judged: ShownPair, attempt: Attempt) -> Call:
        return self.task.call(judged, attempt)

    def _read(self, raw: str | None, call: Call) -> Parsed:
        return self.task.read(raw)


def both_orders(pairs: Sequence[ShownPair]) -> list[ShownPair]:
    """Each pair as it is and turned round."""
    return [shown for pair in pairs for shown in (pair, ShownPair(pair.second, pair.first, pair.query))]


def pair_task(judge: ModelJudge) -> PairTask:
    """The judge's task, its prompt read.

    Raises:
        UserError: It has none of pairs.
        FileFault: The prompt is missing or wrong.
    """
    if judge.task is None or judge.task.object != "pair":
        raise UserError(f"The judge {judge.name} needs a `task` that says `object: pair`.")
    return PairTask(own_task(judge.task))


def pair_judge(judge: ModelJudge, task: PairTask, access: Access) -> ChatJudge:
    """The model, ready to be asked; nothing is opened or sent."""
    return ChatJudge(judge, PairQuestion(judge, task), access)
