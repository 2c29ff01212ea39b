"""Advice on a verdict that passes: whether its lower bounds prove it, and whether a convention decides it."""

import pandas as pd

from analysis.contingency import PASSED
from analysis.gates import Gate, at_most
from assets.checks import DOES_NOT_APPLY, told


def proven_gate(history: pd.DataFrame, reason: str | None = None) -> Gate:
    """Whether the latest validation, where it passed, is proven by its lower bounds; `reason`: why none was given."""
    return _flag_gate(
        history,
        reason,
        "agreement_is_proven",
        "not_proven",
        "The judges agree well enough, and a lower bound does not prove it yet: more queries would narrow it.",
        "The lower bounds of kappa reach their limits.",
    )


def convention_gate(history: pd.DataFrame, reason: str | None = None) -> Gate:
    """Whether the latest pass depends on how queries with one label count; `reason`: why no verdict was given."""
    return _flag_gate(
        history,
        reason,
        "convention_does_not_decide",
        "depends_on_convention",
        "The verdict would be another if queries on which both judges give one and the same label did not count as 1: "
        "sample queries with relevant and irrelevant documents.",
        "The verdict is the same under both conventions.",
    )


def _flag_gate(history: pd.DataFrame, reason: str | None, name: str, column: str, raised: str, holds: str) -> Gate:
    if reason is not None or history.empty:
        return Gate(name, True, None, "nothing", f"{DOES_NOT_APPLY}: there is no verdict.", 0, reason)
    last = history.iloc[-1]
    if last["status"] != PASSED:
        # Without queries of one label macro is lower still: what fails with them fails without them.
        n = int(last["total_queries"])
        return Gate(name, True, None, "nothing", f"{DOES_NOT_APPLY}: the judges do not pass.", n)
    gate = at_most(name, float(bool(last[column])), 0, n=int(last["total_queries"]), counted="queries", what=name)
    return told(gate._replace(sentence=raised), holds)
