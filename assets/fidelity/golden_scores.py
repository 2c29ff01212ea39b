"""Table `golden_scores`: the judge's scores of the golden set next to those of the originals."""

from dataclasses import replace
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.gates import NOT_ASKED, Gate, at_least, at_most
from analysis.ties import differences
from assets.fidelity.golden_images import NO_GOLDEN_SET, current_renders_gate
from assets.fidelity.judge_calls import judging_of, rows_by_key
from assets.fidelity.logic.current_plan import CurrentPlan, current_plan, difference
from assets.fidelity.logic.golden_choice import setting_in_force
from assets.fidelity.logic.judge_answers import as_planned, judge_scores, judged_objects, matrix_of
from assets.fidelity.logic.sensitivity_rows import chose_setting, held_out_pairs
from assets.fidelity.study_objects import require_sound_objects
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import MADE_SO_FAR, Frames, readable
from reports.fidelity.plots.golden import golden_scores as golden_scores_chart
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.configuration.settings import setting_from_key
from resources.database.call_records import ALTERATION_SIGN
from resources.errors import UserError, listing
from resources.judges.contract import JudgedObject
from resources.runtime.progress import TracksProgress
from resources.study import Study
from resources.tables.fidelity.golden import GOLDEN_SCORES

DESCRIBED = ["object", "item_id", "product_id", "alteration", "kind", "magnitude", "magnitude_unit", "expected"]


@dg.asset(
    group_name="fidelity_sensitivity",
    ins={"judge_calls": MADE_SO_FAR, "score_matrix": MADE_SO_FAR},
    kinds={"python", "sqlalchemy"},
    code_version="1",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="golden_scores",
)
def golden_scores(
    context: dg.AssetExecutionContext,
    golden_images: pd.DataFrame,
    study_objects: pd.DataFrame,
    judge_calls: Frames,
    score_matrix: Frames,
    recommended_setting: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Asks the judge about every golden image that the ledger does not answer yet, at one setting."""
    require_sound_objects(study_objects, study.fidelity)
    require(current_renders_gate(golden_images, study_objects))
    if golden_images.empty:
        nothing = pd.DataFrame(columns=[column.name for column in GOLDEN_SCORES.columns if not column.optional])
        context.add_output_metadata({"note": NO_GOLDEN_SET})
        return nothing
    key = setting_in_force(study.fidelity.golden.setting, recommended_setting, "golden")
    plan = study.fidelity.asking(key)
    in_force = current_plan(plan, judged_objects(study_objects))
    originals = originals_at(key, judge_calls, score_matrix, plan, in_force)
    objects = [] if records_items_only(plan) else altered_objects(golden_images, study_objects)
    judging = replace(judging_of(context, study, plan, objects, [setting_from_key(key)]), what="golden set calls")
    judging.ask(progress, context.log)
    frame = golden_score_rows(golden_images, rows_by_key(judging, [key])[key], originals, plan)
    context.add_output_metadata(readable(headline(frame)))
    return frame


def altered_objects(golden_images: pd.DataFrame, study_objects: pd.DataFrame) -> list[JudgedObject]:
    """The altered images as the judge sees them: photos and context of the original, under a name of their own."""
    judged = {one.object: one for one in judged_objects(study_objects)}
    there = golden_images[golden_images["skipped"].isna() & golden_images["object"].isin(judged.keys())]
    return [
        replace(
            judged[row["object"]],
            object=golden_name(row["object"], row["alteration"]),
            candidate_path=judged[row["object"]].candidate_path
            if pd.isna(row["altered_path"])
            else row["altered_path"],
            candidate_sha256=row["altered_sha256"],
        )
        for row in there.to_dict("records")
    ]


def records_items_only(study: FidelityStudy) -> bool:
    """Whether answers come from VFScore's folders, which would give an altered image the answer of its original."""
    return isinstance(study.judge, ReplayJudge) and study.judge.path.is_dir()


def golden_name(object_: str, alteration: str) -> str:
    """What the ledger calls an altered image."""
    return f"{object_}{ALTERATION_SIGN}{alteration}"


def originals_at(
    key: str, calls: Frames, matrices: Frames, study: FidelityStudy, in_force: CurrentPlan
) -> pd.DataFrame:
    """The score matrix of one setting, if judge, prompt, images and repeats are those that altered images will have.

    Raises:
        UserError: The setting was not run, or under another plan.
    """
    if key not in matrices or key not in calls:
        raise UserError(f"The golden set is to be judged at {key}, which was not run. Run the setting first.")
    if changed := difference(calls[key], in_force):
        raise UserError(
            f"The originals at {key} cannot stand next to the golden set: {changed}. Run the setting again."
        )
    return as_planned(matrices[key], study.repeats)


def golden_score_rows(
    golden_images: pd.DataFrame, calls: pd.DataFrame, originals: pd.DataFrame, study: FidelityStudy
) -> pd.DataFrame:
    """One row per golden image: both scores, and why there is no pair where a side lacks valid repeats.

    Args:
        golden_images: The manifest.
        calls: Attempts at the altered images at one setting, under their `golden_name`.
        originals: Table `score_matrix` at that setting.
        study: Repeats, the fewest valid ones, and how they become a score.
    """
    key = originals["setting"].iloc[0]
    frame = golden_images.reset_index(drop=True)
    names = pd.Series([golden_name(*pair) for pair in zip(frame["object"], frame["alteration"], strict=True)])
    altered = mean_scores(key, calls, frame.assign(object=names, excluded=None), study)
    rows = frame[[name for name in (*DESCRIBED, "moves") if name in frame]].assign(
        setting=key,
        n_planned=study.repeats,
        cost_usd=names.map(calls.groupby("object")["cost_usd"].sum()).fillna(0.0).astype(float),
        chose_setting=frame["chose_setting"],
    )
    for side, scored, objects in (
        ("original", _scored(originals, study), frame["object"]),
        ("altered", altered, names),
    ):
        rows[f"{side}_score"] = objects.map(scored["score"]).astype(float)
        rows[f"n_{side}"] = objects.map(scored["n_valid"]).fillna(0).astype("int64")
    reasons = [_why_no_pair(row, study.minimum_repeats) for row in rows.assign(skipped=frame["skipped"]).itertuples()]
    rows["undefined"] = pd.array(reasons, dtype="str")
    drops = differences(rows["original_score"], rows["altered_score"])
    rows["drop"] = np.where(rows["undefined"].isna(), drops, np.nan)
    return rows[[column.name for column in GOLDEN_SCORES.columns if column.name in rows]]


def mean_scores(key: str, calls: pd.DataFrame, objects: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    """Columns `score` and `n_valid` by object, of the valid repeats at one setting."""
    return _scored(matrix_of(key, calls, objects, study.repeats), study)


def _scored(matrix: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    scores = judge_scores(matrix, study.aggregate)
    return pd.DataFrame({"score": scores, "n_valid": matrix["n_valid"].to_numpy()}, index=matrix["object"])


def _why_no_pair(row: Any, minimum: int) -> str | None:
    if not pd.isna(row.skipped):
        return f"no altered image: {row.skipped}"
    short = [
        f"{n} of the {side}" for side, n in (("original", row.n_original), ("altered", row.n_altered)) if n < minimum
    ]
    return f"too few valid repeats: {' and '.join(short)}; needed: {minimum}" if short else None


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """How many pairs, at which setting, what they cost."""
    return {
        "setting": str(frame["setting"].iloc[0]) if len(frame) else "none",
        "n_items": int(frame["object"].nunique()),
        "n_pairs": int(frame["undefined"].isna().sum()),
        "n_without_pair": int(frame["undefined"].notna().sum()),
        "n_items_that_chose_the_setting": int(frame.loc[chose_setting(frame), "object"].nunique()),
        "cost_usd": float(frame["cost_usd"].sum()),
        "plot": figure_metadata(golden_scores_chart(frame).specification()),
    }


@gate(golden_scores, Kind.ADVICE, to_do="Run it again: faults are asked again.")
def golden_pairs_are_complete(golden_scores: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Nearly every golden image has a score next to its original's; failures are not random."""
    return complete_gate(golden_scores, plan.max_missing_share)


@gate(
    golden_scores,
    Kind.ADVICE,
    to_do="Name items in `golden.items` of products that do not choose, or judge more products.",
)
def golden_items_are_held_out(golden_scores: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """No item of the golden set had a part in choosing the setting."""
    if golden_scores.empty:
        return Gate("golden_items_are_held_out", True, None, "<= 0", f"{NOT_ASKED} {NO_GOLDEN_SET}", 0)
    chose = golden_scores.loc[chose_setting(golden_scores), "item_id"].unique()
    n_items, pairs = int(golden_scores["object"].nunique()), held_out_pairs(golden_scores)
    if chose_setting(pairs).any():
        consequence = "Their pairs count all the same, because no other item has a pair of scores."
    else:
        consequence = f"They do not count; of the others {pairs['object'].nunique()} have a pair of scores and do."
    gate = at_most(
        "golden_items_are_held_out",
        float(len(chose)),
        0,
        n=n_items,
        counted="items",
        what="Number of items that had a part in choosing the setting",
        remedy=f"They are {listing(chose)}. {consequence} {_how_to_hold_out(plan, all_chose=len(chose) == n_items)}",
    )
    return gate.passing_as(f"None of the {n_items} items had a part in choosing the setting.")


def complete_gate(frame: pd.DataFrame, max_missing_share: float) -> Gate:
    """The share of golden images with a pair of scores."""
    if frame.empty:
        needed = f">= {1.0 - max_missing_share:g}"
        return Gate("golden_pairs_are_complete", True, None, needed, f"{NOT_ASKED} {NO_GOLDEN_SET}", 0)
    paired = int(frame["undefined"].isna().sum())
    reasons = frame["undefined"].dropna().value_counts()
    return at_least(
        "golden_pairs_are_complete",
        paired / len(frame),
        1.0 - max_missing_share,
        n=len(frame),
        counted="golden objects",
        what="Share with a score next to the original's",
        remedy=f"Lacking: {listing(f'{n} ({reason})' for reason, n in reasons.items())}. Run it again: faults are "
        "asked again.",
    )


def _how_to_hold_out(study: FidelityStudy, *, all_chose: bool) -> str:
    """What would leave items out of choosing the setting, by what keeps them in now."""
    plan = study.recommendation
    if study.golden.items is not None and (plan.method == "split" or not all_chose):
        return "Leave `golden.items` out, or name items of products that do not choose."
    if plan.method == "optimism":
        return "`recommendation: {method: optimism}` lets every product choose; `split` leaves one half out of it."
    fewest = 2 if plan.method == "split" else plan.fewest_products_to_split
    return (
        f"With at least {fewest} products that people scored, one half chooses and the other is free for the golden "
        "set; with fewer, all of them choose."
    )
