"""Places in pools: which run has the one that a run of this process waits for, said aloud, and how it is freed."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import dagster as dg
import sqlalchemy.orm  # noqa: F401 - whole before the thread begins: loaded by two threads at once it is found half loaded

from pipeline.instance import HOST, PROCESS, UNFINISHED, end_run, has_a_process, lives, report_killed_runs, this_process
from resources.errors import UserError

LOOKS_EVERY_S = 1.0
SHORT = 8  # characters of a run's id, as the UI shows it
OVER = "`touchstone end-run` marked this run as over. Run again: finished calls are kept."


@contextmanager
def waits_said(instance: dg.DagsterInstance, say: Callable[[str], object]) -> Iterator[None]:
    """While runs of this process wait for a place in a pool, say once who has it; places of killed runs are freed."""
    over = threading.Event()

    def look() -> None:
        said: set[str] = set()
        while not over.wait(LOOKS_EVERY_S):
            # A database that does not answer, in whatever exception, ends the run itself, with words of its own.
            with suppress(Exception):
                if waits_of_this_process(instance):
                    report_killed_runs(instance)
                    for words in waits_of_this_process(instance):
                        if words not in said:
                            said.add(words)
                            say(words)

    looking = threading.Thread(target=look, name="waits for pools", daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def waits_of_this_process(instance: dg.DagsterInstance) -> list[str]:
    """For what the steps of this process's runs wait in pools, in words for each run that has a place."""
    storage, ours = instance.event_log_storage, this_process().items()
    if not storage.supports_global_concurrency_limits:
        return []
    waits: list[str] = []
    for pool in sorted(storage.get_concurrency_keys()):
        places = storage.get_concurrency_info(pool)
        waiting = [run for name in sorted(places.pending_run_ids) if (run := instance.get_run_by_id(name)) is not None]
        if not any(run.tags.items() >= ours for run in waiting):
            continue
        holders = [run for name in sorted(places.active_run_ids) if (run := instance.get_run_by_id(name)) is not None]
        waits += [f"Waiting for a place in pool {pool}. {_held_by(run)}" for run in holders]
    return waits


def _held_by(run: dg.DagsterRun) -> str:
    free = f"If that run is over, `touchstone end-run {run.run_id[:SHORT]}` frees it."
    return f"Run {run.run_id[:SHORT]} has it, {_whose(run)}. {free} Ctrl+C ends the wait; nothing is lost."


def _whose(run: dg.DagsterRun) -> str:
    if not has_a_process(run):
        return "started by the web UI, a schedule or a sensor"
    return f"of process {run.tags[PROCESS]} on host {run.tags.get(HOST, 'unknown')}"


def end_named_run(instance: dg.DagsterInstance, named: str) -> str:
    """Mark a run as failed that is over and could not say so, and free its places in pools.

    Returns:
        What was done, in one sentence.

    Raises:
        UserError: No unfinished run has this id, several begin so, or its process lives on this machine.
    """
    unfinished = instance.get_runs(dg.RunsFilter(statuses=UNFINISHED))
    found = [run for run in unfinished if named and run.run_id.startswith(named)]
    if len(found) != 1:
        known = "; ".join(f"{run.run_id[:SHORT]} ({run.job_name}, {_whose(run)})" for run in unfinished) or "none"
        said = f"Several runs begin with '{named}'." if found else f"No run that is under way begins with '{named}'."
        raise UserError(f"{said} Under way: {known}.")
    [run] = found
    if lives(run):
        process = run.tags[PROCESS]
        raise UserError(
            f"Run {run.run_id[:SHORT]} is under way on this machine, as process {process}. `kill {process}` ends it; "
            "the next command then frees its places."
        )
    end_run(instance, run, OVER)
    return f"Run {run.run_id[:SHORT]} ({run.job_name}, {_whose(run)}) is marked as failed, and its places are free."
