"""Calls that are asked again: within a run after a fault that may pass, in a later run because a person said so."""

import logging
import threading
import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from resources.database.ledger import Ledger
from resources.errors import UserError
from resources.judges.asking import WAITING_PER_WORKER
from resources.judges.contract import Call, Reply
from resources.runtime.progress import LoggedProgress
from tests.resources.judges.test_judging import (
    OBJECTS,
    SETTINGS,
    CountedProgress,
    FakeJudge,
    ask,
    judging,
    ledger_in,
    said,
)

PAUSE_S = 0.05
ONE = OBJECTS[:1]
N_OF_ONE = len(SETTINGS) * 3
BUSY = Reply(None, fault="rate_limited", fault_message="slow down", retry_after_s=PAUSE_S, cost_usd=0.0)
DOWN = Reply(None, fault="provider_error", fault_message="gone")
NO_JSON = Reply("seven of ten")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_in(tmp_path)


class Scripted:
    """Replies to each call by the number of its try, and notes when it was asked."""

    def __init__(self, *replies: Reply | None) -> None:
        self.replies = replies
        self.times: dict[tuple[str, str, int], list[float]] = defaultdict(list)
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> Reply:
        with self._lock:
            times = self.times[(call.setting.key, call.judged.object, call.repeat)]
            times.append(time.monotonic())
            reply = self.replies[min(len(times), len(self.replies)) - 1]
        return reply or said(call)

    def begun_before_a_second_try(self) -> int:
        again = min(second for _, second in self.times.values())
        return sum(first < again for first, _ in self.times.values())


def states(ledger: Ledger) -> dict[tuple[str, int], list[tuple[int, str]]]:
    """Attempts with their states, by setting and repeat."""
    found = defaultdict(list)
    for row in ledger.rows("study", FakeJudge.identity.digest).itertuples():
        found[(row.setting, row.repeat)].append((row.attempt, row.state))
    return found


def test_a_fault_that_may_pass_is_tried_again_in_the_run_and_every_try_is_a_row(ledger: Ledger) -> None:
    script = Scripted(BUSY, BUSY, None)
    judge = ask(ledger, FakeJudge(script, attempts=5, workers=2), objects=ONE)
    assert len(judge.asked) == 3 * N_OF_ONE
    assert set(map(tuple, states(ledger).values())) == {((1, "rate_limited"), (2, "rate_limited"), (3, "valid"))}
    rows = ledger.rows("study", FakeJudge.identity.digest)
    assert rows["run_id"].is_unique
    assert rows["started_at"].is_unique


def test_the_next_try_comes_no_sooner_than_the_pause(ledger: Ledger) -> None:
    script = Scripted(BUSY, None)
    ask(ledger, FakeJudge(script, attempts=2, workers=4), objects=ONE)
    assert min(second - first for first, second in script.times.values()) >= PAUSE_S


def test_a_worker_answers_others_while_a_call_waits(ledger: Ledger) -> None:
    script = Scripted(Reply(None, fault="rate_limited", retry_after_s=0.2), None)
    ask(ledger, FakeJudge(script, attempts=2), objects=ONE)
    assert script.begun_before_a_second_try() > 1


def test_after_the_last_try_the_fault_stands_and_the_next_run_goes_on_counting(ledger: Ledger) -> None:
    progress = CountedProgress()
    judging(ledger, FakeJudge(Scripted(BUSY), attempts=3), objects=ONE).ask(progress, logging.getLogger())
    assert (progress.done, progress.total) == (N_OF_ONE, N_OF_ONE)
    again = ask(ledger, FakeJudge(attempts=3), objects=ONE)
    assert {call.attempt for call in again.asked} == {4}
    assert {tuple(state for _, state in tries) for tries in states(ledger).values()} == {
        ("rate_limited", "rate_limited", "rate_limited", "valid")
    }


def test_progress_is_told_of_calls_that_are_done_with_and_of_nothing_else(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A line at every report: one before the first call is done with would divide by no speed.
    monkeypatch.setattr("resources.runtime.progress.EVERY_S", 0.0)
    judge = FakeJudge(Scripted(BUSY, None), attempts=2, workers=4)
    judging(ledger, judge, objects=ONE).ask(LoggedProgress(), logging.getLogger())
    assert len(judge.asked) == 2 * N_OF_ONE


def test_a_fault_without_a_pause_is_left_to_the_next_run(ledger: Ledger) -> None:
    assert len(ask(ledger, FakeJudge(Scripted(DOWN), attempts=5), objects=ONE).asked) == N_OF_ONE


def test_a_reply_that_tells_of_earlier_attempts_leaves_a_row_with_its_nonce_for_each(ledger: Ledger) -> None:
    slow = Reply(None, fault="timeout", fault_message="slow")
    judge = ask(ledger, FakeJudge(lambda call: replace(said(call), earlier=(slow, slow))), objects=OBJECTS[:1])
    rows = ledger.rows("study", judge.identity.digest)
    of_one = rows[(rows["setting"] == SETTINGS[0].key) & (rows["repeat"] == 1)]
    assert of_one["attempt"].tolist() == [1, 2, 3]
    assert of_one["state"].tolist() == ["timeout", "timeout", "valid"]
    assert set(of_one["run_id"]) == {
        call.run_id for call in judge.asked if call.setting == SETTINGS[0] and call.repeat == 1
    }
    assert ask(ledger, FakeJudge(), objects=OBJECTS[:1]).asked == []


def test_a_try_after_a_reply_that_tells_of_earlier_ones_counts_on_from_them(ledger: Ledger) -> None:
    both = Reply(None, fault="rate_limited", retry_after_s=0.0, earlier=(DOWN,))
    ask(ledger, FakeJudge(Scripted(both, None), attempts=2), objects=ONE)
    assert set(map(tuple, states(ledger).values())) == {((1, "provider_error"), (2, "rate_limited"), (3, "valid"))}


def test_calls_that_wait_keep_new_ones_from_being_started(ledger: Ledger) -> None:
    script = Scripted(Reply(None, fault="rate_limited", retry_after_s=0.3), None)
    judge = ask(ledger, FakeJudge(script, attempts=2))
    assert script.begun_before_a_second_try() <= WAITING_PER_WORKER < len(script.times)
    assert len(judge.asked) == 2 * len(OBJECTS) * len(SETTINGS) * 3


def test_an_error_while_calls_wait_stops_the_run_at_once(ledger: Ledger) -> None:
    long = Reply(None, fault="rate_limited", retry_after_s=60)

    def breaks(call: Call) -> Reply:
        if call.repeat == 3:
            raise RuntimeError("no such image")
        return long

    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="no such image"):
        ask(ledger, FakeJudge(breaks, attempts=5))
    assert time.monotonic() - begun < 10


def test_a_fault_that_every_call_would_get_is_recorded_and_ends_the_run_with_its_remedy(ledger: Ledger) -> None:
    wrong_key = Reply(None, fault="provider_error", fault_message="status 401", stops_run="Set the key.")
    with pytest.raises(UserError, match="Set the key"):
        ask(ledger, FakeJudge(Scripted(wrong_key), attempts=5))
    rows = ledger.rows("study", FakeJudge.identity.digest)
    assert set(rows["fault_message"]) == {"status 401"}
    assert 1 <= len(rows) <= 2 * WAITING_PER_WORKER


def test_the_latency_is_the_answers_where_the_judge_waited_before_it_asked(ledger: Ledger) -> None:
    def waited(call: Call) -> Reply:
        time.sleep(0.02)
        return replace(said(call), latency_ms=5.0) if call.repeat == 1 else said(call)

    begun = datetime.now(UTC)
    ask(ledger, FakeJudge(waited), objects=ONE)
    rows = ledger.rows("study", FakeJudge.identity.digest)
    assert set(rows.loc[rows["repeat"] == 1, "latency_ms"]) == {5.0}
    assert rows.loc[rows["repeat"] > 1, "latency_ms"].min() >= 20
    assert rows.loc[rows["repeat"] == 1, "started_at"].min() >= begun + timedelta(milliseconds=15)


def test_answers_without_a_score_are_asked_again_when_a_person_says_so(ledger: Ledger) -> None:
    ask(ledger, FakeJudge(lambda call: NO_JSON if call.repeat == 2 else said(call)), objects=ONE)
    assert ask(ledger, FakeJudge(), objects=ONE).asked == []
    assert ask(ledger, FakeJudge(), objects=ONE, retry_states=frozenset({"refused"})).asked == []
    again = ask(ledger, FakeJudge(), objects=ONE, retry_states=frozenset({"invalid_json"}))
    assert {(call.repeat, call.attempt) for call in again.asked} == {(2, 2)}
    assert len(again.asked) == len(SETTINGS)
    assert states(ledger)[(SETTINGS[0].key, 2)] == [(1, "invalid_json"), (2, "valid")]
    assert ask(ledger, FakeJudge(), objects=ONE, retry_states=frozenset({"invalid_json"})).asked == []


def test_an_answer_that_fails_again_is_asked_once_a_run(ledger: Ledger) -> None:
    for tries in (1, 2, 3):
        judge = ask(ledger, FakeJudge(Scripted(NO_JSON)), objects=ONE, retry_states=frozenset({"invalid_json"}))
        assert {call.attempt for call in judge.asked} == {tries}
        assert len(judge.asked) == N_OF_ONE


def test_a_retry_that_meets_a_fault_goes_on_in_the_next_run(ledger: Ledger) -> None:
    ask(ledger, FakeJudge(Scripted(NO_JSON)), objects=ONE)
    ask(ledger, FakeJudge(Scripted(DOWN)), objects=ONE, retry_states=frozenset({"invalid_json"}))
    assert {call.attempt for call in ask(ledger, FakeJudge(), objects=ONE).asked} == {3}
    assert ask(ledger, FakeJudge(), objects=ONE).asked == []


def test_answers_with_a_score_cannot_be_named(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="answers with a score are not asked again"):
        judging(ledger, FakeJudge(), retry_states=frozenset({"recovered"}))


def test_the_log_says_how_many_are_asked_again_because_of_their_answer(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    ask(ledger, FakeJudge(Scripted(NO_JSON)), objects=ONE)
    with caplog.at_level(logging.INFO):
        ask(ledger, FakeJudge(), objects=ONE, retry_states=frozenset({"invalid_json"}))
    assert "9 to make, 9 of them answered without a score and asked again" in caplog.text


def test_a_judge_hears_what_was_spent_before_its_first_call_and_nothing_when_there_is_none(ledger: Ledger) -> None:
    def charged(call: Call) -> Reply:
        assert judge.begun, "asked before it heard what was spent"
        return Reply(said(call).raw_answer, cost_usd=0.5, key_id="k1")

    judge = FakeJudge(charged)
    ask(ledger, judge, objects=ONE)
    later = ask(ledger, FakeJudge(charged), objects=OBJECTS[:2], unattended=True)
    done = ask(ledger, FakeJudge(charged), objects=OBJECTS[:2])
    assert [(spent.usd, spent.usd_today, spent.requests_today) for spent in judge.begun] == [(0, 0, {})]
    [spent] = later.begun
    # 3 settings x 3 repeats at 0.5 USD.
    assert (spent.usd, spent.usd_today, spent.requests_today, spent.unattended) == (4.5, 4.5, {"k1": 9}, True)
    assert done.begun == []


def test_golden_and_anchor_objects_are_judged_like_any_other(ledger: Ledger) -> None:
    from dataclasses import replace

    names = ["0000000a~stripes7_o70", "0000000a@2026-10-01"]
    objects = [replace(OBJECTS[0], object=name) for name in names]
    ask(ledger, FakeJudge(), objects=[*OBJECTS[:1], *objects])
    run = judging(ledger, FakeJudge(), objects=objects)
    assert sorted(run.rows()[SETTINGS[0].key]["object"].unique()) == sorted(names)
    assert judging(ledger, FakeJudge(), objects=ONE).rows()[SETTINGS[0].key]["object"].unique() == [OBJECTS[0].object]
    assert ledger.occasion_rows("study")["object"].unique().tolist() == [names[1]]


def test_calls_that_are_asked_again_go_before_new_ones(ledger: Ledger) -> None:
    # One call at a time: the first gets a fault, and while the second is under way its pause ends.
    def busy_once(call: Call) -> Reply:
        if len(judge.asked) == 1:
            return Reply(None, fault="rate_limited", retry_after_s=0.05)
        time.sleep(0.2)
        return said(call)

    judge = FakeJudge(busy_once, attempts=2)
    ask(ledger, judge, objects=ONE)
    assert [call.nth_try for call in judge.asked[:4]] == [1, 1, 2, 1]
