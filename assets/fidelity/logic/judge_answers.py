"""What the judge of study A is asked about and what it answered: objects, first answers, scores by repeat."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.gates import Gate, at_most
from analysis.messages import Name, message
from analysis.ties import join_ties
from analysis.words import count_noun
from assets.shared.partitions import Frames
from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError, listing
from resources.judges.contract import JudgedObject
from resources.judges.without_score import why_no_score
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES


def judged_objects(study_objects: pd.DataFrame) -> list[JudgedObject]:
    """The objects that are not excluded, as the judge sees them."""
    judged = study_objects[study_objects["excluded"].isna()]
    return [
        JudgedObject(
            row["object"],
            row["item_id"],
            row["candidate_path"],
            row["candidate_sha256"],
            tuple(row["reference_paths"]),
            tuple(row["reference_sha256"]),
            tuple(None if pd.isna(row[name]) else row[name] for name in ("category_l1", "category_l2", "category_l3")),  # type: ignore[arg-type]
        )
        for row in judged.to_dict("records")
    ]


def first_answers(calls: pd.DataFrame) -> pd.DataFrame:
    """The first attempt of every call that got any answer: a later answer never improves JSON validity."""
    answered = calls[calls["state"].isin(ANSWER_STATES)].sort_values("attempt")
    return answered.drop_duplicates(["object", "repeat"], keep="first")


def matrix_of(setting: str, calls: pd.DataFrame, study_objects: pd.DataFrame, repeats: int) -> pd.DataFrame:
    """The last attempt's score of every object and repeat planned."""
    judged = study_objects[study_objects["excluded"].isna()].sort_values("object")
    last = calls.sort_values("attempt").drop_duplicates(["object", "repeat"], keep="last")
    scored = last[last["state"].isin(SCORED_STATES)]
    cells = scored.pivot_table(index="object", columns="repeat", values="score", aggfunc="first")
    cells = cells.reindex(index=judged["object"], columns=range(1, repeats + 1)).astype("float64")
    frame = cells.set_axis([f"repeat_{repeat}" for repeat in cells.columns], axis=1).reset_index(drop=True)
    valid = frame.notna().sum(axis=1)
    for place, column in enumerate(("object", "item_id", "product_id")):
        frame.insert(place, column, judged[column].to_numpy())
    frame.insert(0, "setting", setting)
    frame.insert(4, "n_valid", valid)
    frame.insert(5, "n_planned", repeats)
    return frame


def as_planned(matrix: pd.DataFrame, repeats: int) -> pd.DataFrame:
    """The matrix, if it was made under the current plan.

    Raises:
        UserError: It was made with another number of repeats.
    """
    made_with = scores_of(matrix).shape[1]
    if len(matrix) and made_with != repeats:
        raise UserError(
            f"score_matrix at {matrix['setting'].iloc[0]} was made with {made_with} repeats, "
            f"and the study plans {repeats}. Run the setting again."
        )
    return matrix


def scores_of(matrix: pd.DataFrame) -> np.ndarray:
    """The numbers of the table, shape ``(n_objects, n_repeats)``, NaN where a verdict is missing."""
    return matrix.filter(regex=r"^repeat_\d+$").to_numpy(dtype="float64")


def judge_scores(matrix: pd.DataFrame, aggregate: str) -> np.ndarray:
    """The judge's score of each object: mean (or median) of its valid repeats, NaN where it has none."""
    scores = scores_of(matrix)
    valid = ~np.isnan(scores).all(axis=1)
    values, largest = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    combine = np.nanmean if aggregate == "mean" else np.nanmedian
    values[valid], largest[valid] = combine(scores[valid], axis=1), np.nanmax(np.abs(scores[valid]), axis=1)
    return join_ties(values, largest)


def enough_repeats_gate(matrix: pd.DataFrame, study: FidelityStudy, calls: pd.DataFrame | None = None) -> Gate:
    """The share of objects with too few valid repeats against `max_incomplete_share`, with their names.

    Args:
        matrix: Table `score_matrix` of one setting.
        study: The plan.
        calls: Table `judge_calls`, where the sentence is to say why answers have no score.
    """
    minimum, limit = study.minimum_repeats, study.max_incomplete_share
    short = incomplete_objects(matrix, minimum)
    gate = at_most(
        "enough_repeats",
        len(short) / len(matrix) if len(matrix) else None,
        limit,
        n=len(matrix),
        what=message("Share of objects with fewer than {minimum} valid repeats", minimum=minimum),
        reason=message("no object was judged"),
        remedy="See what something_to_judge lacks."
        if matrix.empty
        else message(
            "Too few: {objects}. {why}Run the setting again: faults are asked again. An answer without a score is "
            "final: `answers_are_valid_json` says the cause. Where only few have none, plan more repeats, or raise "
            "`max_incomplete_share` to leave such objects out of all settings.",
            objects=listing(map(Name, short)),
            why=_why_too_few(matrix, minimum, calls),
        ),
    )
    if not short:
        return gate.passing_as(f"Each of the {len(matrix)} objects has {minimum} valid repeats or more.")
    return gate.passing_as(
        f"{count_noun(len(short), 'object')} of {len(matrix)} with fewer than {minimum} valid repeats, left out of all "
        f"settings: {listing(short)}; allowed: at most {limit:g} of them.",
    )


def incomplete_objects(matrix: pd.DataFrame, minimum: int) -> list[str]:
    """The objects with fewer valid repeats than that, each with how many it has, such as `0a1b2c3d (2)`."""
    short = matrix[matrix["n_valid"] < minimum]
    return [f"{row.object} ({row.n_valid})" for row in short.itertuples()]


def _why_too_few(matrix: pd.DataFrame, minimum: int, calls: pd.DataFrame | None) -> str:
    """Why answers about these objects have no score, with a space after it; empty where none of them lacks one."""
    if calls is None:
        return ""
    short = matrix[matrix["n_valid"] < minimum]
    rows = calls[calls["setting"].isin(short["setting"]) & calls["object"].isin(short["object"])]
    why = why_no_score(rows["state"], rows["fault_message"])
    return f"{why} " if why else ""


class Judgements(NamedTuple):
    """The tables behind a summary and a recommendation; calls, matrices and convergence curves by setting."""

    calls: Frames
    matrices: Frames
    human_scores: pd.DataFrame
    study_objects: pd.DataFrame
    curves: Mapping[str, pd.DataFrame] = MappingProxyType({})
