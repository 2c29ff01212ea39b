"""Table `convergence_summary`: convergence over objects, for each number of repeats."""

import dagster as dg
import pandas as pd

from analysis.agreement.convergence import convergence, summarised
from assets.fidelity.logic.judge_answers import as_planned, scores_of
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.settings import convergence as convergence_chart
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
def convergence_summary(
    context: dg.AssetExecutionContext,
    score_matrix: Frames,
    convergence_curves: Frames,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per number of repeats: how wide the objects' intervals are then, and how many are narrow enough."""
    frames = {
        key: summary_of_looks(sound_matrix(matrix, study.fidelity), study.fidelity)
        for key, matrix in score_matrix.items()
    }
    return each_partition(context, frames.__getitem__, lambda frame: headline(frame, convergence_curves))


def summary_of_looks(matrix: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """Mean, median and largest half-width at each number of repeats."""
    threshold = study.thresholds.ci_half_width
    found = summarised(
        convergence(scores_of(as_planned(matrix, study.repeats)), threshold, study.repeats, study.confidence)
    )
    frame = pd.DataFrame(found._asdict()).rename(columns={"n_at_or_below": "n_converged"}).assign(threshold=threshold)
    frame.insert(0, "setting", matrix["setting"].iloc[0])
    return frame


def headline(frame: pd.DataFrame, curves: Frames) -> dict[str, object]:
    """Where the last planned repeat leaves the objects."""
    last = frame.iloc[-1]
    of_setting = curves[frame["setting"].iloc[0]]
    return {
        "n_converged": last["n_converged"],
        "n_objects": last["n_objects"],
        "median_half_width": last["median_half_width"],
        "plot": figure_metadata(convergence_chart(of_setting, frame, float(last["threshold"])).specification()),
    }
