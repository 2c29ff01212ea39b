"""What may be sent now: whose turn it is, what a call takes at most, rates and quotas, and dollars."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from resources.configuration.openai_judge import OpenAIJudge
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.contract import Call
from resources.judges.openai.client import Usage
from resources.judges.openai.image_payload import CANDIDATE
from resources.judges.openai.prices import ModelPrice, most_tokens
from resources.judges.openai.task import CallSize, Remedies
from resources.judges.prompt import photo_labels

MINUTE_S = 60.0
AT_ONCE = 0.1  # this share of a minute's allowance may go out together, the rest comes evenly
STEADY = 1 - AT_ONCE
FRAME_TOKENS: Final = 60  # what a server wraps around messages and pictures, and the answer's schema
SCHEMA_BYTES: Final = 700
WRITTEN_TOKENS: Final = 180  # four sub-scores, a score and a few reasons
CHARACTERS_PER_TOKEN: Final = 4.0
REST_S = 20.0  # a provider that failed many times in a row gets so long before the last try


class PerMinute:
    """A token bucket: in no minute more than the limit, whole requests counted one each."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._holds = max(1.0, AT_ONCE * limit)
        self._fills = STEADY * limit / MINUTE_S
        self._clock = clock
        self._level, self._at = self._holds, clock()
        self._lock = threading.Lock()

    def take(self, amount: float = 1.0) -> float:
        """Book an amount in the order of asking.

        Returns:
            How long to wait before it is used, in seconds. More than the bucket holds goes out when it is full, and
            what comes after waits until that is made up for.
        """
        with self._lock:
            self._fill()
            wait_s = max(0.0, (min(amount, self._holds) - self._level) / self._fills)
            self._level -= amount
            return wait_s

    def give_back(self, amount: float) -> None:
        """Return what was booked and not used."""
        with self._lock:
            self._fill()
            self._level = min(self._holds, self._level + amount)

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self._holds, self._level + (now - self._at) * self._fills)
        self._at = now


class PerDay:
    """Requests since midnight UTC against a quota."""

    def __init__(self, limit: int, used: int, today: Callable[[], date] = lambda: datetime.now(UTC).date()) -> None:
        self._limit, self._used = limit, used
        self._today = today
        self._day = today()
        self._lock = threading.Lock()

    def take(self) -> None:
        """Count one request.

        Raises:
            UserError: The day's quota is used up; the request must not go out.
        """
        with self._lock:
            if (today := self._today()) != self._day:
                self._day, self._used = today, 0
            self._refuse_if_used_up()
            self._used += 1

    def refuse_if_used_up(self) -> None:
        """Refuse to begin where nothing is left.

        Raises:
            UserError: So it is.
        """
        with self._lock:
            self._refuse_if_used_up()

    def _refuse_if_used_up(self) -> None:
        if self._used >= self._limit:
            raise UserError(
                f"This key's {self._limit} requests of today (UTC) are used up (`requests_per_day`). What came is "
                "kept; run again after midnight UTC, with another key, or with a higher limit."
            )


class Purse:
    """Money that must last: the worst case of every call under way is set aside until it is known what it cost.

    In memory only: what a killed run had set aside is gone, and the next run begins with what the ledger says.
    """

    def __init__(self, limit_usd: float, spent_usd: float, setting: str) -> None:
        """Hold a limit under the name of the setting that gives it."""
        self._limit, self._spent, self._setting = limit_usd, spent_usd, setting
        self._set_aside = 0.0
        self._changed = threading.Condition()

    def set_aside(self, worst_usd: float) -> None:
        """Keep a call's worst case, after the calls under way have said what they cost if it does not fit before.

        Raises:
            UserError: It does not fit: the call must not go out.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._fits(worst_usd) or not self._set_aside)
            if not self._fits(worst_usd):
                raise UserError(
                    f"The budget is used up: {dollars(self._spent)} of {dollars(self._limit)} (`{self._setting}`) are "
                    f"spent, and the next call could cost {dollars(worst_usd)}. What came is kept; raise the budget "
                    "and run again."
                )
            self._set_aside += worst_usd

    def settle(self, worst_usd: float, cost_usd: float) -> None:
        """Take a call's worst case back and book what it cost."""
        with self._changed:
            # Sums of floats leave a rest, which would look like a call under way for ever.
            rest = self._set_aside - worst_usd
            self._set_aside = rest if rest > worst_usd * 1e-6 else 0.0
            self._spent += cost_usd
            self._changed.notify_all()

    def refuse_if_too_small(self, worst_usd: float, smaller: str) -> None:
        """Refuse a budget in which not even one call fits; `smaller` says how calls cost less.

        Raises:
            UserError: So it is.
        """
        if not self._fits(worst_usd):
            raise UserError(
                f"The budget does not suffice for one call: {dollars(self._spent)} of {dollars(self._limit)} "
                f"(`{self._setting}`) are spent, and a call can cost {dollars(worst_usd)}. Nothing was sent; raise the "
                f"budget, or {smaller}."
            )

    def _fits(self, worst_usd: float) -> bool:
        return self._spent + self._set_aside + worst_usd <= self._limit


def dollars(usd: float) -> str:
    """An amount with as many decimals as it needs."""
    decimals = 2 if usd == 0 or usd >= 1 else 4
    return f"${usd:,.{decimals}f}"


class AppearanceSize:
    """Photos and a candidate, each behind its label, and an answer of four sub-scores, a score and a few reasons."""

    schema_bytes = SCHEMA_BYTES
    written_tokens = WRITTEN_TOKENS

    def labels(self, call: Call) -> str:
        """Of photos and candidate."""
        return "".join(photo_labels(len(call.shown.reference_paths))) + CANDIDATE

    def n_pictures(self, call: Call) -> int:
        """Photos and the candidate."""
        return len(call.shown.reference_paths) + 1


APPEARANCE_SIZE: Final = AppearanceSize()


class WorstCase:
    """Most tokens and dollars of a call."""

    def __init__(self, configuration: OpenAIJudge, price: ModelPrice, size: CallSize = APPEARANCE_SIZE) -> None:
        self._price, self._tokens_out = price, configuration.max_output_tokens
        self._picture = most_tokens(price.images, configuration.image_side_px, configuration.image_detail)
        self._size = size
        self._grown = 1.0
        self._lock = threading.Lock()

    def tokens_in(self, call: Call) -> int:
        """Tokens read at most: a text has no more of them than bytes, the pictures are as large as they may be."""
        return round(self._guessed(call) * self._grown)

    def usd(self, call: Call) -> float:
        """Dollars at most."""
        return self._price.most_usd(self.tokens_in(call), self._tokens_out)

    def tokens(self, call: Call) -> int:
        """Tokens read and written at most."""
        return self.tokens_in(call) + self._tokens_out

    def learn(self, call: Call, usage: Usage) -> None:
        """Take note of what a call took: a server that counts more than guessed will do so again."""
        with self._lock:
            self._grown = max(self._grown, usage.tokens_in / self._guessed(call))

    def _guessed(self, call: Call) -> int:
        size = self._size
        text = len((call.system_message + call.user_message + size.labels(call)).encode())
        return text + size.schema_bytes + FRAME_TOKENS + size.n_pictures(call) * self._picture


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


@dataclass
class Bill:
    """What a call costs, as far as is known."""

    usd: float = 0.0


class Allowance:
    """Rates, the day's quota and budgets of one judge; calls ask it from several threads."""

    def __init__(self, configuration: OpenAIJudge, circuit: Circuit, remedies: Remedies) -> None:
        """Nothing is known to be spent before `begin`."""
        self._configuration, self._circuit, self._remedies = configuration, circuit, remedies
        requests, tokens = configuration.requests_per_minute, configuration.tokens_per_minute
        self._requests = PerMinute(requests) if requests else None
        self._tokens = PerMinute(tokens) if tokens else None
        self._today: PerDay | None = None
        self._purses: Sequence[Purse] = ()

    def begin(self, spent: Spent, key_id: str, smallest_tokens: int, smallest_usd: float) -> None:
        """Take note of what was spent; the smallest call can take so many tokens and so much money.

        Raises:
            UserError: It does not suffice for one call, or no person started the run and no daily budget is set.
        """
        configuration = self._configuration
        if configuration.requests_per_day:
            self._today = PerDay(configuration.requests_per_day, spent.requests_today.get(key_id, 0))
            self._today.refuse_if_used_up()
        if configuration.tokens_per_minute and smallest_tokens > configuration.tokens_per_minute:
            raise UserError(
                f"tokens_per_minute: {configuration.tokens_per_minute} is less than one call can take "
                f"({smallest_tokens}). Raise it, or {self._remedies.smaller}."
            )
        self._purses = self._filled(spent) if smallest_usd else ()
        for purse in self._purses:
            purse.refuse_if_too_small(smallest_usd, self._remedies.smaller)

    @contextmanager
    def set_aside(self, worst_usd: float) -> Iterator[Bill]:
        """Keep the money of a call, and book what the bill says in the end.

        Raises:
            UserError: It does not fit a budget, or something within ended the run; no call goes out any more.
        """
        bill = Bill()
        held: list[Purse] = []
        try:
            for purse in self._purses:
                purse.set_aside(worst_usd)
                held.append(purse)
            yield bill
        except UserError as problem:
            self._circuit.stop(str(problem))
            raise
        finally:
            for purse in held:
                purse.settle(worst_usd, bill.usd)

    def admit(self, tokens: int) -> None:
        """Count one request, and wait until it keeps within the limits per minute with so many tokens.

        Raises:
            UserError: The day's quota is used up, or the run was stopped; the request must not go out.
        """
        wait_s = self._requests.take() if self._requests else 0.0
        if self._tokens:
            wait_s = max(wait_s, self._tokens.take(tokens))
        self._circuit.wait(wait_s)
        if self._today:
            self._today.take()

    def settle_tokens(self, booked: int, used: int) -> None:
        """Give back what a call was booked for and did not use."""
        if self._tokens:
            self._tokens.give_back(max(0, booked - used))

    def _filled(self, spent: Spent) -> list[Purse]:
        configuration = self._configuration
        purses = []
        if configuration.budget_usd is not None:
            purses.append(Purse(configuration.budget_usd, spent.usd, "budget_usd"))
        if spent.unattended:
            if configuration.auto_budget_usd_per_day is None:
                raise UserError(
                    f"No person started this run, and the judge costs money. {self._remedies.run_it_yourself}, "
                    "or set `auto_budget_usd_per_day` in the judge's section."
                )
            purses.append(Purse(configuration.auto_budget_usd_per_day, spent.usd_today, "auto_budget_usd_per_day"))
        return purses
