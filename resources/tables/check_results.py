"""The latest result of a check, of the whole table or of one partition, as Dagster keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import dagster as dg

if TYPE_CHECKING:
    from resources.runtime.dagster_internals import AssetCheckExecutionRecord


def latest_record(
    instance: dg.DagsterInstance, check: dg.AssetCheckKey, partition: str | None
) -> AssetCheckExecutionRecord | None:
    """The latest finished result; one that is only planned is of a run that broke off before and says nothing."""
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
    """The latest result of each of these partitions that has one, in their order."""
    return results_of_each(instance, {check: partitions})[check]


def results_of_each(
    instance: dg.DagsterInstance, checks: Mapping[dg.AssetCheckKey, Iterable[str | None]]
) -> dict[dg.AssetCheckKey, dict[str | None, dg.AssetCheckEvaluation]]:
    """The same for many checks in one question to the database."""
    import sqlalchemy as sa

    from resources.runtime.dagster_internals import (
        COMPLETED_ASSET_CHECK_EXECUTION_RECORD_STATUSES,
        AssetCheckExecutionRecord,
        AssetCheckExecutionsTable,
    )

    wanted = {check: list(partitions) for check, partitions in checks.items()}
    results = AssetCheckExecutionsTable.c
    newest = (
        sa.select(sa.func.max(results.id))
        .where(
            results.asset_key.in_({check.asset_key.to_string() for check, keys in wanted.items() if keys}),
            results.check_name.in_({check.name for check, keys in wanted.items() if keys}),
            results.execution_status.in_([one.value for one in COMPLETED_ASSET_CHECK_EXECUTION_RECORD_STATUSES]),
        )
        .group_by(results.asset_key, results.check_name, results.partition)
    )
    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        rows = connection.execute(sa.select(AssetCheckExecutionsTable).where(results.id.in_(newest))).mappings().all()
    place = {(check.asset_key.to_string(), check.name): check for check in wanted}
    found: dict[dg.AssetCheckKey, dict[str | None, dg.AssetCheckEvaluation]] = {check: {} for check in wanted}
    for row in rows:
        check = place.get((row["asset_key"], row["check_name"]))
        if check is None or row["partition"] not in wanted[check]:
            continue
        record = AssetCheckExecutionRecord.from_db_row(row, check)
        if record.evaluation is not None:
            found[check][record.partition] = record.evaluation
    return {check: {key: found[check][key] for key in keys if key in found[check]} for check, keys in wanted.items()}
