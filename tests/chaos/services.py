"""`touchstone serve` over a world: its daemon, its code server and its runs, which are killed and come back."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import psutil
import yaml

from pipeline.automation import partitions_between
from resources.runtime.home import CHECKOUT
from tests.chaos.stored import differing
from tests.chaos.trial import Trial, Undisturbed
from tests.chaos.world import TABLES_OF, World
from tests.deploy.configured_study import touchstone
from tests.deploy.test_postgres import LAUNCH, PATIENCE_S, Installation, free_ports, listens, until
from tests.pipeline.week_inputs import METHODS
from tests.postgres import PostgresServer

DAEMON, CODE_SERVER, WORKERS, DATABASE = VICTIMS = ("daemon", "code server", "runs", "database")
SECOND_DAEMON = "second daemon"
REFUSED = 2
# Data sets are found by the sensor `new_datasets`, which is on; the others are launched.
JOBS: dict[str, dict[str, str]] = {
    "fidelity": partitions_between("t0.2_p1.0", "t0.2_p0.9"),
    "pairwise": partitions_between(METHODS[0], METHODS[-1]),
    "reliability": {},
}
SERVED = (*JOBS, "evaluation")
RUNS = "{ runsOrError(limit: 100) { ... on Runs { results { jobName status tags { key value } } } } }"
OVER = ("SUCCESS", "FAILURE", "CANCELED")
# Dagster looks every two minutes whether a run's worker lives; a trial does not wait so long.
LOOKS_EVERY_S = 2
AWAY_S = 5
SETTINGS = "TOUCHSTONE_DAGSTER_YAML"


def second_daemon(world: World, twin: Undisturbed) -> Trial:
    """Another `touchstone serve` on the same home is refused, and the files in the inbox start one run each."""
    prepare(world)
    lost = []
    with serving(world) as running:
        web, code = free_ports()
        with started(world, web, code) as (second, said):
            until(lambda: second.poll() is not None, "the second daemon's end")
        if second.returncode != REFUSED or "There is a daemon" not in said.read_text():
            lost.append(f"the second daemon was not refused: {said.read_text()}")
        at_work = bool(differing(world.tables("evaluation"), twin.tables))
        until(lambda: not differing(world.tables("evaluation"), twin.tables) and settled(running), "the evaluation")
        begun = Counter(
            tag["value"]
            for run in runs(running)
            for tag in run["tags"]
            if run["jobName"] == "evaluation" and tag["key"] == "dagster/partition"
        )
    lost += [f"{n} runs for {dataset}" for dataset, n in begun.items() if n != 1] + world.lost_files("evaluation")
    return Trial(SECOND_DAEMON, "evaluation", 1, int(at_work), lost)


def services_killed(
    world: World, name: str, victim: str, twins: Mapping[str, Undisturbed], seed: int, postgres: PostgresServer | None
) -> list[Trial]:
    """All studies under way at once when the victim is killed; then what was killed comes back.

    What the daemon then starts by itself runs to its end before `touchstone run` does the rest.

    Args:
        world: Nobody else uses it.
        name: Of the fault.
        victim: One of `VICTIMS`.
        twins: Each study that is to be under way, undisturbed.
        seed: Of the moment.
        postgres: The world's database, where that is the victim.
    """
    prepare(world)
    for study in twins:
        world.make_ready(study)
    chance = random.Random(f"{name} {seed}")
    before, enough = world.written(), chance.randint(1, sum(len(TABLES_OF[study]) for study in twins) - 1)
    with serving(world) as first:
        for job in (job for job in JOBS if job in twins):
            launch(first, job, JOBS[job])
        until(lambda: len(world.written() - before) >= enough, f"table {enough}")
        # What is recorded by now has to be there afterwards.
        world.finished_calls()
        if postgres is not None:
            postgres.kill()
            time.sleep(AWAY_S)
            postgres.start()
        else:
            kill_victim(first, victim)
        if victim in (DAEMON, CODE_SERVER):
            until(lambda: first.script.poll() is not None, "the end of what was started with it")
        stopped = unlike(world, twins)
        world.finished_calls()
        recorded, asked = frozenset(world.recorded), set(world.asked())
        since = len(world.asked())
        if victim == WORKERS:
            # The daemon starts them again by itself.
            until(lambda: not unlike(world, twins) and settled(first), "the end of the runs that were started again")
        if victim == DATABASE:
            until(lambda: first.script.poll() is not None or settled(first), "the end of all runs")
        ended = first.script.poll() is not None
    if ended:
        with serving(world) as second:
            until(lambda: settled(second), "the end of all runs")
    codes = {study: world.run(study) for study in twins}
    again = world.asked(since)
    trials = []
    for study, twin in twins.items():
        lost = [*differing(world.tables(study), twin.tables), *world.lost_files(study)]
        if codes[study]:
            lost.append(f"exit code {codes[study]}, not 0: see {study}.log")
        if twin.calls:
            lost += [f"recorded call {one}" for one in world.recorded - world.finished_calls()]
        repeated = sum(one in recorded for one in again) if twin.calls else 0
        in_flight = sum(one in asked - recorded for one in again) if twin.calls else 0
        trials.append(Trial(name, study, 1, int(study in stopped), lost, repeated, in_flight))
    return trials


def unlike(world: World, twins: Mapping[str, Undisturbed]) -> set[str]:
    """The studies whose tables are not those of an undisturbed run."""
    return {study for study, twin in twins.items() if differing(world.tables(study), twin.tables)}


def prepare(world: World) -> None:
    """Settings of the instance as usual, but for how often the daemon looks after runs."""
    usual = Path(world.variables.get(SETTINGS, CHECKOUT / "dagster.yaml"))
    settings = yaml.safe_load(usual.read_text())
    settings["run_monitoring"] |= {"poll_interval_seconds": LOOKS_EVERY_S, "free_slots_after_run_end_seconds": 1}
    path = world.folder / "dagster.yaml"
    path.write_text(yaml.safe_dump(settings))
    world.variables[SETTINGS] = str(path)


@contextmanager
def serving(world: World) -> Iterator[Installation]:
    """The three processes, until the block ends; they may have ended before."""
    web, code = free_ports()
    with started(world, web, code) as (script, said):
        until(lambda: "stops all three" in said.read_text() or script.poll() is not None, "the start")
        if script.poll() is not None:
            raise RuntimeError(said.read_text())
        until(lambda: listens(web), "the web UI")
        yield Installation(script, world.home, said, f"http://127.0.0.1:{web}")


@contextmanager
def started(world: World, web: int, code: int) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """`touchstone serve` on these ports and what it says, until the block ends."""
    said = world.folder / f"served_{web}.log"
    with said.open("wb") as words:
        script = subprocess.Popen(
            [touchstone(), "serve", "--port", str(web), "--code-port", str(code)],
            env=world.environment,
            stdout=words,
            stderr=words,
        )
    try:
        yield script, said
    finally:
        if script.poll() is None:
            family = psutil.Process(script.pid).children(recursive=True)
            script.send_signal(signal.SIGTERM)
            try:
                script.wait(timeout=PATIENCE_S)
            finally:
                if script.poll() is None:
                    for one in (psutil.Process(script.pid), *family):
                        if one.is_running():
                            one.kill()


def launch(running: Installation, job: str, tags: dict[str, str]) -> str:
    """The id of a run, put into the queue as the UI does."""
    selector = {"repositoryName": "__repository__", "repositoryLocationName": "touchstone", "jobName": job}
    named = [{"key": key, "value": value} for key, value in tags.items()]
    params = {"selector": selector, "runConfigData": {}, "executionMetadata": {"tags": named}}
    answer = running.ask(LAUNCH, params=params)["launchRun"]
    if answer["__typename"] != "LaunchRunSuccess":
        raise RuntimeError(json.dumps(answer))
    return str(answer["run"]["runId"])


def runs(running: Installation) -> list[dict[str, Any]]:
    """Job, status and tags of each run, the newest first."""
    found: list[dict[str, Any]] = running.ask(RUNS)["runsOrError"]["results"]
    return found


def settled(running: Installation) -> bool:
    """Whether every run is over, as far as the web UI can say: while its database is away it cannot."""
    try:
        return all(one["status"] in OVER for one in runs(running))
    except HTTPError:
        return False


def kill_victim(running: Installation, victim: str) -> None:
    """SIGKILL to the daemon, to the code server without its runs, or to all runs under way, once there is one."""
    if victim == DAEMON:
        os.kill(running.processes()["daemon"], signal.SIGKILL)
        return
    server = psutil.Process(running.processes()["code server"])
    if victim == WORKERS:
        until(lambda: any(is_worker(one) for one in server.children(recursive=True)), "a run under way")
    family = server.children(recursive=True)
    workers = [one for one in family if is_worker(one)]
    below = {child.pid for worker in workers for child in worker.children(recursive=True)}
    chosen = workers if victim == WORKERS else [server, *(one for one in family if one not in workers)]
    for one in chosen:
        if one.pid not in below and one.is_running():
            one.kill()


def is_worker(process: psutil.Process) -> bool:
    """Whether a process executes a run."""
    try:
        return any("spawn_main" in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return False
