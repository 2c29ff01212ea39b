"""The objects to judge with their images, every image decoded once; what cannot be judged says why."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pandas as pd
from upath import UPath

from analysis.images.appearance.mask import shows_nothing
from resources.configuration.fidelity import FidelityStudy
from resources.errors import FileFault, listing
from resources.inputs.fidelity.human_scores import CATEGORIES
from resources.inputs.fidelity.image_folders import EXTENSIONS, MAX_PHOTOS, ImageFolders
from resources.photos.images import UnreadableImage, decode_image, read_image_file

COLUMNS = (
    "object",
    "judged_object",
    "item_id",
    "product_id",
    "variant",
    "algorithm",
    *CATEGORIES,
    "candidate_path",
    "candidate_sha256",
    "reference_paths",
    "reference_sha256",
    "n_references",
    "excluded",
    "exclusion_detail",
)
CAUSES = (
    "mismatched_object",
    "no_photos",
    "no_candidate",
    "ambiguous_candidate",
    "unreadable_photo",
    "unreadable_candidate",
    "too_small",
    "nothing_visible",
)
SHARED_CANDIDATE = "candidate"
_TEXT_LISTS = ("reference_paths", "reference_sha256")
_OF_OBJECT = ("object", "item_id", "product_id", "variant", "algorithm", *CATEGORIES)
_THREADS = 8


@dataclass(frozen=True)
class _Found:
    """One object with the images that lie in its folders, nothing opened yet."""

    row: Mapping[str, Any]
    photos: tuple[UPath, ...]
    candidate: UPath | None
    cause: str | None
    detail: str | None


def find_study_objects(human_scores: pd.DataFrame, selected: pd.DataFrame | None, study: FidelityStudy) -> pd.DataFrame:
    """One row per object to judge.

    Args:
        human_scores: The table `human_scores`.
        selected: What `read_selected_objects` gave; null judges every object that people scored.
        study: Names the image folders, and what becomes of objects whose render shows another object.

    Returns:
        `COLUMNS`, by item and object. `excluded` is null or one of `CAUSES`, and `exclusion_detail` says it with file
        and remedy; it also speaks, with `excluded` null, where only the first five of an item's photos are used.
        Objects with ``object != judged_object`` stay unless the study says ``mismatched_objects: exclude``.

    Raises:
        FileFault: A selected object has no human score.
        UserError: An image folder does not exist.
    """
    objects = _objects_to_judge(human_scores, selected, study)
    photos = ImageFolders.at(study.references, "references")
    candidates = ImageFolders.at(study.candidates, "candidates")
    shared_by = Counter(row["item_id"] for row in objects if not _left_out(row, study))
    found = [_find(row, photos, candidates, shared_by, study) for row in objects]
    paths = {path for each in found for path in (*each.photos, each.candidate) if path and each.cause is None}
    checked = _checked(sorted(paths, key=str))
    frame = pd.DataFrame.from_records([_row(each, checked) for each in found], columns=list(COLUMNS))
    kinds = {"n_references": "int64", **dict.fromkeys(_TEXT_LISTS, "object")}
    return frame.astype({column: kinds.get(column, "str") for column in COLUMNS})


def _objects_to_judge(
    human_scores: pd.DataFrame, selected: pd.DataFrame | None, study: FidelityStudy
) -> list[dict[str, Any]]:
    scored = human_scores.drop_duplicates("object")[list(_OF_OBJECT)]
    if selected is None:
        objects = scored.assign(judged_object=scored["object"])
    else:
        unknown = selected[~selected["object"].isin(scored["object"])]
        if not unknown.empty:
            raise FileFault(
                study.selected_objects.name if study.selected_objects else "selected objects",
                f"rows {listing(unknown['row'])} name objects without a score: {listing(unknown['object'])}.",
                f"Remove the rows, or add their scores to {study.human_scores.name}.",
            )
        objects = selected[["object", "judged_object"]].merge(scored, on="object", validate="one_to_one")
    in_order = objects.sort_values(["item_id", "object"]).astype("object")
    return [{str(key): cell for key, cell in row.items()} for row in in_order.to_dict("records")]


def _left_out(row: Mapping[str, Any], study: FidelityStudy) -> bool:
    return study.mismatched_objects == "exclude" and row["object"] != row["judged_object"]


def _find(
    row: Mapping[str, Any],
    photo_folders: ImageFolders,
    candidate_folders: ImageFolders,
    shared_by: Mapping[str, int],
    study: FidelityStudy,
) -> _Found:
    item, judged = row["item_id"], row["judged_object"]
    photos = photo_folders.photos_of(item)
    own = candidate_folders.image_of(item, judged)
    shared = candidate_folders.image_of(item, SHARED_CANDIDATE)
    photo_folder, candidate_folder = photo_folders.folder_of(item), candidate_folders.folder_of(item)
    cause = detail = None
    if _left_out(row, study):
        cause = "mismatched_object"
        detail = f"People scored object {row['object']} and the render shows {judged}. Render the scored object."
    elif not photos:
        cause = "no_photos"
        wanted = f"gt_*.{'|'.join(EXTENSIONS)}"
        detail = photo_folders.ambiguity_of(item)
        detail = detail or f"{photo_folder}: there is no photo {wanted}. Put 1 to {MAX_PHOTOS} there."
    elif own is None and shared is None:
        cause = "no_candidate"
        detail = candidate_folders.ambiguity_of(item)
        detail = detail or f"{candidate_folder}: there is neither {judged}.png nor candidate.png. Put the render there."
    elif own is None and shared_by[item] > 1:
        cause = "ambiguous_candidate"
        detail = f"{shared}: the item has {shared_by[item]} objects to judge. Name this object's render {judged}.png."
    elif len(photos) > MAX_PHOTOS:
        used = listing(photo.name for photo in photos[:MAX_PHOTOS])
        detail = f"{photo_folder}: there are {len(photos)} photos, and the first {MAX_PHOTOS} are used: {used}."
    return _Found(row, tuple(photos[:MAX_PHOTOS]), own or shared, cause, detail)


def _checked(paths: Iterable[UPath]) -> dict[UPath, str | UnreadableImage]:
    """The SHA-256 of every image that decodes to a picture of something, and for the others the error."""

    def check(path: UPath) -> str | UnreadableImage:
        try:
            data = read_image_file(path)
            picture = decode_image(data, path)
        except UnreadableImage as error:
            return error
        if shows_nothing(picture):
            problem = "nothing is visible in the picture: it is all transparent or all black."
            remedy = "Export it again with the object in view."
            return UnreadableImage(path, problem, remedy, cause="nothing_visible")
        return hashlib.sha256(data).hexdigest()

    known = list(paths)
    with ThreadPoolExecutor(_THREADS) as pool:
        return dict(zip(known, pool.map(check, known), strict=True))


def _row(found: _Found, checked: Mapping[UPath, str | UnreadableImage]) -> dict[str, Any]:
    cause, detail = found.cause, found.detail
    hashes: dict[UPath, str] = {}
    # The candidate last: of several bad images the first photo is named.
    for path in (*found.photos, found.candidate):
        result = checked.get(path) if path is not None else None
        if path is not None and isinstance(result, str):
            hashes[path] = result
        elif isinstance(result, UnreadableImage) and cause is None:
            kind = "candidate" if path is found.candidate else "photo"
            cause = f"unreadable_{kind}" if result.cause == "unreadable" else result.cause
            detail = str(result)
    complete = cause is None
    return {
        **found.row,
        "candidate_path": str(found.candidate) if found.candidate is not None else None,
        "candidate_sha256": hashes.get(found.candidate) if complete and found.candidate is not None else None,
        "reference_paths": [str(photo) for photo in found.photos],
        "reference_sha256": [hashes[photo] for photo in found.photos] if complete else [],
        "n_references": len(found.photos),
        "excluded": cause,
        "exclusion_detail": detail,
    }
