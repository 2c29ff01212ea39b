"""What a judge's calls cost next to the judge: the run of 16 workers, the ledger, and tables in Parquet."""

import logging
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.table import Row, at_most, cpu_s, in_turns, over_the_floor, wall_s
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import Setting
from resources.database.call_records import CallRecord, Spent
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.contract import Call, JudgedObject, JudgeIdentity, Reply
from resources.judges.judging import Judging
from resources.runtime.progress import Advance, LoggedProgress
from resources.tables.parquet import checked, read, write
from resources.tables.reliability.agreement import QUERY_KAPPA

CALLS, WORKERS, LATENCY_S = 1000, 16, 0.2
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


class NoProgress(LoggedProgress):
    """Shows nothing."""

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        """Count nothing."""
        yield lambda done=1: None


def attempt(number: int, setting: str, repeat: int) -> CallRecord:
    """An answer of the usual size: about 1 kB of text."""
    return CallRecord(
        study="bench",
        object=f"{number:08x}",
        item_id="558736",
        setting=setting,
        repeat=repeat,
        attempt=1,
        run_id="c0ffee",
        judge="local",
        judge_identity="5e1f",
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


@contextmanager
def ledger() -> Iterator[Ledger]:
    """A new ledger on SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{Path(folder) / 'ledger.db'}")
        migrate(engine)
        yield Ledger(engine)
        engine.dispose()


def asked(latency_s: float) -> None:
    """A study's calls, each answered after so many seconds."""
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**files, repeats=5)
    judged = [
        JudgedObject(f"{place:08x}", f"item-{place}", "c.png", f"{place:064x}", ("p.png",), ("0" * 64,))
        for place in range(CALLS // 5)
    ]
    with ledger() as kept:
        run = Judging("bench", plan, SleepingJudge(latency_s), judged, [Setting(0.2, 1.0)], kept)
        run.ask(NoProgress(), logging.getLogger())


def calls() -> Iterator[Row]:
    """1,000 calls, 16 at a time, against a judge who is never kept waiting; and what is ours of a call."""
    ideal = CALLS / WORKERS * LATENCY_S
    yield Row("1,000 calls of 200 ms, 16 at once", wall_s(lambda: asked(LATENCY_S)), "s on the clock", floor=ideal,
              target=over_the_floor(1.15))  # fmt: skip
    yield Row("a call without the judge's time", 1e3 * cpu_s(lambda: asked(0.0), 2) / CALLS, "ms")


def recorded() -> Iterator[Row]:
    """A call recorded by itself against a page written and synced, and in groups."""

    def page() -> None:
        with tempfile.TemporaryFile() as file:
            for _ in range(100):
                file.write(b"x" * 4096)
                file.flush()
                os.fsync(file.fileno())

    with ledger() as kept:
        numbers = iter(range(10**6))
        alone, floor = in_turns(
            [lambda: [kept.record_many([attempt(next(numbers), "alone", 1)]) for _ in range(100)], page],
            3,
            time.perf_counter,
        )
        yield Row("ledger, one call", 10 * alone, "ms on the clock", floor=10 * floor, of_peer="page synced",
                  target=at_most(2))  # fmt: skip
        rows = [attempt(number, f"t{place}", 1) for place in range(10) for number in range(1000)]
        yield Row("ledger, a call of 10,000 at once", 0.1 * cpu_s(lambda: kept.record_many(rows), 1), "ms")
        yield Row("ledger, what is answered of 10,000", 1e3 * cpu_s(lambda: kept.progress("bench", "5e1f")), "ms")


def parquet() -> Iterator[Row]:
    """A table of 100,000 rows checked and written, and read with its types, against pandas alone."""
    n = 100_000
    random = np.random.default_rng(5)
    words = pd.Series([f"q{one}" for one in range(n)], dtype="str")
    made = {
        "text": words,
        "number": random.random(n).round(3),
        "whole": random.integers(0, 9, n),
        "flag": np.arange(n) % 2 == 0,
    }
    columns = {one.name: made[one.kind] for one in QUERY_KAPPA.columns}
    frame = checked(QUERY_KAPPA, pd.DataFrame(columns))

    def ours() -> bytes:
        file = BytesIO()
        write(QUERY_KAPPA, checked(QUERY_KAPPA, frame), file)
        return file.getvalue()

    fast, slow = in_turns([ours, lambda: frame.to_parquet(BytesIO(), index=False)], 5)
    yield Row("Parquet, 100,000 rows checked, written", 1e3 * fast, "ms", floor=1e3 * slow, of_peer="pandas, unchecked")
    stored = ours()
    fast, slow = in_turns([lambda: read(QUERY_KAPPA, BytesIO(stored)), lambda: pd.read_parquet(BytesIO(stored))], 5)
    yield Row("Parquet, 100,000 rows read", 1e3 * fast, "ms", floor=1e3 * slow, of_peer="pandas")


BENCHES = (calls, recorded, parquet)
