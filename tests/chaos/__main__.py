"""`make chaos`: faults at moments of chance over all four studies, and what was lost by them; exit code 1 if anything.

Tables must be those of an undisturbed run, and no call of the judge whose answer was recorded may be made again.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.chaos.clock import clock_jumps
from tests.chaos.faults import NotPossible, database_killed, disk_full, tables_read_only, worker_killed
from tests.chaos.object_store import network_lost, stored_world
from tests.chaos.services import DATABASE, SECOND_DAEMON, SERVED, VICTIMS, second_daemon, services_killed
from tests.chaos.trial import Fault, Trial, Undisturbed, tried, undisturbed
from tests.chaos.world import DRIFT, STUDIES, World, judge
from tests.openai_server import OpenAIServer, openai_server
from tests.postgres import LOOPBACK, PostgresServer, empty_database, own_server

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
# All studies under way at once: what is killed of the services that stay up.
SERVICES = {("served database" if victim == DATABASE else victim) + " killed": victim for victim in VICTIMS}
FAULTS = (*ON_A_DISK, DATABASE_KILLED, NETWORK_LOST, *SERVICES, SECOND_DAEMON)
ROW = "{:<22} {:<12} {:>5} {:>8}  {:>9}  {:>8}  {}"


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
        twins = undisturbed(World(Path(folder) / "undisturbed", server), chosen.studies)
        trials = list(shown(all_trials(Path(folder), server, twins, chosen)))
    print(conclusion(trials))
    return int(any(trial.harmed for trial in trials))


def shown(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Print a line for each as it ends."""
    for trial in trials:
        print(line(trial), flush=True)
        yield trial


def line(trial: Trial) -> str:
    """A trial's row."""
    said = "; ".join(trial.lost) or ("nothing" if trial.n_stopped or trial.harmed else why_not(trial))
    return ROW.format(
        trial.fault, trial.study, trial.n_times, trial.n_stopped, trial.n_in_flight, trial.n_repeated, said
    )


def why_not(trial: Trial) -> str:
    """Why a fault counts as not tried."""
    return f"not tried: {trial.refused or 'the study was done before it came'}"


def conclusion(trials: Sequence[Trial]) -> str:
    """What was lost, and last which faults were not tried."""
    n_lost = sum(trial.harmed for trial in trials)
    said = [f"{n_lost} of {len(trials)} trials lost something." if n_lost else "Nothing was lost in what was tried."]
    missed = [f"{trial.fault} ({trial.study})" for trial in trials if not trial.n_stopped and not trial.harmed]
    if missed:
        said.append(f"{len(missed)} of {len(trials)} faults were not tried: {', '.join(missed)}.")
    return "\n".join(said)


def all_trials(folder: Path, server: OpenAIServer, twins: Mapping[str, Undisturbed], chosen: Chosen) -> Iterator[Trial]:
    """Each fault on each study, in a home of its own."""

    def over_studies(name: str, fault: Fault, world: World, n_times: int) -> Iterator[Trial]:
        for study in chosen.studies:
            # An occasion of the anchor is a day: on another day there is another one.
            if study == DRIFT and fault is clock_jumps:
                continue
            trial = partial(tried, name, fault, world, study, twins[study], n_times * chosen.times, chosen.seed)
            yield from attempted(name, [study], trial)

    for name, (fault, n_times) in ON_A_DISK.items():
        if name in chosen.faults:
            yield from over_studies(name, fault, World(folder / name.replace(" ", "_"), server), n_times)
    if DATABASE_KILLED in chosen.faults:
        with database() as (postgres, url):
            world = World(folder / "database_killed", server, on_postgres(url))
            yield from over_studies(DATABASE_KILLED, database_killed(postgres), world, N_DATABASE)
    if NETWORK_LOST in chosen.faults:
        with stored_world(folder, server) as (world, store):
            yield from over_studies(NETWORK_LOST, network_lost(store), world, N_NETWORK)
    yield from services_tried(folder, server, {one: twins[one] for one in chosen.studies if one in SERVED}, chosen)


def services_tried(
    folder: Path, server: OpenAIServer, twins: Mapping[str, Undisturbed], chosen: Chosen
) -> Iterator[Trial]:
    """The faults of what stays up, as many times as asked, each in a home of its own."""
    for time_of in range(chosen.times if twins else 0):
        seed = chosen.seed + time_of
        for name, victim in SERVICES.items():
            if name in chosen.faults:
                with ExitStack() as closing:
                    postgres, url = closing.enter_context(database()) if victim == DATABASE else (None, "")
                    variables = on_postgres(url) if url else None
                    world = World(folder / f"{name.replace(' ', '_')}_{time_of}", server, variables)
                    trials = partial(services_killed, world, name, victim, twins, seed, postgres)
                    yield from attempted(name, twins, trials)
        if SECOND_DAEMON in chosen.faults and "evaluation" in twins:
            world = World(folder / f"second_daemon_{time_of}", server)
            trial = partial(second_daemon, world, twins["evaluation"])
            yield from attempted(SECOND_DAEMON, ["evaluation"], trial)


def attempted(name: str, studies: Iterable[str], trials: Callable[[], Trial | list[Trial]]) -> list[Trial]:
    """These trials of one fault; what breaks them off is a loss, and no reason to try nothing else."""
    try:
        found = trials()
        return [found] if isinstance(found, Trial) else found
    except NotPossible as reason:
        return [Trial(name, study, 0, 0, [], refused=str(reason)) for study in studies]
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return [Trial(name, study, 1, 0, [f"it did not come to its end: {said}"]) for study in studies]


@contextmanager
def database() -> Iterator[tuple[PostgresServer, str]]:
    """A Postgres that can be killed, and the address of an empty database on it."""
    # Unlike in other tests a commit is on its way to the disk before it is answered: that is what is tried.
    with own_server(f"{LOOPBACK} -c fsync=off") as postgres, empty_database(postgres.url) as url:
        yield postgres, url


def on_postgres(url: str) -> dict[str, str]:
    """Ledger, votes and Dagster's own storage in one database."""
    from resources.runtime.home import CHECKOUT

    instance = CHECKOUT / "deploy" / "postgres" / "dagster.yaml"
    return {"TOUCHSTONE_DATABASE_URL": url, "TOUCHSTONE_DAGSTER_YAML": str(instance)}


if __name__ == "__main__":
    sys.exit(main())
