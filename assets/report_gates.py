"""The gates of study A as its report shows them: the same functions that the asset checks call."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.gates import Gate
from assets.fidelity.dose_response import dose_gate
from assets.fidelity.human_agreement import error_gate, spearman_gate
from assets.fidelity.icc_by_setting import repeatable_gate
from assets.fidelity.judge_calls import first_answers, validity_gate
from assets.fidelity.sensitivity import (
    STRIPES,
    STRONG_OPACITY,
    effect_gate,
    false_alarm_gate,
    hit_rate_gate,
    seen_gate,
    strong_stripes_gate,
)
from assets.fidelity.stability import mad_gate, width_gate
from resources.configuration.fidelity import FidelityStudy
from resources.reports.gate_row import GateRow, gate_row

NEEDED_TABLES = ("icc_by_setting", "stability", "human_agreement", "judge_calls")


def gates_by_setting(tables: Mapping[str, pd.DataFrame], study: FidelityStudy) -> dict[str, list[GateRow]]:
    """Every gate of each setting that has all four tables behind them, by partition key.

    Args:
        tables: Frames by name, all settings in one.
        study: Its thresholds.
    """
    made = set.intersection(*(set(tables[name]["setting"]) for name in NEEDED_TABLES))
    keys = [setting.key for setting in study.settings.settings if setting.key in made]
    return {key: _of_setting({name: _part(tables[name], key) for name in NEEDED_TABLES}, study) for key in keys}


def _part(frame: pd.DataFrame, key: str) -> pd.DataFrame:
    return frame[frame["setting"] == key]


def _of_setting(tables: Mapping[str, pd.DataFrame], study: FidelityStudy) -> list[GateRow]:
    icc, spread, agreement = tables["icc_by_setting"], tables["stability"], tables["human_agreement"]
    limits, seen = study.thresholds, icc.iloc[0]
    overall = agreement[agreement["grouped_by"] == "overall"].set_index("statistic")
    n_first, n_matched = len(first_answers(tables["judge_calls"])), _count(overall["n_used"])
    n_mads, n_widths = int(spread["mad"].notna().sum()), int(spread["half_width"].notna().sum())
    bounds = {name: _bounds(overall, name) for name in ("spearman_r", "mae", "rmse")}
    deterministic = bool(seen["deterministic"])
    by_product = seen["n_products"] < seen["n_used"]
    low, high = ("icc_1k_low_by_product", "icc_1k_high_by_product") if by_product else ("icc_1k_low", "icc_1k_high")
    return [
        gate_row(
            repeatable_gate(icc, limits.icc),
            limits.icc,
            seen["n_used"],
            low=seen[low],
            high=seen[high],
            reason="deterministic" if deterministic else seen["undefined"] if pd.isna(seen["icc_1k"]) else None,
        ),
        gate_row(mad_gate(spread, limits.median_mad), limits.median_mad, n_mads),
        gate_row(spearman_gate(agreement, limits.spearman), limits.spearman, n_matched, **bounds["spearman_r"]),
        gate_row(error_gate(agreement, "mae", limits.mae), limits.mae, n_matched, **bounds["mae"]),
        gate_row(
            validity_gate(tables["judge_calls"], limits.json_validity, study.confidence), limits.json_validity, n_first
        ),
        gate_row(width_gate(spread, limits.ci_half_width), limits.ci_half_width, n_widths, advice=True),
        gate_row(error_gate(agreement, "rmse", limits.rmse), limits.rmse, n_matched, advice=True, **bounds["rmse"]),
    ]


def golden_gates(sensitivity: pd.DataFrame, dose_response: pd.DataFrame, study: FidelityStudy) -> list[GateRow]:
    """The gates of the golden set; those that were not asked of it are left out.

    Args:
        sensitivity: Table `sensitivity`; empty where there is no golden set.
        dose_response: Table `dose_response`.
        study: Its thresholds.
    """
    if sensitivity.empty:
        return []
    limits = study.thresholds
    stripes = sensitivity[sensitivity["kind"].isin(STRIPES)]
    strong = stripes[(stripes["kind"] == "stripes") & (stripes["magnitude"].astype(float).round(12) == STRONG_OPACITY)]
    same = sensitivity[sensitivity["expected"] == "same"]
    false_alarms = round(1.0 - limits.hit_rate, 12)
    worse = sensitivity[sensitivity["expected"] == "worse"]
    rows = [
        _golden(effect_gate(sensitivity, limits.effect_size), limits.effect_size, stripes, "cohens_d"),
        _golden(hit_rate_gate(sensitivity, limits.hit_rate, study.confidence), limits.hit_rate, stripes, "hit_rate"),
        _golden(
            strong_stripes_gate(sensitivity, limits.stripes_effect_size),
            limits.stripes_effect_size,
            strong,
            "cohens_d",
            advice=True,
        ),
        _golden(false_alarm_gate(sensitivity, limits.hit_rate), false_alarms, same, None, advice=True),
    ]
    if len(worse):
        rows.append(gate_row(seen_gate(sensitivity), 0.0, len(worse), advice=True))
    if len(dose_response):
        gate = dose_gate(dose_response, limits.dose_response_r2)
        n_items = int(dose_response["n_items"].max())
        rows.append(gate_row(gate, limits.dose_response_r2, n_items, advice=True))
    return [row for row in rows if row is not None]


def _golden(
    gate: Gate, needed: float, rows: pd.DataFrame, column: str | None, *, advice: bool = False
) -> GateRow | None:
    """The gate with the interval of the row that it speaks of, which is the one with the lowest number."""
    if rows.empty:
        return None
    bounds: dict[str, Any] = {}
    n_items = int(rows["n_items"].max())
    if column is not None and rows[column].notna().any():
        worst = rows.iloc[int(rows[column].astype(float).fillna(np.inf).argmin())]
        bounds, n_items = {"low": worst[f"{column}_low"], "high": worst[f"{column}_high"]}, int(worst["n_items"])
    undefined = [str(one) for one in rows["undefined"].dropna()]
    reason = undefined[0] if gate.seen is None and undefined else None
    return gate_row(gate, needed, n_items, advice=advice, reason=reason, **bounds)


def _bounds(overall: pd.DataFrame, name: str) -> dict[str, Any]:
    row = overall.loc[name]
    undefined: Any = row["undefined"] if pd.isna(row["value"]) else None
    return {"low": row["ci_low"], "high": row["ci_high"], "reason": undefined}


def _count(column: pd.Series) -> int:
    return int(column.iloc[0]) if len(column) else 0
