"""1,000 calls to a server on loopback that takes 200 ms, 16 at a time, through the judge, the ledger and all."""

import argparse
import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from rich.console import Console
from sqlalchemy import Engine

from pipeline.samples.fidelity import write_fidelity_samples
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.configuration.settings import Setting
from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.contract import JudgedObject
from resources.judges.judging import Judging
from resources.judges.openai.access import access_of
from resources.judges.openai_judge import OpenAIJudge
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.progress import BarProgress

LATENCY_S, CONCURRENCY, LIMIT, LEDGER_LIMIT_MS = 0.2, 16, 1.15, 2.0
ROOT = Path(__file__).resolve().parents[1]
LOG = logging.getLogger("benchmark")


@contextmanager
def served() -> Iterator[str]:
    """The server of the tests in a process of its own; gives its address."""
    command = [sys.executable, "-m", "tests.openai_server", "--latency", str(LATENCY_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def objects_of(folder: Path) -> list[JudgedObject]:
    """The sample study's objects with their photos."""
    samples = write_fidelity_samples(folder)
    found = []
    for candidate in sorted(samples.candidates.rglob("*.webp")):
        item = candidate.parent.name
        photos = sorted((samples.references / item).iterdir())
        found.append(
            JudgedObject(
                candidate.stem,
                item,
                str(candidate),
                sha256_of_file(candidate) or "",
                tuple(str(photo) for photo in photos),
                tuple(sha256_of_file(photo) or "" for photo in photos),
            )
        )
    return found


class RememberingLedger(Ledger):
    """Knows what was written to it, in the groups in which it came."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.groups: list[list[CallRecord]] = []

    def record_many(self, rows: Iterable[CallRecord]) -> int:
        """As the ledger does."""
        self.groups.append(list(rows))
        return super().record_many(self.groups[-1])


def ledger_in(path: Path) -> RememberingLedger:
    """A new ledger in a file."""
    engine = open_engine(f"sqlite:///{path}")
    migrate(engine)
    return RememberingLedger(engine)


def seconds_to_write(groups: list[list[CallRecord]], path: Path) -> float:
    """The same writes again with nothing next to them."""
    ledger = ledger_in(path)
    begun = perf_counter()
    for group in groups:
        ledger.record_many(group)
    return perf_counter() - begun


def main(n_calls: int) -> bool:
    """Print the seconds against the ideal; whether both limits hold."""
    with tempfile.TemporaryDirectory() as temporary, served() as base_url:
        folder = Path(temporary)
        objects = objects_of(folder / "samples")
        repeats = -(-n_calls // len(objects))
        configuration = Configuration(kind="openai", concurrency=CONCURRENCY, price={"input": 2, "output": 8})
        plan = FidelityStudy(
            human_scores=folder, references=folder, candidates=folder, judge=configuration, repeats=repeats
        )
        environment = {"OPENAI_BASE_URL": base_url, "OPENAI_MODEL": "gpt-4o", "OPENAI_API_KEY": "none"}
        judge = OpenAIJudge(configuration, plan.rubric_weights, access_of(configuration, environment))
        ledger = ledger_in(folder / "ledger.db")
        kept = objects[: -(-n_calls // repeats)]
        judging = Judging("bench", plan, judge, kept, [Setting(0.2, 1.0)], ledger)
        begun = perf_counter()
        judging.ask(BarProgress(Console(stderr=True)), LOG)
        taken = perf_counter() - begun
        rows = judging.rows()["t0.2_p1.0"]
        written = seconds_to_write(ledger.groups, folder / "again.db")
    assert (rows["state"] == "valid").all()
    ideal = len(rows) / CONCURRENCY * LATENCY_S
    overhead_ms = 1000 * written / len(rows)
    print(f"{len(rows)} calls in {taken:.2f} s, ideal {ideal:.2f} s: {taken / ideal:.3f} times, limit {LIMIT}")
    print(f"ledger: {overhead_ms:.3f} ms a call, limit {LEDGER_LIMIT_MS:g} ms")
    return taken <= LIMIT * ideal and overhead_ms <= LEDGER_LIMIT_MS


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    sys.exit(0 if main(parser.parse_args().calls) else 1)
