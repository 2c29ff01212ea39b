"""Whether a table is out of date, as Dagster's instance knows it: one answer for sensors and `touchstone status`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from assets.shared.observed_inputs import read_version
from resources.runtime.dagster_tags import CODE_VERSION, DATA_VERSION, SEEN_EVENT, SEEN_VERSION

if TYPE_CHECKING:
    from resources.runtime.dagster_internals import AssetGraph

QUERIED: Final = 500  # records asked for in one query: SQLite takes so many numbers


def latest(instance: dg.DagsterInstance, tables: Iterable[dg.AssetKey]) -> dict[dg.AssetKey, dg.EventLogRecord]:
    """The latest materialization of each table that has one."""
    entries = [record.asset_entry for record in instance.get_asset_records(list(tables))]
    return {one.asset_key: one.last_materialization_record for one in entries if one.last_materialization_record}


def latest_of_each(
    instance: dg.DagsterInstance,
    partitions: Mapping[dg.AssetKey, Collection[str | None]],
    kind: dg.DagsterEventType,
) -> dict[dg.AssetKey, dict[str | None, dg.EventLogRecord]]:
    """The latest event of each partition that has one, in a few questions to the database however many there are.

    Args:
        instance: Keeps the events.
        partitions: By table or input, those wanted; null alone where it has none.
        kind: Materialization or observation.
    """
    import sqlalchemy as sa

    from resources.runtime.dagster_internals import SqlEventLogStorageTable, deserialize_value

    events, keys = SqlEventLogStorageTable.c, list(partitions)
    wanted = {key: set(parts) for key, parts in partitions.items()}
    storage: Any = instance.event_log_storage
    newest = (
        sa.select(events.asset_key, events.partition, sa.func.max(events.id))
        .where(
            events.asset_key.in_([key.to_string() for key in keys]),
            events.dagster_event_type == kind.value,
        )
        .group_by(events.asset_key, events.partition)
    )
    # What a person wiped in the UI is as if it had never been made.
    newest = storage._add_assets_wipe_filter_to_query(newest, storage._get_assets_details(keys), keys)
    named = {key.to_string(): key for key in keys}
    ids: dict[tuple[dg.AssetKey, str | None], int] = {}
    found: dict[tuple[dg.AssetKey, str | None], dg.EventLogRecord] = {}
    with storage.index_connection() as connection:
        for name, partition, storage_id in connection.execute(newest):
            key = named[name]
            # Of a table without partitions the latest event counts, whatever a run once called its part.
            part = None if None in wanted[key] else partition
            if part in wanted[key]:
                ids[key, part] = max(storage_id, ids.get((key, part), storage_id))
        of_id = {storage_id: place for place, storage_id in ids.items()}
        every = sorted(of_id)
        for start in range(0, len(every), QUERIED):
            some = events.id.in_(every[start : start + QUERIED])
            for storage_id, event in connection.execute(sa.select(events.id, events.event).where(some)):
                found[of_id[storage_id]] = dg.EventLogRecord(storage_id, deserialize_value(event, dg.EventLogEntry))
    return {
        key: {part: found[key, part] for part in parts if (key, part) in found} for key, parts in partitions.items()
    }


@dataclass(frozen=True)
class TableState:
    """One table: its partitions (null alone where it has none), the latest record of each that is made.

    ``outdated`` gives, by partition, the first reason for which what is stored is not what a run would make now.
    """

    key: dg.AssetKey
    partitions: tuple[str | None, ...]
    made: Mapping[str | None, Any]
    outdated: Mapping[str | None, str] = field(default_factory=dict)

    @property
    def is_missing(self) -> bool:
        """Whether no part of it was ever made."""
        return not self.made

    @property
    def n_missing(self) -> int:
        """How many partitions were never made."""
        return sum(partition not in self.made for partition in self.partitions)

    @property
    def n_rows(self) -> int:
        """Rows of all partitions together."""
        counts = [self.metadata(partition).get("dagster/row_count") for partition in self.made]
        return sum(int(count.value) for count in counts if count is not None)

    @property
    def made_at(self) -> float | None:
        """When the last partition was made, in seconds since 1970."""
        return max((record.timestamp for record in self.made.values()), default=None)

    def metadata(self, partition: str | None = None) -> Mapping[str, Any]:
        """What the latest record of a partition tells."""
        return self.made[partition].asset_materialization.metadata if partition in self.made else {}


def table_states(instance: dg.DagsterInstance, graph: Any) -> dict[dg.AssetKey, TableState]:
    """Every table of the graph, in the order of making.

    A table is out of date for the reasons for which Dagster calls it so: its code version is another, or an input or a
    table that it was made from has another data version by now. What is made from such a table follows when it is.
    """
    states: dict[dg.AssetKey, TableState] = {}
    observed, there = graph.observable_asset_keys, graph.toposorted_asset_keys
    inputs = {key: _partitions(instance, graph.get(key)) for key in observed}
    tables = {key: _partitions(instance, graph.get(key)) for key in there if key not in observed}
    records = {
        **latest_of_each(instance, inputs, dg.DagsterEventType.ASSET_OBSERVATION),
        **latest_of_each(instance, tables, dg.DagsterEventType.ASSET_MATERIALIZATION),
    }
    for key, partitions in tables.items():
        outdated = {
            partition: reason
            for partition, record in records[key].items()
            if (reason := _reason(instance, graph.get(key), partition, record, records)) is not None
        }
        states[key] = TableState(key, partitions, records[key], outdated)
    return states


def _partitions(instance: dg.DagsterInstance, node: Any) -> tuple[str | None, ...]:
    if node.partitions_def is None:
        return (None,)
    return tuple(node.partitions_def.get_partition_keys(dynamic_partitions_store=instance))


def _reason(
    instance: dg.DagsterInstance,
    node: Any,
    partition: str | None,
    record: Any,
    above: Mapping[dg.AssetKey, Mapping[str | None, Any]],
) -> str | None:
    """Why what is stored is out of date; null where it is not."""
    if _made_otherwise(record.asset_materialization, node):
        return "configuration or code changed"
    tags = record.asset_materialization.tags or {}
    for parent in sorted(node.parent_keys):
        records = above[parent]
        read = [one for one in records if partition is None or one in (partition, None)]
        if any(_is_other(instance, parent, one, records[one], tags) for one in read):
            return f"{parent.to_user_string()} changed"
    return None


def _is_other(
    instance: dg.DagsterInstance, parent: dg.AssetKey, partition: str | None, now: Any, tags: Mapping[str, str]
) -> bool:
    """Whether something holds another content now than when it was read."""
    name = parent.to_user_string()
    seen, pointer = tags.get(SEEN_VERSION + name), tags.get(SEEN_EVENT + name)
    if partition is None or seen is None:
        return _version(now) != seen
    if pointer is None or not pointer.isdigit() or now.storage_id <= int(pointer):
        return False
    then = dg.AssetRecordsFilter(parent, asset_partitions=[partition], before_storage_id=int(pointer) + 1)
    fetch = instance.fetch_observations if now.asset_observation else instance.fetch_materializations
    before = fetch(then, limit=1).records
    return not before or _version(before[0]) != _version(now)


def _version(record: Any) -> str | None:
    event = record.asset_materialization or record.asset_observation
    return (event.tags or {}).get(DATA_VERSION)


def older_than_parents(
    graph: AssetGraph, tables: Set[dg.AssetKey], made: Mapping[dg.AssetKey, dg.EventLogRecord]
) -> set[dg.AssetKey]:
    """Those of the tables that were made, if at all, before another of them from which they are made."""
    when = {key: made[key].storage_id if key in made else -1 for key in tables}
    return {key for key in tables if any(when[one] > when[key] for one in graph.get(key).parent_keys & tables)}


def made_otherwise(graph: AssetGraph, made: Mapping[dg.AssetKey, dg.EventLogRecord]) -> set[dg.AssetKey]:
    """Those of the tables that were made by other code, or with another configuration."""
    events = {key: record.asset_materialization for key, record in made.items()}
    return {key for key, event in events.items() if event is not None and _made_otherwise(event, graph.get(key))}


def _made_otherwise(event: dg.AssetMaterialization, node: Any) -> bool:
    return (event.tags or {}).get(CODE_VERSION, node.code_version) != node.code_version


def made_of_other_inputs(
    graph: AssetGraph,
    tables: Set[dg.AssetKey],
    made: Mapping[dg.AssetKey, dg.EventLogRecord],
    inputs: Mapping[str, tuple[Path | None, str]],
) -> dict[dg.AssetKey, list[str]]:
    """Those of the tables that were not made, or not from these inputs; each with the names of those inputs.

    Args:
        graph: The tables and inputs.
        tables: Those asked about.
        made: The latest materialization of each.
        inputs: By name, where each is and the version that it has now.
    """
    found: dict[dg.AssetKey, list[str]] = {}
    for name, (place, version) in inputs.items():
        for table in graph.get(dg.AssetKey(name)).child_keys & tables:
            event = made[table].asset_materialization if table in made else None
            if event is None or read_version(event, name, place) != version:
                found.setdefault(table, []).append(name)
    return found
