"""When data sets are evaluated: the jobs, and the sensor that sees a new or changed file."""

import json
from collections.abc import Collection, Iterator, Mapping

import dagster as dg

from assets.datasets import DATASETS, known_datasets
from assets.evaluation.evaluation_summary import RESULTS
from assets.observed_inputs import DATA_VERSION, observation, version_of
from resources.input_versions import ABSENT, QUIET_S, InputVersion, InputVersions, NotYet
from resources.study import Study

FILES = dg.AssetKey("dataset_files")
SAMPLES = dg.AssetKey("evaluation_samples")
SUMMARY = dg.AssetKey("evaluation_summary")
TABLES = (SAMPLES, *(dg.AssetKey(name) for name in RESULTS))
UNDER_WAY = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]
QUERIED = 500  # materialisations asked for in one query: SQLite takes so many numbers
OVERVIEW = dg.AssetSelection.assets("evaluation_summary", "metric_comparison")

evaluation = dg.define_asset_job(
    "evaluation",
    # Not its files: observing goes partition by partition, and would take one run over many data sets apart.
    selection=dg.AssetSelection.groups("evaluation") - OVERVIEW,
    description="Study C for one data set: correlations or confusion, groups, comparison with a paper.",
)

evaluation_overview = dg.define_asset_job(
    "evaluation_overview", selection=OVERVIEW, description="All data sets at a glance, and metrics against each other."
)


@dg.sensor(
    jobs=[evaluation, evaluation_overview],
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="A file that is new in the inbox, or whose content changed, becomes a data set and is evaluated.",
)
def new_datasets(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.SensorResult | dg.SkipReason:
    """One run per data set and content; when their runs are over, one run for the tables over all of them."""
    asked: dict[str, str] = json.loads(context.cursor or "{}")
    versions, notes = versions_of(study)
    changed = dict(changed_datasets(context.instance, versions))
    events = changed_observations(context.instance, study, versions)
    # A file that was asked for and is still not made is a bad one: it is not asked for again, nor waited for.
    new = {name: key for name, key in changed.items() if asked.get(name) != key}
    partitions = set(context.instance.get_dynamic_partitions(DATASETS.name or ""))
    gone = sorted(partitions - known_datasets(study.evaluation).keys())
    removed = [DATASETS.build_delete_request(gone)] if gone else []
    if new:
        requests = [
            dg.RunRequest(run_key=f"{name} {key}", job_name=evaluation.name, partition_key=name)
            for name, key in new.items()
        ]
        added = [DATASETS.build_add_request(list(new))]
        return dg.SensorResult(
            run_requests=requests,
            dynamic_partitions_requests=[*added, *removed],
            cursor=json.dumps(changed),
            asset_events=events,
        )
    key = overview_key(context.instance, gone)
    if key is None:
        nothing = "No data set is new or changed, or one is being evaluated."
        why = " ".join([*notes, nothing])
        return dg.SensorResult(skip_reason=why, asset_events=events) if events else dg.SkipReason(why)
    overview = dg.RunRequest(run_key=key, job_name=evaluation_overview.name)
    return dg.SensorResult(run_requests=[overview], dynamic_partitions_requests=removed, asset_events=events)


def overview_key(instance: dg.DagsterInstance, gone: list[str]) -> str | None:
    """A key for the run over all data sets; none where nothing came or went, or a data set is still evaluated."""
    if instance.get_runs(dg.RunsFilter(job_name=evaluation.name, statuses=UNDER_WAY), limit=1):
        return None
    events = [instance.get_latest_materialization_event(table) for table in TABLES]
    made = max((event for event in events if event is not None), key=lambda event: event.timestamp, default=None)
    if made is None:
        return None
    summary = instance.get_latest_materialization_event(SUMMARY)
    if not gone and summary is not None and summary.timestamp >= made.timestamp:
        return None
    return f"after {made.run_id}" + (f" without {', '.join(gone)}" if gone else "")


def changed_datasets(instance: dg.DagsterInstance, versions: Mapping[str, InputVersion]) -> Iterator[tuple[str, str]]:
    """Data sets whose file is not the one that their table was made from, with a key for the run that mends it.

    Args:
        instance: Knows what tables were made from.
        versions: Of each data set's file.
    """
    made = made_from(instance, versions)
    for name, found in versions.items():
        version, run_id = made.get(name, (None, "nothing"))
        if found.version != version:
            # Content that comes back after another needs a key of its own.
            yield name, f"{found.version} after {run_id}"


def versions_of(study: Study) -> tuple[dict[str, InputVersion], list[str]]:
    """What each data set's file holds, and why others are left alone for now."""
    versions, notes = {}, []
    with InputVersions(study.home.local).opened() as looked:
        for name, dataset in known_datasets(study.evaluation).items():
            try:
                found = version_of(study, dataset.file, looked=looked, quiet_s=QUIET_S)
            except (NotYet, OSError) as reason:
                notes.append(f"{name} is left alone: {reason}.")
                continue
            if found.version != ABSENT:
                versions[name] = found
    return versions, notes


def made_from(instance: dg.DagsterInstance, names: Collection[str]) -> dict[str, tuple[str | None, str]]:
    """The content that each data set's table was made from, and by which run; all of them in a few queries."""
    latest = instance.get_latest_storage_id_by_partition(SAMPLES, dg.DagsterEventType.ASSET_MATERIALIZATION)
    ids = [storage_id for name, storage_id in latest.items() if name in names]
    made = {}
    for start in range(0, len(ids), QUERIED):
        wanted = dg.AssetRecordsFilter(asset_key=SAMPLES, storage_ids=ids[start : start + QUERIED])
        for record in instance.fetch_materializations(wanted, limit=QUERIED).records:
            event = record.asset_materialization
            source = event.metadata.get("source_sha256") if event else None
            version = None if source is None else str(source.value)
            made[record.partition_key or ""] = (version, record.run_id)
    return made


def changed_observations(
    instance: dg.DagsterInstance, study: Study, versions: Mapping[str, InputVersion]
) -> list[dg.AssetObservation]:
    """An observation of each data set whose file has another version than at the last one."""
    tags = instance.event_log_storage.get_latest_tags_by_partition(
        FILES, dg.DagsterEventType.ASSET_OBSERVATION, [DATA_VERSION]
    )
    known = known_datasets(study.evaluation)
    return [
        observation(FILES, known[name].file, found, name)
        for name, found in versions.items()
        if tags.get(name, {}).get(DATA_VERSION) != found.version
    ]
