"""When data sets are evaluated: the jobs, and the sensor that sees a new or changed file."""

import time
from collections.abc import Iterator

import dagster as dg

from assets.datasets import DATASETS, known_datasets
from resources.file_hash import sha256_of_file
from resources.study import Study

SAMPLES = dg.AssetKey("evaluation_samples")
SUMMARY = dg.AssetKey("evaluation_summary")
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
    """One run per data set and content; when all are made, one run for the tables over all of them."""
    changed = dict(changed_datasets(context.instance, study))
    if changed:
        requests = [
            dg.RunRequest(run_key=f"{name} {key}", job_name=evaluation.name, partition_key=name)
            for name, key in changed.items()
        ]
        new = DATASETS.build_add_request(list(changed))
        return dg.SensorResult(run_requests=requests, dynamic_partitions_requests=[new])
    event = context.instance.get_latest_materialization_event(SAMPLES)
    summary = context.instance.get_latest_materialization_event(SUMMARY)
    if event is None or (summary is not None and summary.timestamp >= event.timestamp):
        return dg.SkipReason("No data set is new or changed.")
    return dg.SensorResult(
        run_requests=[dg.RunRequest(run_key=f"after {event.run_id}", job_name=evaluation_overview.name)]
    )


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
