"""When calls may go out: one alone until something answers, all then, none any more when the provider is down."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from resources.errors import UserError

REST_S = 20.0  # a provider that failed many times in a row gets so long before the last try


class Cause(NamedTuple):
    """Why no call gets an answer, and what to do about it, as parts of a sentence."""

    words: str
    remedy: str


DOWN = Cause("the provider counts as down", "Run again later")
REFUSES = Cause("the server refuses the requests", "Correct what it names, then run again")
SLOW = Cause("no answer comes in time", "Raise `timeout_s` or lower `concurrency`, then run again")
BUSY = Cause(
    "the provider's rate limit does not lift",
    "Lower `requests_per_minute`, `tokens_per_minute` or `concurrency`, then run again later",
)


class Passage(NamedTuple):
    """One call's way through: whether it goes alone, and since when, in seconds of the circuit's clock."""

    alone: bool
    began_at: float


class Circuit:
    """Lets callers through; after so many faults in a row one call tries alone, and its fault ends the run."""

    def __init__(
        self, faults_until_open: int, longest_wait_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._faults_until_open = faults_until_open
        self._rest_s = min(REST_S, longest_wait_s)
        self._clock = clock
        self._changed = threading.Condition()
        self._answers = False  # whether the provider answered lately
        self._alone = False  # whether one call is trying
        self._faults = 0
        self._paused_until = self._paused_at = -float("inf")
        self._stopped: str | None = None

    @contextmanager
    def passed(self) -> Iterator[Passage]:
        """Wait for the turn of a call, and make way when it is over whatever becomes of it.

        Raises:
            UserError: The run was stopped.
        """
        with self._changed:
            while True:
                self._refuse_if_stopped()
                pause_s = self._paused_until - self._clock()
                if pause_s > 0:
                    self._changed.wait(pause_s)
                elif self._answers or not self._alone:
                    break
                else:
                    self._changed.wait()
            passage = Passage(alone=not self._answers, began_at=self._clock())
            self._alone |= passage.alone
        try:
            yield passage
        finally:
            if passage.alone:
                with self._changed:
                    self._alone = False
                    self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Wait within a call, and until a pause of all calls is over.

        Raises:
            UserError: The run was stopped meanwhile.
        """
        until = self._clock() + seconds
        with self._changed:
            while (left_s := max(until, self._paused_until) - self._clock()) > 0:
                self._refuse_if_stopped()
                self._changed.wait(left_s)
            self._refuse_if_stopped()

    def answered(self) -> None:
        """The provider answered, well or badly."""
        with self._changed:
            self._answers, self._faults = True, 0
            self._changed.notify_all()

    def rate_limited(self, passage: Passage, pause_s: float, said: str) -> None:
        """Every call waits; faults of one rush count as one, because a provider that refuses many is not down."""
        with self._changed:
            if passage.began_at >= self._paused_at:
                self._paused_at = self._clock()
                self._count(passage, said, BUSY)
            self._paused_until = max(self._paused_until, self._clock() + pause_s)
            self._changed.notify_all()

    def faulted(self, passage: Passage, said: str, cause: Cause = DOWN) -> None:
        """The provider failed."""
        with self._changed:
            self._count(passage, said, cause)
            self._changed.notify_all()

    def stop(self, why: str) -> str:
        """Let no call through any more; all that wait hear why, and the first reason counts."""
        with self._changed:
            self._stopped = self._stopped or why
            self._changed.notify_all()
            return self._stopped

    @property
    def stopped(self) -> str | None:
        """Why no call goes out any more."""
        return self._stopped

    def _count(self, passage: Passage, said: str, cause: Cause) -> None:
        self._faults += 1
        if self._faults < self._faults_until_open:
            return
        if passage.alone:
            self._stopped = self._stopped or (
                f"{self._faults} faults in a row: {cause.words}. The last was: {said} What came is kept. "
                f"{cause.remedy}, and it goes on from here."
            )
        elif self._answers:
            self._answers = False
            self._paused_until = max(self._paused_until, self._clock() + self._rest_s)

    def _refuse_if_stopped(self) -> None:
        if self._stopped is not None:
            raise UserError(self._stopped)
