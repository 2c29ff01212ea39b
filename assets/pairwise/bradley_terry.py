"""Table `bradley_terry`: how people's votes rank the photos of a series, whatever any method says."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.gates import Gate, at_most
from analysis.messages import message
from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.strength_groups import rank_groups
from analysis.preference.truth import majority_share
from assets.pairwise.logic.photo_pair_counts import NOT_ASKED, strengths_of
from assets.shared.gate import Kind, gate
from assets.shared.partitions import readable
from reports.pairwise.plots import strengths_and_errors
from reports.shared.figure import figure_metadata
from resources.configuration.pairwise import PairwiseStudy
from resources.study import Study
from resources.tables.pairwise import BRADLEY_TERRY

SIDES = ((1, "image_1"), (2, "image_2"))


@dg.asset(group_name="pairwise_people", kinds={"pandas"}, code_version="2")
def bradley_terry(
    context: dg.AssetExecutionContext, photo_pairs: pd.DataFrame, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """One row per photo with a vote: strength in log odds by all votes, also of pairs that no method is judged on."""
    fit = strengths_of(photo_pairs, study.pairwise)
    frame = strength_rows(photo_pairs, fit, study.pairwise.confidence)
    context.add_output_metadata(readable(headline(photo_pairs, frame, fit)))
    return frame


def strength_rows(photo_pairs: pd.DataFrame, fit: BradleyTerry | str, confidence: float) -> pd.DataFrame:
    """Strengths with bounds, rank groups and what they rest on; no row where there is no fit."""
    columns = [column.name for column in BRADLEY_TERRY.columns]
    if isinstance(fit, str):
        return pd.DataFrame(columns=columns)
    about = votes_about(photo_pairs).loc[fit.images]
    sizes = np.bincount(fit.components)
    bounds, groups = fit.intervals(confidence), rank_groups(fit, 1.0 - confidence)
    frame = pd.DataFrame(
        {
            "image": fit.images,
            "series_id": about["series_id"].to_numpy(),
            "component": fit.components,
            "n_component": sizes[fit.components],
            "strength": fit.strengths,
            "standard_error": fit.errors,
            "strength_low": bounds.low,
            "strength_high": bounds.high,
            "rank_group": [None if letters is None else "".join(letters) for letters in groups],
            "n_votes": about["n_votes"].to_numpy(),
            "n_wins": about["n_wins"].to_numpy(),
            "regularised": fit.regularised,
        }
    )
    return frame[columns]


def votes_about(photo_pairs: pd.DataFrame) -> pd.DataFrame:
    """Votes about each photo and votes for it, half of those for neither, over all of its pairs; index is its name."""
    neither = photo_pairs["votes_neither"]
    every = photo_pairs["votes_1"] + photo_pairs["votes_2"] + neither
    sides = [
        pd.DataFrame(
            {
                "image": photo_pairs[image],
                "series_id": photo_pairs["series_id"],
                "n_votes": every,
                "n_wins": photo_pairs[f"votes_{side}"] + neither / 2.0,
            }
        )
        for side, image in SIDES
    ]
    return pd.concat(sides).groupby("image").agg({"series_id": "first", "n_votes": "sum", "n_wins": "sum"})


def headline(photo_pairs: pd.DataFrame, frame: pd.DataFrame, fit: BradleyTerry | str) -> dict[str, Any]:
    """How many photos were ranked, in how many parts that share no scale, and which strengths rest on the prior."""
    if isinstance(fit, str):
        return {"n_images": 0, "note": fit}
    votes = photo_pairs["votes_1"] + photo_pairs["votes_2"]
    voted = photo_pairs[votes > 0]
    return {
        "n_images": len(frame),
        "n_votes": int(fit.n_votes),
        "n_components": fit.n_components,
        "n_components_regularised": fit.n_components_regularised,
        "n_images_regularised": int(fit.regularised.sum()),
        "prior": fit.prior,
        "tie_model": fit.tie_model,
        "n_votes_for_neither": int(photo_pairs["votes_neither"].sum()),
        "tie_parameter": "none" if fit.tie_parameter is None else fit.tie_parameter,
        "log_likelihood": fit.log_likelihood,
        "majority_share_of_votes": majority_share(voted["votes_1"], voted["votes_2"]),
        "plot": figure_metadata(strengths_and_errors(frame)),
    }


@gate(bradley_terry, Kind.QUALITY, to_do="Make `bradley_terry` again.", withheld="nothing; do not use the strengths.")
def strengths_rest_on_all_votes(bradley_terry: pd.DataFrame, photo_pairs: pd.DataFrame, plan: PairwiseStudy) -> Gate:
    """Strengths are fitted on every vote: leaving out ties and narrow wins would exaggerate them."""
    fit = strengths_of(photo_pairs, plan) if bradley_terry.empty else None
    return all_votes_gate(bradley_terry, photo_pairs, fit if isinstance(fit, str) else "")


def all_votes_gate(strengths: pd.DataFrame, photo_pairs: pd.DataFrame, why_none: str = "") -> Gate:
    """Photos whose votes in the table are not those of all of their pairs."""
    name, about = "strengths_rest_on_all_votes", votes_about(photo_pairs)
    about = about[about["n_votes"] > 0]
    if why_none and (len(about) or why_none == NOT_ASKED):
        return Gate(name, True, None, "nothing", f"There are no strengths: {why_none}.")
    both = pd.concat([strengths.set_index("image")[["n_votes", "n_wins"]], about[["n_votes", "n_wins"]]], axis=1)
    # A photo that one side lacks has nulls there, which equal nothing.
    fitted, given = both.iloc[:, :2].to_numpy(dtype=float), both.iloc[:, 2:].to_numpy(dtype=float)
    wrong = ~(fitted == given).all(axis=1)
    gate = at_most(
        name,
        float(wrong.sum()) if len(about) else None,
        0,
        n=len(about),
        counted="photos",
        what="Number of photos whose strength does not rest on all of their votes",
        reason=message("no pair has a vote"),
        remedy=f"The first is {both.index[wrong][0]}: make bradley_terry again." if wrong.any() else "Collect votes.",
    )
    n_votes = int(about["n_votes"].sum()) // 2
    return gate.passing_as(f"The strengths of {len(about)} photos rest on all {n_votes} votes.")
