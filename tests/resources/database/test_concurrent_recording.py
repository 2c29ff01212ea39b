"""Several threads and processes at one ledger, and one that is killed."""

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger

pytestmark = pytest.mark.slow

WRITER = """
import sys
from datetime import UTC, datetime
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.database.call_records import CallRecord

url, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
engine = open_engine(url)
migrate(engine)
ledger = Ledger(engine)
print("ready", flush=True)
sys.stdin.readline()
new = 0
for repeat in range(first, last):
    new += ledger.record_many([CallRecord(
        study="shoes", object="0a1b2c3d", item_id="558736", setting="t0.2_p0.95", repeat=repeat, attempt=1, run_id="n",
        judge="local", judge_identity="5e1f", model_asked="m", rubric_version="1", temperature=0.2, top_p=0.95, seed=1,
        prompt_hash="ab12", image_hashes=("a",), started_at=datetime.now(UTC), latency_ms=1.0, state="valid", score=0.5,
    )])
    print(repeat, flush=True)
print("new", new, flush=True)
"""


def writer(url: str, first: int, last: int) -> subprocess.Popen[str]:
    """A process that has opened the ledger, or is about to, and waits for a line before it records."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, url, str(first), str(last)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_processes_make_the_tables_and_record_without_loss_or_duplicate(database_url: str) -> None:
    # Repeats 1-150 and 101-250: 250 different ones, 50 asked for by both.
    writers = [writer(database_url, 1, 151), writer(database_url, 101, 251)]
    for process in writers:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    outputs = []
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in writers:
        outputs.append(process.communicate(timeout=60)[0])
        assert process.returncode == 0
    assert sum(int(output.split()[-1]) for output in outputs) == 250
    engine = open_engine(database_url)
    rows = Ledger(engine).rows("shoes", "5e1f")
    engine.dispose()
    assert rows["repeat"].tolist() == list(range(1, 251))


def test_a_killed_process_loses_no_call_that_it_recorded(database_url: str) -> None:
    process = writer(database_url, 1, 1_000_000)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdin.write("go\n")
    process.stdin.flush()
    recorded = [int(process.stdout.readline()) for _ in range(40)]
    process.send_signal(signal.SIGKILL)
    recorded += [int(line) for line in process.communicate()[0].split()]
    engine = open_engine(database_url)
    kept = {key.repeat for key in Ledger(engine).progress("shoes", "5e1f")}
    engine.dispose()
    assert set(recorded) <= kept


def test_threads_share_one_ledger(ledger: Ledger, attempt: Callable[..., CallRecord]) -> None:
    rows = [attempt(repeat=repeat) for repeat in range(1, 101)] * 2
    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(lambda row: ledger.record_many([row]), rows)) == 100
    assert len(ledger.rows("shoes", "5e1f")) == 100
