"""When photo pairs are judged: the job over all methods."""

import dagster as dg

from assets.shared.partitions import METHODS
from pipeline.automation import partitions_between, tables_and_inputs

pairwise = dg.define_asset_job(
    "pairwise",
    selection=tables_and_inputs("pairwise"),
    description="Study B: photo features once, every method on every pair, people's votes, export and report.",
)


def all_methods() -> dict[str, str]:
    """Run tags that make one run cover every method."""
    keys = METHODS.get_partition_keys()
    return partitions_between(keys[0], keys[-1])
