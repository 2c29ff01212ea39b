"""What the ledger costs: one call recorded, many at once, and finding out at the start what is answered."""

import argparse
import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate

T = TypeVar("T")
STUDY, JUDGE = "bench", "5e1f"
LIMIT_MS = 2.0


def attempt(number: int, setting: str, repeat: int) -> CallRecord:
    """An answer of the usual size: about 1 kB of text."""
    return CallRecord(
        study=STUDY,
        object=f"{number:08x}",
        item_id="558736",
        setting=setting,
        repeat=repeat,
        attempt=1,
        run_id="c0ffee",
        judge="local",
        judge_identity=JUDGE,
        model_asked="appearance",
        rubric_version="1",
        temperature=0.2,
        top_p=0.95,
        seed=1,
        prompt_hash="a" * 64,
        image_hashes=("b" * 64,) * 4,
        started_at=datetime.now(UTC),
        latency_ms=12.5,
        state="valid",
        score=0.7,
        raw_answer="x" * 1000,
        subscores={"color_palette": 0.8},
        rationale=("close colour", "texture too coarse"),
    )


def timed(name: str, work: Callable[[], T], per: int = 1) -> tuple[T, float]:
    """What the work gives and its milliseconds, each of `per` parts."""
    begun = perf_counter()
    result = work()
    taken = (perf_counter() - begun) * 1000 / per
    print(f"{name:<52} {taken:10.3f} ms")
    return result, taken


def synced(path: Path, times: int) -> None:
    """Write a page and wait for the disk, as every recording on SQLite has to."""
    with path.open("wb") as file:
        for _ in range(times):
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())


def measure(ledger: Ledger, objects: int) -> None:
    """Print every time; the study has 10 settings and 5 repeats."""
    single = [attempt(number, "alone", 1) for number in range(1000)]
    _, taken = timed("one call at a time, a call", lambda: [ledger.record_many([row]) for row in single], len(single))
    print(f"{'':<52} {LIMIT_MS / taken:10.1f} times below the limit of {LIMIT_MS:g} ms")
    settings = [f"t{number}" for number in range(10)]
    rows = [attempt(number, key, repeat) for key in settings for number in range(objects) for repeat in range(1, 6)]
    timed("many at once, a call", lambda: ledger.record_many(rows), len(rows))
    known, _ = timed(f"progress, {len(rows)} calls", lambda: ledger.progress(STUDY, JUDGE))
    timed("progress, one setting", lambda: ledger.progress(STUDY, JUDGE, ["t3"]))
    frame, _ = timed("rows, one setting", lambda: ledger.rows(STUDY, JUDGE, ["t3"]))
    print(f"{len(known)} calls known, {len(frame)} rows in one setting")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="database address; SQLite in a temporary folder where left out")
    parser.add_argument("--objects", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        timed("the disk alone, a page written and synced", lambda: synced(Path(folder) / "page", 200), 200)
        engine = open_engine(given.url or f"sqlite:///{Path(folder) / 'ledger.db'}")
        migrate(engine)
        measure(Ledger(engine), given.objects)
