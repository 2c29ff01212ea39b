"""Dagster's instance in the home: the one that the UI, the command line and schedules share."""

import os
import shutil
import socket

import dagster as dg
import sqlalchemy as sa

from resources.configuration.load import load_configuration
from resources.errors import UserError
from resources.home import CHECKOUT, Home

HOST, PROCESS = "touchstone/host", "touchstone/process"


def prepare_instance(home: Home) -> None:
    """Make DAGSTER_HOME with the root's dagster.yaml and name it to this process and its children.

    Raises:
        UserError: The home holds another study.
    """
    if set(str(home.dagster)) & set("?#%"):
        raise UserError(
            f"Dagster cannot keep its state below {home.local}: choose a home without ?, # and % in its path."
        )
    home.claim(load_configuration(home).study)
    home.dagster.mkdir(parents=True, exist_ok=True)
    if not (home.dagster / "dagster.yaml").exists():
        # Beside its place first: a daemon may read it at any moment.
        shutil.copyfile(CHECKOUT / "dagster.yaml", home.dagster / "dagster.yaml.new")
        (home.dagster / "dagster.yaml.new").replace(home.dagster / "dagster.yaml")
    os.environ["DAGSTER_HOME"] = str(home.dagster)


def open_instance(home: Home) -> dg.DagsterInstance:
    """The instance of this home; use it as a context manager."""
    prepare_instance(home)
    try:
        instance = dg.DagsterInstance.get()
        report_killed_runs(instance)
    except sa.exc.DatabaseError as problem:
        if "full" in str(problem.orig):
            raise UserError(
                f"{home.dagster} cannot be written ({problem.orig}). Make room, or set TOUCHSTONE_HOME to another disk."
            ) from problem
        raise UserError(
            f"Dagster's own state in {home.dagster} is damaged ({problem.orig}). Move that folder away: tables and "
            "ledger are not in it, and the next run makes it anew."
        ) from problem
    return instance


def this_process() -> dict[str, str]:
    """Run tags by which a later process can see whether this one still lives."""
    return {HOST: socket.gethostname(), PROCESS: str(os.getpid())}


def report_killed_runs(instance: dg.DagsterInstance) -> None:
    """Mark runs whose process was killed as failed: Dagster cannot see it and would count them as running for ever.

    Places in pools that ended runs did not give back are free again: a step would wait for them for ever.
    """
    started = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED], tags={HOST: socket.gethostname()})
    for run in instance.get_runs(started):
        if not _lives(int(run.tags[PROCESS])):
            instance.report_run_failed(run, "The process of this run was killed. Run again: finished calls are kept.")
    _free_places(instance)


def _free_places(instance: dg.DagsterInstance) -> None:
    """Give back the places in pools of runs that are over."""
    for run_id in instance.event_log_storage.get_concurrency_run_ids():
        holder = instance.get_run_by_id(run_id)
        if holder is None or holder.is_finished:
            instance.event_log_storage.free_concurrency_slots_for_run(run_id)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
