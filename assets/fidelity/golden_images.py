"""Table `golden_images`: renders altered in a known way, which a judge that is worth its name scores lower."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import replace
from typing import Any

import dagster as dg
import pandas as pd
from upath import UPath

from analysis.gates import NOT_ASKED, Gate, at_most
from assets.fidelity.logic.golden_choice import golden_objects, other_object
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.study_objects import require_sound_objects
from assets.shared.gate import Kind, gate
from reports.fidelity.plots.sheets import contact_sheet as drawn_sheet
from reports.shared.figure import picture_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import listing
from resources.inputs.fidelity.golden_pairs import own_altered
from resources.photos.golden_set import (
    Alteration,
    GoldenImage,
    Original,
    alterations_of,
    golden_folder,
    sha256_if_there,
    write_golden_item,
)
from resources.photos.images import UnreadableImage, load_image
from resources.runtime.progress import Advance, TracksProgress
from resources.study import Study
from resources.tables.fidelity.golden import GOLDEN_IMAGES

NO_GOLDEN_SET = "golden.items names no item, so there is no golden set."
TILE_PX = 128
DESCRIBED = ["object", "item_id", "product_id", "category_l3", "reference_paths", "reference_sha256", "chose_setting"]


@dg.asset(
    group_name="fidelity_sensitivity",
    kinds={"image"},
    code_version="1",
    # One run at a time: two would write the same files.
    pool="golden_images",
)
def golden_images(
    context: dg.AssetExecutionContext,
    study_objects: pd.DataFrame,
    human_scores: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Alters the renders of some items, on the object only, and writes each picture that is not there yet."""
    require_sound_objects(study_objects, study.fidelity)
    alterations = alterations_of(study.fidelity.golden)
    choosing = products_that_choose(study_objects, human_scores, study.fidelity).products
    chosen = golden_objects(study_objects, choosing, study.fidelity)
    own = own_rows(study_objects, choosing, study.fidelity)
    with progress.track("golden images", len(chosen) * len(alterations), context.log) as advance:
        made = golden_rows(chosen, study_objects, study.fidelity, golden_folder(study.home), advance)
    if own:
        made = pd.DataFrame([*made.to_dict("records"), *own], columns=[*made.columns, "moves"])
    manifest = made[[column.name for column in GOLDEN_IMAGES.columns if column.name in made]]
    context.add_output_metadata(
        headline(manifest) | {"n_kept": int(made["kept"].sum()), "folder": str(golden_folder(study.home))}
    )
    return manifest


def golden_rows(
    chosen: pd.DataFrame,
    study_objects: pd.DataFrame,
    study: FidelityStudy,
    folder: UPath,
    advance: Advance,
) -> pd.DataFrame:
    """The manifest, one row per chosen object and alteration, and whether the file was `kept`."""
    alterations = alterations_of(study.golden)
    rows: list[dict[str, Any]] = []
    for one in chosen.to_dict("records"):
        original = _opened(one)
        if isinstance(original, UnreadableImage):
            images = [GoldenImage(alteration.name, skipped=str(original)) for alteration in alterations]
        else:
            other = _other(one, study_objects, study.seed)
            images = write_golden_item(folder, one["item_id"], original, other, alterations)
        shared: dict[str, Any] = {name: one[name] for name in DESCRIBED} | {
            "original_path": one["candidate_path"],
            "original_sha256": None if isinstance(original, UnreadableImage) else original.sha256,
        }
        rows += [shared | _row(*pair) for pair in zip(alterations, images, strict=True)]
        advance(len(alterations))
    return pd.DataFrame(
        rows, columns=[*(column.name for column in GOLDEN_IMAGES.columns if not column.optional), "kept"]
    )


def own_rows(study_objects: pd.DataFrame, choosing: Collection[str], study: FidelityStudy) -> list[dict[str, Any]]:
    """The manifest's rows of the user's own pairs, whose images stay where they are; `kept` is false of them.

    Raises:
        UserError: As of `own_altered`.
    """
    objects = {row["object"]: row for row in study_objects.to_dict("records")}
    rows: list[dict[str, Any]] = []
    for one in own_altered(study_objects, study):
        shown, pair = objects[one.object], one.pair
        image = GoldenImage(pair.alteration, one.path, one.sha256)
        if pd.notna(shown["excluded"]):
            image = replace(image, skipped=f"{shown['item_id']}: the object is not judged. {shown['exclusion_detail']}")
        rows.append(
            {name: shown[name] for name in DESCRIBED if name != "chose_setting"}
            | {
                "original_path": None if one.path is None else shown["candidate_path"],
                "original_sha256": shown["candidate_sha256"],
                "chose_setting": shown["product_id"] in choosing,
                "moves": pair.moves,
            }
            | _row(Alteration(pair.alteration, pair.kind, pair.magnitude, pair.unit, pair.expected, None), image)
        )
    return rows


def _row(alteration: Alteration, image: GoldenImage) -> dict[str, Any]:
    return {
        "alteration": alteration.name,
        "kind": alteration.kind,
        "magnitude": alteration.magnitude,
        "magnitude_unit": alteration.unit,
        "expected": alteration.expected,
        "altered_path": image.path,
        "altered_sha256": image.sha256,
        "changed_share": image.changed_share,
        "skipped": image.skipped,
        "kept": image.kept,
    }


def _opened(one: Mapping[Hashable, Any]) -> Original | UnreadableImage:
    """The object's render, or what is wrong with it."""
    if pd.notna(one["excluded"]):
        return UnreadableImage(one["item_id"], "the object is not judged.", str(one["exclusion_detail"]))
    try:
        return Original(one["candidate_path"])
    except UnreadableImage as error:
        return error


def _other(one: Mapping[Hashable, Any], study_objects: pd.DataFrame, seed: int) -> Original | UnreadableImage:
    other = other_object(one, study_objects, seed)
    if other is None:
        return UnreadableImage(one["item_id"], "the study has no other product.", "Judge objects of a second one.")
    return _opened(other.to_dict())


def headline(manifest: pd.DataFrame) -> dict[str, Any]:
    """How many pictures there are, what was skipped and why, and one item to look at."""
    skipped = manifest["skipped"].notna()
    metadata: dict[str, Any] = {
        "n_items": int(manifest["item_id"].nunique()),
        "n_alterations": int(manifest["alteration"].nunique()),
        "n_images": int((~skipped).sum()),
        "n_skipped": int(skipped.sum()),
        "skipped": listing(manifest["skipped"].dropna().unique(), 3) or "none",
        "n_items_that_chose_the_setting": int(
            manifest.loc[manifest["chose_setting"].astype(bool), "item_id"].nunique()
        ),
    }
    pictured = manifest[~skipped & manifest["altered_path"].notna()]
    if pictured.empty:
        return metadata
    title, pictures = contact_sheet(pictured[pictured["object"] == pictured["object"].iloc[0]])
    return metadata | {
        "plot": picture_metadata(drawn_sheet(title, pictures)),
    }


def contact_sheet(rows: pd.DataFrame) -> tuple[str, list[tuple[str, Any]]]:
    """The original and every altered image of one object, small, with their names."""
    first = rows.iloc[0]
    pictures = [("original", load_image(first["original_path"], TILE_PX))]
    pictures += [(row["alteration"], load_image(row["altered_path"], TILE_PX)) for row in rows.to_dict("records")]
    return f"{first['item_id']} ({first['object']})", pictures


@gate(golden_images, Kind.INTEGRITY, to_do="Make `study_objects` and then `golden_images` again.")
def golden_images_are_of_the_judged_renders(golden_images: pd.DataFrame, study_objects: pd.DataFrame) -> Gate:
    """Every golden image is on the disk as made, of the render and photos that are judged now."""
    return current_renders_gate(golden_images, study_objects)


def current_renders_gate(manifest: pd.DataFrame, study_objects: pd.DataFrame) -> Gate:
    """Golden images that are gone, changed, or made of another render than the one judged now; each is named."""
    made = manifest[manifest["skipped"].isna()]
    if manifest.empty:
        name = "golden_images_are_of_the_judged_renders"
        return Gate(name, True, None, "<= 0", f"{NOT_ASKED} {NO_GOLDEN_SET}", 0)
    wrong = _wrong_objects(made, study_objects)
    faults = [
        f"{row['item_id']} {row['alteration']}: {fault}."
        for row in made.to_dict("records")
        if (fault := wrong.get(row["object"]) or _wrong_file(row)) is not None
    ]
    gate = at_most(
        "golden_images_are_of_the_judged_renders",
        float(len(faults)) if len(made) else None,
        0,
        n=len(made),
        counted="golden images",
        what="Number of golden images not made of the render that is judged now",
        reason=listing(manifest["skipped"].dropna().unique(), 3),
        remedy=f"{listing(faults, 3)} Make `study_objects` and then `golden_images` again.",
    )
    return gate.passing_as(f"All {len(made)} golden images are on the disk and of the renders that are judged now.")


def _wrong_objects(made: pd.DataFrame, study_objects: pd.DataFrame) -> dict[str, str]:
    """Objects whose golden images are out of date, with the cause."""
    now = {row["object"]: row for row in study_objects[study_objects["excluded"].isna()].to_dict("records")}
    wrong = {}
    for row in made.drop_duplicates("object").to_dict("records"):
        judged = now.get(row["object"])
        if judged is None:
            wrong[row["object"]] = "the object is judged no more"
        elif judged["candidate_sha256"] != row["original_sha256"]:
            wrong[row["object"]] = "made of another render than the one that is judged"
        elif list(judged["reference_sha256"]) != list(row["reference_sha256"]):
            wrong[row["object"]] = "the item's photos changed"
        elif pd.isna(row["original_path"]):  # of a text, which is read again when it is judged
            continue
        elif sha256_if_there(judged["candidate_path"]) != row["original_sha256"]:
            wrong[row["object"]] = "the render on the disk changed or is gone"
    return wrong


def _wrong_file(row: Mapping[Hashable, Any]) -> str | None:
    found = row["altered_sha256"] if pd.isna(row["altered_path"]) else sha256_if_there(row["altered_path"])
    if found == row["altered_sha256"]:
        return None
    return "its file is gone" if found is None else "its file was changed"
