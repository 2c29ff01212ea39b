"""One run of calls against the ledger: what it does not answer yet is asked in a random order and kept at once."""

import logging
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from tenacity import RetryCallState, Retrying, retry_if_result, sleep_using_event, stop_after_attempt

from resources.database.call_records import CallKey, CallRecord, Progress, images_digest
from resources.errors import UserError
from resources.judges.answers import Parsed
from resources.judges.contract import Attempt, Call, Judge, Judged, JudgeIdentity, Plan, Reply, Sampling
from resources.judges.without_score import FirstAnswers, refuse_unusable
from resources.runtime.progress import Advance, TracksProgress
from resources.tables.call_states import SCORED_STATES

if TYPE_CHECKING:
    from resources.database.ledger import Ledger
    from resources.database.locks import Turn

MOST_FAULTS_SAID = 5  # in one run's log; the ledger has all
STOPPED = "The run ends; this call was not sent."
WAITING_PER_WORKER = 16  # calls of a fast judge come in groups, and one write to the disk serves a group
MOST_WAITING = 256  # threads beyond those that ask
NOT_ASKED = Progress(attempts=0, state=None, scored=False)

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
    ledger: "Ledger"
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
            UserError: The judge must not be asked, none of its answers so far has a score, or a fault ended the run.
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
        return self._due(self._unsettled())

    @property
    def any_scored(self) -> bool:
        """Whether the study has an answer with a score under this judge already, at any setting."""
        return any(one.scored for one in self.ledger.progress(self.study, self.judge.identity.digest).values())

    @property
    def n_answered(self) -> int:
        """How many of the planned calls are settled."""
        return len(self._planned) - len(self._unsettled())

    @abstractmethod
    def _prompt_hash(self, judged: Thing) -> str:
        """SHA-256 of what is asked about it, without the nonce."""

    @abstractmethod
    def _call(self, judged: Thing, attempt: Attempt) -> Call:
        """One planned call with its messages."""

    @abstractmethod
    def _read(self, raw: str | None, call: Call) -> Parsed:
        """State and scores of an answer's text."""

    def _kept(self, rows: Sequence[CallRecord]) -> None:
        """Hear of attempts that the ledger has now; what is raised ends the run."""

    def _due(self, unsettled: dict[CallKey, Progress]) -> dict[CallKey, Progress]:
        """Those that are to be made: all, where a study has no rule by which it stops."""
        return unsettled

    def _unsettled(self) -> dict[CallKey, Progress]:
        known = self.ledger.progress(self.study, self.judge.identity.digest, self._setting_keys)
        come_to = {key: known.get(key, NOT_ASKED) for key in self._planned}
        return {key: one for key, one in come_to.items() if not self._settled(one)}

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
        unsettled = self._unsettled()
        come_to = self._due(unsettled)
        to_ask = list(come_to)
        random.Random(self.plan.seed).shuffle(to_ask)
        again = sum(one.answered for one in come_to.values())
        log.info(
            f"{len(self._planned)} calls planned, {len(self._planned) - len(unsettled)} answered before, "
            f"{len(to_ask)} to make" + (f", {again} of them answered without a score and asked again" if again else "")
        )
        return {key: come_to[key].attempts + 1 for key in to_ask}

    def _settled(self, come_to: Progress) -> bool:
        if come_to.state in self.retry_states:
            return come_to.scored
        return come_to.answered or (self.judge.faults_are_final and come_to.attempts > 0)

    def _refuse_if_unusable(self) -> None:
        """Refuse to pay again for a judge of which these calls have answers, and the study has no score."""
        if not (self.judge.faults_are_final or self.retry_states or self.any_scored):
            known = self.ledger.progress(self.study, self.judge.identity.digest, self._setting_keys)
            states = [str(known[key].state) for key in self._planned if key in known and known[key].answered]
            refuse_unusable(states, self.judge.identity.model)

    def _ask(self, calls: dict[CallKey, int], turn: "Turn", progress: TracksProgress, log: logging.Logger) -> None:
        self._refuse_if_unusable()
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.judge.begin(replace(self.ledger.spent(self.study, midnight), unattended=self.unattended))
        asking = _Asking(self, turn, progress, log, n_answered=self.n_answered)
        try:
            with progress.track(self.what, len(calls), log) as advance:
                asking.ask_all(self._calls(calls), advance)
        except UserError as problem:
            at = "1 setting" if len(self.settings) == 1 else f"{len(self.settings)} settings"
            problem.add_note(f"{asking.n_answered:,} of {len(self._planned):,} {self.what} at {at} are answered.")
            raise

    def _calls(self, to_ask: dict[CallKey, int]) -> Iterator[Call]:
        for key, number in to_ask.items():
            judged, setting = self._planned[key]
            yield self._call(judged, Attempt(self.study, setting, self.judge.identity, key.repeat, number))

    def _again(self, call: Call, number: int) -> Call:
        attempt = Attempt(self.study, call.setting, self.judge.identity, call.repeat, number)
        again = self._call(cast(Thing, call.judged), attempt)
        return replace(again, nth_try=call.nth_try + 1)

    def _records(self, call: Call, last: Reply, taken_ms: float) -> list[CallRecord]:
        """One for each attempt that a reply reports, in order; the last ended now."""
        ended_at, read = datetime.now(UTC), partial(self._read, call=call)
        by = AskedBy(self.study, self.judge.identity, self.dagster_run_id)
        records = []
        for attempt, reply in enumerate((*last.earlier, last), start=call.attempt):
            # The judge tried again with the nonce and the seed that it was given.
            asked = replace(call, attempt=attempt)
            latency_ms = taken_ms if reply.latency_ms is None else reply.latency_ms
            took = Took(ended_at - timedelta(milliseconds=latency_ms), latency_ms)
            records.append(recorded(by, read, asked, reply, took))
        return records


class _Asking:
    """One run's calls under way, each in a thread of its own from the first question to the row that settles it.

    The judge has a bounded number of them at a time; the others wait until their row is written, or to ask again. Only
    the run's own thread writes, logs and shows progress.
    """

    def __init__(
        self, run: LedgerRun[Any, Any], turn: "Turn", progress: TracksProgress, log: logging.Logger, *, n_answered: int
    ) -> None:
        """Nothing is asked yet; so many planned calls were answered before."""
        self._run, self._turn, self._progress, self._log = run, turn, progress, log
        self.n_answered = n_answered
        self._faults: set[str] = set()
        self._first = FirstAnswers(matter=not (run.judge.faults_are_final or run.any_scored))
        workers = run.judge.workers
        self._most_under_way = workers + min((WAITING_PER_WORKER - 1) * workers, MOST_WAITING)
        self._with_retries = Retrying(
            retry=retry_if_result(_may_pass),
            wait=lambda tried: _reply_of(tried).retry_after_s or 0.0,  # as long as the judge asks
            stop=stop_after_attempt(run.judge.attempts),
            sleep=sleep_using_event(over := threading.Event()),
            retry_error_callback=_reply_of,  # the fault stands
        )
        self._over = over
        self._changed = threading.Condition()  # of all that follows
        self._free = workers  # calls that the judge may be given now
        self._asked = 0  # calls that the judge has
        self._asks_again = 0  # calls that wait for a place at the judge; they go before new ones
        self._ahead: deque[Call] = deque()
        self._under_way = 0  # calls that wait ahead or began, and are not settled
        self._settled = 0  # calls of which progress was not reported yet
        self._came: list[tuple[list[CallRecord], Future[None]]] = []  # what is not on the disk yet
        self._errors: list[BaseException] = []

    def ask_all(self, calls: Iterator[Call], advance: Advance) -> None:
        """Ask until every call has an answer or a fault that stands; what came is kept, whatever stops it.

        Raises:
            UserError: A call got a fault that ends the run.
            BaseException: Whatever a call or the ledger raised, or a person who stops the run.
        """
        with ThreadPoolExecutor(self._most_under_way, thread_name_prefix="judge") as pool:
            try:
                for call in calls:
                    # Calls wait ahead of the judge, so that it never waits for a write.
                    self._write_until(lambda: self._under_way + len(self._came) < self._most_under_way, advance)
                    if self._errors:
                        break
                    with self._changed:
                        self._ahead.append(call)
                        self._under_way += 1
                    self._begin_others(pool)
                self._write_until(lambda: not self._under_way and not self._came, advance)
            except BaseException as error:  # a person may stop the run at any point
                self._errors.insert(0, error)
            if self._errors:
                self._end(pool)
        if self._errors:
            raise self._first_error()

    def _begin_others(self, pool: ThreadPoolExecutor) -> None:
        """Begin calls while the judge has places that no call wants which is asked again."""
        while True:
            with self._changed:
                is_over = bool(self._errors) or self._over.is_set()
                if is_over or self._free <= self._asks_again or not self._ahead:
                    return
                self._free -= 1
                call = self._ahead.popleft()
            pool.submit(self._settle, call, pool)

    def _settle(self, call: Call, pool: ThreadPoolExecutor) -> None:
        """One planned call: ask, have what came written, and ask again while a fault may pass."""

        def attempt() -> Reply:
            nonlocal call
            with self._at_the_judge(pool, is_first=call.nth_try == 1):
                began = time.perf_counter()
                reply = self._run.judge.reply(call)
                records = self._run._records(call, reply, (time.perf_counter() - began) * 1000)
                written = self._hand_over(records)
            if _may_pass(reply):
                written.result()  # every attempt is a row before the next
                call = self._run._again(call, records[-1].attempt + 1)
            return reply

        settled = 0
        try:
            stops_run = self._with_retries(attempt).stops_run
            errors: list[BaseException] = [] if stops_run is None else [UserError(stops_run)]
            settled = 1
        except BaseException as problem:  # whatever it is, the run has to end with it
            errors = [] if str(problem) == STOPPED else [problem]
        with self._changed:
            self._under_way -= 1
            self._settled += settled
            self._errors += errors
            self._changed.notify_all()

    @contextmanager
    def _at_the_judge(self, pool: ThreadPoolExecutor, *, is_first: bool) -> Iterator[None]:
        """One of the judge's places; for a call's first attempt it was taken when the call began."""
        with self._changed:
            if not is_first:
                self._asks_again += 1
                self._changed.wait_for(lambda: self._free > 0 or self._over.is_set())
                self._asks_again -= 1
                self._free -= 1
            if self._over.is_set():
                raise UserError(STOPPED)
            self._asked += 1
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()
            self._begin_others(pool)
            with self._changed:
                self._asked -= 1
                self._changed.notify_all()

    def _hand_over(self, records: list[CallRecord]) -> Future[None]:
        """Have rows written; done once they are on the disk."""
        written: Future[None] = Future()
        with self._changed:
            self._came.append((records, written))
            self._changed.notify_all()
        return written

    def _write_until(self, ready: Callable[[], bool], advance: Advance) -> None:
        """Wait until something is so, or a call failed, and write meanwhile what comes; one write serves many calls."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._errors or self._came or self._settled or ready())
                settled, self._settled = self._settled, 0
                is_over = bool(self._errors) or ready()
            if settled:
                advance(settled)
            if is_over:
                return
            if self._came:
                # A run that ends writes what was paid for and judges no more of it.
                self._first.see(self._write(), self._run.judge.identity.model)

    def _write(self) -> list[CallRecord]:
        """Put what came on the disk; it stays among what came until it is there, whatever stops the run meanwhile."""
        with self._changed:
            came = list(self._came)
        rows = [row for records, _ in came for row in records]
        self._run.ledger.record_many(rows)
        self._run._kept(rows)
        for _, written in came:
            if not written.done():
                written.set_result(None)
        with self._changed:
            del self._came[: len(came)]
        self.n_answered += sum(row.answered for row in rows)
        for row in rows:
            # What a provider says is seen at once, such as a parameter that is left out from then on.
            if not row.answered and row.fault_message not in self._faults and len(self._faults) < MOST_FAULTS_SAID:
                self._faults.add(str(row.fault_message))
                self._log.warning(f"{row.state}: {row.fault_message}")
        self._turn.keep()
        return rows

    def _end(self, pool: ThreadPoolExecutor) -> None:
        """Send nothing more, and keep what is under way: it is paid for, whatever stopped the run."""
        failed = False
        while True:
            try:
                with self._changed:
                    self._over.set()
                    self._changed.notify_all()
                    n_asked = self._asked
                if not failed:
                    self._run.judge.stop(STOPPED)
                    self._wait_and_write(n_asked)  # what came does not wait for what is under way
                if n_asked and not failed:
                    with self._progress.track("answers under way still waited for", n_asked, self._log) as advance:
                        for n_left in reversed(range(n_asked)):
                            self._wait_and_write(n_left)
                            advance()
                self._wait_and_write(0)
                pool.shutdown()
                return
            except Exception as error:
                failed = True
                self._errors.append(error)
                with self._changed:
                    lost, self._came = self._came, []
                for _, written in lost:
                    if not written.done():
                        written.set_exception(error)
            except BaseException:  # noqa: S112 - a person interrupts again: what was sent costs as much, kept or not
                continue

    def _wait_and_write(self, n_left: int) -> None:
        """Wait until the judge has no more calls than that, and write what they brought."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked <= n_left)
        if self._came:
            self._write()

    def _first_error(self) -> BaseException:
        """What ends the run, with a note about other errors that are not the same."""
        first, *others = self._errors
        # Where one call stops the run, the others only hear of it: they were never sent.
        stops = isinstance(first, UserError)
        other = [one for one in others if str(one) != str(first) and not (stops and isinstance(one, UserError))]
        if other:
            first.add_note(
                f"{len(other)} other calls failed too, one of them so: {type(other[0]).__name__}: {other[0]}"
            )
        return first


def _may_pass(reply: Reply) -> bool:
    """Whether a reply is a fault after which asking again makes sense."""
    return reply.fault is not None and reply.retry_after_s is not None and reply.stops_run is None


def _reply_of(tried: RetryCallState) -> Reply:
    """What the attempt brought that has just ended."""
    assert tried.outcome is not None
    return cast(Reply, tried.outcome.result())


class AskedBy(NamedTuple):
    """Which study asks whom, and in which of Dagster's runs."""

    study: str
    identity: JudgeIdentity
    dagster_run_id: str | None


class Took(NamedTuple):
    """When an attempt began, and the milliseconds that it took."""

    started_at: datetime
    latency_ms: float


def recorded(by: AskedBy, read: Callable[[str | None], Parsed], call: Call, reply: Reply, took: Took) -> CallRecord:
    """One attempt with everything that is kept of it; `read` finds state and scores in an answer's text."""
    state = reply.fault or reply.answer_state
    parsed = read(reply.raw_answer) if state is None else Parsed(state, problem=reply.fault_message)
    return CallRecord(
        study=by.study,
        object=call.judged.object,
        item_id=call.judged.item_id,
        setting=call.setting.key,
        repeat=call.repeat,
        attempt=call.attempt,
        run_id=call.run_id,
        judge=by.identity.judge,
        judge_identity=by.identity.digest,
        model_asked=by.identity.model,
        rubric_version=by.identity.rubric_version,
        parameters=by.identity.parameters,
        temperature=call.setting.temperature,
        top_p=call.setting.top_p,
        seed=call.seed,
        prompt_hash=call.prompt_hash,
        image_hashes=call.judged.image_hashes,
        started_at=took.started_at,
        latency_ms=took.latency_ms,
        model_answered=reply.model_answered,
        fingerprint=reply.fingerprint,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        tokens_cached=reply.tokens_cached,
        cost_usd=reply.cost_usd,
        raw_answer=reply.raw_answer,
        dagster_run_id=by.dagster_run_id,
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
