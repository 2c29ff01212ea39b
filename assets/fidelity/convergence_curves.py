"""Table `convergence_curves`: what each further repeat buys, object by object."""

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.convergence import convergence
from assets.fidelity.logic.judge_answers import as_planned, scores_of
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study


@dg.asset(
    group_name="fidelity_repeatability",
    partitions_def=SETTINGS,
    backfill_policy=ONE_RUN,
    kinds={"pandas"},
    code_version="1",
)
def convergence_curves(
    context: dg.AssetExecutionContext, score_matrix: Frames, study: dg.ResourceParam[Study]
) -> Frames:
    """One row per object and number of repeats: running statistics, and how many repeats would do."""
    return each_partition(
        context,
        lambda key: curve_rows(sound_matrix(score_matrix[key], study.fidelity), study.fidelity),
        lambda frame: {"median_projected_n": frame.drop_duplicates("object")["projected_n"].median()},
    )


def curve_rows(matrix: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """The curves of all objects as a long table; looks beyond an object's valid repeats are not in it."""
    curves = convergence(
        scores_of(as_planned(matrix, study.repeats)), study.thresholds.ci_half_width, study.repeats, study.confidence
    )
    n_objects, n_looks = curves.mean.shape
    columns = {
        "setting": np.repeat(matrix["setting"].to_numpy(), n_looks),
        "object": np.repeat(matrix["object"].to_numpy(), n_looks),
        "n": np.tile(np.arange(1, n_looks + 1), n_objects),
        "mean": curves.mean.ravel(),
        "median": curves.median.ravel(),
        "mad": curves.mad.ravel(),
        "ci_low": curves.low.ravel(),
        "ci_high": curves.high.ravel(),
        "half_width": curves.half_width.ravel(),
        "half_width_all_looks": curves.half_width_all_looks.ravel(),
    }
    frame = pd.DataFrame(columns)
    for name in ("first_n", "stable_n", "projected_n", "first_n_all_looks"):
        frame[name] = pd.array(getattr(curves, name), dtype="Int64").repeat(n_looks)
    return frame[frame["mean"].notna()]
