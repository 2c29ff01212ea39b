"""When photo pairs are judged: the job over all methods, and its schedule."""

import dagster as dg

from assets.method_partitions import METHODS
from pipeline.automation import settings_between, tables_and_inputs

pairwise = dg.define_asset_job(
    "pairwise",
    selection=tables_and_inputs("pairwise"),
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
