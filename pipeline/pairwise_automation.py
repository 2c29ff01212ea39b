"""When photo pairs are judged: the job over all methods, its schedule, and the sensor on the file of votes."""

import dagster as dg

from assets.method_partitions import METHODS
from resources.file_hash import sha256_of_file
from resources.study import Study

PHOTO_PAIRS = dg.AssetKey("photo_pairs")

pairwise = dg.define_asset_job(
    "pairwise",
    selection=dg.AssetSelection.groups("pairwise"),
    description="Study B: photo features once, every method on every pair, people's votes, export and report.",
)


def all_methods() -> dict[str, str]:
    """Run tags that make one run cover every method."""
    keys = METHODS.get_partition_keys()
    return {"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]}


@dg.schedule(
    job=pairwise,
    cron_schedule="0 2 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Every night at 02:00 UTC, once switched on: judges all pairs; known photos are kept.",
)
def nightly_pairwise() -> dg.RunRequest:
    """One run over all methods; a schedule's own tags may not name a range of partitions."""
    return dg.RunRequest(tags=all_methods())


@dg.sensor(
    job=pairwise,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Sees by content that the file of votes changed and judges its pairs again; known photos are kept.",
)
def changed_photo_pairs(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.RunRequest | dg.SkipReason:
    """One run per content of the file: a file that was only touched starts nothing."""
    path = study.pairwise.pairs_csv
    if not path.is_file():
        return dg.SkipReason(f"{path} is not there. Put the file of votes there, or change `pairs_csv`.")
    digest = sha256_of_file(path)
    event = context.instance.get_latest_materialization_event(PHOTO_PAIRS)
    made = event.asset_materialization if event else None
    known = made.metadata.get("source_sha256") if made else None
    if known is not None and known.value == digest:
        return dg.SkipReason(f"{path.name} has not changed since photo_pairs was made.")
    # Dagster starts one run for a key ever: content that comes back after another needs a key of its own.
    last_run = event.run_id if event else "nothing"
    return dg.RunRequest(run_key=f"{digest} after {last_run}", tags=all_methods())
