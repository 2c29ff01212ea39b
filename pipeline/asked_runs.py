"""Runs that sensors asked for: for which content each was, and whether one that failed is asked for again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from pipeline.automation import ASKING, JUDGMENTS
from pipeline.step_errors import class_names, error_chain
from resources.errors import DatabaseUnusable, UserError
from resources.runtime.file_hash import digest_of

if TYPE_CHECKING:
    from resources.runtime.dagster_internals import AssetGraph, UnresolvedAssetJobDefinition

UNDER_WAY: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]
RUN_KEY: Final = "dagster/run_key"
NEVER: Final = ""
NOT_MADE: Final = "A run for this content was asked for, and its tables are not made."


@dataclass
class Asked:
    """The run that was asked for last: for which content, by which key, and on which day (UTC).

    The day is empty once it is known that no other run for this content follows.
    """

    content: str
    run_key: str
    day: str


def remembered(cursor: str | None) -> dict[str, Asked]:
    """What a sensor's cursor tells, by study or data set."""
    names = {field.name for field in fields(Asked)}
    known = json.loads(cursor or "{}").items()
    # Cursors of before had another form.
    return {name: Asked(**one) for name, one in known if isinstance(one, dict) and one.keys() == names}


def to_remember(asked: dict[str, Asked]) -> str:
    """The cursor that tells it."""
    return json.dumps({name: asdict(one) for name, one in asked.items()})


def why_not_again(instance: dg.DagsterInstance, graph: AssetGraph, asked: Asked | None, content: str) -> str | None:
    """Why no run is asked for content whose tables are not made; null where one is to be.

    A run that a machine, a disk or a day's budget ended is asked for again on another day, once a day. One that a gate,
    a bad file or a person ended is not: it would end as it did.

    Args:
        instance: Has the runs.
        graph: The tables.
        asked: The run before, where there was one; brought up to date.
        content: What a run would be for.
    """
    if asked is None or asked.content != content:
        return None
    if asked.day == str(today()):
        return f"{NOT_MADE} If a machine, a disk or a day's budget ended it, it is asked for again tomorrow (UTC)."
    if asked.day != NEVER:
        run = next(iter(instance.get_runs(dg.RunsFilter(tags={RUN_KEY: asked.run_key}), limit=1)), None)
        if run is not None and not run.is_finished:
            return "A run for this content is under way."
        if run is None or (run.status == dg.DagsterRunStatus.FAILURE and not refused(instance, graph, run)):
            return None
        asked.day = NEVER
    return f"{NOT_MADE} It would end as it did before: fix the file or touchstone.yaml, or run it by hand."


def refused(instance: dg.DagsterInstance, graph: AssetGraph, run: dg.DagsterRun) -> bool:
    """Whether nothing but gates and what the run had to read ended it."""
    records = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE).records
    events = [one.event_log_entry.dagster_event for one in records]
    return bool(events) and all(event is not None and _of_content(graph, event) for event in events)


def _of_content(graph: AssetGraph, event: dg.DagsterEvent) -> bool:
    names = {error.cls_name for error in error_chain(event.step_failure_data.error)}
    if names & {"DagsterAssetCheckFailedError", dg.Failure.__name__}:
        return True
    if event.step_key in (*ASKING, JUDGMENTS) and graph.get(dg.AssetKey(event.step_key)).automation_condition:
        # Its judge had no money left for the day, or did not answer.
        return False
    return bool(names & (class_names(UserError) - {DatabaseUnusable.__name__}))


def asked_now(name: str, content: str, last: str | None) -> Asked:
    """The run to ask for, with a key that no run has: Dagster starts one for a key ever."""
    return Asked(content, f"{name} {digest_of([content, last])}", str(today()))


def run_for(context: dg.SensorEvaluationContext, job: UnresolvedAssetJobDefinition, name: str) -> dg.SensorResult:
    """The run of a job that is wanted under this name, or why it is not asked for again.

    Args:
        context: Of a sensor that remembers nothing else.
        job: All of it is run.
        name: What happened, in words.
    """
    graph, asked = graph_of(context), remembered(context.cursor)
    content = digest_of([name, how_made(graph, job.selection.resolve(graph))])
    if (reason := why_not_again(context.instance, graph, asked.get(name), content)) is not None:
        return dg.SensorResult(skip_reason=reason, cursor=to_remember(asked))
    one = asked_now(name, content, last_run(context.instance, job.name))
    return dg.SensorResult(run_requests=[dg.RunRequest(run_key=one.run_key)], cursor=to_remember({name: one}))


def last_run(instance: dg.DagsterInstance, job_name: str) -> str | None:
    """The id of the job's last run, by anyone."""
    return next((run.run_id for run in instance.get_runs(dg.RunsFilter(job_name=job_name), limit=1)), None)


def is_under_way(instance: dg.DagsterInstance, job_name: str) -> bool:
    """Whether a run of this job is queued or on."""
    return bool(instance.get_runs(dg.RunsFilter(job_name=job_name, statuses=UNDER_WAY), limit=1))


def graph_of(context: dg.SensorEvaluationContext) -> AssetGraph:
    """The tables of the definitions that a sensor belongs to.

    Raises:
        RuntimeError: It belongs to none.
    """
    if context.repository_def is None:
        raise RuntimeError("the sensor needs the definitions that it belongs to")
    return context.repository_def.asset_graph


def how_made(graph: AssetGraph, tables: Iterable[dg.AssetKey]) -> list[Any]:
    """By which code and configuration tables are made, and which of them automation may make."""
    nodes = [(key.to_user_string(), graph.get(key)) for key in sorted(tables)]
    return [[name, node.code_version, node.automation_condition is not None] for name, node in nodes]


def today() -> date:
    """The date, UTC, by which budgets count too."""
    return datetime.now(UTC).date()
