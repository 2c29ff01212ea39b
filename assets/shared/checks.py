"""How gates become asset check results: one partition or many, the failing ones named."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from analysis.gates import Gate
from assets.shared.table_gates import TableGate, table_gate

WARN = dg.AssetCheckSeverity.WARN


def gate_result(gate: Gate, severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR) -> dg.AssetCheckResult:
    """One gate as Dagster shows it."""
    return dg.AssetCheckResult(
        passed=bool(gate.passed),
        severity=severity,
        description=gate.sentence,
        metadata=numbers_of(gate),
    )


def numbers_of(gate: Gate) -> dict[str, Any]:
    """What was seen, over how many, what is needed, and what to do where it fails: the metadata of a result.

    Numbers are text: Dagster draws what is a number over time, and the results of one check are of several partitions.
    """
    seen = dg.MetadataValue.null() if gate.seen is None else f"{gate.seen:.6g}"
    over = dg.MetadataValue.null() if gate.n is None else str(gate.n)
    to_do = {} if gate.passed else {"to_do": gate.remedy}
    idle = {} if gate.is_asked else {"state": "not asked"}
    return {"seen": seen, "over": over, "needed": gate.needed} | idle | to_do


def require(gate: Gate) -> None:
    """Stop an asset whose input fails a gate: a launch by hand begins after the check and never meets it.

    Raises:
        Failure: The gate fails; trying again cures nothing.
    """
    if not gate.passed:
        raise dg.Failure(gate.sentence, allow_retries=False)


def result_of_each(
    context: dg.AssetCheckExecutionContext, gates: Mapping[str, Gate], severity: dg.AssetCheckSeverity
) -> dg.AssetCheckResult:
    """The table's result, over the run's partitions and the latest result of all others, and each one's own.

    Dagster shows the latest result, whatever it is of. So a run of one partition, whose own result Dagster asks for,
    has the table's too; and a run over several has each one's.
    """
    op, spec = context.op_execution_context, context.check_specs[0]
    whole = table_result(table_gate(context.instance, spec, gates), severity)
    own = {key: gate_result(gate, severity) for key, gate in gates.items()}
    # Dagster 1.13 takes such an event at run time; its annotation does not say so.
    if op.has_partition_key:
        op.log_event(evaluation_of(context.instance, spec, None, whole))  # type: ignore[arg-type]
        return next(iter(own.values()))
    for key, result in own.items():
        op.log_event(evaluation_of(context.instance, spec, key, result))  # type: ignore[arg-type]
    stops = any(not result.passed for result in own.values())
    return whole if stops or whole.passed else _OfEarlierRuns(**whole._asdict())


class _OfEarlierRuns(dg.AssetCheckResult):
    """A failed result that stops nothing: only partitions fail that this run did not judge."""

    def to_asset_check_evaluation(self, step_context: Any) -> dg.AssetCheckEvaluation:
        """As Dagster asks for it; what it says of stopping is the run's, not the table's."""
        from resources.runtime.dagster_internals import copy

        return copy(super().to_asset_check_evaluation(step_context), blocking=False)


def table_result(gate: TableGate, severity: dg.AssetCheckSeverity) -> dg.AssetCheckResult:
    """A gate on all partitions of a table as Dagster shows it.

    Only the number of those that fail is a number there: of any other Dagster would draw a history that is none.
    """
    return dg.AssetCheckResult(
        passed=not gate.failing,
        severity=severity,
        description=gate.sentence,
        metadata={
            **numbers_of(gate.furthest),
            gate.noun.replace(" ", "_"): dg.MetadataValue.md(gate.table),
            "n_failed": len(gate.failing),
            "n_seen": str(len(gate.gates)),
        },
    )


def evaluation_of(
    instance: dg.DagsterInstance, spec: dg.AssetCheckSpec, partition: str | None, result: dg.AssetCheckResult
) -> dg.AssetCheckEvaluation:
    """A result of one partition, or of the whole table (null), tied to the materialization that it speaks of."""
    from resources.runtime.dagster_internals import AssetCheckEvaluationTargetMaterializationData

    made = dg.AssetRecordsFilter(spec.asset_key, asset_partitions=None if partition is None else [partition])
    records = instance.fetch_materializations(made, limit=1).records
    target = [
        AssetCheckEvaluationTargetMaterializationData(
            storage_id=one.storage_id, run_id=one.run_id, timestamp=one.timestamp
        )
        for one in records
    ]
    return dg.AssetCheckEvaluation(
        asset_key=spec.asset_key,
        check_name=spec.name,
        passed=result.passed,
        metadata=result.metadata,
        target_materialization_data=target[0] if target else None,
        severity=result.severity,
        description=result.description,
        blocking=spec.blocking,
        partition=partition,
    )
