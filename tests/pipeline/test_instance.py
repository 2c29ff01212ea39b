"""Dagster's instance of a home: set up once, and cleared of runs that a kill left behind."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from pipeline.instance import HOST, PROCESS, open_instance, prepare_instance, report_killed_runs, this_process
from resources.errors import UserError
from resources.home import CHECKOUT, Home, touchstone_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    return touchstone_home()


def started(instance: dg.DagsterInstance, tags: dict[str, str]) -> str:
    """The id of a run that Dagster takes for running."""

    @dg.job
    def anything() -> None: ...

    run = instance.create_run_for_job(anything, tags=tags, status=dg.DagsterRunStatus.STARTED)
    return run.run_id


def status_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def process_that_ended() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_instance_lies_in_the_home_with_the_projects_settings(home: Home) -> None:
    with open_instance(home) as instance:
        assert Path(instance.root_directory) == home.dagster
        assert os.environ["DAGSTER_HOME"] == str(home.dagster)
        assert not instance.telemetry_enabled
    assert (home.dagster / "dagster.yaml").read_bytes() == (CHECKOUT / "dagster.yaml").read_bytes()
    assert not list(home.dagster.glob("*.new"))


def test_settings_that_a_user_changed_stay(home: Home) -> None:
    prepare_instance(home)
    (home.dagster / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    prepare_instance(home)
    assert (home.dagster / "dagster.yaml").read_text() == "telemetry:\n  enabled: false\n"


def test_a_home_of_another_study_is_refused_before_anything_is_made(home: Home) -> None:
    home.claim("other")
    with pytest.raises(UserError, match="holds the study 'other', not 'sample'"):
        prepare_instance(home)
    assert not home.dagster.exists()


def test_a_run_whose_process_was_killed_is_marked_failed(instance: dg.DagsterInstance) -> None:
    run = started(instance, {HOST: socket.gethostname(), PROCESS: str(process_that_ended())})
    report_killed_runs(instance)
    assert status_of(instance, run) == dg.DagsterRunStatus.FAILURE


@pytest.mark.parametrize(
    "tags",
    [this_process(), {HOST: "another machine", PROCESS: "1"}, {}],
    ids=["alive", "on another machine", "started by the UI"],
)
def test_other_runs_are_left_alone(instance: dg.DagsterInstance, tags: dict[str, str]) -> None:
    run = started(instance, tags)
    report_killed_runs(instance)
    assert status_of(instance, run) == dg.DagsterRunStatus.STARTED


def test_a_killed_run_gives_its_place_in_a_pool_back_and_a_living_one_keeps_it(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    storage = sqlite_instance.event_log_storage
    killed = started(sqlite_instance, {HOST: socket.gethostname(), PROCESS: str(process_that_ended())})
    alive = started(sqlite_instance, this_process())
    for pool, run in (("gpu", killed), ("report", alive)):
        storage.initialize_concurrency_limit_to_default(pool)
        assert storage.claim_concurrency_slot(pool, run, "step").is_claimed
    report_killed_runs(sqlite_instance)
    assert storage.claim_concurrency_slot("gpu", "another run", "step").is_claimed
    assert not storage.claim_concurrency_slot("report", "another run", "step").is_claimed
