"""Table `dose_response`: whether more of an alteration costs more."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.agreement.dose_response import FEWEST_MAGNITUDES
from analysis.gates import NOT_ASKED, Gate, at_least
from analysis.ties import compare
from assets.fidelity.logic.sensitivity_rows import dose_points, dose_rows
from assets.shared.gate import Kind, gate
from assets.shared.partitions import readable
from reports.fidelity.plots.golden import dose_panels
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import listing
from resources.study import Study

LARGEST_SCORE = 1.0
EXPLAINED, NOT_EXPLAINED, FALLS, UNDEFINED = "explained", "not_explained", "falls", "undefined"


@dg.asset(group_name="fidelity_sensitivity", kinds={"pandas"}, code_version="2")
def dose_response(
    context: dg.AssetExecutionContext, golden_scores: pd.DataFrame, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """One row per kind: the line of drops on dose within items, and Page's trend test."""
    frame = dose_rows(golden_scores, study.fidelity)
    context.add_output_metadata(
        readable(headline(frame, dose_points(golden_scores), study.fidelity.thresholds.dose_response_r2))
    )
    return frame


def headline(frame: pd.DataFrame, points: pd.DataFrame, threshold: float) -> dict[str, Any]:
    """How many kinds the dose explains, their R squared, and all lines at a glance."""
    explained = {kind: said == EXPLAINED for kind, said in readings(frame, threshold).items()}
    return {
        "n_kinds": len(frame),
        "n_explained": sum(explained.values()),
        "not_explained": ", ".join(kind for kind, done in explained.items() if not done) or "none",
        "plot": figure_metadata(dose_panels(points, frame)),
    }


@gate(dose_response, Kind.ADVICE, to_do="Look at the lines in dose_response; more items steady them.")
def more_costs_more(dose_response: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Within items the dose explains the drops, for each kind of alteration."""
    name = "more_costs_more"
    worst = weakest_kind(dose_response)
    if worst is None:
        sentence = f"{NOT_ASKED} No kind of alteration has {FEWEST_MAGNITUDES} magnitudes."
        return Gate(name, True, None, f">= {plan.thresholds.dose_response_r2:g}", sentence)
    failing = [
        row for row in dose_response.to_dict("records") if _reading(row, plan.thresholds.dose_response_r2) != EXPLAINED
    ]
    which = f", the lowest of {len(dose_response)} kinds," if len(dose_response) > 1 else ""
    gate = at_least(
        name,
        None if pd.isna(worst["r2"]) else float(worst["r2"]),
        plan.thresholds.dose_response_r2,
        n=int(worst["n_line"]),
        counted="items",
        what=f"R squared of drop on dose for {worst['kind']}{which}",
        reason=str(worst["undefined"]),
    )
    remedy = "Look at the lines in dose_response; more items steady them."
    said = f"{gate.sentence} Short of it: {listing(_said(row) for row in failing)}. {remedy}"
    holds = f"{gate.sentence} Every line rises with the dose."
    return gate._replace(passed=not failing, sentence=said, remedy=remedy if failing else "").passing_as(holds)


def weakest_kind(frame: pd.DataFrame) -> pd.Series | None:
    """The kind with the smallest R squared, the row that the gate speaks of; an undefined one where none is known."""
    if frame.empty:
        return None
    known = frame[frame["r2"].notna()]
    return known.iloc[int(known["r2"].astype(float).argmin())] if len(known) else frame.iloc[0]


def readings(frame: pd.DataFrame, threshold: float) -> dict[str, str]:
    """How each kind's line reads, in a word: explained, not_explained, falls or undefined."""
    return {str(row["kind"]): _reading(row, threshold) for row in frame.to_dict("records")}


def _reading(row: Mapping[Any, Any], threshold: float) -> str:
    if pd.isna(row["r2"]) or pd.isna(row["slope"]):
        return UNDEFINED
    if compare(row["slope"], 0.0, LARGEST_SCORE) <= 0:
        return FALLS
    return EXPLAINED if compare(row["r2"], threshold) >= 0 else NOT_EXPLAINED


def _said(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["r2"]):
        return f"{row['kind']} (undefined)"
    return f"{row['kind']} ({row['r2']:.2f}{', falling' if compare(row['slope'], 0.0, LARGEST_SCORE) <= 0 else ''})"
