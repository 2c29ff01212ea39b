"""The gates of study B: those that count, advice, and how many fail."""

from reports.pairwise.contents import Contents, say
from reports.shared.gate_row import GateRow, failing_by_gate
from reports.shared.numbers import whole
from reports.shared.text import Text, joined


def gates(contents: Contents) -> tuple[list[GateRow], list[GateRow]]:
    """Those that count, and advice: of a gate on every method the row that is furthest from passing."""
    rows = [row for of_one in contents.gates.values() for row in of_one]
    worst: dict[str, GateRow] = {}
    for row in rows:
        if row.name not in worst or (row.seen or 0.0) > (worst[row.name].seen or 0.0):
            worst[row.name] = row
    shown = list(worst.values())
    return [row for row in shown if not row.advice], [row for row in shown if row.advice]


def said_of_gates(contents: Contents) -> Text:
    """How many gates fail, by code name."""
    fails = failing_by_gate(contents.gates)
    return say("gates.fail", n=whole(len(fails)), gates=joined(fails)) if fails else say("gates.none_fails")
