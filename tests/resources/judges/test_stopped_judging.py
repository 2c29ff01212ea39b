"""What stops the asking, an error or a person, and what is in the ledger then."""

import itertools
import logging
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from resources.configuration.fidelity import FidelityStudy
from resources.database.call_records import CallRecord
from resources.database.ledger import Ledger
from resources.errors import UserError
from resources.judges.asking import STOPPED, WAITING_PER_WORKER
from resources.judges.contract import Call, JudgedObject, Reply
from resources.judges.judging import Judging
from resources.judges.openai_judge import OpenAIJudge
from resources.runtime.progress import Advance
from tests.openai_server import openai_server
from tests.resources.judges.openai.asked import judge_of, judged_in
from tests.resources.judges.test_judging import (
    OBJECTS,
    PATIENCE_S,
    SETTINGS,
    CountedProgress,
    FakeJudge,
    ask,
    judging,
    ledger_in,
    recorded,
    said,
)

LOG = logging.getLogger(__name__)
PLANNED = len(OBJECTS) * len(SETTINGS) * 3


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_in(tmp_path)


def test_of_several_calls_that_fail_at_once_the_first_is_raised_and_tells_of_the_others(ledger: Ledger) -> None:
    together = threading.Barrier(2, timeout=PATIENCE_S)

    def breaks(call: Call) -> Reply:
        together.wait()
        raise RuntimeError(f"no image of {call.judged.object}, {call.setting.key}, {call.repeat}")

    with pytest.raises(RuntimeError, match="no image of") as caught:
        ask(ledger, FakeJudge(breaks, workers=2))
    [note] = caught.value.__notes__
    assert "other calls failed too, one of them so: RuntimeError: no image of" in note
    assert recorded(ledger) == 0


@pytest.mark.parametrize("words", ["the budget is used up", "the budget is used up: {} spent"])
def test_calls_that_only_hear_of_a_stop_are_not_told_of_and_what_is_answered_is(words: str, ledger: Ledger) -> None:
    def stops(call: Call) -> Reply:
        if len(judge.asked) <= 4:
            return said(call)
        raise UserError(words.format(len(judge.asked)))

    judge = FakeJudge(stops, workers=2)
    with pytest.raises(UserError, match="the budget is used up") as caught:
        ask(ledger, judge)
    assert caught.value.__notes__ == [f"{recorded(ledger)} of {PLANNED} judge calls at 3 settings are answered."]


def test_calls_that_finish_together_with_one_that_fails_are_kept(ledger: Ledger) -> None:
    def breaks_on_the_third(call: Call) -> Reply:
        if len(judge.asked) == 3:
            raise RuntimeError("no such image")
        return said(call)

    judge = FakeJudge(breaks_on_the_third)
    with pytest.raises(RuntimeError, match="no such image"):
        ask(ledger, judge)
    kept = recorded(ledger)
    assert kept == len(judge.asked) - 1 >= 2
    assert len(ask(ledger, FakeJudge()).asked) == PLANNED - kept


class InterruptedLedger(Ledger):
    """A ledger whose user presses Ctrl-C while the first answers are recorded."""

    interrupted = False
    stops_with: BaseException = KeyboardInterrupt()

    def record_many(self, rows: Iterable[CallRecord]) -> int:
        if not self.interrupted:
            self.interrupted = True
            raise self.stops_with
        return super().record_many(rows)


def test_a_person_who_stops_the_run_loses_no_answer_and_starts_no_further_call(ledger: Ledger) -> None:
    judge = FakeJudge(workers=2)
    with pytest.raises(KeyboardInterrupt):
        ask(InterruptedLedger(ledger.engine), judge)
    asked = len(judge.asked)
    assert 1 <= asked <= 2 * WAITING_PER_WORKER
    assert recorded(ledger) == asked
    assert len(ask(ledger, FakeJudge()).asked) == PLANNED - asked


def test_answers_without_a_score_that_come_after_a_person_stopped_the_run_are_all_kept(ledger: Ledger) -> None:
    numbers, began, held = itertools.count(), threading.Barrier(12, timeout=PATIENCE_S), threading.Event()

    def no_score(call: Call) -> Reply:
        number = next(numbers)
        if number < 12:  # another may begin before the person stops the run
            began.wait()
        if number >= 10:
            assert held.wait(PATIENCE_S)
        return Reply("I like it")

    class SlowLedger(InterruptedLedger):
        n = 0

        def record_many(self, rows: Iterable[CallRecord]) -> int:
            self.n += super().record_many(rows)
            if self.n >= 10:
                held.set()
                time.sleep(0.3)  # the last two come while ten that have no score are written
            return self.n

    judge = FakeJudge(no_score, workers=12)
    with pytest.raises(KeyboardInterrupt):
        ask(SlowLedger(ledger.engine), judge)
    assert recorded(ledger) == len(judge.asked) >= 12


class LimitedRun(NamedTuple):
    """What a run brought that a limit held up when it was stopped."""

    judge: OpenAIJudge
    n_sent: int
    n_recorded: int
    took_s: float


def stopped_while_calls_wait(folder: Path, stopped: type[Ledger], ends: type[BaseException]) -> LimitedRun:
    """A judge that may send three requests at once and one every 133 s after them, however slow the machine is."""
    ledger = ledger_in(folder)
    plan = FidelityStudy(human_scores=Path("a"), references=Path("b"), candidates=Path("c"), repeats=20)
    with openai_server() as server:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("resources.judges.openai.limits.MINUTE_S", 3600.0)
            judge = judge_of(server.base_url, requests_per_minute=30, concurrency=8)
        run = Judging("study", plan, judge, [judged_in(folder)], SETTINGS[:1], stopped(ledger.engine))
        begun = time.monotonic()
        with pytest.raises(ends):
            run.ask(CountedProgress(), LOG)
        took_s = time.monotonic() - begun
        n_sent = len(server.requests)
    return LimitedRun(judge, n_sent, len(ledger.rows("study", judge.identity.digest)), took_s)


def test_a_person_who_stops_a_run_that_waits_for_a_rate_limit_has_nothing_more_sent(tmp_path: Path) -> None:
    run = stopped_while_calls_wait(tmp_path, InterruptedLedger, KeyboardInterrupt)
    assert 1 <= run.n_sent == run.n_recorded <= 3
    # Eight workers would wait for five more requests at 133 s each.
    assert run.took_s < 60


class LockedOnceLedger(InterruptedLedger):
    """A ledger that cannot be written the first time."""

    stops_with = UserError("the database is locked")


def test_a_database_error_has_nothing_more_sent_either(tmp_path: Path) -> None:
    run = stopped_while_calls_wait(tmp_path, LockedOnceLedger, UserError)
    assert 1 <= run.n_sent == run.n_recorded <= 3


class ImpatientProgress(CountedProgress):
    """A person who interrupts again and again while answers under way are waited for."""

    def __init__(self, held: threading.Event) -> None:
        super().__init__()
        self.held = held
        self.waited_for: list[int] = []

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        if what == "judge calls":
            with super().track(what, total, log) as advance:
                yield advance
            return
        self.waited_for.append(total)
        if len(self.waited_for) <= 2:
            raise KeyboardInterrupt
        self.held.set()
        yield lambda done=1: None


def test_a_person_who_interrupts_again_loses_no_answer_that_was_sent(ledger: Ledger) -> None:
    another_began, held = threading.Event(), threading.Event()
    firsts = iter([another_began])

    def answers_late(call: Call) -> Reply:
        if (waits_for := next(firsts, held)) is held:
            another_began.set()
        assert waits_for.wait(PATIENCE_S)
        return said(call)

    judge = FakeJudge(answers_late, workers=3)
    progress = ImpatientProgress(held)
    with pytest.raises(KeyboardInterrupt):
        judging(InterruptedLedger(ledger.engine), judge).ask(progress, LOG)
    assert len(progress.waited_for) == 3
    assert 1 <= progress.waited_for[0] <= 3
    assert recorded(ledger) == len(judge.asked)


def test_calls_that_were_told_to_stop_are_no_errors_of_the_run(ledger: Ledger) -> None:
    told = threading.Event()

    class Waiting(FakeJudge):
        def stop(self, why: str) -> None:
            super().stop(why)
            told.set()

    def waits(call: Call) -> Reply:
        if len(judge.asked) == 1:
            raise RuntimeError("no such image")
        assert told.wait(PATIENCE_S)
        raise UserError(judge.stopped[0])

    judge = Waiting(waits, workers=4)
    with pytest.raises(RuntimeError, match="no such image") as caught:
        ask(ledger, judge)
    assert judge.stopped == [STOPPED]
    assert not getattr(caught.value, "__notes__", [])


def test_a_run_that_comes_to_its_end_stops_nothing(ledger: Ledger) -> None:
    assert ask(ledger, FakeJudge()).stopped == []


def test_an_interrupt_while_a_call_is_handed_out_loses_no_answer(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    class InterruptedPool(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Any:
            handed_out = super().submit(*arguments, **named)
            handed_out.result(PATIENCE_S)
            raise KeyboardInterrupt

    monkeypatch.setattr("resources.judges.asking.ThreadPoolExecutor", InterruptedPool)
    judge = FakeJudge()
    with pytest.raises(KeyboardInterrupt):
        ask(ledger, judge)
    assert len(judge.asked) == recorded(ledger) == 1


def test_a_call_that_was_not_handed_out_when_a_person_stopped_the_run_is_not_waited_for(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    judge = FakeJudge()
    with pytest.raises(KeyboardInterrupt):
        ask(ledger, judge)
    assert judge.asked == []


def test_what_is_planned_is_worked_out_once(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[str] = []
    hash_of = Judging._prompt_hash

    def counted(run: Judging, judged: JudgedObject) -> str:
        worked_out.append(judged.object)
        return hash_of(run, judged)

    monkeypatch.setattr(Judging, "_prompt_hash", counted)
    run = judging(ledger, FakeJudge())
    run.ask(CountedProgress(), LOG)
    assert len(run.rows()[SETTINGS[0].key]) == len(OBJECTS) * 3
    assert sorted(worked_out) == [judged.object for judged in OBJECTS]


def in_fractions(call: Call) -> Reply:
    return Reply((said(call).raw_answer or "").replace("60", "0.63").replace("50", "0.63"))


def test_a_judge_that_answers_all_in_fractions_is_stopped_and_none_has_a_score(ledger: Ledger) -> None:
    with pytest.raises(UserError, match="fake answers in fractions of 1, where 0-100 was asked for: so did all"):
        ask(ledger, FakeJudge(in_fractions))
    rows = ledger.rows("study", FakeJudge.identity.digest)
    assert 3 <= len(rows) < PLANNED
    assert set(rows["state"]) == {"ambiguous"}
    assert rows["score"].isna().all()


def test_a_judge_that_answers_one_call_on_the_scale_goes_on(ledger: Ledger) -> None:
    judge = FakeJudge(lambda call: said(call) if len(judge.asked) == 2 else in_fractions(call))
    ask(ledger, judge)
    states = ledger.rows("study", FakeJudge.identity.digest)["state"].value_counts()
    assert states.to_dict() == {"ambiguous": PLANNED - 1, "valid": 1}


def test_what_a_provider_says_of_a_fault_is_in_the_runs_log_once(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    refused = Reply(None, fault="provider_error", fault_message="status 400: no seed. Asked again without `seed`.")
    judge = FakeJudge(lambda call: replace(said(call), earlier=(refused,) if len(judge.asked) < 3 else ()))
    ask(ledger, judge)
    assert caplog.text.count("provider_error: status 400: no seed. Asked again without `seed`.") == 1


class LockedLedger(Ledger):
    """A ledger that cannot be written any more."""

    def record_many(self, rows: Iterable[CallRecord]) -> int:
        raise UserError("the database is locked")


@pytest.mark.parametrize("reply", [None, Reply(None, fault="rate_limited", fault_message="busy", retry_after_s=30)])
def test_a_ledger_that_cannot_be_written_ends_the_run_whatever_calls_wait_for(
    reply: Reply | None, ledger: Ledger
) -> None:
    judge = FakeJudge(lambda call: reply or said(call), workers=3, attempts=5)
    begun = time.monotonic()
    with pytest.raises(UserError, match="the database is locked") as caught:
        ask(LockedLedger(ledger.engine), judge)
    assert time.monotonic() - begun < PATIENCE_S
    assert len(judge.asked) <= 2 * WAITING_PER_WORKER
    assert caught.value.__notes__ == [f"0 of {PLANNED} judge calls at 3 settings are answered."]
