"""Several threads and processes at one ledger, and one that is killed."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from tests.chaos.forked import InteractiveProgram, interactive_programs

pytestmark = pytest.mark.slow

PATIENCE_S = 60
Writer = Callable[[int, int], InteractiveProgram]


@pytest.fixture
def writer(database_url: str, tmp_path: Path) -> Iterator[Writer]:
    """Starts a process that opens the ledger and waits for a line before it records."""
    with interactive_programs("tests.resources.database.ledger_writer", tmp_path) as start:
        yield partial(start, database_url)


def test_two_processes_make_the_tables_and_record_without_loss_or_duplicate(database_url: str, writer: Writer) -> None:
    # Repeats 1-150 and 101-250: 250 different ones, 50 asked for by both.
    writers = [writer(1, 151), writer(101, 251)]
    for process in writers:
        process.line("ready", PATIENCE_S)
    for process in writers:
        process.tell("go")
    for process in writers:
        assert process.wait(PATIENCE_S) == 0, process.said()
    assert sum(int(process.said()[-1].split()[-1]) for process in writers) == 250
    engine = open_engine(database_url)
    rows = Ledger(engine).rows("shoes", "5e1f")
    engine.dispose()
    assert rows["repeat"].tolist() == list(range(1, 251))


def test_a_killed_process_loses_no_call_that_it_recorded(database_url: str, writer: Writer) -> None:
    process = writer(1, 1_000_000)
    process.line("ready", PATIENCE_S)
    process.tell("go")
    process.line("40", PATIENCE_S)
    process.kill()
    process.wait()
    recorded = [int(line) for line in process.said()[1:]]
    assert len(recorded) >= 40
    engine = open_engine(database_url)
    kept = {key.repeat for key in Ledger(engine).progress("shoes", "5e1f")}
    engine.dispose()
    assert set(recorded) <= kept


def test_threads_share_one_ledger(ledger: Ledger, attempt: Callable[..., CallRecord]) -> None:
    rows = [attempt(repeat=repeat) for repeat in range(1, 101)] * 2
    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(lambda row: ledger.record_many([row]), rows)) == 100
    assert len(ledger.rows("shoes", "5e1f")) == 100
