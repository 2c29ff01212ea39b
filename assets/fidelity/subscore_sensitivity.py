"""Table `subscore_sensitivity`: whether an alteration moves the sub-score that speaks of it, and leaves the others."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import NOT_ASKED, Gate, at_most
from analysis.messages import message
from assets.fidelity.golden_scores import altered_objects, golden_name, mean_scores, records_items_only
from assets.fidelity.judge_calls import judging_of, rows_by_key
from assets.fidelity.logic.judge_answers import judged_objects
from assets.fidelity.logic.subscore_rows import NO_SUBSCORES, Sides, subscore_rows
from assets.shared.gate import Kind, gate
from assets.shared.partitions import readable
from reports.fidelity.plots.golden import subscore_panels
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import setting_from_key
from resources.errors import listing
from resources.judges.question import question_of
from resources.study import Study

NAME = "alterations_move_their_subscore"


@dg.asset(
    group_name="fidelity_sensitivity",
    # Answers about the originals are read from the ledger: what stops the tables that note them stops this one.
    deps=["judge_calls", "score_matrix"],
    kinds={"python", "sqlalchemy"},
    code_version="1",
)
def subscore_sensitivity(
    context: dg.AssetExecutionContext,
    golden_images: pd.DataFrame,
    golden_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per kind of alteration and sub-score: how far it drops, and whether it is the one that should."""
    sides, plan = {}, study.fidelity
    if len(golden_scores):
        key = str(golden_scores["setting"].iloc[0])
        plan = plan.asking(key)
        objects = [] if records_items_only(plan) else altered_objects(golden_images, study_objects)
        of_originals = set(golden_scores["object"])
        objects += [one for one in judged_objects(study_objects) if one.object in of_originals]
        judging = judging_of(context, study, plan, objects, [setting_from_key(key)])
        sides = sides_of(golden_scores, rows_by_key(judging, [key])[key], plan) if plan.subscores else {}
    frame = subscore_rows(golden_scores, sides, plan)
    context.add_output_metadata(readable(headline(frame)))
    return frame


def sides_of(golden_scores: pd.DataFrame, calls: pd.DataFrame, study: FidelityStudy) -> dict[str, Sides]:
    """Of each sub-score both sides of every golden pair, made of valid repeats as scores are.

    Args:
        golden_scores: The table.
        calls: The ledger's attempts at originals and altered ones at its setting; answers are read again for them.
        study: The sub-scores, repeats, the fewest valid ones, and how they become a score.
    """
    key, question = str(golden_scores["setting"].iloc[0]), question_of(study)
    answers = zip(calls["raw_answer"], calls["item_id"], strict=True)
    read = [(None if pd.isna(raw) else question.read(raw, item).subscores) or {} for raw, item in answers]
    pairs = zip(golden_scores["object"], golden_scores["alteration"], strict=True)
    names = pd.Series([golden_name(*pair) for pair in pairs], index=golden_scores.index)
    asked = pd.concat([golden_scores.drop_duplicates("object"), golden_scores.assign(object=names)])
    found = {}
    for name in study.subscores:
        of_name = calls.assign(score=pd.Series([one.get(name) for one in read], calls.index, dtype="float64"))
        scored = mean_scores(key, of_name, asked.assign(excluded=None), study)
        known = scored["score"].where(scored["n_valid"] >= study.minimum_repeats)
        found[name] = Sides(golden_scores["object"].map(known), names.map(known))
    return found


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """Which kinds move another sub-score more than their own, and all drops at a glance."""
    return {
        "n_kinds": int(frame["kind"].nunique()),
        "moves_another_most": listing(_failing(frame)) or "none",
        "plot": figure_metadata(subscore_panels(frame)),
    }


@gate(
    subscore_sensitivity,
    Kind.ADVICE,
    to_do="Read single sub-scores with care: they follow an overall impression. A clearer rubric may separate them.",
)
def alterations_move_their_subscore(subscore_sensitivity: pd.DataFrame) -> Gate:
    """Each alteration moves the sub-score that speaks of it more than any other."""
    named = subscore_sensitivity[subscore_sensitivity["moves"].astype("boolean").fillna(False).astype(bool)]
    if named.empty:
        answered = subscore_sensitivity["subscore"].notna().any() or subscore_sensitivity.empty
        why = "No alteration has a sub-score that it should move." if answered else f"{str(NO_SUBSCORES).capitalize()}."
        return Gate(NAME, True, None, "<= 0", f"{NOT_ASKED} {why}")
    failing, unknown = _failing(subscore_sensitivity), named.loc[named["moved_most"].isna(), "kind"].tolist()
    gate = at_most(
        NAME,
        float(len(failing)) if failing or not unknown else None,
        0,
        n=len(named),
        counted="kinds of alteration",
        what="Number of kinds that move another sub-score as much as their own",
        reason=message("too few pairs of sub-scores for {kinds}", kinds=listing(unknown)),
        remedy=f"They are {listing(failing)}: do not read single sub-scores as speaking of one thing."
        if failing
        else "Run `golden_scores` again.",
    )
    return gate.passing_as(f"Each of the {len(named)} kinds of alteration moves its own sub-score most.")


def _failing(frame: pd.DataFrame) -> list[str]:
    """Each kind whose own sub-score did not move most, with that sub-score."""
    own = frame[frame["moves"].astype("boolean").fillna(False).astype(bool) & frame["moved_most"].notna()]
    missed = own[~own["moved_most"].astype(bool)]
    return [f"{kind} ({name})" for kind, name in zip(missed["kind"], missed["subscore"], strict=True)]
