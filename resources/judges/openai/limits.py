"""What may be sent now: requests and tokens per minute, requests per day, and dollars."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, date, datetime

from resources.errors import UserError

MINUTE_S = 60.0
AT_ONCE = 0.1  # this share of a minute's allowance may go out together, the rest comes evenly
STEADY = 1 - AT_ONCE


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
    """Money that must last: the worst case of every call under way is set aside until it is known what it cost."""

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

    def refuse_if_too_small(self, worst_usd: float) -> None:
        """Refuse a budget in which not even one call fits.

        Raises:
            UserError: So it is.
        """
        if not self._fits(worst_usd):
            raise UserError(
                f"The budget does not suffice for one call: {dollars(self._spent)} of {dollars(self._limit)} "
                f"(`{self._setting}`) are spent, and a call can cost {dollars(worst_usd)}. Nothing was sent; raise the "
                "budget, or send smaller images (`image_side_px`)."
            )

    def _fits(self, worst_usd: float) -> bool:
        return self._spent + self._set_aside + worst_usd <= self._limit


def dollars(usd: float) -> str:
    """An amount with as many decimals as it needs."""
    decimals = 2 if usd == 0 or usd >= 1 else 4
    return f"${usd:,.{decimals}f}"
