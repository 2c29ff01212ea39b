"""Sensor `changed_inputs`: tells Dagster of inputs whose content changed, and asks for one run of what they decide."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import dagster as dg

from assets.shared.observed_inputs import INPUTS, observation, version_of
from pipeline.asked_runs import (
    Asked,
    asked_now,
    graph_of,
    how_made,
    is_under_way,
    last_run,
    remembered,
    to_remember,
    why_not_again,
)
from pipeline.automation import all_methods, all_settings, fidelity, pairwise
from pipeline.reliability_automation import reliability
from pipeline.staleness import latest, made_of_other_inputs, made_otherwise, older_than_parents
from resources.errors import UserError
from resources.inputs.input_versions import ABSENT, QUIET_S, InputVersion, NotYet
from resources.runtime.dagster_tags import DATA_VERSION
from resources.runtime.file_hash import digest_of
from resources.study import Study

JOBS: Final = {"fidelity": fidelity, "pairwise": pairwise, "reliability": reliability}
TICK_S: Final = 20.0  # spent on reading new files in one tick; Dagster gives up on a tick after 60


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
    asked = remembered(context.cursor)
    until = time.monotonic() + TICK_S
    events: list[dg.AssetObservation] = []
    requests: list[dg.RunRequest] = []
    notes: list[str] = []
    for group in groups:
        looked = look(study, group, until)
        events += changed_observations(context.instance, study, group, looked.versions)
        request = run_wanted(context, study, group, looked, asked)
        if request is not None:
            requests.append(request)
        notes += [f"{group}: {note}" for note in looked.notes]
    for note in notes:
        context.log.info(note)
    skipped = None if requests else dg.SkipReason(" ".join(notes) or "No input has changed.")
    return dg.SensorResult(run_requests=requests, skip_reason=skipped, cursor=to_remember(asked), asset_events=events)


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


def run_wanted(
    context: dg.SensorEvaluationContext, study: Study, group: str, looked: Looked, asked: dict[str, Asked]
) -> dg.RunRequest | None:
    """The one run that brings a study up to its inputs; none where it is, or was asked for, or has to wait.

    Args:
        context: Of the sensor.
        study: The running study.
        group: Which of its parts.
        looked: Its inputs.
        asked: By study, the run that was asked for and has not made all tables; brought up to date.
    """
    graph, job = graph_of(context), JOBS[group]
    tables = job.selection.resolve(graph) & graph.materializable_asset_keys
    made = latest(context.instance, tables)
    inputs = {name: (INPUTS[group][name](study), found.version) for name, found in looked.versions.items()}
    changed = made_of_other_inputs(graph, tables, made, inputs)
    stale, causes = set(changed), {name for names in changed.values() for name in names}
    if group in asked:
        # The run that was asked for may have ended between a table and those that are made from it.
        stale |= older_than_parents(graph, tables, made)
    if not stale:
        if looked.versions.keys() == INPUTS[group].keys():
            asked.pop(group, None)
        looked.notes += looked.waits
        return None
    if looked.waits:
        looked.notes += looked.waits
        return None
    versions = {name: found.version for name, found in looked.versions.items()}
    content = digest_of([versions, how_made(graph, tables)])
    if (reason := why_not_again(context.instance, graph, asked.get(group), content)) is not None:
        looked.notes.append(reason)
        return None
    if is_under_way(context.instance, job.name):
        looked.notes.append(f"A run of {job.name} is under way, and new content waits for its end.")
        return None
    if group in asked:
        # What ended it may have been fixed in the configuration.
        stale |= made_otherwise(graph, made)
    asked[group] = asked_now(group, content, last_run(context.instance, job.name))
    wanted = dg.AssetSelection.assets(*stale).downstream().resolve(graph) & tables
    read = {key for table in stale for key in graph.get(table).parent_keys}
    observed = {dg.AssetKey(name) for name in INPUTS[group]} & read
    return dg.RunRequest(
        run_key=asked[group].run_key,
        job_name=job.name,
        asset_selection=sorted(wanted | observed),
        tags=partition_tags(group) | {"touchstone/changed": " ".join(sorted(causes)) or "nothing since a failed run"},
    )


def partition_tags(group: str) -> dict[str, str]:
    """Run tags that make one run cover every setting or method of a study."""
    return {"fidelity": all_settings, "pairwise": all_methods}.get(group, dict)()
