"""How gates become asset check results: one partition or many, the failing ones named."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData

from analysis.gates import Gate
from assets.method_partitions import METHODS
from assets.partitions import SETTINGS, Frames
from resources.errors import listed

WARN = dg.AssetCheckSeverity.WARN
NOT_ASKED = "Not asked of this data set."
# How the sentence begins of advice on something that is not there: it neither holds nor fails.
DOES_NOT_APPLY = "Does not apply"


def gate_result(gate: Gate, severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR) -> dg.AssetCheckResult:
    """One gate as Dagster shows it."""
    return dg.AssetCheckResult(
        passed=bool(gate.passed),
        severity=severity,
        description=gate.sentence,
        metadata=numbers_of(gate),
    )


def numbers_of(gate: Gate) -> dict[str, Any]:
    """What was seen, over how many, what is needed, and what to do where it fails: the metadata of a result."""
    seen = dg.MetadataValue.null() if gate.seen is None else float(gate.seen)
    over = dg.MetadataValue.null() if gate.n is None else int(gate.n)
    to_do = {} if gate.passed else {"to_do": gate.remedy}
    return {"seen": seen, "over": over, "needed": gate.needed} | to_do


def told(gate: Gate, holds: str) -> Gate:
    """The gate with a plainer sentence for when it passes; a failing one keeps its own."""
    return gate._replace(sentence=holds) if gate.passed else gate


def require(gate: Gate) -> None:
    """Stop an asset whose input fails a gate: a launch by hand begins after the check and never meets it.

    Raises:
        Failure: The gate fails; trying again cures nothing.
    """
    if not gate.passed:
        raise dg.Failure(gate.sentence, allow_retries=False)


def gate_of_each(
    context: dg.AssetCheckExecutionContext,
    frames: Frames,
    gate: Callable[[pd.DataFrame], Gate],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """The same gate on every setting of the run; it passes when all of them pass."""
    gates = {key: gate(frames[key]) for key in SETTINGS.get_partition_keys() if key in frames}
    return _of_all(context, gates, severity, "settings")


def gate_of_each_method(
    context: dg.AssetCheckExecutionContext,
    frames: Frames,
    gate: Callable[[str, pd.DataFrame], Gate],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """The same gate on every method of the run; it passes when all of them pass."""
    gates = {key: gate(key, frames[key]) for key in METHODS.get_partition_keys() if key in frames}
    return _of_all(context, gates, severity, "methods")


def gate_of_each_dataset(
    context: dg.AssetCheckExecutionContext,
    frames: Frames,
    gate: Callable[[str, pd.DataFrame], Gate | None],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """A gate on every data set of the run that sets it; where none does, it passes and says so."""
    gates = {}
    for name in sorted(frames):
        unset = Gate(context.check_specs[0].name, True, None, "nothing", NOT_ASKED)
        gates[name] = gate(name, frames[name]) or unset
    return _of_all(context, gates, severity, "data sets")


def _of_all(
    context: dg.AssetCheckExecutionContext, gates: Mapping[str, Gate], severity: dg.AssetCheckSeverity, noun: str
) -> dg.AssetCheckResult:
    """One result for the run, which is all that Dagster gives a run over many partitions, and each one's beside it."""
    if context.op_execution_context.has_partition_key:
        return gate_result(next(iter(gates.values())), severity)
    for key, one in gates.items():
        # Dagster 1.13 takes such an event at run time; its annotation does not say so.
        context.op_execution_context.log_event(_evaluation(context, key, gate_result(one, severity)))  # type: ignore[arg-type]
    failed = [key for key, one in gates.items() if not one.passed]
    return dg.AssetCheckResult(
        passed=not failed,
        severity=severity,
        description=_sentence(gates, failed, noun),
        metadata={
            **numbers_of(gates[_furthest(gates, failed)]),
            noun.replace(" ", "_"): dg.MetadataValue.md(_table(gates)),
            "n_failed": len(failed),
            "n_seen": len(gates),
        },
    )


def _evaluation(
    context: dg.AssetCheckExecutionContext, partition: str, result: dg.AssetCheckResult
) -> dg.AssetCheckEvaluation:
    """One partition's result, tied to the materialization that it speaks of."""
    spec = context.check_specs[0]
    made = dg.AssetRecordsFilter(asset_key=spec.asset_key, asset_partitions=[partition])
    records = context.instance.fetch_materializations(made, limit=1).records
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


def _sentence(gates: Mapping[str, Gate], failed: Sequence[str], noun: str) -> str:
    """What the worst one says; those without a number, which no number can be set against, by themselves."""
    if len(gates) == 1:
        return next(iter(gates.values())).sentence
    if not failed:
        sentences = {gate.sentence for gate in gates.values()}
        if len(sentences) == 1 and all(gate.seen is None for gate in gates.values()):
            return sentences.pop()
        nearest = max(gates, key=lambda key: _lack(gates[key]))
        where = "" if len({gate.seen for gate in gates.values()}) == 1 else f" Nearest to the limit is {nearest}:"
        return f"All {len(gates)} {noun} pass.{where} {gates[nearest].sentence}"
    sentence = f"{len(gates) - len(failed)} of {len(gates)} {noun} pass."
    with_number = [key for key in failed if gates[key].seen is not None]
    if with_number:
        worst = max(with_number, key=lambda key: _lack(gates[key]))
        sentence += f" Worst is {worst}: {gates[worst].sentence}"
        if others := [key for key in with_number if key != worst]:
            sentence += f" Also failing: {listed(others)}."
    without = [key for key in failed if gates[key].seen is None]
    for said in dict.fromkeys(gates[key].sentence for key in without):
        sentence += f" {listed(key for key in without if gates[key].sentence == said)}: {said}"
    return sentence


def _furthest(gates: Mapping[str, Gate], failed: Sequence[str]) -> str:
    """Whose numbers stand for all: the failing one furthest from its limit, else the passing one nearest to it."""
    of_all = failed or list(gates)
    with_number = [key for key in of_all if gates[key].seen is not None]
    return max(with_number or of_all, key=lambda key: _lack(gates[key]))


def _lack(gate: Gate) -> float:
    """Larger for a gate that is further from passing; one without a number is the furthest if it fails."""
    if gate.seen is None:
        return -math.inf if gate.passed else math.inf
    return -gate.seen if gate.needed.startswith(">=") else gate.seen


def _table(gates: Mapping[str, Gate]) -> str:
    rows = [f"| {key} | {'pass' if gate.passed else '**fail**'} | {gate.sentence} |" for key, gate in gates.items()]
    return "\n".join(["| which | gate | seen and needed |", "| --- | --- | --- |", *rows])
