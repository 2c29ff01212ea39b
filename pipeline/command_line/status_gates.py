"""The latest result of every gate, by table, as the UI shows it: kind, sentence and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import dagster as dg

    from pipeline.command_line.status_tables import TableState

STOP, FAIL, NOTE = "STOP", "FAIL", "note"


class GateState(NamedTuple):
    """One gate that was checked: its kind, in how many partitions it fails, what the worst one says and what to do."""

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
    for key in states:
        checks = [graph.get_check_spec(check) for check in sorted(graph.get_check_keys_for_assets({key}))]
        every = [_gate(instance, check) for check in checks]
        found[key] = [gate for gate in every if gate is not None]
    return found


def failed(gates: Iterable[GateState], *kinds: str) -> list[GateState]:
    """Those of these kinds that do not hold."""
    return [gate for gate in gates if gate.n_failed and gate.kind in kinds]


def _gate(instance: dg.DagsterInstance, check: dg.AssetCheckSpec) -> GateState | None:
    from assets.shared.table_gates import TableGate, existing, gate_of, noun_of
    from resources.tables.check_results import latest_results

    latest = latest_results(instance, check.key, existing(check.partitions_def, instance))
    if not latest:
        return None
    failing = [one for one in latest.values() if not one.passed]
    gates = {str(partition): gate_of(one) for partition, one in latest.items()}
    whole = TableGate(gates, (), noun_of(check.partitions_def))
    return GateState(
        check.asset_key.path[-1],
        check.name,
        kind_of((failing or list(latest.values()))[0]),
        len(failing),
        len(latest),
        whole.sentence,
        whole.furthest.remedy,
    )


def kind_of(evaluation: dg.AssetCheckEvaluation) -> str:
    """What a gate is called where it does not hold."""
    import dagster as dg

    if evaluation.severity == dg.AssetCheckSeverity.WARN:
        return NOTE
    return STOP if evaluation.blocking else FAIL
