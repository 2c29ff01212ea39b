"""What may go out when: rates, quotas and money, on a clock of the test's own."""

import threading
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.errors import UserError
from resources.judges.openai.limits import PerDay, PerMinute, Purse, dollars


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def times_sent(limit: int, gaps: list[float], amount: float = 1) -> list[float]:
    """When each of some requests goes out that come with these gaps."""
    clock = Clock()
    bucket = PerMinute(limit, clock)
    sent = []
    for gap in gaps:
        clock.now += gap
        sent.append(clock.now + bucket.take(amount))
    return sent


@given(limit=st.integers(1, 200), gaps=st.lists(st.floats(0, 30), min_size=1, max_size=300))
def test_no_minute_holds_more_requests_than_the_limit(limit: int, gaps: list[float]) -> None:
    sent = times_sent(limit, gaps)
    for start in sent:
        assert sum(start <= moment < start + 60 for moment in sent) <= limit


def test_a_rush_goes_out_a_tenth_at_once_and_the_rest_evenly() -> None:
    # 60 a minute: 6 at once, then 54 in 60 s, one each 1.111 s.
    sent = times_sent(60, [0.0] * 9)
    assert sent[:6] == [0] * 6
    assert sent[6:] == pytest.approx([60 / 54, 120 / 54, 180 / 54])


def test_a_call_larger_than_the_bucket_goes_out_and_is_made_up_for() -> None:
    # 1,000 tokens a minute: the bucket holds 100 and fills by 15 a second; 400 are made up for after 300/15 + 100/15 s.
    sent = times_sent(1000, [0.0, 0.0], amount=400)
    assert sent == pytest.approx([0, 400 / 15])


def test_what_was_not_used_can_be_used_by_the_next() -> None:
    clock = Clock()
    bucket = PerMinute(1000, clock)
    bucket.take(400)
    bucket.give_back(400)
    assert bucket.take(100) == 0


def test_the_days_quota_counts_what_the_ledger_knows_and_begins_anew_at_midnight() -> None:
    day = [date(2026, 1, 1)]
    quota = PerDay(3, used=2, today=lambda: day[0])
    quota.take()
    with pytest.raises(UserError, match="3 requests of today"):
        quota.take()
    day[0] = date(2026, 1, 2)
    quota.take()


def test_a_purse_never_lets_worst_cases_exceed_it() -> None:
    # $1.00, of which 0.40 is spent: one call of at most 0.35 fits, another waits for it and then fits.
    purse = Purse(1.0, 0.4, "budget_usd")
    purse.set_aside(0.35)
    waited = threading.Event()

    def another() -> None:
        purse.set_aside(0.35)
        waited.set()

    thread = threading.Thread(target=another)
    thread.start()
    assert not waited.wait(0.05)
    purse.settle(0.35, 0.2)
    assert waited.wait(5)
    thread.join()
    purse.settle(0.35, 0.1)
    # 0.4 + 0.2 + 0.1 are spent: 0.3 are left.
    with pytest.raises(UserError, match=r"\$0.7000 of \$1.00 .* could cost \$0.3500"):
        purse.set_aside(0.35)
    purse.set_aside(0.29)


def test_a_purse_that_holds_less_than_a_call_is_refused_at_once() -> None:
    with pytest.raises(UserError, match="does not suffice for one call.* raise the budget, or shorten it"):
        Purse(0.01, 0, "budget_usd").refuse_if_too_small(0.02, "shorten it")


@given(st.lists(st.floats(0.001, 0.3), min_size=1, max_size=60), st.floats(0, 1))
def test_what_is_spent_never_exceeds_the_limit(worsts: list[float], share: float) -> None:
    purse, spent = Purse(2.0, 0.0, "budget_usd"), 0.0
    for worst in worsts:
        try:
            purse.set_aside(worst)
        except UserError:
            continue
        purse.settle(worst, worst * share)
        spent += worst * share
    assert spent <= 2.0 + 1e-9


def test_many_threads_share_one_purse() -> None:
    purse, sent, lock = Purse(1.0, 0.0, "budget_usd"), [], threading.Lock()

    def calls() -> None:
        while True:
            try:
                purse.set_aside(0.05)
            except UserError:
                return
            time.sleep(0.001)
            with lock:
                sent.append(0.04)
            purse.settle(0.05, 0.04)

    threads = [threading.Thread(target=calls) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    # 24 calls cost 0.96; after them 0.04 are left, and no call of at most 0.05 fits.
    assert len(sent) == 24


def test_amounts_are_written_with_the_decimals_they_need() -> None:
    assert [dollars(usd) for usd in (0, 0.0123, 1.5, 1234.5)] == ["$0.00", "$0.0123", "$1.50", "$1,234.50"]
