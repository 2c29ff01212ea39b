"""Advice on a verdict that passes: whether its lower bounds prove it, and whether a convention decides it."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.agreement.contingency import PASSED
from analysis.gates import DOES_NOT_APPLY, Gate, at_most
from analysis.resampling.bootstrap import FEWEST_CLUSTERS
from analysis.ties import compare
from analysis.words import distinct_numbers, queries
from resources.configuration.reliability import ReliabilityGate


def proven_gate(history: pd.DataFrame, limits: ReliabilityGate, reason: str | None = None) -> Gate:
    """Whether the latest validation, where it passed, is proven by its lower bounds; `reason`: why none was given."""
    why = "" if history.empty else f" ({unproven(history.iloc[-1].to_dict(), limits)})"
    return _flag_gate(
        history,
        reason,
        "agreement_is_proven",
        "not_proven",
        f"The judges agree well enough over {{queries}}, and that is not proven yet{why}; needed: lower bounds that "
        "reach the limits too.",
        "Judge more queries: the intervals narrow.",
        "The lower bounds of kappa reach their limits.",
    )


def unproven(last: Mapping[Any, Any], limits: ReliabilityGate) -> str:
    """Which lower bound does not prove that a limit is reached, and which is not there.

    Args:
        last: A row of table `kappa_validation`.
        limits: Of the gate.
    """
    said, n = [], int(last["total_queries"])
    for name, needed in (("macro", limits.min_macro), ("micro", limits.min_micro)):
        low = last[f"kappa_{name}_low"]
        if pd.isna(low):
            few = f": {queries(n)}, fewer than {FEWEST_CLUSTERS}" if n < FEWEST_CLUSTERS else ""
            said.append(f"{name} kappa has no interval{few}")
        elif compare(float(low), needed) < 0:
            bound, limit = distinct_numbers(float(low), needed)
            said.append(f"the lower bound of {name} kappa is {bound}, below {limit}")
    return "; ".join(said) or "by the limits of that time"


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
    return gate._replace(sentence=f"{raised.format(queries=queries(n))} {remedy}").passing_as(holds)
