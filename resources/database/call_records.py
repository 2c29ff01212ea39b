"""One row of the ledger: everything that is kept about one attempt at one call."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from resources.tables.call_states import ANSWER_STATES, FAULT_STATES, OWN_RUBRIC, SCORED_STATES, SUBSCORES

ALTERATION_SIGN, OCCASION_SIGN = "~", "@"  # object~alteration is a golden image, object@occasion an anchor


class CallKey(NamedTuple):
    """One planned call, whatever the attempt: a different judge, prompt, image or repeat makes another key."""

    study: str
    judge_identity: str
    setting: str
    object: str
    repeat: int
    prompt_hash: str
    images_digest: str


def images_digest(hashes: Sequence[str]) -> str:
    """First 32 hex digits of the SHA-256 of all image hashes in the order in which the judge sees them."""
    return hashlib.sha256(json.dumps(list(hashes)).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class CallRecord:
    """One attempt: scores and sub-scores are 0-1, times are UTC, a fault has a message and no score.

    Raises:
        ValueError: The parts contradict each other, or a number is not finite.
    """

    study: str
    object: str
    item_id: str
    setting: str
    repeat: int
    attempt: int
    run_id: str
    judge: str
    judge_identity: str
    model_asked: str
    rubric_version: str
    temperature: float
    top_p: float
    seed: int
    prompt_hash: str
    image_hashes: tuple[str, ...]
    started_at: datetime
    latency_ms: float
    state: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    model_answered: str | None = None
    fingerprint: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float = 0.0
    raw_answer: str | None = None
    fault_message: str | None = None
    score: float | None = None
    score_stated: float | None = None
    score_recomputed: float | None = None
    subscores: Mapping[str, float] | None = None
    rationale: tuple[str, ...] = ()
    dagster_run_id: str | None = None
    answer_form: str | None = None
    key_id: str | None = None

    def __post_init__(self) -> None:
        if self.state not in ANSWER_STATES + FAULT_STATES:
            raise ValueError(f"'{self.state}' is no state of a call")
        if self.started_at.tzinfo is None:
            raise ValueError(f"started_at {self.started_at} has no time zone")
        if (self.score is not None) != (self.state in SCORED_STATES):
            raise ValueError(f"state '{self.state}' with score {self.score}: only {SCORED_STATES} have one, always")
        own = self.rubric_version.startswith(OWN_RUBRIC)
        if not own and self.subscores is not None and set(self.subscores) - set(SUBSCORES):
            raise ValueError(f"unknown sub-scores {sorted(set(self.subscores) - set(SUBSCORES))}")
        shares = {"score": self.score, "score_stated": self.score_stated, "score_recomputed": self.score_recomputed}
        for name, share in {**shares, **(self.subscores or {})}.items():
            if share is not None and not 0 <= share <= 1:
                raise ValueError(f"{name} {share} is outside 0-1")
        for name in ("temperature", "top_p", "latency_ms", "cost_usd"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)}")

    @property
    def call_key(self) -> CallKey:
        """The planned call that this attempt belongs to."""
        return CallKey(
            self.study,
            self.judge_identity,
            self.setting,
            self.object,
            self.repeat,
            self.prompt_hash,
            images_digest(self.image_hashes),
        )

    @property
    def answered(self) -> bool:
        """Whether the judge answered, well or badly; otherwise it is a fault and is tried again."""
        return self.state in ANSWER_STATES


@dataclass(frozen=True)
class Spent:
    """What the ledger knows before a run asks: money of the whole study, and what went out since midnight UTC.

    `requests_today` counts attempts by `key_id`, those of other studies in the same ledger included. `unattended` says
    that no person started the run.
    """

    usd: float = 0.0
    usd_today: float = 0.0
    requests_today: Mapping[str, int] = field(default_factory=dict)
    unattended: bool = False


class Progress(NamedTuple):
    """How far one planned call has come: the highest attempt, what became of it, whether any attempt has a score."""

    attempts: int
    state: str | None
    scored: bool

    @property
    def answered(self) -> bool:
        """Whether the call is done with: its last attempt is an answer, or one before it has a score."""
        return self.scored or self.state in ANSWER_STATES
