"""`make chaos`: faults at moments of chance over all four studies, and what was lost by them; exit code 1 if anything.

Tables must be those of an undisturbed run, and no call of the judge whose answer was recorded may be made again.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.chaos.faults import (
    NotPossible,
    clock_a_day_ahead,
    database_killed,
    disk_full,
    tables_read_only,
    worker_killed,
)
from tests.chaos.trial import Fault, Trial, Undisturbed, tried, undisturbed
from tests.chaos.world import STUDIES, World
from tests.openai_server import OpenAIServer, openai_server
from tests.pipeline.week_inputs import judge
from tests.postgres import LOOPBACK, empty_database, own_server

N_TIMES, SEED, LATENCY_S = 3, 20260302, 0.05
ON_SQLITE: dict[str, Fault] = {
    "run killed": worker_killed,
    "disk full": disk_full,
    "tables read-only": tables_read_only,
    "clock a day ahead": clock_a_day_ahead,
}
ROW = "{:<20} {:<12} {:>5} {:>8}  {:>8}  {:>9}  {}"


def main() -> int:
    """Try everything, a line each; 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--times", type=int, default=N_TIMES, help="disturbances of each study by each fault")
    parser.add_argument("--seed", type=int, default=SEED, help="of the moments")
    parser.add_argument("--study", choices=STUDIES, action="append", help="only this one; may be given again")
    chosen = parser.parse_args()
    studies = tuple(chosen.study or STUDIES)
    print(ROW.format("fault", "study", "times", "stopped", "in flight", "repeated", "lost"))
    lost = 0
    with tempfile.TemporaryDirectory(prefix="touchstone-chaos-") as folder, openai_server(judge) as server:
        server.latency_s = LATENCY_S
        twins = undisturbed(World(Path(folder) / "undisturbed", server))
        trials = all_trials(Path(folder), server, twins, studies, chosen.times, chosen.seed)
        for trial in trials:
            lost += not trial.holds
            print(line(trial), flush=True)
    print(f"{lost} of the trials lost something." if lost else "Nothing was lost.")
    return int(bool(lost))


def line(trial: Trial) -> str:
    """A trial's row: what was not possible is said, and loses nothing."""
    said = "; ".join(trial.lost) or "nothing"
    return ROW.format(
        trial.fault, trial.study, trial.n_times, trial.n_stopped, trial.n_in_flight, trial.n_repeated, said
    )


def all_trials(
    folder: Path, server: OpenAIServer, twins: dict[str, Undisturbed], studies: tuple[str, ...], n_times: int, seed: int
) -> Iterator[Trial]:
    """Each fault on each study, in a home of its own."""
    for name, fault in ON_SQLITE.items():
        world = World(folder / name.replace(" ", "_"), server)
        for study in studies:
            try:
                yield tried(name, fault, world, study, twins[study], n_times, seed)
            except NotPossible as error:
                print(f"{name}: not tried here, {error}", flush=True)
                break
    with ExitStack() as closing:
        # Unlike in other tests a commit is on its way to the disk before it is answered: that is what is tried.
        postgres = closing.enter_context(own_server(f"{LOOPBACK} -c fsync=off"))
        url = closing.enter_context(empty_database(postgres.url))
        world = World(folder / "database_killed", server, on_postgres(url))
        for study in studies:
            yield tried("database killed", database_killed(postgres), world, study, twins[study], n_times, seed)


def on_postgres(url: str) -> dict[str, str]:
    """Ledger, votes and Dagster's own storage in one database."""
    from resources.home import CHECKOUT

    instance = CHECKOUT / "deploy" / "postgres" / "dagster.yaml"
    return {"TOUCHSTONE_DATABASE_URL": url, "TOUCHSTONE_DAGSTER_YAML": str(instance)}


if __name__ == "__main__":
    sys.exit(main())
