"""Table `matched_scores`: judge and people side by side, object by object."""

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least
from analysis.resampling.pairs import FEWEST_PAIRS
from analysis.ties import differences, join_ties
from assets.fidelity.logic.judge_answers import as_planned, judge_scores
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.settings import matched_scores as matched_scores_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.study import Study
from resources.tables.fidelity.scores import MATCHED_SCORES

DESCRIBED = ["item_id", "product_id", "algorithm", "category_l1", "category_l2", "category_l3"]


@dg.asset(
    group_name="fidelity_people", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
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
        lambda key: matched_rows(
            key, sound_matrix(score_matrix[key], study.fidelity), human_scores, study_objects, study.fidelity
        ),
        lambda frame: {
            "n_matched": len(frame),
            "bias": frame["difference"].mean(),
            "plot": figure_metadata(matched_scores_chart(frame).specification()),
        },
    )


def matched_rows(
    setting: str, matrix: pd.DataFrame, human_scores: pd.DataFrame, study_objects: pd.DataFrame, study: FidelityStudy
) -> pd.DataFrame:
    """Objects that both sides scored; averaged over an item's objects where the study matches by item."""
    matrix = as_planned(matrix, study.repeats)
    judge = pd.DataFrame({"object": matrix["object"], "judge_score": judge_scores(matrix, study.aggregate)})
    judge["n_judge_scores"] = matrix["n_valid"].astype("int64")
    people = human_scores.groupby("object")["score"].agg(human_score="mean", n_ratings="size").reset_index()
    both = judge.dropna().merge(people, on="object", validate="one_to_one")
    both = both.merge(study_objects[["object", *DESCRIBED]], on="object", validate="one_to_one")
    by_key = both.assign(match_key=both[match_column(study)]).groupby("match_key", sort=True)
    matched = by_key.agg(
        judge_score=("judge_score", "mean"),
        n_judge_scores=("n_judge_scores", "sum"),
        human_score=("human_score", "mean"),
        n_ratings=("n_ratings", "sum"),
    )
    # What an item's objects do not have in common is null.
    described = by_key[DESCRIBED].first().where(by_key[DESCRIBED].nunique(dropna=False) < 2)
    matched = matched.join(described).reset_index()
    matched.insert(0, "setting", setting)
    for side in ("judge_score", "human_score"):
        matched[side] = join_ties(matched[side])
    matched["difference"] = differences(matched["judge_score"], matched["human_score"])
    return matched[[column.name for column in MATCHED_SCORES.columns]]


def match_column(study: FidelityStudy) -> str:
    """The column of `study_objects` by which judge and people are matched."""
    return "object" if study.match_by == "object" else "item_id"


@gate(
    matched_scores,
    Kind.INTEGRITY,
    to_do="Give score file and renders the same file hashes (`_h` and 8 hex digits), or score more objects.",
)
def some_matched(matched_scores: pd.DataFrame) -> Gate:
    """Enough objects have a score from both sides to say anything about agreement."""
    return some_matched_gate(matched_scores)


def sound_matches(matched: pd.DataFrame) -> pd.DataFrame:
    """The pairs, if they are enough: a launch by hand never meets the check.

    Raises:
        Failure: They are too few.
    """
    require(some_matched_gate(matched))
    return matched


def some_matched_gate(matched: pd.DataFrame) -> Gate:
    """The number of matched objects against three, under which no correlation is defined."""
    gate = at_least(
        "some_matched",
        float(len(matched)),
        FEWEST_PAIRS,
        n=len(matched),
        what="Objects scored by judge and people",
        remedy="The human-score file and the judged objects must share file hashes (`_h` and 8 hex digits).",
    )
    return gate.passing_as(f"{len(matched)} objects were scored by judge and people; needed: at least {FEWEST_PAIRS}.")
