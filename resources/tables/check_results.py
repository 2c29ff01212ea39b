"""The latest result of a check, of the whole table or of one partition, as Dagster keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import dagster as dg

if TYPE_CHECKING:
    from resources.runtime.dagster_internals import AssetCheckExecutionRecord


def latest_record(
    instance: dg.DagsterInstance, check: dg.AssetCheckKey, partition: str | None
) -> AssetCheckExecutionRecord | None:
    """The latest finished result; one that is only planned is of a run that broke off before and says nothing.

    Args:
        instance: Keeps the results.
        check: Its key.
        partition: Which part of the table; null for the whole.
    """
    from resources.runtime.dagster_internals import COMPLETED_ASSET_CHECK_EXECUTION_RECORD_STATUSES, PartitionKeyFilter

    records = instance.event_log_storage.get_asset_check_execution_history(
        check,
        limit=1,
        status=COMPLETED_ASSET_CHECK_EXECUTION_RECORD_STATUSES,
        partition_filter=PartitionKeyFilter(key=partition),
    )
    return records[0] if records else None


def latest_results(
    instance: dg.DagsterInstance, check: dg.AssetCheckKey, partitions: Iterable[str | None]
) -> dict[str | None, dg.AssetCheckEvaluation]:
    """The latest result of each of these partitions that has one, in their order.

    Args:
        instance: Keeps the results.
        check: Its key.
        partitions: Those that exist; null alone for a table without any.
    """
    records = {partition: latest_record(instance, check, partition) for partition in partitions}
    return {key: one.evaluation for key, one in records.items() if one is not None and one.evaluation is not None}
