"""`make chaos`: faults at moments of chance over all four studies, and what was lost by them; exit code 1 if anything.

Tables must be those of an undisturbed run, and no call of the judge whose answer was recorded may be made again.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tests.chaos.clock import clock_jumps
from tests.chaos.faults import NotPossible, database_killed, disk_full, tables_read_only, worker_killed
from tests.chaos.object_store import network_lost, stored_world
from tests.chaos.services import SECOND_DAEMON, VICTIMS, services_tried
from tests.chaos.trial import Fault, Trial, Undisturbed, tried, undisturbed
from tests.chaos.world import STUDIES, World, judge
from tests.openai_server import OpenAIServer, openai_server
from tests.postgres import LOOPBACK, empty_database, own_server

SEED, LATENCY_S = 20260302, 0.05
# On SQLite and a disk: the fault, and how often each study is disturbed by it.
ON_A_DISK: dict[str, tuple[Fault, int]] = {
    "run killed": (worker_killed, 3),
    "disk full": (disk_full, 1),
    "tables read-only": (tables_read_only, 1),
    "clock jumps a day": (clock_jumps, 1),
}
DATABASE_KILLED, N_DATABASE = "database killed", 2
NETWORK_LOST, N_NETWORK = "network lost", 1
FAULTS = (*ON_A_DISK, DATABASE_KILLED, NETWORK_LOST, *(f"{victim} killed" for victim in VICTIMS), SECOND_DAEMON)
ROW = "{:<20} {:<12} {:>5} {:>8}  {:>9}  {:>8}  {}"


class Chosen(NamedTuple):
    """What is tried: which faults on which studies, how many times as often as usual, at which moments."""

    faults: Sequence[str]
    studies: Sequence[str]
    times: int
    seed: int


def main() -> int:
    """Try everything, a line each; 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--times", type=int, default=1, help="so many times as often as usual")
    parser.add_argument("--seed", type=int, default=SEED, help="of the moments")
    parser.add_argument("--study", choices=STUDIES, action="append", help="only this one; may be given again")
    parser.add_argument("--fault", choices=FAULTS, action="append", help="only this one; may be given again")
    said = parser.parse_args()
    chosen = Chosen(said.fault or FAULTS, said.study or STUDIES, said.times, said.seed)
    print(ROW.format("fault", "study", "times", "stopped", "in flight", "repeated", "lost"), flush=True)
    with tempfile.TemporaryDirectory(prefix="touchstone-chaos-") as folder, openai_server(judge, LATENCY_S) as server:
        twins = undisturbed(World(Path(folder) / "undisturbed", server))
        n_lost = shown(all_trials(Path(folder), server, twins, chosen))
    print(f"{n_lost} of the trials lost something." if n_lost else "Nothing was lost.")
    return int(bool(n_lost))


def shown(trials: Iterator[Trial]) -> int:
    """Print a line for each as it ends; how many lost something."""
    n_lost = 0
    for trial in trials:
        n_lost += not trial.holds
        print(line(trial), flush=True)
    return n_lost


def line(trial: Trial) -> str:
    """A trial's row."""
    said = "; ".join(trial.lost) or "nothing"
    return ROW.format(
        trial.fault, trial.study, trial.n_times, trial.n_stopped, trial.n_in_flight, trial.n_repeated, said
    )


def all_trials(folder: Path, server: OpenAIServer, twins: Mapping[str, Undisturbed], chosen: Chosen) -> Iterator[Trial]:
    """Each fault on each study, in a home of its own."""

    def over_studies(name: str, fault: Fault, world: World, n_times: int) -> Iterator[Trial]:
        for study in chosen.studies:
            try:
                yield tried(name, fault, world, study, twins[study], n_times * chosen.times, chosen.seed)
            except NotPossible as reason:
                print(f"{name}: not tried here, {reason}", flush=True)
                return

    for name, (fault, n_times) in ON_A_DISK.items():
        if name in chosen.faults:
            yield from over_studies(name, fault, World(folder / name.replace(" ", "_"), server), n_times)
    if DATABASE_KILLED in chosen.faults:
        with ExitStack() as closing:
            # Unlike in other tests a commit is on its way to the disk before it is answered: that is what is tried.
            postgres = closing.enter_context(own_server(f"{LOOPBACK} -c fsync=off"))
            url = closing.enter_context(empty_database(postgres.url))
            world = World(folder / "database_killed", server, on_postgres(url))
            yield from over_studies(DATABASE_KILLED, database_killed(postgres), world, N_DATABASE)
    if NETWORK_LOST in chosen.faults:
        with stored_world(folder, server) as (world, store):
            yield from over_studies(NETWORK_LOST, network_lost(store), world, N_NETWORK)
    for name in (*(f"{victim} killed" for victim in VICTIMS), SECOND_DAEMON):
        if name in chosen.faults:
            world = World(folder / name.replace(" ", "_"), server)
            yield from services_tried(world, name, twins, chosen.seed)


def on_postgres(url: str) -> dict[str, str]:
    """Ledger, votes and Dagster's own storage in one database."""
    from resources.home import CHECKOUT

    instance = CHECKOUT / "deploy" / "postgres" / "dagster.yaml"
    return {"TOUCHSTONE_DATABASE_URL": url, "TOUCHSTONE_DAGSTER_YAML": str(instance)}


if __name__ == "__main__":
    sys.exit(main())
