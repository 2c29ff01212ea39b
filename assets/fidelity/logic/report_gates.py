"""The gates of study A as its report shows them: the same functions that the asset checks call, and the same rows."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.gates import at_least
from analysis.resampling.bootstrap import RELIABLE_CLUSTERS
from assets.fidelity.annotator_test import stand_in_gate
from assets.fidelity.dose_response import dose_gate
from assets.fidelity.golden_scores import complete_gate, held_out_gate
from assets.fidelity.human_agreement import error_gate, spearman_gate
from assets.fidelity.icc_by_setting import lower_bound_gate, repeatable_gate
from assets.fidelity.judge_calls import model_gate, validity_gate
from assets.fidelity.logic.setting_conditions import Side, condition_gates, limits_of, stored_conditions
from assets.fidelity.retried_calls import retried_gate
from assets.fidelity.sensitivity import (
    effect_gate,
    false_alarm_gate,
    hit_rate_gate,
    most_disturbed,
    seen_gate,
    strong_stripes,
    strong_stripes_gate,
    weakest_stripes,
)
from assets.fidelity.stability import mad_gate, width_gate
from reports.shared.gate_row import GateRow, gate_row
from resources.configuration.fidelity import FidelityStudy
from resources.judges.openai.price_age import OLDEST_DAYS, price_age_gate

NEEDED_TABLES = ("icc_by_setting", "stability", "human_agreement", "judge_calls")


def gates_by_setting(tables: Mapping[str, pd.DataFrame], study: FidelityStudy) -> dict[str, list[GateRow]]:
    """Every gate of each setting that has the tables behind it, by partition key; settings without any are left out.

    Args:
        tables: Frames by name, all settings in one.
        study: Its thresholds.
    """
    made = set.intersection(*(set(tables[name]["setting"]) for name in NEEDED_TABLES))
    tested = set(tables["annotator_test"]["setting"])
    gates = {}
    for key in (setting.key for setting in study.settings.settings):
        rows = _of_setting({name: _part(tables[name], key) for name in NEEDED_TABLES}, study) if key in made else []
        if key in tested:
            needed = study.thresholds.stand_in_share
            rows.append(gate_row(stand_in_gate(_part(tables["annotator_test"], key), needed), needed, advice=True))
        if rows:
            gates[key] = rows
    return gates


def advice_by_setting(tables: Mapping[str, pd.DataFrame], study: FidelityStudy) -> dict[str, list[GateRow]]:
    """What is advice only and does not stand in the table of all settings, by partition key.

    A gate that is not asked, such as the age of a price of a judge that costs nothing, is left out.

    Args:
        tables: Frames by name, all settings in one.
        study: Its thresholds.
    """
    limits = study.thresholds
    gates = (
        ("icc_by_setting", lambda rows: lower_bound_gate(rows, limits.icc), limits.icc),
        ("human_agreement", lambda rows: spearman_gate(rows, limits.spearman, "ci_low"), limits.spearman),
        ("judge_calls", model_gate, 1.0),
        ("judge_calls", lambda _calls: price_age_gate(study.judge), float(OLDEST_DAYS)),
        ("retried_calls", retried_gate, 0.0),
    )
    found: dict[str, list[GateRow]] = {}
    for name, gate_of, needed in gates:
        for key, rows in tables[name].groupby("setting", sort=False):
            gate = gate_of(rows)
            if gate.n is not None:
                found.setdefault(str(key), []).append(gate_row(gate, needed, advice=True))
    return found


def decision_gates(recommended: pd.DataFrame, study: FidelityStudy) -> list[GateRow]:
    """Whether the recommended setting keeps its conditions when reported, and its lower bounds over all tried (Holm).

    Args:
        recommended: Table `recommended_setting`; without a recommended setting there is nothing to ask.
        study: Its thresholds.
    """
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
        rows.append(gate_row(gate, needed, advice=True))
    return rows


def _part(frame: pd.DataFrame, key: str) -> pd.DataFrame:
    return frame[frame["setting"] == key]


def _of_setting(tables: Mapping[str, pd.DataFrame], study: FidelityStudy) -> list[GateRow]:
    icc, spread, agreement = tables["icc_by_setting"], tables["stability"], tables["human_agreement"]
    limits, seen = study.thresholds, icc.iloc[0]
    overall = agreement[agreement["grouped_by"] == "overall"]
    bounds = {str(row["statistic"]): _bounds(row) | _few(row["n_products"]) for _, row in overall.iterrows()}
    by_product = seen["n_products"] < seen["n_used"]
    low, high = ("icc_1k_low_by_product", "icc_1k_high_by_product") if by_product else ("icc_1k_low", "icc_1k_high")
    return [
        gate_row(
            repeatable_gate(icc, limits.icc),
            limits.icc,
            low=seen[low],
            high=seen[high],
            unreliable=bool(by_product and seen["n_products"] < RELIABLE_CLUSTERS),
        ),
        gate_row(mad_gate(spread, limits.median_mad), limits.median_mad),
        gate_row(spearman_gate(agreement, limits.spearman), limits.spearman, **bounds["spearman_r"]),
        gate_row(error_gate(agreement, "mae", limits.mae), limits.mae, **bounds["mae"]),
        gate_row(validity_gate(tables["judge_calls"], limits.json_validity, study.confidence), limits.json_validity),
        gate_row(width_gate(spread, limits.ci_half_width), limits.ci_half_width, advice=True),
        gate_row(error_gate(agreement, "rmse", limits.rmse), limits.rmse, advice=True, **bounds["rmse"]),
    ]


def conditions_by_setting(recommended: pd.DataFrame, study: FidelityStudy, side: Side) -> dict[str, list[GateRow]]:
    """The four conditions of each setting that was compared and has the side's numbers, by partition key.

    Args:
        recommended: Table `recommended_setting`.
        study: Its thresholds.
        side: Whether of the objects that choose, or of the numbers to report.
    """
    limits, rows = limits_of(study.thresholds), {}
    for row in recommended[recommended["n_settings_tried"] > 0].to_dict("records"):
        conditions = stored_conditions(row, side)
        if side == "reporting" and all(one.value is None for one in conditions):
            continue
        gates = condition_gates(conditions, study.thresholds, deterministic=bool(row["deterministic"]))
        rows[str(row["setting"])] = [gate_row(gate, limits[gate.name].needed) for gate in gates]
    return rows


def golden_gates(
    scores: pd.DataFrame, sensitivity: pd.DataFrame, dose_response: pd.DataFrame, study: FidelityStudy
) -> list[GateRow]:
    """The gates of the golden set; those that were not asked of it are left out.

    Args:
        scores: Table `golden_scores`; empty where there is no golden set.
        sensitivity: Table `sensitivity`; empty where there is no golden set.
        dose_response: Table `dose_response`.
        study: Its thresholds.
    """
    limits, rows = study.thresholds, []
    if (row := weakest_stripes(sensitivity, "cohens_d")) is not None:
        gate = effect_gate(sensitivity, limits.effect_size)
        rows.append(gate_row(gate, limits.effect_size, **_bounds(row, "cohens_d")))
        sure = effect_gate(sensitivity, limits.effect_size, "cohens_d_low")
        rows.append(gate_row(sure, limits.effect_size, advice=True))
    if (row := weakest_stripes(sensitivity, "hit_rate")) is not None:
        gate = hit_rate_gate(sensitivity, limits.hit_rate, study.confidence)
        rows.append(gate_row(gate, limits.hit_rate, **_bounds(row, "hit_rate")))
    if (row := strong_stripes(sensitivity)) is not None:
        gate = strong_stripes_gate(sensitivity, limits.stripes_effect_size)
        rows.append(gate_row(gate, limits.stripes_effect_size, advice=True, **_bounds(row, "cohens_d")))
    if most_disturbed(sensitivity) is not None:
        gate = false_alarm_gate(sensitivity, limits.false_alarm_rate)
        rows.append(gate_row(gate, limits.false_alarm_rate, advice=True))
    if (sensitivity["expected"] == "worse").any():
        rows.append(gate_row(seen_gate(sensitivity), 0.0, advice=True))
    if len(dose_response):
        rows.append(gate_row(dose_gate(dose_response, limits.dose_response_r2), limits.dose_response_r2, advice=True))
    if len(scores):
        rows.append(gate_row(held_out_gate(scores, study), 0.0, advice=True))
        needed = 1.0 - study.max_missing_share
        rows.append(gate_row(complete_gate(scores, study.max_missing_share), needed, advice=True))
    return rows


def _few(n_products: Any) -> dict[str, bool]:
    return {"unreliable": bool(n_products < RELIABLE_CLUSTERS)}


def _bounds(row: pd.Series, name: str = "ci") -> dict[str, Any]:
    """The interval of the row that a gate speaks of."""
    return {"low": row[f"{name}_low"], "high": row[f"{name}_high"]}
