"""A place in a pool that a run of another host, container or a re-used number has: freed, or named with the remedy."""

import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from pipeline import pool_waits
from pipeline.command_line.main import application
from pipeline.instance import HOST, PROCESS, START, open_instance, report_killed_runs, this_process
from pipeline.pool_waits import end_named_run, waits_of_this_process, waits_said
from resources.errors import UserError
from resources.runtime.home import touchstone_home
from tests.pipeline.test_instance import process_that_ended, started, status_of

POOL = "fidelity_report"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_waits, "LOOKS_EVERY_S", 0.02)


@dg.op(pool=POOL)
def write() -> int:
    return 1


@dg.job
def report() -> None:
    write()


def holds_the_place(instance: dg.DagsterInstance, tags: dict[str, str]) -> str:
    run = started(instance, tags)
    instance.event_log_storage.initialize_concurrency_limit_to_default(POOL)
    assert instance.event_log_storage.claim_concurrency_slot(POOL, run, "step").is_claimed
    return run


def of_another_host(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(socket, "gethostname", lambda: "box-2")
        return this_process()


def run_beside(instance: dg.DagsterInstance, said: list[str], meanwhile: Callable[[], object]) -> bool:
    """Whether a run that waits for the place succeeds once `meanwhile` is done after its first words."""

    def after_the_first_words() -> None:
        deadline = time.monotonic() + 30
        while not said and time.monotonic() < deadline:
            time.sleep(0.01)
        meanwhile()

    helper = threading.Thread(target=after_the_first_words)
    helper.start()
    with waits_said(instance, said.append):
        done = report.execute_in_process(instance=instance, tags=this_process(), raise_on_error=False)
    helper.join()
    return done.success


def test_a_database_that_is_gone_ends_no_look_with_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([RuntimeError("too many retries for DB connection"), "Waiting."])

    def waits(_instance: object) -> list[str]:
        if isinstance(found := next(looks, "Waiting."), RuntimeError):
            raise found
        return [found]

    monkeypatch.setattr(pool_waits, "waits_of_this_process", waits)
    monkeypatch.setattr(pool_waits, "report_killed_runs", lambda _instance: None)
    said = threading.Event()
    with dg.DagsterInstance.ephemeral() as instance, waits_said(instance, lambda _words: said.set()):
        assert said.wait(30)


def test_a_run_that_waits_names_the_holder_on_another_host_and_the_command_that_frees_it(
    sqlite_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = holds_the_place(sqlite_instance, of_another_host(monkeypatch))
    report_killed_runs(sqlite_instance)  # what every command does first leaves another host's run alone
    said: list[str] = []
    assert run_beside(sqlite_instance, said, lambda: end_named_run(sqlite_instance, holder[:8]))
    [words] = said
    for part in (f"pool {POOL}", f"Run {holder[:8]}", f"process {os.getpid()} on host box-2", "Ctrl+C"):
        assert part in words
    assert f"`touchstone end-run {holder[:8]}` frees it" in words
    assert status_of(sqlite_instance, holder) == dg.DagsterRunStatus.FAILURE


def test_a_place_of_a_run_whose_number_another_process_has_by_now_is_free_without_a_wait(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    boot, table, ticks = this_process()[START].split()
    reused = this_process() | {START: f"{boot} {table} {int(ticks) - 1}"}
    holder = holds_the_place(sqlite_instance, reused)
    report_killed_runs(sqlite_instance)
    assert status_of(sqlite_instance, holder) == dg.DagsterRunStatus.FAILURE
    assert sqlite_instance.event_log_storage.claim_concurrency_slot(POOL, "another run", "step").is_claimed


@pytest.mark.slow
def test_a_place_of_a_run_that_is_killed_during_the_wait_is_freed_without_a_person(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    holder = holds_the_place(sqlite_instance, this_process() | {PROCESS: str(process_that_ended()), START: ""})
    said: list[str] = []
    with waits_said(sqlite_instance, said.append):
        assert report.execute_in_process(instance=sqlite_instance, tags=this_process()).success
    assert status_of(sqlite_instance, holder) == dg.DagsterRunStatus.FAILURE
    assert said == []


@pytest.mark.slow
def test_a_run_in_another_container_with_the_same_host_name_and_number_is_named_not_ended(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    boot, _, ticks = this_process()[START].split()
    holder = holds_the_place(sqlite_instance, this_process() | {START: f"{boot} pid:[7] {ticks}"})
    report_killed_runs(sqlite_instance)
    assert status_of(sqlite_instance, holder) == dg.DagsterRunStatus.STARTED
    said: list[str] = []
    assert run_beside(sqlite_instance, said, lambda: end_named_run(sqlite_instance, holder))
    assert holder[:8] in said[0]


@pytest.mark.slow
def test_a_holder_that_the_web_ui_started_is_named_as_that(sqlite_instance: dg.DagsterInstance) -> None:
    holder = holds_the_place(sqlite_instance, {})
    said: list[str] = []
    assert run_beside(sqlite_instance, said, lambda: end_named_run(sqlite_instance, holder))
    assert "started by the web UI, a schedule or a sensor" in said[0]


def test_waits_of_other_processes_are_not_ours(
    sqlite_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds_the_place(sqlite_instance, this_process())
    elsewhere = started(sqlite_instance, of_another_host(monkeypatch))
    assert not sqlite_instance.event_log_storage.claim_concurrency_slot(POOL, elsewhere, "step").is_claimed
    assert waits_of_this_process(sqlite_instance) == []


def test_the_command_ends_a_run_of_another_host_and_refuses_one_that_lives_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_HOME", "")
    with open_instance(touchstone_home()) as instance:
        there, here = started(instance, of_another_host(monkeypatch)), started(instance, this_process())
    done = CliRunner().invoke(application, ["end-run", there[:8]])
    assert done.exit_code == 0, done.exception
    assert f"Run {there[:8]} (anything, of process {os.getpid()} on host box-2) is marked as failed" in done.output
    for named, said in ((here, f"`kill {os.getpid()}` ends it"), (there, "No run that is under way"), ("", here[:8])):
        refused = CliRunner().invoke(application, ["end-run", named])
        assert isinstance(refused.exception, UserError)
        assert said in str(refused.exception)


def test_a_run_of_before_without_a_start_is_judged_by_its_number_alone(instance: dg.DagsterInstance) -> None:
    alive = started(instance, {HOST: socket.gethostname(), PROCESS: str(os.getpid())})
    report_killed_runs(instance)
    assert status_of(instance, alive) == dg.DagsterRunStatus.STARTED
