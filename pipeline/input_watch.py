"""Sensor `changed_inputs`: tells Dagster of inputs whose content changed, and asks for one run of what they decide."""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import dagster as dg

from assets.observed_inputs import DATA_VERSION, INPUTS, observation, version_of
from pipeline.automation import all_settings, fidelity
from pipeline.pairwise_automation import all_methods, pairwise
from pipeline.reliability_automation import reliability
from resources.errors import UserError
from resources.input_versions import ABSENT, QUIET_S, InputVersion, NotYet
from resources.study import Study

JOBS: Final = {"fidelity": fidelity, "pairwise": pairwise, "reliability": reliability}
TICK_S: Final = 20.0  # spent on reading new files in one tick; Dagster gives up on a tick after 60
UNDER_WAY: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]
Asked = dict[str, dict[str, str]]


@dataclass
class Looked:
    """What one tick found of a study's inputs; `waits` says why no run is asked for yet, `notes` is for people."""

    versions: dict[str, InputVersion] = field(default_factory=dict)
    waits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def input_sensor(study: Study) -> list[dg.SensorDefinition]:
    """The sensor over the configured studies that have a job for their inputs; none where there is no such study."""
    groups = [group for group in JOBS if getattr(study, f"{group}_section") is not None]
    if not groups:
        return []

    @dg.sensor(
        name="changed_inputs",
        jobs=[JOBS[group] for group in groups],
        minimum_interval_seconds=30,
        # Its runs may ask a judge.
        default_status=dg.DefaultSensorStatus.STOPPED,
        description="Sees by content that score file, votes, queries, photos or renders changed, and makes again what "
        "depends on them, once for each change. What was only touched, or is still being written, starts nothing. A "
        "paid judge is asked only within its daily budget.",
    )
    def changed_inputs(
        context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
    ) -> dg.SensorResult | dg.SkipReason:
        return tick(context, study, groups)

    return [changed_inputs]


def tick(context: dg.SensorEvaluationContext, study: Study, groups: Iterable[str]) -> dg.SensorResult:
    """One look at all inputs of these studies: events of those that changed, and one run for each changed study."""
    asked: Asked = json.loads(context.cursor or "{}")
    until = time.monotonic() + TICK_S
    events: list[dg.AssetObservation] = []
    requests: list[dg.RunRequest] = []
    notes: list[str] = []
    for group in groups:
        looked = look(study, group, until)
        events += changed_observations(context.instance, study, group, looked.versions)
        request = run_wanted(context, group, looked, asked)
        if request is not None:
            requests.append(request)
        notes += [f"{group}: {note}" for note in looked.notes]
    for note in notes:
        context.log.info(note)
    skipped = None if requests else dg.SkipReason(" ".join(notes) or "No input has changed.")
    return dg.SensorResult(run_requests=requests, skip_reason=skipped, cursor=json.dumps(asked), asset_events=events)


def look(study: Study, group: str, until: float) -> Looked:
    """The inputs of one study as they lie there; one that cannot be read is noted, and the others are seen.

    Args:
        study: The running study.
        group: Which of its parts.
        until: When to stop reading, by `time.monotonic`.
    """
    looked = Looked()
    for name, place in INPUTS[group].items():
        path = place(study)
        try:
            found = version_of(study, path, quiet_s=QUIET_S, seconds=max(0.0, until - time.monotonic()))
        except NotYet as reason:
            looked.waits.append(f"{name} is left alone: {reason}.")
            continue
        except (OSError, UserError) as error:
            looked.notes.append(f"{name} cannot be read: {error}.")
            continue
        looked.versions[name] = found
        if found.version == ABSENT:
            looked.waits.append(f"{path} ({name}) is not there. Put it there, or correct its path in touchstone.yaml.")
    return looked


def changed_observations(
    instance: dg.DagsterInstance, study: Study, group: str, versions: Mapping[str, InputVersion]
) -> list[dg.AssetObservation]:
    """An observation of each input that has another version than at the last one."""
    events = []
    for name, found in versions.items():
        key = dg.AssetKey(name)
        records = instance.fetch_observations(key, limit=1).records
        last = records[0].asset_observation if records else None
        if last is None or (last.tags or {}).get(DATA_VERSION) != found.version:
            events.append(observation(key, INPUTS[group][name](study), found))
    return events


def run_wanted(context: dg.SensorEvaluationContext, group: str, looked: Looked, asked: Asked) -> dg.RunRequest | None:
    """The one run that brings a study up to its inputs; none where it is, or was asked for, or has to wait.

    Args:
        context: Of the sensor.
        group: The study.
        looked: Its inputs.
        asked: By study, the versions for which a run was asked and is not over or failed; brought up to date.
    """
    repository = context.repository_def
    if repository is None:
        raise RuntimeError("the sensor needs the definitions that it belongs to")
    graph = repository.asset_graph
    stale, made_by, causes = set(), {}, set()
    for name, found in looked.versions.items():
        for table in graph.get(dg.AssetKey(name)).child_keys:
            event = context.instance.get_latest_materialization_event(table)
            made = event.asset_materialization if event else None
            if made is None or (made.tags or {}).get(f"dagster/input_data_version/{name}") != found.version:
                stale.add(table)
                causes.add(name)
                made_by[table.path[-1]] = event.run_id if event else "nothing"
    if not stale:
        asked.pop(group, None)
        looked.notes += looked.waits
        return None
    versions = {name: found.version for name, found in looked.versions.items()}
    if looked.waits or asked.get(group) == versions:
        looked.notes += looked.waits or ["A run for this content was asked for, and its tables are not made."]
        return None
    job = JOBS[group]
    if context.instance.get_runs(dg.RunsFilter(job_name=job.name, statuses=UNDER_WAY), limit=1):
        looked.notes.append(f"A run of {job.name} is under way, and new content waits for its end.")
        return None
    asked[group] = versions
    wanted = dg.AssetSelection.assets(*stale).downstream().resolve(graph)
    inputs = {name for table in stale for name in INPUTS[group] if dg.AssetKey(name) in graph.get(table).parent_keys}
    chosen = (wanted & repository.get_job(job.name).asset_layer.selected_asset_keys) | {
        dg.AssetKey(name) for name in inputs
    }
    return dg.RunRequest(
        # Dagster starts one run for a key ever: content that comes back after another needs a key of its own.
        run_key=f"{group} {short_digest([versions, made_by])}",
        job_name=job.name,
        asset_selection=sorted(chosen),
        tags=partition_tags(group) | {"touchstone/changed": " ".join(sorted(causes))},
    )


def partition_tags(group: str) -> dict[str, str]:
    """Run tags that make one run cover every setting or method of a study."""
    return {"fidelity": all_settings, "pairwise": all_methods}.get(group, dict)()


def short_digest(facts: Any) -> str:
    """Sixteen hex digits that differ where the facts do."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
