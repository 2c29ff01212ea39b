"""`touchstone serve` over a world: its daemon, its code server and its runs, which are killed and come back."""

import json
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psutil
import yaml

from pipeline.automation import settings_between
from resources.home import CHECKOUT
from tests.chaos.trial import Trial, Undisturbed
from tests.chaos.world import STUDIES, World, differing
from tests.deploy.configured_study import touchstone
from tests.deploy.test_postgres import LAUNCH, PATIENCE_S, Installation, free_ports, listens, until
from tests.pipeline.week_inputs import METHODS

VICTIMS = ("daemon", "code server", "runs")
SECOND_DAEMON = "second daemon"
REFUSED = 2
# Data sets are found by the sensor `new_datasets`, which is on; the others are launched.
JOBS: dict[str, dict[str, str]] = {
    "fidelity": settings_between("t0.2_p1.0", "t0.2_p0.9"),
    "pairwise": settings_between(METHODS[0], METHODS[-1]),
    "reliability": {},
}
RUNS = "{ runsOrError(limit: 100) { ... on Runs { results { jobName status tags { key value } } } } }"
OVER = ("SUCCESS", "FAILURE", "CANCELED")
# Dagster looks every two minutes whether a run's worker lives; a trial does not wait so long.
LOOKS_EVERY_S = 2


def services_tried(world: World, name: str, twins: Mapping[str, Undisturbed], seed: int) -> Iterator[Trial]:
    """The trials of one of these faults by its name: a victim that is killed, or a second daemon."""
    if name == SECOND_DAEMON:
        yield second_daemon(world, twins["evaluation"])
    else:
        yield from services_killed(world, name.removesuffix(" killed"), twins, seed)


def second_daemon(world: World, twin: Undisturbed) -> Trial:
    """Another `touchstone serve` on the same home is refused, and the files in the inbox start one run each."""
    prepare(world)
    lost = []
    with serving(world) as running:
        web, code = free_ports()
        command = [touchstone(), "serve", "--port", str(web), "--code-port", str(code)]
        second = subprocess.run(command, env=world.environment, capture_output=True, text=True, timeout=PATIENCE_S)
        if second.returncode != REFUSED or "There is a daemon" not in second.stderr:
            lost.append(f"the second daemon was not refused: {second.stderr}")
        until(lambda: not differing(world.tables("evaluation"), twin.tables) and settled(running), "the evaluation")
        started = Counter(
            tag["value"]
            for run in runs(running)
            for tag in run["tags"]
            if run["jobName"] == "evaluation" and tag["key"] == "dagster/partition"
        )
    lost += [f"{n} runs for {dataset}" for dataset, n in started.items() if n != 1]
    return Trial(SECOND_DAEMON, "evaluation", 1, 0, lost, 0, 0)


def services_killed(world: World, victim: str, twins: Mapping[str, Undisturbed], seed: int) -> Iterator[Trial]:
    """All four studies under way at once when the victim is killed; then what was killed comes back.

    What the daemon then starts by itself runs to its end before `touchstone run` does the rest.

    Args:
        world: Nobody else uses it.
        victim: One of `VICTIMS`.
        twins: Each study undisturbed.
        seed: Of the moment.
    """
    prepare(world)
    chance = random.Random(f"{victim} {seed}")
    with serving(world) as first:
        for job, tags in JOBS.items():
            launch(first, job, tags)
        enough = chance.randint(1, sum(len(twin.tables) for twin in twins.values()) - 1)
        until(lambda: n_tables(world) >= enough, f"table {enough}")
        kill_victim(first, victim)
        if victim != "runs":
            until(lambda: first.script.poll() is not None, "the end of what was started with it")
        stopped = unlike(world, twins)
        recorded, asked = world.finished_calls(), set(world.asked())
        since = len(world.asked())
        if victim == "runs":
            # The daemon starts them again by itself.
            until(lambda: not unlike(world, twins) and settled(first), "the end of the runs that were started again")
    if victim != "runs":
        with serving(world) as second:
            until(lambda: settled(second), "the end of all runs")
    codes = {study: world.run(study) for study in STUDIES}
    again = world.asked(since)
    for study, twin in twins.items():
        lost = differing(world.tables(study), twin.tables)
        if codes[study] != twin.exit_code:
            lost.append(f"exit code {codes[study]}, not {twin.exit_code}: see {study}.log")
        if twin.calls:
            lost += [f"recorded call {one}" for one in recorded - world.finished_calls()]
        repeated = sum(one in recorded for one in again) if twin.calls else 0
        in_flight = sum(one in asked - recorded for one in again) if twin.calls else 0
        yield Trial(f"{victim} killed", study, 1, int(study in stopped), lost, repeated, in_flight)


def unlike(world: World, twins: Mapping[str, Undisturbed]) -> set[str]:
    """The studies whose tables are not those of an undisturbed run."""
    return {study for study in STUDIES if differing(world.tables(study), twins[study].tables)}


def n_tables(world: World) -> int:
    """How many tables are stored."""
    return sum(len(world.tables(study)) for study in STUDIES)


def prepare(world: World) -> None:
    """Settings of the instance as the root's, but for how often the daemon looks after runs."""
    settings = yaml.safe_load((CHECKOUT / "dagster.yaml").read_text())
    settings["run_monitoring"] |= {"poll_interval_seconds": LOOKS_EVERY_S, "free_slots_after_run_end_seconds": 1}
    path = world.folder / "dagster.yaml"
    path.write_text(yaml.safe_dump(settings))
    world.variables["TOUCHSTONE_DAGSTER_YAML"] = str(path)


@contextmanager
def serving(world: World) -> Iterator[Installation]:
    """The three processes, until the block ends; they may have ended before."""
    web, code = free_ports()
    said = world.folder / f"served_{web}.log"
    with said.open("wb") as words:
        script = subprocess.Popen(
            [touchstone(), "serve", "--port", str(web), "--code-port", str(code)],
            env=world.environment,
            stdout=words,
            stderr=words,
        )
    running = Installation(script, world.home, said, f"http://127.0.0.1:{web}")
    try:
        until(lambda: "stops all three" in said.read_text() or script.poll() is not None, "the start")
        if script.poll() is not None:
            raise RuntimeError(said.read_text())
        until(lambda: listens(web), "the web UI")
        yield running
    finally:
        if script.poll() is None:
            script.send_signal(signal.SIGTERM)
        script.wait(timeout=PATIENCE_S)


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
    """Whether every run is over."""
    return all(one["status"] in OVER for one in runs(running))


def kill_victim(running: Installation, victim: str) -> None:
    """SIGKILL to the daemon, to the code server without its runs, or to all runs under way."""
    if victim == "daemon":
        os.kill(running.processes()["daemon"], signal.SIGKILL)
        return
    server = psutil.Process(running.processes()["code server"])
    family = server.children(recursive=True)
    workers = [one for one in family if is_worker(one)]
    below = {child.pid for worker in workers for child in worker.children(recursive=True)}
    chosen = workers if victim == "runs" else [server, *(one for one in family if one not in workers)]
    for one in chosen:
        if one.pid not in below and one.is_running():
            one.kill()


def is_worker(process: psutil.Process) -> bool:
    """Whether a process executes a run."""
    try:
        return any("spawn_main" in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return False
