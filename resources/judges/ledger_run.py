"""One run of calls against the ledger: what it does not answer yet, in a random order, every answer kept at once."""

import logging
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from resources.database.ledger import Ledger, Progress
from resources.database.locks import Turn
from resources.errors import UserError
from resources.judges.answers import Parsed
from resources.judges.asking import Answered, Asking
from resources.judges.attempts import recorded
from resources.judges.contract import SCORED_STATES, Call, Judge, Judged, Reply, Sampling
from resources.judges.records import CallKey, CallRecord, images_digest
from resources.runtime.progress import Advance, TracksProgress

MOST_FAULTS_SAID = 5  # in one run's log; the ledger has all
NOT_ASKED = Progress(attempts=0, state=None, scored=False)


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


Thing = TypeVar("Thing", bound=Judged)
Planned = TypeVar("Planned", bound=Plan)


@dataclass(frozen=True)
class LedgerRun(ABC, Generic[Thing, Planned]):
    """One judge, what it is asked about, the settings, one ledger; a study says what its calls are and how they read.

    `unattended` tells the judge that no person started the run. `retry_states` are states of answers without a score
    whose calls are asked again, because a person said so. `what` names the calls to a person, a plural noun.
    """

    study: str
    plan: Planned
    judge: Judge
    objects: Sequence[Thing]
    settings: Sequence[Sampling]
    ledger: Ledger
    dagster_run_id: str | None = None
    unattended: bool = False
    retry_states: frozenset[str] = frozenset()
    what: str = "judge calls"

    def __post_init__(self) -> None:
        if scored := self.retry_states & set(SCORED_STATES):
            raise ValueError(f"answers with a score are not asked again: {sorted(scored)}")

    def ask(self, progress: TracksProgress, log: logging.Logger) -> None:
        """Make the calls that are planned and not settled; a fault that stands is kept and asked again the next time.

        A judge whose faults are final is not asked again. Settings and objects are interleaved in a seeded random
        order, so that a provider that drifts during the run does not look like a setting. A run that asks the same is
        waited for, and only what it left is asked.

        Raises:
            UserError: The judge must not be asked, or a fault ended the run.
            Exception: Whatever a call raised, after every answer that came is in the ledger.
        """
        with self.ledger.turn(self._turns, self._who) as turn:
            if not turn.take():
                # What is answered needs no turn: a table can be made again while others ask.
                if not self._to_ask(log):
                    return
                turn.wait(lambda words: progress.say(words, log))
            if calls := self._to_ask(log):
                self._ask(calls, turn, progress, log)

    def open_calls(self) -> dict[CallKey, Progress]:
        """The planned calls that a run would make now, with what they have come to so far."""
        known = self.ledger.progress(self.study, self.judge.identity.digest, self._setting_keys)
        come_to = {key: known.get(key, NOT_ASKED) for key in self._planned}
        return {key: one for key, one in come_to.items() if not self._settled(one)}

    @abstractmethod
    def _prompt_hash(self, judged: Thing) -> str:
        """SHA-256 of what is asked about it, without the nonce."""

    @abstractmethod
    def _call(self, judged: Thing, setting: Sampling, repeat: int, attempt: int) -> Call:
        """One planned call with its messages."""

    @abstractmethod
    def _read(self, raw: str | None, call: Call) -> Parsed:
        """State and scores of an answer's text."""

    def _kept(self, rows: Sequence[CallRecord]) -> None:
        """Hear of attempts that the ledger has now; what is raised ends the run."""

    @property
    def _setting_keys(self) -> list[str]:
        return [setting.key for setting in self.settings]

    @property
    def _turns(self) -> list[str]:
        """What this run keeps others from asking."""
        asked = f"study {self.study}, {self.judge.identity.judge} {self.judge.identity.digest}"
        return [*(f"{asked}, setting {key}" for key in self._setting_keys), *self.judge.taken_in_turns(self.study)]

    @property
    def _who(self) -> str:
        return f"run {self.dagster_run_id}" if self.dagster_run_id else "a run without Dagster"

    @cached_property
    def _planned(self) -> dict[CallKey, tuple[Thing, Sampling]]:
        digest = self.judge.identity.digest
        planned: dict[CallKey, tuple[Thing, Sampling]] = {}
        for judged in self.objects:
            prompt, images = self._prompt_hash(judged), images_digest(judged.image_hashes)
            for setting in self.settings:
                for repeat in range(1, self.plan.repeats + 1):
                    key = CallKey(self.study, digest, setting.key, judged.object, repeat, prompt, images)
                    planned[key] = (judged, setting)
        return planned

    def _to_ask(self, log: logging.Logger) -> dict[CallKey, int]:
        """The open calls with the number of their next attempt, in the order in which they are asked."""
        come_to = self.open_calls()
        to_ask = list(come_to)
        random.Random(self.plan.seed).shuffle(to_ask)
        again = sum(one.answered for one in come_to.values())
        log.info(
            f"{len(self._planned)} calls planned, {len(self._planned) - len(to_ask)} answered before, "
            f"{len(to_ask)} to make" + (f", {again} of them answered without a score and asked again" if again else "")
        )
        return {key: come_to[key].attempts + 1 for key in to_ask}

    def _settled(self, come_to: Progress) -> bool:
        if come_to.state in self.retry_states:
            return come_to.scored
        return come_to.answered or (self.judge.faults_are_final and come_to.attempts > 0)

    def _ask(self, calls: dict[CallKey, int], turn: Turn, progress: TracksProgress, log: logging.Logger) -> None:
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.judge.begin(replace(self.ledger.spent(self.study, midnight), unattended=self.unattended))
        n_answered = len(self._planned) - len(calls)
        faults: set[str] = set()

        def keep(records: Iterable[CallRecord]) -> None:
            nonlocal n_answered
            rows = list(records)
            self.ledger.record_many(rows)
            self._kept(rows)
            n_answered += sum(row.answered for row in rows)
            for row in rows:
                # What a provider says is seen at once, such as a parameter that is left out from then on.
                if not row.answered and row.fault_message not in faults and len(faults) < MOST_FAULTS_SAID:
                    faults.add(str(row.fault_message))
                    log.warning(f"{row.state}: {row.fault_message}")
            turn.keep()

        def waits_for(n: int) -> AbstractContextManager[Advance]:
            return progress.track("answers under way still waited for", n, log)

        with progress.track(self.what, len(calls), log) as advance:
            asking = Asking(
                self._answer,
                self._again,
                keep,
                self.judge.stop,
                advance,
                waits_for,
                workers=self.judge.workers,
                attempts=self.judge.attempts,
            )
            try:
                asking.ask_all(self._calls(calls))
            except UserError as problem:
                at = "1 setting" if len(self.settings) == 1 else f"{len(self.settings)} settings"
                problem.add_note(f"{n_answered:,} of {len(self._planned):,} {self.what} at {at} are answered.")
                raise

    def _calls(self, to_ask: dict[CallKey, int]) -> Iterator[Call]:
        for key, attempt in to_ask.items():
            yield self._call(*self._planned[key], key.repeat, attempt)

    def _again(self, call: Call, attempt: int) -> Call:
        images = images_digest(call.judged.image_hashes)
        digest, object_ = self.judge.identity.digest, call.judged.object
        key = CallKey(self.study, digest, call.setting.key, object_, call.repeat, call.prompt_hash, images)
        again = self._call(*self._planned[key], call.repeat, attempt)
        return replace(again, nth_try=call.nth_try + 1)

    def _answer(self, call: Call) -> Answered:
        """One record for each attempt that the reply tells of, in order."""
        started = time.perf_counter()
        last = self.judge.reply(call)
        taken_ms, ended_at = (time.perf_counter() - started) * 1000, datetime.now(UTC)
        records = []
        for attempt, reply in enumerate((*last.earlier, last), start=call.attempt):
            # The judge tried again with the nonce and the seed that it was given.
            asked = replace(call, attempt=attempt)
            latency_ms = taken_ms if reply.latency_ms is None else reply.latency_ms
            records.append(self._record(asked, reply, ended_at - timedelta(milliseconds=latency_ms), latency_ms))
        return Answered(records, last.retry_after_s if last.fault else None, last.stops_run)

    def _record(self, call: Call, reply: Reply, started_at: datetime, latency_ms: float) -> CallRecord:
        def read(raw: str | None) -> Parsed:
            return self._read(raw, call)

        return recorded(self.study, read, self.judge.identity, call, reply, started_at, latency_ms, self.dagster_run_id)
