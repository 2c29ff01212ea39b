"""Whether a table is out of date, as Dagster's instance knows it: one answer for sensors and `touchstone status`."""

from collections.abc import Callable, Collection, Iterable
from typing import Final

import dagster as dg

QUERIED: Final = 500  # records asked for in one query: SQLite takes so many numbers


def latest(instance: dg.DagsterInstance, tables: Iterable[dg.AssetKey]) -> dict[dg.AssetKey, dg.EventLogRecord]:
    """The latest materialization of each table that has one."""
    entries = [record.asset_entry for record in instance.get_asset_records(list(tables))]
    return {one.asset_key: one.last_materialization_record for one in entries if one.last_materialization_record}


def fetching(instance: dg.DagsterInstance, kind: dg.DagsterEventType) -> Callable[..., dg.EventRecordsResult]:
    """How events of this kind are fetched: materializations or observations."""
    is_made = kind == dg.DagsterEventType.ASSET_MATERIALIZATION
    return instance.fetch_materializations if is_made else instance.fetch_observations


def latest_by_partition(
    instance: dg.DagsterInstance, key: dg.AssetKey, kind: dg.DagsterEventType, partitions: Collection[str]
) -> dict[str | None, dg.EventLogRecord]:
    """The latest event of each of these partitions that has one.

    Args:
        instance: Keeps the events.
        key: The table or input.
        kind: Materialization or observation.
        partitions: Those wanted.
    """
    fetch = fetching(instance, kind)
    newest = instance.event_log_storage.get_latest_storage_id_by_partition(key, kind)
    ids = [storage_id for partition, storage_id in newest.items() if partition in partitions]
    found: dict[str | None, dg.EventLogRecord] = {}
    for start in range(0, len(ids), QUERIED):
        wanted = dg.AssetRecordsFilter(key, storage_ids=ids[start : start + QUERIED])
        found |= {one.partition_key: one for one in fetch(wanted, limit=QUERIED).records}
    return found
