"""Asking a judge: order, what the ledger has when, and which calls are made again."""

import itertools
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import Setting
from resources.database.call_records import Spent
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.asking import WAITING_PER_WORKER
from resources.judges.contract import Call, JudgedObject, JudgeIdentity, Reply
from resources.judges.judging import Judging, saved_calls
from resources.runtime.progress import Advance, LoggedProgress
from resources.tables.call_states import SUBSCORES

LOG = logging.getLogger(__name__)
OBJECTS = [
    JudgedObject(f"0000000{place}", f"10{place}", f"{place}.png", f"hash {place}", ("photo.png",), ("hash of photo",))
    for place in range(6)
]
SETTINGS = [Setting(0.2, 1.0), Setting(0.5, 1.0), Setting(0.8, 0.9)]
PATIENCE_S = 20.0

Answers = Callable[[Call], Reply]


def said(call: Call, stated: int = 60, subscore: int = 50) -> Reply:
    """A valid answer whose stated score is not the sum of its sub-scores."""
    answer = {
        "item_id": call.judged.item_id,
        "subscores": dict.fromkeys(SUBSCORES, subscore),
        "score": stated,
        "rationale": ["close colours", "coarser texture"],
    }
    return Reply(json.dumps(answer), model_answered="fake", cost_usd=0.01)


class FakeJudge:
    """Answers by a function and remembers what it was asked, in order."""

    identity = JudgeIdentity("fake", "fake", "1", "1")

    def __init__(
        self,
        answers: Answers = said,
        *,
        faults_are_final: bool = False,
        workers: int = 1,
        attempts: int = 1,
        shared: tuple[str, ...] = (),
    ) -> None:
        self.answers = answers
        self.faults_are_final = faults_are_final
        self.workers, self.attempts, self.shared = workers, attempts, shared
        self.begun: list[Spent] = []
        self.stopped: list[str] = []
        self.asked: list[Call] = []
        self._lock = threading.Lock()

    def taken_in_turns(self, study: str) -> tuple[str, ...]:
        return self.shared

    def begin(self, spent: Spent) -> None:
        self.begun.append(spent)

    def stop(self, why: str) -> None:
        self.stopped.append(why)

    def reply(self, call: Call) -> Reply:
        with self._lock:
            self.asked.append(call)
        return self.answers(call)

    @property
    def order(self) -> list[tuple[str, str, int]]:
        return [(call.setting.key, call.judged.object, call.repeat) for call in self.asked]


class CountedProgress(LoggedProgress):
    """Counts what is reported done."""

    def __init__(self) -> None:
        self.done = self.total = 0

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        self.total = total

        def advance(done: int = 1) -> None:
            self.done += done

        yield advance


def ledger_in(folder: Path) -> Ledger:
    """An empty ledger on the disk."""
    engine = open_engine(f"sqlite:///{folder / 'touchstone.db'}")
    migrate(engine)
    return Ledger(engine)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_in(tmp_path)


def judging(ledger: Ledger, judge: FakeJudge, objects: list[JudgedObject] = OBJECTS, **changes: Any) -> Judging:
    options = {name: changes.pop(name) for name in ("unattended", "retry_states") if name in changes}
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**{**files, "repeats": 3, **changes})
    return Judging("study", plan, judge, objects, SETTINGS, ledger, "run 1", **options)


def ask(ledger: Ledger, judge: FakeJudge, **options: Any) -> FakeJudge:
    judging(ledger, judge, **options).ask(CountedProgress(), LOG)
    return judge


def recorded(ledger: Ledger) -> int:
    return len(ledger.rows("study", FakeJudge.identity.digest))


def test_every_object_setting_and_repeat_is_asked_once(ledger: Ledger) -> None:
    order = ask(ledger, FakeJudge(workers=4)).order
    assert len(order) == len(set(order)) == 6 * 3 * 3
    assert recorded(ledger) == 54


def in_steps(call: Call) -> Reply:
    """The first object spreads by a thousandth or two, the second is always the same, all others by two tenths."""
    place = int(call.judged.object[-1])
    if place == 0:
        return said(call, subscore=50, stated=50 + call.repeat % 2)
    return said(call, stated=50 if place == 1 else 40 + 20 * (call.repeat % 2))


STOPPING = {"repeats": {"at_least": 3, "at_most": 6, "stop": "half_width"}, "thresholds": {"ci_half_width": 0.06}}


def test_only_an_object_that_is_known_well_enough_is_not_asked_again(ledger: Ledger) -> None:
    # Scores 0.51, 0.50, 0.51: sd 0.00577; five looks: t(0.995, 2) = 9.92; half-width 0.033. Equal scores tell nothing.
    asked = Counter((one, key) for key, one, _ in ask(ledger, FakeJudge(in_steps), **STOPPING).order)
    assert asked == {(one.object, key.key): 3 if one is OBJECTS[0] else 6 for one in OBJECTS for key in SETTINGS}
    assert ask(ledger, FakeJudge(in_steps), **STOPPING).order == []
    run = judging(ledger, FakeJudge(), **STOPPING)
    assert run.open_calls() == {}
    calls = pd.concat(run.rows().values())
    # A cent a call: 99 were made and 9 were not.
    assert saved_calls(calls, 6) == (3, 9, pytest.approx(0.09))
    assert saved_calls(calls[calls["object"] != OBJECTS[0].object], 6) == (0, 0, 0.0)


def test_what_is_tried_again_is_asked_once_however_many_rounds_there_are(ledger: Ledger) -> None:
    def careless(call: Call) -> Reply:
        return Reply("seven of ten") if call.judged is OBJECTS[2] else in_steps(call)

    ask(ledger, FakeJudge(careless), **STOPPING)
    assert ask(ledger, FakeJudge(careless), **STOPPING).order == []
    again = ask(ledger, FakeJudge(careless), retry_states=frozenset({"invalid_json"}), **STOPPING).order
    # One object, three settings, six repeats each.
    assert len(again) == len(set(again)) == 18


def test_what_stopping_saves_is_priced_at_its_own_judges_calls() -> None:
    calls = pd.DataFrame(
        [
            {"setting": setting, "object": one, "repeat": repeat, "cost_usd": usd}
            for setting, last, usd in (("free@t0.2_p1.0", 3, 0.0), ("paid@t0.2_p1.0", 5, 0.01))
            for one in "ab"
            for repeat in range(1, last + 1)
        ]
    )
    # Of the free judge 4 calls are left out; of the paid one none.
    assert saved_calls(calls, 5) == (2, 4, 0.0)


def test_a_run_that_stops_early_and_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    class Killed(BaseException):
        pass

    def dying(call: Call) -> Reply:
        if len(judge.asked) > 60:
            raise Killed
        return in_steps(call)

    judge, killed, whole = FakeJudge(dying), ledger_in(tmp_path / "killed"), ledger_in(tmp_path / "whole")
    with pytest.raises(Killed):
        ask(killed, judge, **STOPPING)
    done = judge.order[:60]
    rest = ask(killed, FakeJudge(in_steps), **STOPPING).order
    assert sorted(done + rest) == sorted(ask(whole, FakeJudge(in_steps), **STOPPING).order)


def test_the_order_is_the_seeds(tmp_path: Path) -> None:
    first, same, other = (
        ask(ledger_in(tmp_path / name), FakeJudge(), seed=seed).order for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == same
    assert first != other
    assert sorted(first) == sorted(other)


def test_settings_and_repeats_are_mixed(ledger: Ledger) -> None:
    order = ask(ledger, FakeJudge()).order
    settings = [setting for setting, _, _ in order]
    # In blocks there would be 2 changes of setting; in random order 53 neighbours differ two times of three.
    changes = sum(one != another for one, another in zip(settings, settings[1:], strict=False))
    assert 25 <= changes <= 45
    # Every third of the run has about a third of each setting's 18 calls.
    for start in range(0, 54, 18):
        for setting in SETTINGS:
            assert 2 <= settings[start : start + 18].count(setting.key) <= 10


def test_an_answer_is_in_the_ledger_before_the_next_one_comes(ledger: Ledger) -> None:
    def after_the_one_before(call: Call) -> Reply:
        begun = len(judge.asked)
        deadline = time.monotonic() + PATIENCE_S
        while recorded(ledger) < begun - 1:
            assert time.monotonic() < deadline, f"call {begun} is under way and the ledger has {recorded(ledger)} rows"
            time.sleep(0.005)
        return said(call)

    judge = FakeJudge(after_the_one_before)
    ask(ledger, judge, objects=OBJECTS[:1])
    assert recorded(ledger) == 9


def test_calls_under_way_are_bounded_however_many_are_planned(ledger: Ledger) -> None:
    widest = 0

    def counted(call: Call) -> Reply:
        nonlocal widest
        widest = max(widest, len(judge.asked) - recorded(ledger))
        return said(call)

    judge = FakeJudge(counted)
    ask(ledger, judge)
    assert widest <= 2 * WAITING_PER_WORKER


def test_faults_are_asked_again_as_the_next_attempt_and_answers_never(ledger: Ledger) -> None:
    def faulty(call: Call) -> Reply:
        return Reply(None, fault="timeout", fault_message="slow") if call.repeat == 2 else said(call)

    ask(ledger, FakeJudge(faulty))
    again = ask(ledger, FakeJudge(faulty))
    assert {call.repeat for call in again.asked} == {2}
    assert {call.attempt for call in again.asked} == {2}
    assert len(again.asked) == 18
    last = ask(ledger, FakeJudge())
    assert {(call.repeat, call.attempt) for call in last.asked} == {(2, 3)}
    assert ask(ledger, FakeJudge()).asked == []
    rows = judging(ledger, FakeJudge()).rows()[SETTINGS[0].key]
    states = rows[rows["object"] == OBJECTS[0].object].set_index(["repeat", "attempt"])["state"].to_dict()
    assert states == {(1, 1): "valid", (2, 1): "timeout", (2, 2): "timeout", (2, 3): "valid", (3, 1): "valid"}


def test_faults_of_a_judge_that_would_repeat_them_are_not_asked_again(ledger: Ledger) -> None:
    slow = Reply(None, fault="timeout", fault_message="slow")
    ask(ledger, FakeJudge(lambda call: slow if call.repeat == 2 else said(call), faults_are_final=True))
    assert ask(ledger, FakeJudge(faults_are_final=True)).asked == []
    assert recorded(ledger) == 54


def test_an_answer_that_is_no_json_is_an_answer_and_not_asked_again(ledger: Ledger) -> None:
    few = OBJECTS[:1]  # ten such answers and none with a score would stop the judge
    ask(ledger, FakeJudge(lambda call: Reply("I would say seven of ten.")), objects=few)
    assert ask(ledger, FakeJudge(), objects=few).asked == []
    rows = judging(ledger, FakeJudge(), objects=few).rows()[SETTINGS[0].key]
    assert rows["state"].unique().tolist() == ["invalid_json"]
    assert rows["score"].isna().all()
    assert rows["raw_answer"].unique().tolist() == ["I would say seven of ten."]


def test_the_next_attempt_is_another_call_with_a_nonce_and_seed_of_its_own(ledger: Ledger) -> None:
    slow = Reply(None, fault="timeout", fault_message="slow")
    first = ask(ledger, FakeJudge(lambda call: slow), objects=OBJECTS[:1]).asked
    second = ask(ledger, FakeJudge(), objects=OBJECTS[:1]).asked
    assert not {call.run_id for call in first} & {call.run_id for call in second}
    assert {call.prompt_hash for call in first} == {call.prompt_hash for call in second}


def test_the_other_score_can_be_picked_later_without_a_call(ledger: Ledger) -> None:
    judge = ask(ledger, FakeJudge())
    stated = judging(ledger, judge).rows()[SETTINGS[0].key]
    recomputed = judging(ledger, judge, score_source="recomputed").rows()[SETTINGS[0].key]
    assert stated["score"].unique().tolist() == [0.6]
    assert recomputed["score"].unique().tolist() == [0.5]
    assert ask(ledger, FakeJudge(), score_source="recomputed").asked == []


def test_rows_are_those_of_the_plan_in_force(ledger: Ledger) -> None:
    judge = ask(ledger, FakeJudge())
    rows = judging(ledger, judge, objects=OBJECTS[:2], repeats=3).rows()
    assert list(rows) == [setting.key for setting in SETTINGS]
    assert {len(frame) for frame in rows.values()} == {2 * 3}


def test_a_judge_that_breaks_stops_the_run_and_every_answer_is_kept(ledger: Ledger) -> None:
    both, numbers = threading.Barrier(2, timeout=PATIENCE_S), itertools.count()

    def breaks_once(call: Call) -> Reply:
        number = next(numbers)
        if number < 2:
            both.wait()
        if number == 0:
            raise RuntimeError("no such image")
        # The error stops the run while this answer is still under way.
        time.sleep(0.1)
        return said(call)

    judge = FakeJudge(breaks_once, workers=2)
    with pytest.raises(RuntimeError, match="no such image"):
        ask(ledger, judge)
    answered = len(judge.asked) - 1
    assert answered >= 1
    assert recorded(ledger) == answered
    # The next run asks what is left, and the broken call with it.
    rest = ask(ledger, FakeJudge())
    assert len(rest.asked) == 54 - answered


def test_progress_counts_the_calls_that_are_left(ledger: Ledger) -> None:
    ask(ledger, FakeJudge(), objects=OBJECTS[:2])
    progress = CountedProgress()
    judging(ledger, FakeJudge()).ask(progress, LOG)
    assert (progress.done, progress.total) == (36, 36)


def test_the_log_says_what_was_planned_answered_and_left(ledger: Ledger, caplog: pytest.LogCaptureFixture) -> None:
    ask(ledger, FakeJudge(), objects=OBJECTS[:2])
    with caplog.at_level(logging.INFO):
        ask(ledger, FakeJudge())
    assert "54 calls planned, 18 answered before, 36 to make" in caplog.text


def test_a_record_says_who_was_asked_what_and_in_which_run(ledger: Ledger) -> None:
    judge = ask(ledger, FakeJudge(), objects=OBJECTS[:1])
    rows = ledger.rows("study", judge.identity.digest).set_index(["setting", "repeat"])
    call = next(call for call in judge.asked if (call.setting, call.repeat) == (SETTINGS[2], 2))
    row = rows.loc[(SETTINGS[2].key, 2)]
    assert (row["temperature"], row["top_p"], row["seed"]) == (0.8, 0.9, call.seed)
    assert (row["run_id"], row["prompt_hash"]) == (call.run_id, call.prompt_hash)
    assert row["image_hashes"] == ["hash of photo", "hash 0"]
    assert (row["judge"], row["model_asked"], row["model_answered"]) == ("fake", "fake", "fake")
    assert (row["cost_usd"], row["color_palette"]) == (0.01, 0.5)
    assert row["latency_ms"] >= 0
