"""A program for tests: records one call after the other in a ledger, and says each number once it is recorded.

Arguments: the database, the first repeat, and the one after the last. It is ready when it says so, and starts when it
reads a line.
"""

import sys
from datetime import UTC, datetime

from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate


def main(url: str, first: int, last: int) -> None:
    """Record these repeats."""
    engine = open_engine(url)
    migrate(engine)
    ledger = Ledger(engine)
    print("ready", flush=True)
    sys.stdin.readline()
    new = 0
    for repeat in range(first, last):
        new += ledger.record_many([call(repeat)])
        print(repeat, flush=True)
    print("new", new, flush=True)


def call(repeat: int) -> CallRecord:
    """An answered call of this repeat."""
    return CallRecord(
        study="shoes",
        object="0a1b2c3d",
        item_id="558736",
        setting="t0.2_p0.95",
        repeat=repeat,
        attempt=1,
        run_id="n",
        judge="local",
        judge_identity="5e1f",
        model_asked="m",
        rubric_version="1",
        temperature=0.2,
        top_p=0.95,
        seed=1,
        prompt_hash="ab12",
        image_hashes=("a",),
        started_at=datetime.now(UTC),
        latency_ms=1.0,
        state="valid",
        score=0.5,
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
