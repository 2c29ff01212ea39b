"""When data sets are evaluated: the jobs, and the sensor that sees a new or changed file."""

import json
import time
from collections.abc import Iterator

import dagster as dg

from assets.datasets import DATASETS, known_datasets
from assets.evaluation.evaluation_summary import RESULTS
from resources.file_hash import sha256_of_file
from resources.study import Study

SAMPLES = dg.AssetKey("evaluation_samples")
SUMMARY = dg.AssetKey("evaluation_summary")
TABLES = (SAMPLES, *(dg.AssetKey(name) for name in RESULTS))
UNDER_WAY = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]
OVERVIEW = dg.AssetSelection.assets("evaluation_summary", "metric_comparison")
QUIET_S = 2.0  # a file written to within this time may still grow

evaluation = dg.define_asset_job(
    "evaluation",
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
    changed = dict(changed_datasets(context.instance, study))
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
            run_requests=requests, dynamic_partitions_requests=[*added, *removed], cursor=json.dumps(changed)
        )
    key = overview_key(context.instance, gone)
    if key is None:
        return dg.SkipReason("No data set is new or changed, or one is being evaluated.")
    overview = dg.RunRequest(run_key=key, job_name=evaluation_overview.name)
    return dg.SensorResult(run_requests=[overview], dynamic_partitions_requests=removed)


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


def changed_datasets(instance: dg.DagsterInstance, study: Study) -> Iterator[tuple[str, str]]:
    """Data sets whose file is not the one that their table was made from, with a key for the run that mends it."""
    for name, dataset in known_datasets(study.evaluation).items():
        path = dataset.file
        if path is None or not path.is_file() or time.time() - path.stat().st_mtime < QUIET_S:
            continue
        wanted = dg.AssetRecordsFilter(asset_key=SAMPLES, asset_partitions=[name])
        records = instance.fetch_materializations(wanted, limit=1).records
        made = records[0].asset_materialization if records else None
        known = made.metadata.get("source_sha256") if made else None
        digest = sha256_of_file(path)
        if known is None or known.value != digest:
            # Content that comes back after another needs a key of its own.
            yield name, f"{digest} after {records[0].run_id if records else 'nothing'}"
