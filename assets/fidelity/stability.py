"""Table `stability`: how much one object's repeats differ."""

import dagster as dg
import pandas as pd

from analysis.agreement.stability import stability as of_matrix
from analysis.gates import Gate, at_most
from analysis.messages import message
from assets.fidelity.logic.judge_answers import scores_of
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.gate import Kind, gate
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.settings import stability as stability_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study


@dg.asset(
    group_name="fidelity_repeatability",
    partitions_def=SETTINGS,
    backfill_policy=ONE_RUN,
    kinds={"pandas"},
    code_version="1",
)
def stability(context: dg.AssetExecutionContext, score_matrix: Frames, study: dg.ResourceParam[Study]) -> Frames:
    """One row per object: mean, median, MAD, sd and the interval of the mean over its repeats."""
    limit = study.fidelity.thresholds.median_mad
    return each_partition(
        context,
        lambda key: stability_rows(sound_matrix(score_matrix[key], study.fidelity), study.fidelity.confidence),
        lambda frame: {
            "n_objects": len(frame),
            "median_mad": frame["mad"].median(),
            "median_half_width": frame["half_width"].median(),
            "plot": figure_metadata(stability_chart(frame, limit).specification()),
        },
    )


def stability_rows(matrix: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Spread of every object's repeats."""
    found = of_matrix(scores_of(matrix), confidence)
    frame = matrix[["setting", "object", "item_id", "product_id"]].reset_index(drop=True)
    return frame.assign(
        n_valid=found.n_valid,
        mean=found.mean,
        median=found.median,
        mad=found.mad,
        sd=found.sd,
        ci_low=found.low,
        ci_high=found.high,
        half_width=found.half_width,
        n_outliers=pd.array(found.n_outliers, dtype="Int64"),
        undefined=pd.array(found.reasons, dtype="str"),
    )


@gate(stability, Kind.QUALITY, to_do="Judge at a lower temperature.", withheld="the setting is not recommended.")
def repeats_agree(stability: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The repeats of a typical object agree: the median MAD keeps its limit."""
    return _median_gate(
        "repeats_agree",
        stability["mad"],
        plan.thresholds.median_mad,
        "Median MAD of the repeats",
        "A lower temperature helps.",
    )


@gate(stability, Kind.ADVICE, to_do="Plan as many repeats as `projected_n` in convergence_curves says.")
def means_are_precise(stability: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """A typical object's mean is known closely: the median half-width keeps its limit."""
    remedy = "projected_n in convergence_curves says how many repeats each object needs."
    return _median_gate(
        "means_are_precise",
        stability["half_width"],
        plan.thresholds.ci_half_width,
        "Median half-width of the means",
        remedy,
    )


def _median_gate(name: str, values: pd.Series, limit: float, what: str, remedy: str) -> Gate:
    known = values.dropna()
    seen = float(known.median()) if len(known) else None
    reason = message("no object has enough repeats")
    remedy = remedy if len(known) else "Judge the setting with more repeats."
    return at_most(name, seen, limit, n=len(known), what=what, reason=reason, remedy=remedy)
