"""What a run of 16 workers pays for keeping every answer, and how near it comes to the ideal."""

import argparse
import logging
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from resources.configuration.fidelity import FidelityStudy, Setting
from resources.database.call_records import CallRecord, Spent
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.contract import Call, JudgedObject, JudgeIdentity, Reply
from resources.judges.judging import Judging
from resources.runtime.progress import Advance, LoggedProgress

CALLS, WORKERS = 1000, 16
LIMIT_MS, LIMIT_SHARE = 2.0, 1.15
ANSWER = (
    '{"item_id": "%s", "subscores": {"color_palette": 70, "material_finish": 70, "texture_identity": 70, '
    '"texture_scale_placement": 70}, "score": 70, "rationale": ["the colours match", "the texture is coarser"]}'
)


class SleepingJudge:
    """Answers after so many seconds."""

    faults_are_final = False
    workers, attempts = WORKERS, 5

    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self.identity = JudgeIdentity("bench", f"sleeps {latency_s:g} s", "1", "1")

    def taken_in_turns(self, study: str) -> tuple[str, ...]:
        """Runs share the study's money."""
        return (f"study {study}, money",)

    def stop(self, why: str) -> None:
        """No reply waits for anything."""

    def begin(self, spent: Spent) -> None:
        """Nothing costs anything."""

    def reply(self, call: Call) -> Reply:
        """An answer of the usual size."""
        time.sleep(self.latency_s)
        return Reply(ANSWER % call.judged.item_id, tokens_in=1000, tokens_out=100, cost_usd=0.002)


class TimedLedger(Ledger):
    """Notes how long each group took to record."""

    def record_many(self, rows: Iterable[CallRecord]) -> int:
        """Record and note."""
        begun = perf_counter()
        new = super().record_many(rows)
        self.groups = [*getattr(self, "groups", []), (new, perf_counter() - begun)]
        return new


class NoProgress(LoggedProgress):
    """Shows nothing."""

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        """Count nothing."""
        yield lambda done=1: None


def measure(url: str) -> None:
    """Print, for a judge that takes no time and for one of 200 ms, what a call costs."""
    engine = open_engine(url)
    migrate(engine)
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**files, repeats=5)
    judged = [
        JudgedObject(f"{place:08x}", f"item-{place}", "c.png", f"{place:064x}", ("p.png",), ("0" * 64,))
        for place in range(CALLS // 5)
    ]
    for latency_s in (0.0, 0.2):
        ledger = TimedLedger(engine)
        begun = perf_counter()
        run = Judging("bench", plan, SleepingJudge(latency_s), judged, [Setting(0.2, 1.0)], ledger)
        run.ask(NoProgress(), logging.getLogger())
        taken = perf_counter() - begun
        groups = [(new, seconds) for new, seconds in ledger.groups if new]
        per_call = 1000 * sum(seconds for _, seconds in groups) / CALLS
        print(f"{CALLS} calls of {latency_s * 1000:.0f} ms, {WORKERS} at a time: {taken:.2f} s in all")
        print(
            f"  the ledger's share of a call {per_call:.3f} ms in groups of {CALLS / len(groups):.1f}, "
            f"{LIMIT_MS / per_call:.1f} times below {LIMIT_MS:g} ms"
        )
        ideal = CALLS / WORKERS * latency_s
        if ideal:
            print(f"  {taken / ideal:.3f} times the ideal {ideal:.1f} s (at most {LIMIT_SHARE:g})")
        else:
            print(f"  everything but the judge {1000 * taken / CALLS:.3f} ms a call")
    engine.dispose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="database address; SQLite in a temporary folder where left out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(given.url or f"sqlite:///{Path(folder) / 'ledger.db'}")
