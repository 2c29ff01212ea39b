"""What a judge is asked, what it replies, and what tells one judge from another."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from resources.database.call_records import Spent

SAID_BY_SERVER = ("cut_off", "filtered")  # whatever the text of the answer looks like


class Judged(Protocol):
    """What one call is about; each study has a kind of its own, and images only where it shows some."""

    @property
    def object(self) -> str:
        """What tells it from others in the study."""
        ...

    @property
    def item_id(self) -> str:
        """The name that people know it by."""
        ...

    @property
    def image_hashes(self) -> tuple[str, ...]:
        """SHA-256 of each image that the judge sees, in order."""
        ...


class Sampling(Protocol):
    """How a call is sampled, and the text by which the ledger knows it."""

    @property
    def temperature(self) -> float:
        """Unitless."""
        ...

    @property
    def top_p(self) -> float:
        """Unitless."""
        ...

    @property
    def key(self) -> str:
        """Column `setting` of the ledger."""
        ...


@dataclass(frozen=True)
class JudgedObject:
    """One object with its images, as the judge sees it; paths are local or fsspec addresses."""

    object: str
    item_id: str
    candidate_path: str
    candidate_sha256: str
    reference_paths: tuple[str, ...]
    reference_sha256: tuple[str, ...]
    categories: tuple[str | None, str | None, str | None] = (None, None, None)

    @property
    def image_hashes(self) -> tuple[str, ...]:
        """Photos in order, then the candidate."""
        return (*self.reference_sha256, self.candidate_sha256)


@dataclass(frozen=True)
class Call:
    """One planned call; ``run_id`` and ``seed`` follow from the key without the images: a resumed one is the same.

    ``attempt`` counts over all runs, ``nth_try`` within this one.
    """

    judged: Judged
    setting: Sampling
    repeat: int
    attempt: int
    system_message: str
    user_message: str
    prompt_hash: str
    run_id: str
    seed: int
    nth_try: int = 1

    @property
    def shown(self) -> JudgedObject:
        """What is judged, where images of it are shown.

        Raises:
            TypeError: The call is about something else: it was given to a judge of another study.
        """
        if not isinstance(self.judged, JudgedObject):
            raise TypeError(f"{type(self.judged).__name__} has no images: this judge is asked about images")
        return self.judged


@dataclass(frozen=True)
class Reply:
    """What came back: an answer's raw text, or the state of a fault and its message.

    `answer_state` is the state of an answer whose text was not kept. `earlier` are attempts at the same call that came
    before this one, in order, with the same nonce and seed; each is recorded as an attempt of its own. `retry_after_s`
    goes with a fault that may pass: asking again makes sense, no sooner than in so many seconds. `answer_form` is the
    form that was asked for, `key_id` tells one access key from another without naming it. `stops_run` goes with a
    fault that every other call would get too, such as a wrong key: what to do about it, with which the run ends once
    this attempt is recorded. `latency_ms` is the time of the attempt itself, from a judge that first waits until it
    may ask.
    """

    raw_answer: str | None
    fault: str | None = None
    fault_message: str | None = None
    answer_state: str | None = None
    model_answered: str | None = None
    fingerprint: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float = 0.0
    retry_after_s: float | None = None
    answer_form: str | None = None
    key_id: str | None = None
    stops_run: str | None = None
    latency_ms: float | None = None
    earlier: tuple["Reply", ...] = ()


@dataclass(frozen=True)
class JudgeIdentity:
    """Answers of one identity are never used for another: any field that differs makes another judge."""

    judge: str
    model: str
    rubric_version: str
    code_version: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """First 16 hex digits of the SHA-256 of all fields."""
        fields = [self.judge, self.model, self.rubric_version, self.code_version, dict(self.parameters)]
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Attempt:
    """An attempt at a question; with what is judged it fixes a call, its nonce and its seed.

    Attributes:
        study: Name of the study.
        setting: Sampling parameters.
        identity: The judge that is asked.
        repeat: From 1.
        number: From 1; another attempt carries another nonce and seed.
    """

    study: str
    setting: Sampling
    identity: JudgeIdentity
    repeat: int = 1
    number: int = 1


class Judge(Protocol):
    """Anything that answers calls, such as scoring a candidate against photos; `reply` runs in several threads."""

    @property
    def identity(self) -> JudgeIdentity:
        """What tells this judge's answers from another's."""
        ...

    @property
    def faults_are_final(self) -> bool:
        """Whether a call that got a fault would get it again, whenever it is asked; then it is not asked again."""
        ...

    @property
    def workers(self) -> int:
        """How many calls it answers at a time."""
        ...

    @property
    def attempts(self) -> int:
        """How often one call is tried within a run while faults that may pass come."""
        ...

    def taken_in_turns(self, study: str) -> Sequence[str]:
        """What runs share and one uses at a time, in words: a study's money, a key's rates.

        Runs that name the same wait for each other, whatever judge and study they are of; where a judge names nothing,
        runs of different settings go on next to each other.
        """
        ...

    def begin(self, spent: Spent) -> None:
        """Hear what was spent, before the first call of a run; there are calls to make.

        Raises:
            UserError: It must not be asked: no money or quota is left, no person started the run, or it cannot be
                reached.
        """
        ...

    def stop(self, why: str) -> None:
        """Send nothing more, because the run ends: a `reply` that waits for its turn raises a UserError with `why`.

        What was sent is waited for.
        """
        ...

    def reply(self, call: Call) -> Reply:
        """Answer one call; a fault is a reply, never an exception.

        Raises:
            UserError: What is judged or replayed changed during the run: no answer would be about what is recorded.
        """
        ...


class FreeJudge:
    """What judges have in common that cost nothing and wait for nothing."""

    def taken_in_turns(self, study: str) -> tuple[str, ...]:
        """Runs share nothing."""
        return ()

    def begin(self, spent: Spent) -> None:
        """It costs nothing and can always be asked."""

    def stop(self, why: str) -> None:
        """No reply waits for anything."""


class Plan(Protocol):
    """What a study says about its calls."""

    @property
    def repeats(self) -> int:
        """Calls for each object and setting."""
        ...

    @property
    def seed(self) -> int:
        """Of the order in which they are asked."""
        ...
