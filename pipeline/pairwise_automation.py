"""When photo pairs are judged: the job over all methods, its schedule, and the sensor on the file of votes."""

import dagster as dg

from assets.method_partitions import METHODS
from pipeline.automation import run_for_new_content, settings_between
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
    return settings_between(keys[0], keys[-1])


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
    remedy = "Put the file of votes there, or change `pairs_csv`."
    return run_for_new_content(context, study.pairwise.pairs_csv, PHOTO_PAIRS, remedy, all_methods())
