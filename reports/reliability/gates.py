"""The gate's three conditions with the numbers seen and needed, and as advice what a pass does not prove yet."""

from analysis.gates import at_least
from analysis.resampling.bootstrap import RELIABLE_CLUSTERS
from reports.reliability.contents import Contents
from reports.shared.gate_row import GateRow, gate_row
from reports.shared.numbers import is_number

GATE = "judges_agree"
TERM_OF_GATE = {
    "kappa_macro": "kappa_macro",
    "kappa_micro": "kappa_micro",
    "low_share": "low_share",
    "macro_for_sure": "not_proven",
    "micro_for_sure": "not_proven",
    "macro_without_convention": "convention",
}


def gates(contents: Contents) -> list[GateRow]:
    """The three conditions; none without a verdict."""
    verdict, last = contents.standing.gate, contents.last
    if verdict is None or last is None:
        return []
    few = bool(last["total_queries"] < RELIABLE_CLUSTERS)
    share = contents.agreement.get("low_share", {})
    return [
        gate_row(one.with_interval(low, high, unreliable=few))
        for one, low, high in (
            (verdict.macro, last["kappa_macro_low"], last["kappa_macro_high"]),
            (verdict.micro, last["kappa_micro_low"], last["kappa_micro_high"]),
            (verdict.low_share, share.get("value_low"), share.get("value_high")),
        )
    ]


def advice(contents: Contents) -> list[GateRow]:
    """Lower bounds, and the macro under the other convention; none where nothing passes that they could qualify."""
    verdict, last, gate = contents.standing.gate, contents.last, contents.plan.gate
    if verdict is None or last is None or not verdict.passed:
        return []
    n_queries, n_undefined = int(last["total_queries"]), int(last["n_undefined"])
    rows = []
    for name, column, needed, n in (
        ("macro_for_sure", "kappa_macro_low", gate.min_macro, n_queries),
        ("micro_for_sure", "kappa_micro_low", gate.min_micro, int(last["n_documents"])),
        ("macro_without_convention", "kappa_macro_defined", gate.min_macro, n_queries - n_undefined),
    ):
        seen = float(last[column]) if is_number(last[column]) else None
        gate_seen = at_least(name, seen, needed, n=n, what=name, reason=_why(contents, column))
        rows.append(gate_row(gate_seen, advice=True))
    return rows


def gates_of_study(contents: Contents) -> dict[str, list[GateRow]]:
    """Conditions and advice under the study's name; without a verdict the gate itself, which fails."""
    if rows := [*gates(contents), *advice(contents)]:
        return {"study": rows}
    needed = contents.plan.gate.min_macro
    return {"study": [GateRow(GATE, False, None, needed, ">=", advice=False, n=0, reason=contents.standing.reason)]}


def _why(contents: Contents, column: str) -> str:
    row = contents.agreement.get(column.removesuffix("_low"), {})
    return str(row.get("undefined") or row.get("method") or "none")
