"""The latest result of every gate, by table, as the UI shows it: kind, sentence and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import dagster as dg

    from pipeline.command_line.status_tables import TableState

HISTORY = 20  # runs looked back at for a partition's latest result
STOP, FAIL, NOTE = "STOP", "FAIL", "note"


class GateState(NamedTuple):
    """One gate that was checked: its kind, and where it does not hold, in how many partitions, why and what to do."""

    table: str
    name: str
    kind: str
    n_failed: int
    n_seen: int
    sentence: str
    to_do: str


def gate_states(
    instance: dg.DagsterInstance, graph: Any, states: Mapping[dg.AssetKey, TableState]
) -> dict[dg.AssetKey, list[GateState]]:
    """The gates of each table that were ever checked, in the order of their names."""
    found: dict[dg.AssetKey, list[GateState]] = {}
    for key, state in states.items():
        checks = sorted(graph.get_check_keys_for_assets({key}))
        every = [_gate(instance, check, state.partitions) for check in checks]
        found[key] = [gate for gate in every if gate is not None]
    return found


def failed(gates: Iterable[GateState], *kinds: str) -> list[GateState]:
    """Those of these kinds that do not hold."""
    return [gate for gate in gates if gate.n_failed and gate.kind in kinds]


def _gate(
    instance: dg.DagsterInstance, check: dg.AssetCheckKey, partitions: Collection[str | None]
) -> GateState | None:
    latest = _latest_by_partition(instance, check, partitions)
    if not latest:
        return None
    bad = [evaluation for evaluation in latest if not evaluation.passed]
    shown = (bad or latest)[0]
    to_do = shown.metadata.get("to_do")
    return GateState(
        check.asset_key.path[-1],
        check.name,
        kind_of(shown),
        len(bad),
        len(latest),
        shown.description or "",
        "" if to_do is None else str(to_do.value),
    )


def kind_of(evaluation: dg.AssetCheckEvaluation) -> str:
    """What a gate is called where it does not hold."""
    import dagster as dg

    if evaluation.severity == dg.AssetCheckSeverity.WARN:
        return NOTE
    return STOP if evaluation.blocking else FAIL


def _latest_by_partition(
    instance: dg.DagsterInstance, check_key: dg.AssetCheckKey, partitions: Collection[str | None]
) -> list[dg.AssetCheckEvaluation]:
    """The latest evaluation of each partition that there is; a run over all of them is told by those it covered."""
    import dagster as dg

    limit = HISTORY * (len(partitions) + 1)
    history = instance.event_log_storage.get_asset_check_execution_history(check_key, limit=limit)
    latest: dict[str | None, dg.AssetCheckEvaluation] = {}
    for record in history:
        event = record.event.dagster_event if record.event else None
        if event and event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            evaluation = event.asset_check_evaluation_data
            latest.setdefault(evaluation.partition, evaluation)
    if latest.keys() == {None}:
        return [latest[None]]
    return [latest[partition] for partition in partitions if partition in latest]
