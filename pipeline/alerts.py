"""Sensors `failed_runs` and `failed_gates`: tell a webhook, once each, of what failed since they were switched on.

Not Dagster's own sensor on failed runs: it counts a run as reported when the report failed.
"""

import json
import time
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Final, Literal, get_args

import dagster as dg

from analysis.words import count_noun
from pipeline.step_errors import error_chain, users_words
from resources.alerts.webhook import (
    DRIFTS,
    GATE_FAILED,
    GATE_PASSES,
    RUN_FAILED,
    WARNS,
    WARNS_NO_MORE,
    WEBHOOK,
    Alert,
    AlertWebhook,
    NotDelivered,
)
from resources.configuration.alerts import DRIFT, Alerts
from resources.study import Study

End = Literal[dg.DagsterEventType.RUN_FAILURE, dg.DagsterEventType.RUN_SUCCESS, dg.DagsterEventType.RUN_CANCELED]
FAILED: Final[tuple[End, ...]] = (dg.DagsterEventType.RUN_FAILURE,)
ENDED: Final[tuple[End, ...]] = get_args(End)
AT_ONCE: Final = 100  # runs looked at in one tick
TICK_S: Final = 30.0  # after which the rest waits for the next tick; Dagster gives up on a tick after 60
STEPS_SHOWN: Final = 3


@dataclass
class Reported:
    """A sensor's memory: what it has reported.

    `after` is the storage id of the last event that is done with, `n_told` how many alerts of the next one went out,
    `failing` the gates, by partition where there are some, that were reported and have not passed since.
    """

    after: int
    n_told: int = 0
    failing: list[str] = field(default_factory=list)


# The alerts of a run that ended with this event, and the gates that fail after it.
Found = tuple[list[Alert], list[str]]
AlertsOf = Callable[[dg.DagsterRun, dg.EventLogRecord, list[str]], Found]


def failed_runs(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study], alerts: dg.ResourceParam[AlertWebhook]
) -> dg.SkipReason:
    """One message for each run that failed since the sensor was switched on."""

    def of(run: dg.DagsterRun, ended: dg.EventLogRecord, failing: list[str]) -> Found:
        interrupted = run.status == dg.DagsterRunStatus.CANCELED  # by who would be alerted
        return [] if interrupted else [run_alert(context.instance, study, run, ended)], failing

    return tell(context, alerts, FAILED, of)


def failed_gates(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study], alerts: dg.ResourceParam[AlertWebhook]
) -> dg.SkipReason:
    """One message for each gate that failed in a run that ended since the sensor was switched on."""

    def of(run: dg.DagsterRun, _ended: dg.EventLogRecord, failing: list[str]) -> Found:
        return gate_alerts(context.instance, study, run, failing)

    return tell(context, alerts, ENDED, of)


def alert_sensors(on: Set[str]) -> list[dg.SensorDefinition]:
    """Both sensors; each is on from the start if it sends something that is asked for.

    Args:
        on: What of `alerts: on:` there is an address for.
    """
    masked = "Secrets are masked. What the webhook does not take is sent again at the next tick."
    return [
        dg.sensor(
            minimum_interval_seconds=30,
            default_status=dg.DefaultSensorStatus.RUNNING if on & sent else dg.DefaultSensorStatus.STOPPED,
            description=f"Tells the webhook in the variable `{WEBHOOK}` of {what} {masked}",
        )(function)
        for function, sent, what in (
            (failed_runs, {"failed_runs"}, "every run that fails, once, with what its steps said."),
            (
                failed_gates,
                {"failed_gates", DRIFT, "advice"},
                "every gate that fails, of drift and of advice, as `alerts: on:` in touchstone.yaml says, when the run "
                "is over, with what was seen, needed and is to be done, and once when it passes again.",
            ),
        )
    ]


def tell(
    context: dg.SensorEvaluationContext,
    webhook: AlertWebhook,
    ends: Sequence[End],
    alerts_of: AlertsOf,
) -> dg.SkipReason:
    """Send the alerts of all runs that ended since the last tick, in order, and remember how far it came.

    Raises:
        NotDelivered: The webhook took none of them; nothing is forgotten.
    """
    if (lacking := webhook.lacking) is not None:
        return dg.SkipReason(lacking)
    if not context.cursor:
        context.update_cursor(json.dumps(asdict(Reported(newest(context.instance, ends)))))
        return dg.SkipReason("Alerts begin here: what failed before is not reported.")
    reported, n_sent, until = Reported(**json.loads(context.cursor)), 0, time.monotonic() + TICK_S
    for ended in ended_after(context.instance, ends, reported.after):
        if time.monotonic() > until:
            break
        run = context.instance.get_run_by_id(ended.run_id)
        is_ours = run is not None and _is_of_this_location(context, run)
        alerts, failing = alerts_of(run, ended, reported.failing) if run and is_ours else ([], reported.failing)
        for alert in alerts[reported.n_told :]:
            if time.monotonic() > until:
                return dg.SkipReason(_count(n_sent))
            try:
                webhook.send(alert)
            except NotDelivered as problem:
                waits = f"The webhook in {WEBHOOK} did not take an alert: {problem}. It is sent again at the next tick."
                if not n_sent:
                    # As a failed tick it shows red, and the memory stays as it was.
                    raise NotDelivered(waits) from None
                context.log.warning(waits)
                return dg.SkipReason(f"{_count(n_sent)} {waits}")
            n_sent += 1
            reported.n_told += 1
            context.update_cursor(json.dumps(asdict(reported)))
        reported = Reported(ended.storage_id, failing=failing)
        context.update_cursor(json.dumps(asdict(reported)))
    return dg.SkipReason(_count(n_sent) if n_sent else "Nothing new has failed.")


def newest(instance: dg.DagsterInstance, ends: Iterable[End]) -> int:
    """The storage id of the last run that ended; -1 where none did."""
    latest = [instance.fetch_run_status_changes(end, limit=1).records for end in ends]
    return max((record.storage_id for records in latest for record in records), default=-1)


def ended_after(instance: dg.DagsterInstance, ends: Iterable[End], after: int) -> list[dg.EventLogRecord]:
    """The next runs that ended, in the order of their events."""
    found = [
        record
        for end in ends
        for record in instance.fetch_run_status_changes(
            dg.RunStatusChangeRecordsFilter(end, after_storage_id=after), limit=AT_ONCE, ascending=True
        ).records
    ]
    return sorted(found, key=lambda record: record.storage_id)[:AT_ONCE]


def run_alert(instance: dg.DagsterInstance, study: Study, run: dg.DagsterRun, ended: dg.EventLogRecord) -> Alert:
    """What is reported of a run that failed: what its first steps said, or how Dagster saw it end."""
    failures = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE).records
    events = [record.event_log_entry.dagster_event for record in failures]
    said = [f"{event.step_key}: {_words(event)}" for event in events[:STEPS_SHOWN] if event is not None]
    more = f" And {len(events) - STEPS_SHOWN} steps more." if len(events) > STEPS_SHOWN else ""
    whole = ended.event_log_entry.dagster_event
    return Alert(
        kind=RUN_FAILED,
        study=study.name,
        job=run.job_name,
        run=run.run_id,
        # Dagster notes it a moment after the run's end.
        starts_again={"true": True, "false": False}.get(run.tags.get("dagster/will_retry", "")),
        error=" ".join(said) + more if said else (whole.message or "") if whole else "",
    )


def gate_alerts(instance: dg.DagsterInstance, study: Study, run: dg.DagsterRun, failing: list[str]) -> Found:
    """What is reported of one run's gates: each that failed, and each that passes after it was reported as failed.

    Of a check on several partitions the table's result is reported, which names those that fail, if one fails that this
    run judged; of one partition its own. Which of them fail is remembered from their own results, because the next run
    may be of one of them alone.
    """
    records = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION).records
    by_check: dict[dg.AssetCheckKey, list[dg.AssetCheckEvaluation]] = {}
    for event in (record.event_log_entry.dagster_event for record in records):
        if event is not None:
            one = event.asset_check_evaluation_data
            by_check.setdefault(one.asset_check_key, []).append(one)
    before, now = set(failing), set(failing)
    alerts = []
    for results in by_check.values():
        parts = [one for one in results if one.partition is not None]
        judged = parts or results
        fails = [not one.passed and _is_asked_for(one, study.alerts) for one in judged]
        for one, failed in zip(judged, fails, strict=True):
            (now.add if failed else now.discard)(_named(one))
        shown = judged[0] if len(judged) == 1 else next((one for one in results if one.partition is None), judged[0])
        names, kind = _names(shown, before), _kind(shown)
        if any(fails):
            alerts.append(_gate_alert(kind, study, run, shown))
        elif shown.passed and names and not names & now:
            passes = GATE_PASSES if kind == GATE_FAILED else WARNS_NO_MORE
            alerts.append(_gate_alert(passes, study, run, shown))
    return alerts, sorted(now)


def _kind(seen: dg.AssetCheckEvaluation) -> str:
    if seen.severity == dg.AssetCheckSeverity.ERROR:
        return GATE_FAILED
    return DRIFTS if seen.asset_key.path[-1] == DRIFT else WARNS


def _is_asked_for(seen: dg.AssetCheckEvaluation, alerts: Alerts) -> bool:
    return {GATE_FAILED: "failed_gates", DRIFTS: DRIFT, WARNS: "advice"}[_kind(seen)] in alerts.on


def _named(seen: dg.AssetCheckEvaluation) -> str:
    return " ".join([*seen.asset_key.path, seen.check_name, seen.partition or ""]).strip()


def _names(seen: dg.AssetCheckEvaluation, known: Set[str]) -> Set[str]:
    """What is known of a gate: of one partition that alone, of a whole table also of its partitions."""
    name = _named(seen)
    return {one for one in known if one == name or (seen.partition is None and one.startswith(f"{name} "))}


def _gate_alert(kind: str, study: Study, run: dg.DagsterRun, seen: dg.AssetCheckEvaluation) -> Alert:
    number, needed, to_do = (seen.metadata.get(name) for name in ("seen", "needed", "to_do"))
    return Alert(
        kind=kind,
        study=study.name,
        job=run.job_name,
        run=run.run_id,
        table=seen.asset_key.path[-1],
        partition=seen.partition,
        check=seen.check_name,
        says=seen.description,
        seen=None if number is None or number.value is None else float(str(number.value)),
        needed=str(needed.value) if needed else None,
        to_do=str(to_do.value) if to_do else None,
    )


def _count(n_sent: int) -> str:
    return f"{count_noun(n_sent, 'alert')} sent."


def _words(event: dg.DagsterEvent) -> str:
    """A failed step's error as its user would want it: their own mistake where there is one, else the cause."""
    chain = list(error_chain(event.step_failure_data.error))
    if (said := users_words(chain)) is not None:
        return said
    if chain and chain[-1].cls_name == "DagsterAssetCheckFailedError":
        return chain[-1].message.partition(": ")[2].strip()
    return chain[-1].message.strip() if chain else "no words"


def _is_of_this_location(context: dg.SensorEvaluationContext, run: dg.DagsterRun) -> bool:
    """Whether the run is of the study that the sensor belongs to; one of before that names no location may be."""
    origin, here = run.remote_job_origin, context.code_location_origin
    return (
        origin is None
        or here is None
        or origin.repository_origin.code_location_origin.location_name == here.location_name
    )
