"""Table `study_objects`: what is judged, one row per generated object with its images."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.gates import NOT_ASKED, Gate, at_least, at_most
from analysis.messages import message
from analysis.resampling.pairs import FEWEST_PAIRS
from assets.fidelity.logic.golden_choice import refuse_wrong_golden_set
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import readable
from reports.fidelity.plots.sheets import rows_of_pictures
from reports.shared.figure import picture_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import listing
from resources.inputs.fidelity.human_scores import known_algorithms, read_catalogue
from resources.inputs.fidelity.study_objects import find_study_objects, read_selected_objects
from resources.photos.images import load_image
from resources.study import Study

SHOWN = 6
TEXTS = "Its objects are texts, and have no images."
THUMBNAIL_PX = 160


@dg.asset(
    group_name="fidelity_inputs",
    deps=["catalogue_file", "selection_file", "reference_images", "candidate_images"],
    kinds={"image"},
    code_version="1",
)
def study_objects(
    context: dg.AssetExecutionContext, human_scores: pd.DataFrame, study: dg.ResourceParam[Study]
) -> pd.DataFrame:
    """Finds each object's photos and render and opens every image once; what cannot be judged says why."""
    frame = find_study_objects(human_scores, selected_objects(study.fidelity), study.fidelity)
    refuse_wrong_golden_set(frame, study.fidelity)
    context.add_output_metadata(readable(headline(frame)))
    return frame


def selected_objects(study: FidelityStudy) -> pd.DataFrame | None:
    """The user's selection, where there is one."""
    if study.selected_objects is None:
        return None
    catalogue = read_catalogue(study.catalogue) if study.catalogue else None
    algorithms = known_algorithms(study, catalogue)
    return read_selected_objects(study.selected_objects, algorithms, study.columns.filename)


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """How many objects are judged, and what was left out for which cause."""
    left_out = frame["excluded"].dropna().value_counts()
    rows = thumbnails(frame)
    plot = {"plot": picture_metadata(rows_of_pictures(rows))} if rows else {}
    return plot | {
        "n_objects": len(frame),
        "n_judged": int(frame["excluded"].isna().sum()),
        "n_items": int(frame["item_id"].nunique()),
        "n_with_background": with_background(frame),
        "n_photos": int(frame.drop_duplicates("item_id")["n_references"].sum()),
        **{f"n_left_out_{cause}": int(count) for cause, count in left_out.items()},
        "left_out": listing(frame["exclusion_detail"][frame["excluded"].notna()]) or "none",
    }


def with_background(frame: pd.DataFrame) -> int:
    """Objects that are judged on a picture with a background that is neither black nor transparent."""
    there = frame["n_with_background"] if "n_with_background" in frame else pd.Series(0, index=frame.index)
    return int(((there > 0) & frame["excluded"].isna()).sum())


def thumbnails(frame: pd.DataFrame) -> list[tuple[str, list[NDArray[np.uint8]]]]:
    """A few objects of different items with their photos and render, small."""
    has_pictures = frame["excluded"].isna() & (frame["n_references"] > 0)  # texts have none
    judged = frame[has_pictures].drop_duplicates("item_id").head(SHOWN)
    return [
        (
            f"{row['item_id']} ({row['object']}, {row['algorithm']})",
            [load_image(path, THUMBNAIL_PX) for path in (*row["reference_paths"], row["candidate_path"])],
        )
        for row in judged.to_dict("records")
    ]


@gate(
    study_objects,
    Kind.INTEGRITY,
    to_do="Correct `output_glb_relpath` of the objects that are named, or set `mismatched_objects: exclude`.",
)
def render_shows_the_scored_object(study_objects: pd.DataFrame) -> Gate:
    """The judged render is of the very object that people scored, by job hash."""
    return mismatch_gate(study_objects)


@gate(
    study_objects,
    Kind.INTEGRITY,
    to_do="Put the images there, name the objects you have in `selected_objects`, or raise `max_missing_share`.",
)
def images_are_there(study_objects: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """Few objects lack usable images."""
    return missing_gate(study_objects, plan.max_missing_share)


@gate(
    study_objects,
    Kind.INTEGRITY,
    to_do="Score more objects, or fix the cause for which the others were left out.",
)
def something_to_judge(study_objects: pd.DataFrame) -> Gate:
    """Enough objects are left to judge: fewer would be paid for and define no agreement."""
    return enough_objects_gate(study_objects)


def require_sound_objects(frame: pd.DataFrame, study: FidelityStudy) -> None:
    """Stop what would judge or use these objects while a gate on them fails: a launch by hand never meets the checks.

    Raises:
        Failure: One fails.
    """
    for answer in (mismatch_gate(frame), missing_gate(frame, study.max_missing_share), enough_objects_gate(frame)):
        require(answer)


def _are_texts(frame: pd.DataFrame) -> bool:
    """Whether every object is judged without an image."""
    if "n_references" not in frame or frame.empty:
        return False
    return bool((frame["excluded"].isna() & (frame["n_references"] == 0)).all())


def enough_objects_gate(frame: pd.DataFrame) -> Gate:
    """Objects to judge against three, under which no correlation with people is defined."""
    causes = frame["excluded"].dropna().unique()
    left_out = f"The others were left out: {listing(causes)}. Fix that, or score" if len(causes) else "Score"
    judged = int(frame["excluded"].isna().sum())
    gate = at_least(
        "something_to_judge",
        float(judged),
        FEWEST_PAIRS,
        n=len(frame),
        what="Objects to judge",
        remedy=f"{left_out} more objects.",
    )
    return gate.passing_as(f"{judged} of {len(frame)} objects are judged; needed: at least {FEWEST_PAIRS}.")


def mismatch_gate(frame: pd.DataFrame) -> Gate:
    """Objects, not excluded, whose render shows another object than people scored, each named; texts have none."""
    if _are_texts(frame):
        return Gate("render_shows_the_scored_object", True, None, "<= 0", f"{NOT_ASKED} {TEXTS}", 0)
    wrong = frame[(frame["object"] != frame["judged_object"]) & frame["excluded"].ne("mismatched_object")]
    named = listing(f"{row.item_id} (scored {row.object}, render of {row.judged_object})" for row in wrong.itertuples())
    gate = at_most(
        "render_shows_the_scored_object",
        float(len(wrong)),
        0,
        n=len(frame),
        what="Objects whose render is of another object",
        remedy=f"{named}. Correct output_glb_relpath, or set mismatched_objects: exclude.",
    )
    return gate.passing_as(
        f"Each of the {len(frame)} objects is judged on its own render, or was left out and counted."
    )


def missing_gate(frame: pd.DataFrame, limit: float) -> Gate:
    """The share of objects without usable images against its limit; wrong objects are another gate's, texts none's."""
    if _are_texts(frame):
        return Gate("images_are_there", True, None, f"<= {limit:g}", f"{NOT_ASKED} {TEXTS}", 0)
    wanted = frame[frame["excluded"].ne("mismatched_object")]
    missing = wanted[wanted["excluded"].notna()]
    gate = at_most(
        "images_are_there",
        len(missing) / len(wanted) if len(wanted) else None,
        limit,
        n=len(wanted),
        what="Share of objects without usable images",
        reason=message("there is no object"),
        remedy=f"{listing(missing['exclusion_detail'].unique(), 3)} Name the objects you have in selected_objects, "
        "or raise max_missing_share."
        if len(missing)
        else "Correct `human_scores` or `selected_objects`: no object is left to judge.",
    )
    usable = f"{len(wanted) - len(missing)} of {len(wanted)} objects have usable images"
    return gate.passing_as(f"{usable}; at most a share of {limit:g} may lack them.")
