"""Table `score_matrix`: the setting's verdicts, one row per object and one column per repeat."""

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from assets.fidelity.logic.judge_answers import as_planned, enough_repeats_gate, matrix_of
from assets.fidelity.study_objects import require_sound_objects
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.settings import score_matrix as score_matrix_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.judges.judging import saved_calls
from resources.study import Study


@dg.asset(
    group_name="fidelity_judging", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def score_matrix(
    context: dg.AssetExecutionContext, judge_calls: Frames, study_objects: pd.DataFrame, study: dg.ResourceParam[Study]
) -> Frames:
    """One row per object, one column per repeat; a verdict that is missing stays null."""
    require_sound_objects(study_objects, study.fidelity)
    plan = study.fidelity

    def made(key: str) -> pd.DataFrame:
        matrix = matrix_of(key, judge_calls[key], study_objects, plan.repeats)
        return matrix if plan.stopping is None else as_asked(matrix, judge_calls[key])

    def said(matrix: pd.DataFrame) -> dict[str, object]:
        if plan.stopping is None or matrix.empty:
            return headline(matrix)
        saved = saved_calls(judge_calls[matrix["setting"].iloc[0]], plan.repeats)
        return headline(matrix) | {f"{name}_saved": value for name, value in saved._asdict().items()}

    return each_partition(context, made, said)


def as_asked(matrix: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """The matrix with as many repeats planned of each object as it was asked about before it was known well enough."""
    asked = calls.groupby("object")["repeat"].max()
    return matrix.assign(n_planned=matrix["object"].map(asked).fillna(matrix["n_planned"]).astype("int64"))


def sound_matrix(matrix: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """The objects with enough valid repeats, if the matrix is of the current plan and its gate holds.

    A launch by hand never meets the check.

    Raises:
        UserError: It was made with another number of repeats.
        Failure: Too many objects have too few valid repeats.
    """
    gate = enough_repeats_gate(as_planned(matrix, study.repeats), study)
    setting = matrix["setting"].iloc[0] if len(matrix) else "no setting"
    require(gate._replace(sentence=f"{setting}: {gate.sentence}"))
    return matrix[matrix["n_valid"] >= study.minimum_repeats].reset_index(drop=True)


def headline(matrix: pd.DataFrame) -> dict[str, object]:
    """How complete the matrix is, and how it looks."""
    return {
        "n_objects": len(matrix),
        "n_missing": int(matrix["n_planned"].sum() - matrix["n_valid"].sum()),
        "plot": figure_metadata(score_matrix_chart(matrix).specification()),
    }


@gate(
    score_matrix,
    Kind.INTEGRITY,
    to_do="Run again: faults are asked again. Of answers without a score `answers_are_valid_json` says the cause.",
)
def enough_repeats(score_matrix: pd.DataFrame, judge_calls: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Few objects lack the valid repeats that their statistics need; they are left out and named."""
    return enough_repeats_gate(score_matrix, plan, judge_calls)
