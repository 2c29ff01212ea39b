"""Two processes that ask the same judge the same, on both databases."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from tests.chaos.forked import InteractiveProgram, interactive_programs
from tests.resources.judges.test_judging import OBJECTS, SETTINGS, FakeJudge, ask

pytestmark = pytest.mark.slow

PLANNED = len(OBJECTS) * len(SETTINGS) * 3
IDENTITY = FakeJudge.identity.digest
PATIENCE_S = 60
ON_ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # what is the same on both

Start = Callable[[float], InteractiveProgram]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Where both processes note what they ask."""
    return tmp_path / "asked.txt"


@pytest.fixture
def start(database_url: str, notes: Path, tmp_path: Path) -> Iterator[Start]:
    """Loads a process with so many seconds a call; none outlives the test."""
    with interactive_programs("tests.resources.judges.slow_run", tmp_path) as begin:
        yield partial(begin, database_url, notes)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def go(process: InteractiveProgram) -> None:
    """Let it ask, once it is loaded."""
    process.line("ready", PATIENCE_S)
    process.tell("go")


def asked(notes: Path) -> list[str]:
    return notes.read_text().split() if notes.exists() else []


def test_the_second_run_waits_and_asks_only_what_is_left(start: Start, notes: Path) -> None:
    first, second = start(0.05), start(0.05)
    go(first)
    wait_for(lambda: len(asked(notes)) > 4)
    go(second)
    assert "Waiting for run run 1 (" in second.line("Waiting", PATIENCE_S)
    for process in (first, second):
        assert process.wait(PATIENCE_S) == 0, process.said()
    assert len(asked(notes)) == len(set(asked(notes))) == PLANNED
    assert "0 to make" in " ".join(second.said())


def test_a_run_goes_on_at_once_where_the_one_before_it_was_killed(start: Start, notes: Path, database_url: str) -> None:
    first, second = start(0.1), start(0.0)
    go(first)
    wait_for(lambda: len(asked(notes)) > 10)
    go(second)
    second.line("Waiting", PATIENCE_S)
    first.kill()
    assert second.wait(PATIENCE_S) == 0, second.said()
    engine = open_engine(database_url)
    rows = Ledger(engine).rows("study", IDENTITY)
    engine.dispose()
    assert len(rows) == PLANNED
    assert set(rows["attempt"]) == {1}
    # Two workers had a call each under way, and one each may have ended that was not recorded yet.
    assert PLANNED <= len(asked(notes)) <= PLANNED + 2 * 2


@ON_ONE
def test_a_person_can_stop_the_wait(start: Start, notes: Path) -> None:
    # The first would take two minutes more: whoever waited for it would not be done in time.
    first, second = start(5.0), start(0.0)
    go(first)
    wait_for(lambda: len(asked(notes)) > 1)
    go(second)
    second.line("Waiting", PATIENCE_S)
    os.kill(second.pid, signal.SIGINT)
    second.wait(PATIENCE_S)
    assert "KeyboardInterrupt" in second.said()
    assert first.poll() is None


@ON_ONE
def test_a_run_that_has_nothing_to_ask_does_not_wait(start: Start, notes: Path, database_url: str) -> None:
    first = start(5.0)
    engine = open_engine(database_url)
    ledger = Ledger(engine)
    migrate(engine)
    ask(ledger, FakeJudge(), objects=OBJECTS[:1])
    go(first)
    wait_for(lambda: len(asked(notes)) > 1)
    assert ask(ledger, FakeJudge(), objects=OBJECTS[:1]).asked == []
    assert first.poll() is None
    engine.dispose()
