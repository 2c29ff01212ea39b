"""Calls under way in threads, calls that wait for another try, and the ledger that gets whatever comes at once."""

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import islice
from queue import Empty, SimpleQueue
from typing import NamedTuple

from resources.errors import UserError
from resources.judges.contract import Call
from resources.judges.records import CallRecord
from resources.runtime.progress import Advance

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
            except BaseException:  # a person interrupts again: what was sent costs as much whether it is kept or not
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
