"""One run of calls against the ledger: what it does not answer yet is asked in a random order and kept at once."""

import heapq
import logging
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, Protocol, TypeVar

from resources.database.ledger import Ledger, Progress
from resources.database.locks import Turn
from resources.errors import UserError
from resources.judges.answers import Parsed
from resources.judges.contract import SCORED_STATES, Call, Judge, Judged, JudgeIdentity, Reply, Sampling
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

    def _answer(self, call: Call) -> "Answered":
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


STOPPED = "The run ends; this call was not sent."
WAITING_PER_WORKER = 16  # calls of a fast judge come in groups, and one write to the disk serves a group


class Answered(NamedTuple):
    """What one call brought: a row for each attempt.

    `again_after_s` goes with a fault that may pass, `stops_run` with one that every other call would get too.
    """

    records: list[CallRecord]
    again_after_s: float | None = None
    stops_run: str | None = None


@dataclass(order=True)
class _Try:
    """One call at its nth try within the run; ordered by when it may be asked."""

    due: float
    place: int
    call: Call = field(compare=False)
    n: int = field(compare=False, default=1)


class Asking:
    """One run's calls to one judge, a bounded number of them at a time."""

    def __init__(
        self,
        answer: Callable[[Call], Answered],
        again: Callable[[Call, int], Call],
        keep: Callable[[Iterable[CallRecord]], object],
        stop: Callable[[str], object],
        advance: Advance,
        waits_for: Callable[[int], AbstractContextManager[Advance]],
        *,
        workers: int,
        attempts: int,
    ) -> None:
        """Nothing is asked yet.

        Args:
            answer: Asks the judge; runs in several threads.
            again: The same call at another attempt, whose number is given.
            keep: Writes rows for good, all or none.
            stop: Tells the judge to send nothing more, and why; calls that wait for their turn raise a UserError.
            advance: Told of calls that are done with, whether they have an answer or a fault that stands.
            waits_for: Tells a person that the run ends and for how many answers under way it still waits.
            workers: Calls at a time.
            attempts: How often one call is tried while faults that may pass come.
        """
        self._answer, self._again, self._keep = answer, again, keep
        self._stop, self._advance, self._waits_for = stop, advance, waits_for
        self._workers, self._attempts = workers, attempts
        self._under_way: dict[Future[Answered], _Try] = {}
        # Calls tell when they end: to look at all of them each time one does takes longer than asking.
        self._ended: SimpleQueue[Future[Answered]] = SimpleQueue()
        self._later: list[_Try] = []  # a heap: the next that may be asked stands first
        self._begun = 0

    def ask_all(self, calls: Iterator[Call]) -> None:
        """Ask until every call has an answer or a fault that stands; what came is kept, whatever stops it.

        Raises:
            UserError: A call got a fault that ends the run.
            BaseException: Whatever a call or the keeping raised, or a person who stops the run.
        """
        failed: list[BaseException] = []
        with ThreadPoolExecutor(self._workers, thread_name_prefix="judge") as pool:
            try:
                while not failed:
                    self._start(calls, pool)
                    if not self._under_way and not self._later:
                        return
                    failed += self._keep_finished(self._wait())
            finally:
                if self._under_way:
                    failed += self._end()
        first, *others = failed
        # Where one call stops the run, the others only hear of it: they were never sent.
        told = [one for one in others if str(one) != str(first) and not (_stops(first) and _stops(one))]
        if told:
            first.add_note(f"{len(told)} other calls failed too, one of them so: {type(told[0]).__name__}: {told[0]}")
        raise first

    def _start(self, calls: Iterator[Call], pool: ThreadPoolExecutor) -> None:
        """Hand out what may be asked now, second tries first; those that wait take the room of new calls."""
        now = time.monotonic()
        ready = []
        while self._later and self._later[0].due <= now:
            ready.append(heapq.heappop(self._later))
        room = WAITING_PER_WORKER * self._workers - len(self._under_way) - len(self._later) - len(ready)
        for call in islice(calls, max(room, 0)):
            self._begun += 1
            ready.append(_Try(now, self._begun, call))
        for one in ready:
            # Known before it begins: a person may stop the run at any point, also while the pool takes it.
            answering: Future[Answered] = Future()
            answering.add_done_callback(self._ended.put)
            self._under_way[answering] = one
            pool.submit(self._ask, answering, one.call)

    def _ask(self, answering: Future[Answered], call: Call) -> None:
        if not answering.set_running_or_notify_cancel():
            return
        try:
            answering.set_result(self._answer(call))
        except BaseException as error:  # whatever it is, the run has to hear of it
            answering.set_exception(error)

    def _end(self) -> list[BaseException]:
        """Send nothing more, and keep what is under way: it is paid for, whatever stopped the run.

        Returns:
            The errors of calls that had begun; those that were told not to go out are none.
        """
        while True:
            try:
                self._stop(STOPPED)
                begun = [answering for answering in self._under_way if not answering.cancel()]
                if not_ended := [answering for answering in begun if not answering.done()]:
                    with self._waits_for(len(not_ended)) as advance:
                        for _ in as_completed(not_ended):
                            advance()
                errors = self._keep_finished(list(self._under_way))
                return [error for error in errors if str(error) != STOPPED]
            except Exception:
                raise
            except BaseException:  # noqa: S112 - a person interrupts again: what was sent costs as much, kept or not
                continue

    def _wait(self) -> list[Future[Answered]]:
        """The calls that ended, once one has or another that waits may be asked again."""
        pause = max(self._later[0].due - time.monotonic(), 0) if self._later else None
        ended = []
        with suppress(Empty):
            ended.append(self._ended.get(timeout=pause))
            while True:
                ended.append(self._ended.get_nowait())
        return ended

    def _keep_finished(self, answerings: list[Future[Answered]]) -> list[BaseException]:
        """Record what calls brought that ended, and take them from those under way.

        Returns:
            The errors of those that brought nothing, and of faults that end the run.
        """
        finished = [(answering, self._under_way[answering]) for answering in answerings]
        ended = [(answering, one) for answering, one in finished if not answering.cancelled()]
        errors: list[BaseException] = [error for answering, _ in ended if (error := answering.exception()) is not None]
        brought = [(answering.result(), one) for answering, one in ended if answering.exception() is None]
        self._keep(record for answered, _ in brought for record in answered.records)
        now, done = time.monotonic(), 0
        for answering, _ in finished:
            del self._under_way[answering]
        for answered, one in brought:
            if answered.stops_run is not None:
                errors.append(UserError(answered.stops_run))
            if answered.again_after_s is None or one.n >= self._attempts:
                done += 1
                continue
            call = self._again(one.call, answered.records[-1].attempt + 1)
            heapq.heappush(self._later, _Try(now + answered.again_after_s, one.place, call, one.n + 1))
        if done:
            self._advance(done)
        return errors


def _stops(error: BaseException) -> bool:
    return isinstance(error, UserError)


def recorded(
    study: str,
    read: Callable[[str | None], Parsed],
    identity: JudgeIdentity,
    call: Call,
    reply: Reply,
    started_at: datetime,
    latency_ms: float,
    dagster_run_id: str | None,
) -> CallRecord:
    """One attempt with everything that is kept of it; `read` finds state and scores in an answer's text."""
    state = reply.fault or reply.answer_state
    parsed = read(reply.raw_answer) if state is None else Parsed(state, problem=reply.fault_message)
    return CallRecord(
        study=study,
        object=call.judged.object,
        item_id=call.judged.item_id,
        setting=call.setting.key,
        repeat=call.repeat,
        attempt=call.attempt,
        run_id=call.run_id,
        judge=identity.judge,
        judge_identity=identity.digest,
        model_asked=identity.model,
        rubric_version=identity.rubric_version,
        parameters=identity.parameters,
        temperature=call.setting.temperature,
        top_p=call.setting.top_p,
        seed=call.seed,
        prompt_hash=call.prompt_hash,
        image_hashes=call.judged.image_hashes,
        started_at=started_at,
        latency_ms=latency_ms,
        model_answered=reply.model_answered,
        fingerprint=reply.fingerprint,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        tokens_cached=reply.tokens_cached,
        cost_usd=reply.cost_usd,
        raw_answer=reply.raw_answer,
        dagster_run_id=dagster_run_id,
        answer_form=reply.answer_form,
        key_id=reply.key_id,
        state=parsed.state,
        fault_message=parsed.problem,
        score=parsed.score,
        score_stated=parsed.score_stated,
        score_recomputed=parsed.score_recomputed,
        subscores=parsed.subscores,
        rationale=parsed.rationale,
    )
