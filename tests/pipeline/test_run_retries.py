"""Dagster starts a run again that a killed worker ended, and none that a step's own error ended."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._daemon.auto_run_reexecution.event_log_consumer import EventLogConsumerDaemon
from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import QueuedRunCoordinatorDaemon

from pipeline.instance import NOT_AGAIN, end_unfinished_backfills, end_unfinished_runs, this_process
from resources.runtime.home import CHECKOUT
from tests.pipeline import killed_work
from tests.pipeline.ticks import code_location

pytestmark = pytest.mark.slow

LONG_S = 120.0
WILL_RETRY = "dagster/will_retry"
AGAIN = {"enabled": True, "max_retries": 2, "retry_on_asset_or_op_failure": False}


class Daemon:
    """A real code server, and the daemon's two parts that retries need, turn by turn."""

    def __init__(self, context: WorkspaceProcessContext) -> None:
        self.context, self.instance = context, context.instance
        self.retries, self.queue = EventLogConsumerDaemon(), QueuedRunCoordinatorDaemon(interval_seconds=1)
        self.turn()

    def turn(self) -> None:
        for part in (self.retries, self.queue):
            for problem in part.run_iteration(self.context):
                assert problem is None, problem

    def submitted(self, job_name: str) -> str:
        """The id of a run as the UI submits it."""
        request = self.context.create_request_context()
        [location] = request.code_locations
        job = next(iter(location.get_repositories().values())).get_full_job(job_name)
        run = self.instance.create_run_for_job(
            killed_work.definitions.resolve_job_def(job_name),
            remote_job_origin=job.get_remote_origin(),
            job_code_origin=job.get_python_origin(),
        )
        self.instance.submit_run(run.run_id, request)
        self.turn()
        return run.run_id

    def ended(self, run_id: str) -> dg.DagsterRun:
        """The run once it is over, and Dagster has written down whether it starts it again."""
        wait_until(lambda: self.run(run_id).is_finished)
        wait_until(lambda: self.run(run_id).is_success or WILL_RETRY in self.run(run_id).tags)
        return self.run(run_id)

    def run(self, run_id: str) -> dg.DagsterRun:
        run = self.instance.get_run_by_id(run_id)
        assert run is not None
        return run


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.05)


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    monkeypatch.setenv(killed_work.PROCESS, str(tmp_path / "process"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    with code_location(tmp_path / "dagster", Path(killed_work.__file__), "definitions") as context:
        yield Daemon(context)


def test_a_run_whose_worker_was_killed_is_started_again_and_one_that_refused_its_input_is_not(
    daemon: Daemon, tmp_path: Path
) -> None:
    first = daemon.submitted("killed")
    wait_until((tmp_path / "process").exists)
    os.kill(int((tmp_path / "process").read_text()), signal.SIGKILL)
    assert daemon.ended(first).status == dg.DagsterRunStatus.FAILURE
    assert daemon.run(first).tags[WILL_RETRY] == "true"
    daemon.turn()
    [again] = daemon.instance.get_runs(dg.RunsFilter(tags={"dagster/parent_run_id": first}))
    assert daemon.ended(again.run_id).status == dg.DagsterRunStatus.SUCCESS
    assert len(daemon.instance.fetch_materializations(dg.AssetKey("made_before"), limit=5).records) == 1

    refused = daemon.submitted("refused")
    assert daemon.ended(refused).status == dg.DagsterRunStatus.FAILURE
    assert daemon.run(refused).tags[WILL_RETRY] == "false"
    daemon.turn()
    assert {run.run_id for run in daemon.instance.get_runs()} == {first, again.run_id, refused}


@pytest.mark.parametrize("file", ["dagster.yaml", "deploy/postgres/dagster.yaml"])
def test_only_faults_of_the_infrastructure_are_tried_again(file: str) -> None:
    assert yaml.safe_load((CHECKOUT / file).read_text())["run_retries"] == AGAIN


def test_the_chart_says_the_same() -> None:
    chart = yaml.safe_load((CHECKOUT / "deploy/k8s/values.yaml").read_text())["dagsterDaemon"]["runRetries"]
    assert chart == {"enabled": True, "maxRetries": 2, "retryOnAssetOrOpFailure": False}


def test_what_a_restore_or_a_command_leaves_unfinished_is_not_started_again(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    @dg.job
    def anything() -> None: ...

    assert this_process().items() >= NOT_AGAIN.items()
    run = sqlite_instance.create_run_for_job(anything, status=dg.DagsterRunStatus.STARTED)
    assert end_unfinished_runs(sqlite_instance, "It was under way.") == 1
    ended = sqlite_instance.get_run_by_id(run.run_id)
    assert ended is not None
    assert (ended.status, ended.tags[WILL_RETRY]) == (dg.DagsterRunStatus.FAILURE, "false")


def test_a_backfill_that_was_not_over_when_it_was_backed_up_launches_nothing(
    sqlite_instance: dg.DagsterInstance,
) -> None:
    for name in ("REQUESTED", "CANCELING", "COMPLETED_SUCCESS"):
        sqlite_instance.add_backfill(
            PartitionBackfill(
                backfill_id=name,
                status=BulkActionStatus[name],
                from_failure=False,
                tags={},
                backfill_timestamp=0.0,
                asset_selection=[dg.AssetKey("judge_calls")],
            )
        )
    assert end_unfinished_backfills(sqlite_instance) == 2
    statuses = {one.backfill_id: one.status.value for one in sqlite_instance.get_backfills()}
    over = "COMPLETED_SUCCESS"
    assert statuses == {"REQUESTED": "CANCELED", "CANCELING": "CANCELED", over: over}
