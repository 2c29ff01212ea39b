"""The judge `openai` of study D: a model is asked for the relevance of a document, a call for each."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Final

import pandas as pd

from resources.configuration.openai_judge import OpenAIJudge
from resources.database.call_records import CallRecord
from resources.errors import UserError
from resources.judges.answers import Parsed, no_text, refuses, without_reasoning
from resources.judges.asking import LedgerRun
from resources.judges.contract import Attempt, Call, JudgeIdentity
from resources.judges.openai.access import Access
from resources.judges.openai.chat_judge import ChatJudge
from resources.judges.openai.task import Remedies
from resources.judges.relevance.documents import AskedDocument, Count, Judged
from resources.judges.relevance.prompts import RUBRIC_VERSION, UNIT, Prompt, build_call, prompt_hash
from resources.runtime.progress import TracksProgress
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES

_SEARCHED_CHARACTERS: Final = 100_000
_MINUS: Final = str.maketrans(dict.fromkeys("\u2212\ufe63\uff0d", "-"))
# Digits inside a word, such as those of "v2", are no number; neither are parts of 1.2.3 or 10,000, nor what follows a
# dash, which may be a minus.
_NUMBER: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WHOLE: Final = re.compile(_NUMBER)
_INSIDE: Final = re.compile(rf"(?<![\w.,+\-\u2010-\u2015]){_NUMBER}(?![\w%])(?![.,][0-9])")
_LIKE_NUMBERS: Final = re.compile(r"[0-9]+")
REMEDIES: Final = Remedies(
    too_large="Shorten the document, or choose a model that reads more.",
    temperature="Relevance is asked at temperature 0. Choose another model; models that reason may take a temperature "
    "with `reasoning_effort: none`.",
    top_p="`send_neutral_top_p: false` leaves a top_p of 1 out.",
    smaller="lower max_output_tokens, or shorten the longest document",
    run_it_yourself="Run `touchstone run reliability` yourself",
)


def parse_relevance(raw: str | None, scale: tuple[float, float] = UNIT) -> Parsed:
    """The state and the score of one answer.

    Args:
        raw: The answer as it came.
        scale: What the prompt asks answers to run from and to; the score is on 0-1 whatever it is.

    Returns:
        ``valid`` where the whole answer is one number on the scale, ``recovered`` where one such number stands inside
        other text and no other digit does; ``out_of_range``, ``ambiguous`` (several numbers), ``schema_error`` (digits
        that are no number), ``invalid_json`` (no number at all), ``reasoning_only`` or ``refused`` otherwise, without a
        score.
    """
    text = without_reasoning(raw).translate(_MINUS)
    if not text:
        return no_text(raw)
    if _WHOLE.fullmatch(text):
        return _scored("valid", text, scale)
    searched = text[:_SEARCHED_CHARACTERS]
    found = _INSIDE.findall(searched)
    if not _LIKE_NUMBERS.search(searched):
        if refuses(text):
            return Parsed("refused", problem=f"the judge refused: {text[:200]}")
        return Parsed("invalid_json", problem=f"no number in the answer: {text[:80]}")
    if len(found) == 1 and not _LIKE_NUMBERS.search(searched.replace(found[0], "", 1)):
        return _scored("recovered", found[0], scale)
    state = "ambiguous" if found else "schema_error"
    return Parsed(state, problem=f"which number is the score is not said: {text[:80]}")


def _scored(state: str, number: str, scale: tuple[float, float]) -> Parsed:
    stated, (low, high) = float(number), scale
    if not low <= stated <= high:
        return Parsed("out_of_range", problem=f"outside {low:g}-{high:g}: {number[:40]}")
    score = stated + 0.0 if scale == UNIT else (stated - low) / (high - low)  # -0.0 is 0
    return Parsed(state, score=score, score_stated=score)


@dataclass(frozen=True)
class PromptSetting:
    """The prompt's version with temperature and top_p: what the ledger's column `setting` says of these calls."""

    prompt_version: str
    temperature: float = 0.0
    top_p: float = 1.0

    @property
    def key(self) -> str:
        """Such as ``v1 t0.0_p1.0``."""
        return f"{self.prompt_version} t{self.temperature!r}_p{self.top_p!r}"


class TextSize:
    """Two messages, and a number for an answer."""

    schema_bytes = 0
    written_tokens = 6

    def labels(self, call: Call) -> str:
        """There is no other text."""
        return ""

    def n_pictures(self, call: Call) -> int:
        """None is sent."""
        return 0


class Relevance:
    """A query and a document, and a number; `judge` is the judge's name in the study.

    The name is part of who judges: one model under two names is asked twice, and not one answer counted as two.
    """

    rubric_version = RUBRIC_VERSION
    schema = None
    size = TextSize()
    remedies = REMEDIES

    def __init__(self, judge: str, prompt: Prompt) -> None:
        self._judge, self._prompt = judge, prompt

    def parameters(self, configuration: OpenAIJudge) -> Mapping[str, Any]:
        """The judge's name; the answer is a number whatever `answer_form` says.

        Raises:
            UserError: The configuration wants JSON.
        """
        if configuration.answer_form not in ("auto", "plain"):
            raise UserError(
                f"judges.{self._judge}: answer_form '{configuration.answer_form}' asks for JSON, and a judge of "
                "relevance answers with a number alone. Leave `answer_form` out."
            )
        return {"name": self._judge, "answer_form": "plain"}

    def smallest(self, identity: JudgeIdentity) -> Call:
        """About an empty document."""
        nothing = AskedDocument("", "", "", "")
        return build_call(self._prompt, nothing, Attempt("", PromptSetting(self._prompt.version), identity))

    def parts(self, call: Call) -> list[dict[str, Any]]:
        """All is in the text."""
        return []


@dataclass(frozen=True)
class RelevancePlan:
    """One call for each document, in an order drawn from the seed."""

    seed: int
    repeats: int = 1


@dataclass(frozen=True)
class RelevanceRun(LedgerRun[AskedDocument, RelevancePlan]):
    """One judge's calls under one prompt; what is answered goes to `count`, first what the ledger has.

    `name` is the judge's name in the study.
    """

    prompt: Prompt = field(kw_only=True)
    name: str = field(kw_only=True)
    count: Count = field(kw_only=True)
    what: str = "relevance calls"

    def ask_and_keep(self, progress: TracksProgress, log: logging.Logger) -> None:
        """Hand on what is answered already, then ask for the rest and hand on what comes.

        Raises:
            UserError: The judge must not be asked, or a fault ended the run.
        """
        self._keep_known()
        self.ask(progress, log)
        self._keep_known()  # another run that asked the same may have answered some

    def _keep_known(self) -> None:
        calls = self.ledger.rows(self.study, self.judge.identity.digest, self._setting_keys, self._planned.keys())
        answered = calls[calls["state"].isin(ANSWER_STATES)]
        # The last score counts, and without any the last answer.
        in_order = answered.assign(scored=answered["state"].isin(SCORED_STATES)).sort_values(
            ["scored", "attempt"], kind="stable"
        )
        last = {str(row["object"]): row for row in in_order.to_dict("records")}
        there = [self._by_object[name] for name in last]
        new = [asked for asked in there if not self.count.has(asked.query_id, asked.doc_id)]
        self.count.keep([self._judged(asked, last[asked.object]) for asked in new])

    def _kept(self, rows: Sequence[CallRecord]) -> None:
        self.count.keep([self._judged(self._by_object[row.object], vars(row)) for row in rows if row.answered])

    @cached_property
    def _by_object(self) -> Mapping[str, AskedDocument]:
        return {key.object: asked for key, (asked, _) in self._planned.items()}

    def _judged(self, asked: AskedDocument, row: Mapping[Any, Any]) -> Judged:
        score, raw, message, started_at = (row[name] for name in ("score", "raw_answer", "fault_message", "started_at"))
        return Judged(
            query_id=asked.query_id,
            doc_id=asked.doc_id,
            judge=self.name,
            judge_identity=self.judge.identity.digest,
            prompt_version=self.prompt.version,
            prompt_hash=self.prompt.sha256,
            score=None if pd.isna(score) else float(score),
            state=str(row["state"]),
            message=None if pd.isna(message) else str(message),
            raw_answer=None if pd.isna(raw) else str(raw),
            judged_at=started_at if type(started_at) is datetime else pd.Timestamp(started_at).to_pydatetime(),
        )

    def _prompt_hash(self, judged: AskedDocument) -> str:
        return prompt_hash(self.prompt, judged)

    def _call(self, judged: AskedDocument, attempt: Attempt) -> Call:
        return build_call(self.prompt, judged, attempt)

    def _read(self, raw: str | None, call: Call) -> Parsed:
        return parse_relevance(raw, self.prompt.scale)


def relevance_judge(name: str, configuration: OpenAIJudge, prompt: Prompt, access: Access) -> ChatJudge:
    """The judge under a prompt, ready to be asked; nothing is opened or sent.

    Raises:
        UserError: Its configuration wants an answer in JSON.
    """
    return ChatJudge(configuration, Relevance(name, prompt), access)
