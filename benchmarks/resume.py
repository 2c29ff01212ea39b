"""How long after its start a run over recorded calls makes its first new call."""

import argparse
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter

from resources.configuration.fidelity import FidelityStudy, RubricWeights
from resources.database.call_records import Spent
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.answers import parse_answer
from resources.judges.asking import AskedBy, Took, recorded
from resources.judges.contract import Attempt, Call, JudgedObject, JudgeIdentity, Reply
from resources.judges.judging import Judging
from resources.judges.prompt import build_call
from resources.runtime.progress import Advance, LoggedProgress

STUDY = "bench"
LIMIT_S = 2.0
ANSWER = (
    '{"item_id": "%s", "subscores": {"color_palette": 70, "material_finish": 70, "texture_identity": 70, '
    '"texture_scale_placement": 70}, "score": 70, "rationale": ["%s", "the texture is coarser"]}'
)
LOG = logging.getLogger(__name__)


class FirstCall(Exception):
    """What the run is stopped with at its first new call."""


class StoppingJudge:
    """A judge that is asked once."""

    identity = JudgeIdentity("openai", "gpt-4o", "appearance-1", "1", {"image_side_px": 768})
    faults_are_final = False
    workers, attempts = 16, 5

    def taken_in_turns(self, study: str) -> tuple[str, ...]:
        """Runs share the study's money."""
        return (f"study {study}, money",)

    def stop(self, why: str) -> None:
        """No reply waits for anything."""

    def begin(self, spent: Spent) -> None:
        """Say what it hears."""
        print(f"spent before: {spent.usd:.2f} USD, requests today {dict(spent.requests_today)}")

    def reply(self, call: Call) -> Reply:
        """Stop the run."""
        raise FirstCall


class NoProgress(LoggedProgress):
    """Shows nothing."""

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        """Count nothing."""
        yield lambda done=1: None


def made_objects(count: int) -> list[JudgedObject]:
    """Objects with three photos each."""
    return [
        JudgedObject(
            f"{place:08x}",
            f"item-{place}",
            "candidate.png",
            f"{place:064x}",
            ("photo.png",) * 3,
            tuple(f"{place:062x}{photo:02d}" for photo in range(3)),
        )
        for place in range(count)
    ]


def record(ledger: Ledger, plan: FidelityStudy, judged: list[JudgedObject]) -> int:
    """Answer every planned call but the last object's."""
    identity = StoppingJudge.identity
    rows = []
    for one in judged[:-1]:
        for setting in plan.settings.settings:
            for repeat in range(1, plan.repeats + 1):
                call = build_call(one, Attempt(STUDY, setting, identity, repeat), plan.rubric_weights)
                reply = Reply(ANSWER % (one.item_id, "x" * 500), cost_usd=0.002, key_id="k1", tokens_in=1000)
                moment = datetime.now(UTC)
                read = partial(parse_answer, item_id=one.item_id, weights=plan.rubric_weights)
                rows.append(recorded(AskedBy(STUDY, identity, None), read, call, reply, Took(moment, 900.0)))
    return ledger.record_many(rows)


def measure(url: str, n_objects: int) -> None:
    """Fill a ledger, open it anew, and time from there to the first call."""
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**files, rubric_weights=RubricWeights(), repeats=5)
    judged = made_objects(n_objects + 1)
    engine = open_engine(url)
    migrate(engine)
    print(f"{record(Ledger(engine), plan, judged)} calls recorded")
    engine.dispose()
    for run in ("first", "second"):
        begun = perf_counter()
        ledger = Ledger(open_engine(url))
        migrate(ledger.engine)
        try:
            Judging(STUDY, plan, StoppingJudge(), judged, plan.settings.settings, ledger).ask(NoProgress(), LOG)
        except FirstCall:
            taken = perf_counter() - begun
            print(f"{run} run: first new call after {taken:.2f} s, {LIMIT_S / taken:.1f} times below {LIMIT_S:g} s")
        ledger.engine.dispose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="database address; SQLite in a temporary folder where left out")
    parser.add_argument("--objects", type=int, default=1000, help="of 10 settings and 5 repeats: 1000 are 50,000 calls")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(given.url or f"sqlite:///{Path(folder) / 'ledger.db'}", given.objects)
