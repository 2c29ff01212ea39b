"""Advice on a verdict that passes: whether its lower bounds prove it, and whether a convention decides it."""

import pandas as pd

from analysis.contingency import PASSED
from analysis.gates import Gate, at_most
from analysis.words import queries
from assets.checks import DOES_NOT_APPLY, told


def proven_gate(history: pd.DataFrame, reason: str | None = None) -> Gate:
    """Whether the latest validation, where it passed, is proven by its lower bounds; `reason`: why none was given."""
    return _flag_gate(
        history,
        reason,
        "agreement_is_proven",
        "not_proven",
        "The judges agree well enough over {queries}, and a lower bound does not prove it yet; needed: lower bounds "
        "that reach the limits too.",
        "Judge more queries: the bounds narrow.",
        "The lower bounds of kappa reach their limits.",
    )


def convention_gate(history: pd.DataFrame, reason: str | None = None) -> Gate:
    """Whether the latest pass depends on how queries with one label count; `reason`: why no verdict was given."""
    return _flag_gate(
        history,
        reason,
        "convention_does_not_decide",
        "depends_on_convention",
        "The verdict would be another if queries on which both judges give one and the same label did not count as 1 "
        "(over {queries}); needed: one verdict under both conventions.",
        "Sample queries with relevant and irrelevant documents.",
        "The verdict is the same under both conventions.",
    )


def _flag_gate(
    history: pd.DataFrame, reason: str | None, name: str, column: str, raised: str, remedy: str, holds: str
) -> Gate:
    if reason is not None or history.empty:
        return Gate(name, True, None, "nothing", f"{DOES_NOT_APPLY}: there is no verdict.", 0, reason)
    last = history.iloc[-1]
    n = int(last["total_queries"])
    if last["status"] != PASSED:
        # Without queries of one label macro is lower still: what fails with them fails without them.
        return Gate(name, True, None, "nothing", f"{DOES_NOT_APPLY}: the judges do not pass.", n)
    gate = at_most(name, float(bool(last[column])), 0, n=n, counted="queries", what=name, remedy=remedy)
    return told(gate._replace(sentence=f"{raised.format(queries=queries(n))} {remedy}"), holds)
