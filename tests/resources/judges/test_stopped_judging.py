"""What stops the asking, an error or a person, and what is in the ledger then."""

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from resources.configuration.fidelity import RubricWeights
from resources.database.ledger import Ledger
from resources.judges.asking import WAITING_PER_WORKER
from resources.judges.contract import Call, JudgedObject, Reply
from resources.judges.prompt import prompt_hash
from resources.judges.records import CallRecord
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
        raise RuntimeError("no such image")

    with pytest.raises(RuntimeError, match="no such image") as caught:
        ask(ledger, FakeJudge(breaks, workers=2))
    [note] = caught.value.__notes__
    assert "other calls failed too, one of them with RuntimeError('no such image')" in note
    assert recorded(ledger) == 0


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

    def record_many(self, rows: Iterable[CallRecord]) -> int:
        if not self.interrupted:
            self.interrupted = True
            raise KeyboardInterrupt
        return super().record_many(rows)


def test_a_person_who_stops_the_run_loses_no_answer_and_starts_no_further_call(ledger: Ledger) -> None:
    judge = FakeJudge(workers=2)
    with pytest.raises(KeyboardInterrupt):
        ask(InterruptedLedger(ledger.engine), judge)
    asked = len(judge.asked)
    assert 1 <= asked <= 2 * WAITING_PER_WORKER
    assert recorded(ledger) == asked
    assert len(ask(ledger, FakeJudge()).asked) == PLANNED - asked


def test_what_is_planned_is_worked_out_once(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[str] = []

    def counted(judged: JudgedObject, weights: RubricWeights) -> str:
        worked_out.append(judged.object)
        return prompt_hash(judged, weights)

    monkeypatch.setattr("resources.judges.judging.prompt_hash", counted)
    run = judging(ledger, FakeJudge())
    run.ask(CountedProgress(), LOG)
    assert len(run.rows()[SETTINGS[0].key]) == len(OBJECTS) * 3
    assert sorted(worked_out) == [judged.object for judged in OBJECTS]
