"""A program for tests: asks a paid judge on a server of the tests, as a study's run does.

Arguments: a folder that `write_objects` filled, the database, the server's address, and the format that it speaks.
"""

import json
import logging
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import Setting
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.judges.contract import JudgedObject
from resources.judges.judging import Judging
from resources.runtime.progress import LoggedProgress
from tests.resources.judges.openai.asked import PAID, claude_of, judge_of, judged_in

WORKERS = 8
SETTINGS = [Setting(0.2, 1.0), Setting(0.8, 0.9)]
REPEATS, N_OBJECTS = 5, 16
OBJECTS = "objects.json"
PLANNED = len(SETTINGS) * REPEATS * N_OBJECTS


def write_objects(folder: Path) -> None:
    """Write the images that all objects share, and what is known of them."""
    (folder / OBJECTS).write_text(json.dumps(asdict(judged_in(folder))))


def objects_in(folder: Path) -> list[JudgedObject]:
    """The objects; two processes may read them while neither writes."""
    fields = json.loads((folder / OBJECTS).read_text())
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    shared = JudgedObject(**fields | lists)
    return [replace(shared, object=f"{place:08x}", item_id=f"item {place}") for place in range(N_OBJECTS)]


def judging_of(objects: list[JudgedObject], ledger: Ledger, base_url: str, dialect: str = "openai") -> Judging:
    """The run."""
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    judge = (claude_of if dialect == "anthropic" else judge_of)(base_url, concurrency=WORKERS, price=PAID)
    plan = FidelityStudy(**files, repeats=REPEATS)
    return Judging("paid", plan, judge, objects, SETTINGS, ledger, f"of process {os.getpid()}")


def main(folder: Path, url: str, base_url: str, dialect: str = "openai") -> None:
    """Ask until nothing is left."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    engine = open_engine(url)
    migrate(engine)
    judging = judging_of(objects_in(folder), Ledger(engine), base_url, dialect)
    judging.ask(LoggedProgress(), logging.getLogger("run"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
