"""Table `matched_scores`: judge and people side by side, object by object."""

import dagster as dg
import numpy as np
import pandas as pd

from analysis.gates import Gate, at_least
from assets.checks import gate_of_each
from assets.fidelity.score_matrix import scores_of
from assets.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from resources.configuration.fidelity import FidelityStudy
from resources.plots.fidelity import draw_matched_scores
from resources.plots.figure import figure_metadata
from resources.study import Study
from resources.tables.fidelity import MATCHED_SCORES

FEWEST_PAIRS = 3
DESCRIBED = ["item_id", "product_id", "algorithm", "category_l1", "category_l2", "category_l3"]


@dg.asset(group_name="fidelity", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1")
def matched_scores(
    context: dg.AssetExecutionContext,
    score_matrix: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per object that the judge and at least one person scored."""
    return each_partition(
        context,
        lambda key: matched_rows(key, score_matrix[key], human_scores, study_objects, study.fidelity),
        lambda frame: {
            "n_matched": len(frame),
            "bias": frame["difference"].mean(),
            "plot": figure_metadata(lambda figure: draw_matched_scores(figure, frame), height_in=4.2),
        },
    )


def matched_rows(
    setting: str, matrix: pd.DataFrame, human_scores: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy
) -> pd.DataFrame:
    """The judge's score and the people's mean at the finest key that the study asks for."""
    judge = pd.DataFrame({"object": matrix["object"], "judge_score": judge_scores(matrix, study.aggregate)})
    judge["n_judge_scores"] = matrix["n_valid"].astype("int64")
    judge = judge.dropna().merge(study_objects[["object", *DESCRIBED]], on="object", validate="one_to_one")
    judge["match_key"] = judge["object"] if study.match_by == "object" else judge["item_id"]
    people = human_scores.assign(
        match_key=human_scores["object"] if study.match_by == "object" else human_scores["item_id"]
    )
    ratings = people.groupby("match_key")["score"].agg(human_score="mean", n_ratings="size")
    by_key = judge.groupby("match_key", sort=True)
    verdicts = by_key.agg(judge_score=("judge_score", "mean"), n_judge_scores=("n_judge_scores", "sum"))
    # What an item's objects do not have in common is null.
    described = by_key[DESCRIBED].first().where(by_key[DESCRIBED].nunique(dropna=False) < 2)
    matched = verdicts.join(described).join(ratings, how="inner").reset_index()
    matched.insert(0, "setting", setting)
    matched["difference"] = matched["judge_score"] - matched["human_score"]
    return matched[[column.name for column in MATCHED_SCORES.columns]]


def judge_scores(matrix: pd.DataFrame, aggregate: str) -> np.ndarray:
    """The judge's score of each object: mean (or median) of its valid repeats, NaN where it has none."""
    scores = scores_of(matrix)
    valid = ~np.isnan(scores).all(axis=1)
    values = np.full(len(scores), np.nan)
    combine = np.nanmean if aggregate == "mean" else np.nanmedian
    values[valid] = combine(scores[valid], axis=1)
    return values


@dg.asset_check(asset=matched_scores, partitions_def=SETTINGS, blocking=True)
def some_matched(context: dg.AssetCheckExecutionContext, matched_scores: Frames) -> dg.AssetCheckResult:
    """Enough objects have a score from both sides to say anything about agreement."""
    return gate_of_each(context, matched_scores, some_matched_gate)


def some_matched_gate(matched: pd.DataFrame) -> Gate:
    """The number of matched objects against three, under which no correlation is defined."""
    return at_least(
        "some_matched",
        float(len(matched)),
        FEWEST_PAIRS,
        n=len(matched),
        what="Objects scored by judge and people",
        remedy="The human-score file and the judged objects must share file hashes (`_h` and 8 hex digits).",
    )
