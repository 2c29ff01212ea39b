"""A program for tests: asks a slow judge about the objects of `test_judging`, and notes every call that it asks.

Arguments: the database, a file for the calls asked, seconds a call. It is ready when it says so, and starts when it
reads a line.
"""

import logging
import signal
import sys
import time
from pathlib import Path

from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.contract import Call, Reply
from tests.resources.judges.test_judging import CountedProgress, FakeJudge, judging, said


def main(url: str, notes: Path, seconds: float) -> None:
    """Ask until nothing is left."""
    # A shell starts what runs in its background deaf to Ctrl+C, and that is inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)

    def slowly(call: Call) -> Reply:
        with notes.open("a") as file:
            file.write(f"{call.run_id}\n")
        time.sleep(seconds)
        return said(call)

    engine = open_engine(url)
    migrate(engine)
    print("ready", flush=True)
    sys.stdin.readline()
    judging(Ledger(engine), FakeJudge(slowly, workers=2)).ask(CountedProgress(), logging.getLogger())
    print("done")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
