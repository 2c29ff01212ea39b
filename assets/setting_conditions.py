"""The four conditions of a setting as gates, with by how much each is missed."""

from collections.abc import Mapping
from typing import NamedTuple

from analysis.gates import Gate, at_least, at_most
from analysis.icc import icc
from analysis.pairs import FEWEST_PAIRS
from analysis.setting_choice import Rule
from analysis.setting_measures import Compared
from analysis.undefined import UndefinedStatistic
from resources.configuration.fidelity import FidelityStudy, FidelityThresholds

# Columns of the table, in the order of the fields of `Measures`.
COLUMNS = ("icc", "json_validity_rate", "spearman_r", "mad")


class Condition(NamedTuple):
    """One measure of one setting, as its gate sees it."""

    column: str
    value: float | None
    n: int
    reason: str = ""


def rule_of(study: FidelityStudy) -> Rule:
    """The study's thresholds and weights, weights divided by their sum."""
    limits, weights = study.thresholds, study.recommendation.weights
    total = weights.icc + weights.json_validity + weights.human + weights.mad
    return Rule(
        icc=limits.icc,
        json_validity=limits.json_validity,
        spearman=limits.spearman,
        median_mad=limits.median_mad,
        weight_icc=weights.icc / total,
        weight_json_validity=weights.json_validity / total,
        weight_spearman=weights.human / total,
        weight_median_mad=weights.mad / total,
    )


def conditions_of(given: Compared, place: int, values: Mapping[str, float | None]) -> list[Condition]:
    """A setting's four measures with what they were computed from, and why one is undefined.

    Args:
        given: The settings, on the objects that the measures are of.
        place: Which of them.
        values: By column; null where undefined.
    """
    first = int(given.settings[place].first_answers.sum())
    n = {"icc": given.n_objects, "json_validity_rate": first, "spearman_r": given.n_matched, "mad": given.n_objects}
    reasons = {"json_validity_rate": "no first attempt got an answer", "mad": "no object has a valid repeat"}
    if values["icc"] is None:
        reasons["icc"] = _why_no_icc(given, place)
    if values["spearman_r"] is None:
        were = "was" if given.n_matched == 1 else "were"
        reasons["spearman_r"] = (
            f"only {given.n_matched} of the objects {were} scored by people, at least {FEWEST_PAIRS} needed"
            if given.n_matched < FEWEST_PAIRS
            else "all scores of the judge, or all of people, are equal"
        )
    return [Condition(column, values[column], n[column], reasons.get(column, "")) for column in COLUMNS]


def condition_gates(conditions: list[Condition], thresholds: FidelityThresholds, *, deterministic: bool) -> list[Gate]:
    """The four gates; the ICC of a deterministic setting proves nothing and fails."""
    asked = {
        "icc": (at_least, thresholds.icc, "ICC(1,k)", "objects"),
        "json_validity_rate": (at_least, thresholds.json_validity, "JSON validity", "first answers"),
        "spearman_r": (at_least, thresholds.spearman, "Spearman with people", "objects"),
        "mad": (at_most, thresholds.median_mad, "Median MAD of the repeats", "objects"),
    }
    gates = []
    for column, value, n, reason in conditions:
        compare, limit, what, counted = asked[column]
        if column == "icc" and deterministic:
            sentence = (
                "deterministic: every object's repeats are equal, so ICC is 1 by construction and proves nothing."
            )
            gates.append(Gate("icc", False, None, f">= {limit:g}", sentence))
            continue
        gap = "" if value is None else f"{'Short by' if compare is at_least else 'Over by'} {abs(value - limit):.2g}."
        gates.append(compare(column, value, limit, n=n, what=what, counted=counted, reason=reason, remedy=gap))
    return gates


def misses(gates: list[Gate]) -> str | None:
    """What the failing gates say, as one text; null where all pass."""
    return " ".join(gate.sentence for gate in gates if not gate.passed) or None


def counted(n: int, noun: str) -> str:
    """A number of things in words: 1 object, 2 objects."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _why_no_icc(given: Compared, place: int) -> str:
    try:
        found = icc(given.settings[place].scores, given.planned_repeats)
    except UndefinedStatistic as undefined:
        return undefined.reason
    return found.icc_1k_planned.reason or "not defined on these objects"
