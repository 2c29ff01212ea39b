"""The four conditions of a setting as gates, with by how much each is missed."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import pandas as pd

from analysis.agreement.icc import icc
from analysis.agreement.setting_choice import Rule
from analysis.agreement.setting_measures import Compared
from analysis.gates import DETERMINISTIC, Gate, at_least, at_most
from analysis.messages import message, message_list
from analysis.resampling.pairs import FEWEST_PAIRS
from analysis.undefined import UndefinedStatistic
from reports.shared.gate_row import GateRow, gate_row
from resources.configuration.fidelity import FidelityStudy, FidelityThresholds

# MAE is a gate and none of them: a setting can keep all four and miss it.
FOUR_CONDITIONS = "the four conditions (ICC, JSON validity, Spearman, MAD)"
# Columns of the table, in the order of the fields of `Measures`.
COLUMNS = ("icc", "json_validity_rate", "spearman_r", "mad")
Side = Literal["choosing", "reporting"]
# By side the columns that hold each condition's number, and what it was computed from.
STORED: Mapping[Side, tuple[tuple[str, str], ...]] = {
    "choosing": (
        ("icc", "n_choosing"),
        ("json_validity_rate", "n_first_choosing"),
        ("spearman_r", "n_matched_choosing"),
        ("mad", "n_choosing"),
    ),
    "reporting": (
        ("icc_reported", "n_reporting"),
        ("json_validity_reported", "n_first_reporting"),
        ("spearman_reported", "n_matched_reporting"),
        ("mad_reported", "n_reporting"),
    ),
}


class Condition(NamedTuple):
    """One measure of one setting, as its gate sees it.

    `uncorrected` is what the objects gave, where `value` is that after correcting for the choice.
    """

    column: str
    value: float | None
    n: int
    reason: str = ""
    uncorrected: float | None = None


class Limit(NamedTuple):
    """What one measure is held against, and how a sentence names it."""

    compare: Callable[..., Gate]
    needed: float
    what: str
    counted: str


def limits_of(thresholds: FidelityThresholds) -> dict[str, Limit]:
    """The four limits by column."""
    return {
        "icc": Limit(at_least, thresholds.icc, "ICC(1,k)", message("objects")),
        "json_validity_rate": Limit(
            at_least, thresholds.json_validity, message("JSON validity"), message("first answers")
        ),
        "spearman_r": Limit(at_least, thresholds.spearman, message("Spearman with people"), message("objects")),
        "mad": Limit(at_most, thresholds.median_mad, message("Median MAD of the repeats"), message("objects")),
    }


def stored_conditions(row: Mapping[Any, Any], side: Side) -> list[Condition]:
    """The four measures as a row of `recommended_setting` holds them, of the objects that choose or that report."""
    corrected = side == "reporting" and is_corrected(row)
    return [
        Condition(column, _or_none(row[name]), int(row[n]), uncorrected=_or_none(row[column]) if corrected else None)
        for column, (name, n) in zip(COLUMNS, STORED[side], strict=True)
    ]


def is_corrected(row: Mapping[Any, Any]) -> bool:
    """Whether the numbers to report are those of all objects, corrected for the choice, and not of another half."""
    return str(row["method"]).startswith("optimism")


def _or_none(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def rule_of(study: FidelityStudy) -> Rule:
    """The study's thresholds and weights, weights divided by their sum."""
    limits, shares = study.thresholds, study.recommendation.weights.shares
    return Rule(
        icc=limits.icc,
        json_validity=limits.json_validity,
        spearman=limits.spearman,
        median_mad=limits.median_mad,
        weight_icc=shares["icc"],
        weight_json_validity=shares["json_validity"],
        weight_spearman=shares["human"],
        weight_median_mad=shares["mad"],
    )


def conditions_of(
    given: Compared,
    place: int,
    values: Mapping[str, float | None],
    uncorrected: Mapping[str, float | None] | None = None,
) -> list[Condition]:
    """A setting's four measures with what they were computed from, and why one is undefined.

    Args:
        given: The settings, on the objects that the measures are of.
        place: Which of them.
        values: By column; null where undefined.
        uncorrected: The same before they were corrected for the choice; none: they were not.
    """
    first = int(given.settings[place].first_answers.sum())
    n = {"icc": given.n_objects, "json_validity_rate": first, "spearman_r": given.n_matched, "mad": given.n_objects}
    reasons = {
        "json_validity_rate": message("no first attempt got an answer"),
        "mad": message("no object has a valid repeat"),
    }
    if values["icc"] is None:
        reasons["icc"] = _why_no_icc(given, place)
    if values["spearman_r"] is None:
        reasons["spearman_r"] = (
            message(
                "only {n} of the objects was scored by people, at least {fewest} needed"
                "|only {n} of the objects were scored by people, at least {fewest} needed",
                n=given.n_matched,
                fewest=FEWEST_PAIRS,
            )
            if given.n_matched < FEWEST_PAIRS
            else message("all scores of the judge, or all of people, are equal")
        )
    before = uncorrected or {}
    return [
        Condition(column, values[column], n[column], reasons.get(column, ""), before.get(column)) for column in COLUMNS
    ]


def condition_gates(conditions: list[Condition], thresholds: FidelityThresholds, *, deterministic: bool) -> list[Gate]:
    """The four gates; the ICC of a deterministic setting proves nothing and fails."""
    asked = limits_of(thresholds)
    gates = []
    for column, value, n, reason, uncorrected in conditions:
        compare, limit, what, counted = asked[column]
        if column == "icc" and deterministic:
            sentence = message(
                "deterministic: every object's repeats are equal, so ICC is 1 by construction and proves nothing."
            )
            gates.append(Gate("icc", False, None, f">= {limit:g}", sentence, n, DETERMINISTIC, limit=limit))
            continue
        gap = ""
        if value is not None:
            by = abs(value - limit)
            gap = message("Short by {by:.2g}.", by=by) if compare is at_least else message("Over by {by:.2g}.", by=by)
        gate = compare(column, value, limit, n=n, what=what, counted=counted, reason=reason, remedy=gap)
        if value is not None and uncorrected is not None:
            # The corrected number is of no n answers or objects: what these gave is the other one.
            over = f" over {n} {counted};"
            corrected = f" after correcting for the choice ({uncorrected:.3f} seen{over[:-1]});"
            gate = gate._replace(sentence=gate.sentence.replace(over, corrected, 1))
        gates.append(gate)
    return gates


def misses(gates: list[Gate]) -> str | None:
    """What the failing gates say, as one text; null where all pass."""
    return message_list((gate.sentence for gate in gates if not gate.passed), " ") or None


def _why_no_icc(given: Compared, place: int) -> str:
    try:
        found = icc(given.settings[place].scores, given.planned_repeats)
    except UndefinedStatistic as undefined:
        return undefined.reason
    return found.icc_1k_planned.reason or message("not defined on these objects")


def decision_gates(recommended: pd.DataFrame, study: FidelityStudy) -> list[GateRow]:
    """Whether the recommended setting keeps its conditions when reported, with lower bounds over all tried (Holm)."""
    chosen = recommended[recommended["recommended"].fillna(False).astype(bool)]
    if chosen.empty:
        return []
    row, limits = chosen.iloc[0].to_dict(), study.thresholds
    conditions = conditions_by_setting(chosen, study, "reporting").get(str(row["setting"]), [])
    n_missed = sum(not condition.passed for condition in conditions)
    confirmed = bool(pd.isna(row["lacks_when_reported"]))
    rows = [
        GateRow(
            "recommendation_confirmed",
            confirmed,
            float(n_missed),
            0.0,
            "<=",
            advice=True,
            n=len(conditions),
        )
    ]
    for name, column, n, needed in (
        ("icc_for_sure", "icc_holm_low", "n_reporting", limits.icc),
        ("spearman_for_sure", "spearman_holm_low", "n_matched_reporting", limits.spearman),
    ):
        bound = None if pd.isna(row[column]) else float(row[column])
        gate = at_least(name, bound, needed, n=int(row[n]), what=name, reason=str(row["method"]))
        rows.append(gate_row(gate, advice=True))
    return rows


def conditions_by_setting(recommended: pd.DataFrame, study: FidelityStudy, side: Side) -> dict[str, list[GateRow]]:
    """The four conditions of each setting that was compared and has the side's numbers, by partition key."""
    rows = {}
    for row in recommended[recommended["n_settings_tried"] > 0].to_dict("records"):
        conditions = stored_conditions(row, side)
        if side == "reporting" and all(one.value is None for one in conditions):
            continue
        gates = condition_gates(conditions, study.thresholds, deterministic=bool(row["deterministic"]))
        rows[str(row["setting"])] = [gate_row(gate) for gate in gates]
    return rows
