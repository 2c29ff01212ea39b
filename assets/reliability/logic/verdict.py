"""The verdict on two judges' agreement, in words too; whether lower bounds prove it or a convention decides it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from analysis.agreement.contingency import CONTINGENCY, PASSED, RESOLVED
from analysis.agreement.kappa import COUNTS, kappa_summary
from analysis.agreement.reliability_gate import REMEDY, ReliabilityVerdict, reliability_gate
from analysis.gates import DOES_NOT_APPLY, Gate, at_most
from analysis.resampling.bootstrap import FEWEST_CLUSTERS
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from analysis.words import distinct_numbers, queries
from assets.reliability.logic.disputes import undecided
from resources.configuration.reliability import ReliabilityGate, ReliabilityStudy


def proven_gate(history: pd.DataFrame, limits: ReliabilityGate, reason: str | None = None) -> Gate:
    """Whether the latest validation, where it passed, is proven by its lower bounds; `reason`: why none was given."""
    why = "" if history.empty else f" ({unproven(history.iloc[-1].to_dict(), limits)})"
    flag = _Flag(
        "agreement_is_proven",
        "not_proven",
        f"The judges agree well enough over {{queries}}, and that is not proven yet{why}; needed: lower bounds that "
        "reach the limits too.",
        "Judge more queries: the intervals narrow.",
        "The lower bounds of kappa reach their limits.",
    )
    return _flag_gate(history, reason, flag)


def unproven(last: Mapping[Any, Any], limits: ReliabilityGate) -> str:
    """Which lower bound does not prove that a limit is reached, and which is not there."""
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
    flag = _Flag(
        "convention_does_not_decide",
        "depends_on_convention",
        "The verdict would be another if queries on which both judges give one and the same label did not count as 1 "
        "(over {queries}); needed: one verdict under both conventions.",
        "Sample queries with relevant and irrelevant documents.",
        "The verdict is the same under both conventions.",
    )
    return _flag_gate(history, reason, flag)


class _Flag(NamedTuple):
    """A flag of a verdict as a gate: its name, its column, and what is said where it is raised and where it is not."""

    name: str
    column: str
    raised: str
    remedy: str
    holds: str


def _flag_gate(history: pd.DataFrame, reason: str | None, flag: _Flag) -> Gate:
    name, remedy = flag.name, flag.remedy
    if reason is not None or history.empty:
        return Gate(name, True, None, "nothing", f"{DOES_NOT_APPLY}: there is no verdict.", 0, reason)
    last = history.iloc[-1]
    n = int(last["total_queries"])
    if last["status"] != PASSED:
        # Without queries of one label macro is lower still: what fails with them fails without them.
        return Gate(name, True, None, "nothing", f"{DOES_NOT_APPLY}: the judges do not pass.", n)
    gate = at_most(name, float(bool(last[flag.column])), 0, n=n, counted="queries", what=name, remedy=remedy)
    return gate._replace(sentence=f"{flag.raised.format(queries=queries(n))} {remedy}").passing_as(flag.holds)


DECIDED = "People decided every document on which the judges differ."


CHOSEN_LOW = (
    "A part of the rise comes from judging only queries of low kappa again: such queries rise by chance too. Fresh "
    "queries show what is left of it, or all queries under the new prompt: `touchstone reliability recalibrate --all`."
)


class Verdict(NamedTuple):
    """What the gate says of the deciding pair of judges, with everything that its row records."""

    judges: tuple[str, str]
    gate: ReliabilityVerdict
    measures: dict[str, Any]


def verdict_of(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> Verdict:
    """The verdict on the pair of judges that decides: the lowest macro of those that fail, else of all.

    Raises:
        UndefinedStatistic: Some pair has no query with a defined kappa.
    """
    verdicts = [
        _verdict(judges, rows, judge_agreement, plan)
        for judges, rows in query_kappa.groupby(["judge_1", "judge_2"], sort=False)
    ]
    if not verdicts:
        raise UndefinedStatistic("no query was judged by two judges")
    failing = [one for one in verdicts if not one.gate.passed]
    return min(failing or verdicts, key=lambda one: float(one.measures["kappa_macro"]))


def why_no_verdict(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> str | None:
    """Why these tables give no verdict; null where they give one."""
    try:
        verdict_of(query_kappa, judge_agreement, plan)
    except UndefinedStatistic as undefined:
        return undefined.reason
    return None


def _verdict(judges: Any, rows: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> Verdict:
    gate = plan.gate
    summary = kappa_summary(rows[list(COUNTS)].to_numpy(dtype="int64"), gate.low_kappa)
    of_pair = judge_agreement[
        (judge_agreement["judge_1"] == judges[0]) & (judge_agreement["judge_2"] == judges[1])
    ].set_index("statistic")
    bounds = {
        f"{name}_{side}": _number(of_pair, name, f"value_{side}")
        for name in ("kappa_macro", "kappa_micro")
        for side in ("low", "high")
    }
    verdict = reliability_gate(
        summary,
        macro_low=bounds["kappa_macro_low"],
        micro_low=bounds["kappa_micro_low"],
        limits=gate.limits,
    )
    measures = {
        "kappa_macro": summary.macro,
        "kappa_macro_defined": summary.macro_defined,
        "kappa_micro": summary.micro,
        "low_share": summary.low_share,
        "total_queries": summary.n_queries,
        "n_undefined": summary.n_undefined,
        "n_documents": summary.n_documents,
        "judge_1": judges[0],
        "judge_2": judges[1],
        **bounds,
    }
    return Verdict((str(judges[0]), str(judges[1])), verdict, measures)


def status_of(verdict: Verdict, disputed: pd.DataFrame) -> str:
    """Passed by the gate, else resolved where people decided every document whose labels differ, else contingency.

    Nothing is resolved where no one decided anything.
    """
    if verdict.gate.passed:
        return PASSED
    return RESOLVED if disputed["labels_differ"].any() and undecided(disputed).empty else CONTINGENCY


def judges_of(query_kappa: pd.DataFrame) -> tuple[str, ...]:
    """Every judge, in order."""
    return tuple(dict.fromkeys([*query_kappa["judge_1"], *query_kappa["judge_2"]]))


def notes_of(verdict: Verdict, status: str, *, chosen_low: bool = False) -> str:
    """The verdict in words; `chosen_low`: only queries of low kappa were judged again."""
    if status == PASSED:
        passed = f"IRR Validation Passed (Kappa: {verdict.measures['kappa_macro']:.2f})"
        return f"{passed}. {CHOSEN_LOW}" if chosen_low else passed
    # What to do is not the same at every step: `contingency_state` says it.
    failing = " ".join(gate.sentence.removesuffix(f" {REMEDY}") for gate in verdict.gate.gates if not gate.passed)
    if status == RESOLVED:
        return f"{DECIDED} {failing}"
    return failing


def agreement_gate(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> Gate:
    """The three conditions as one gate, with the numbers of the first that fails, or of macro kappa where none does."""
    name = "judges_agree"
    try:
        verdict = verdict_of(query_kappa, judge_agreement, plan)
    except UndefinedStatistic as undefined:
        remedy = "Sample queries with relevant and irrelevant documents."
        over = queries(query_kappa["query_id"].nunique())
        words = f"No verdict over {over}: {undefined.reason}; needed: a defined kappa. {remedy}"
        return Gate(name, False, None, f">= {plan.gate.min_macro:g}", words, 0, undefined.reason, remedy)
    gates = verdict.gate.gates
    shown = next((gate for gate in gates if not gate.passed), gates[0])
    sentence = " ".join(gate.sentence.removesuffix(f" {REMEDY}") for gate in gates)
    if not verdict.gate.passed:
        sentence = f"{sentence} {REMEDY}"
    return shown._replace(name=name, passed=verdict.gate.passed, sentence=f"{' and '.join(verdict.judges)}: {sentence}")


def _number(of_pair: pd.DataFrame, statistic: str, column: str) -> float | None:
    found = of_pair[column].get(statistic)
    return None if found is None or pd.isna(found) else float(found)
