"""How gates become asset check results: one partition or many, the failing ones named."""

import math
from collections.abc import Callable, Mapping, Sequence

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.partitions import SETTINGS, Frames
from resources.errors import listed


def gate_result(gate: Gate, severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR) -> dg.AssetCheckResult:
    """One gate as Dagster shows it."""
    return dg.AssetCheckResult(
        passed=bool(gate.passed),
        severity=severity,
        description=gate.sentence,
        metadata={"seen": dg.MetadataValue.null() if gate.seen is None else float(gate.seen), "needed": gate.needed},
    )


def gate_of_each(
    frames: Frames,
    gate: Callable[[pd.DataFrame], Gate],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """The same gate on every partition of the run; it passes when all of them pass."""
    gates = {key: gate(frames[key]) for key in SETTINGS.get_partition_keys() if key in frames}
    if len(gates) == 1:
        return gate_result(next(iter(gates.values())), severity)
    failed = [key for key, one in gates.items() if not one.passed]
    return dg.AssetCheckResult(
        passed=not failed,
        severity=severity,
        description=_sentence(gates, failed),
        metadata={"settings": dg.MetadataValue.md(_table(gates)), "failed": len(failed), "settings_seen": len(gates)},
    )


def _sentence(gates: Mapping[str, Gate], failed: Sequence[str]) -> str:
    worst = max(gates, key=lambda key: _lack(gates[key]))
    if failed:
        return (
            f"{len(failed)} of {len(gates)} settings fail: {listed(failed)}. Worst is {worst}: {gates[worst].sentence}"
        )
    return f"All {len(gates)} settings pass. Nearest to the limit is {worst}: {gates[worst].sentence}"


def _lack(gate: Gate) -> float:
    """Larger for a gate that is further from passing; one without a number is the furthest if it fails."""
    if gate.seen is None:
        return -math.inf if gate.passed else math.inf
    return -gate.seen if gate.needed.startswith(">=") else gate.seen


def _table(gates: Mapping[str, Gate]) -> str:
    rows = [f"| {key} | {'pass' if gate.passed else '**fail**'} | {gate.sentence} |" for key, gate in gates.items()]
    return "\n".join(["| setting | gate | seen and needed |", "| --- | --- | --- |", *rows])
