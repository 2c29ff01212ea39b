"""The objects to judge with their images, every image decoded once; what cannot be judged says why."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

import pandas as pd
from upath import UPath

from analysis.images.appearance.mask import has_background, shows_nothing
from analysis.words import count_noun
from resources.configuration.fidelity import FidelityStudy
from resources.errors import FileFault, UserError, listing
from resources.inputs.csv_files import read_csv_file
from resources.inputs.faults import Faults
from resources.inputs.fidelity.human_scores import CATEGORIES, BadObjectName, ObjectName, parse_object_name
from resources.inputs.fidelity.manifest import Candidate, read_manifest
from resources.inputs.fidelity.texts import Text, read_texts
from resources.photos.images import MAX_PIXELS, UnreadableImage, decode_image, pixels_in, read_image_file
from resources.runtime.opened_files import refuse_link_out, refuse_name

MAX_PHOTOS = 5
EXTENSIONS = ("png", "jpg", "jpeg", "webp")
_PHOTO = re.compile(rf"gt_.*\.({'|'.join(EXTENSIONS)})", re.IGNORECASE)
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
    "n_with_background",
)
SHARED_CANDIDATE = "candidate"
_TEXT_LISTS = ("reference_paths", "reference_sha256")
_OF_OBJECT = ("object", "item_id", "product_id", "variant", "algorithm", *CATEGORIES)
_THREADS = 8
# Of two pictures of the largest size that is read, each of which takes 0.6 GB until it is looked at.
MOST_PIXELS_AT_ONCE = 2 * MAX_PIXELS
PATH = "output_glb_relpath"
SELECTED_COLUMNS = ("row", "object", "judged_object", "filename", "judged_filename")


class PixelsAtOnce:
    """Lets threads decode as many pixels at once as fit; a larger picture is decoded alone."""

    def __init__(self, most: int) -> None:
        """None is decoded yet."""
        self._most, self._now = most, 0
        self._changed = Condition()

    @contextmanager
    def decoding(self, n_pixels: int) -> Iterator[None]:
        """Begins once the pixels fit."""
        with self._changed:
            self._changed.wait_for(lambda: not self._now or self._now + n_pixels <= self._most)
            self._now += n_pixels
        try:
            yield
        finally:
            with self._changed:
                self._now -= n_pixels
                self._changed.notify_all()


@dataclass(frozen=True)
class ImageFolders:
    """Item folders below one root, each listed once; names match in any letter case when the exact one is absent.

    Looking for an item or an image raises `UserError` where a link leads out of the root.
    """

    root: UPath
    setting: str
    _listings: dict[str, Mapping[str, UPath]] = field(default_factory=dict)

    @classmethod
    def at(cls, root: str | Path | UPath, setting: str) -> "ImageFolders":
        """The folders below ``root``, which the configuration names as ``setting``.

        Raises:
            UserError: There is no such folder.
        """
        folder = UPath(root)
        if not folder.is_dir():
            raise UserError(f"{root}: there is no such folder. Correct `{setting}` in touchstone.yaml.")
        return cls(folder, setting)

    @cached_property
    def _items(self) -> Mapping[str, UPath]:
        return {folder.name: self._inside(folder) for folder in self.root.iterdir() if folder.is_dir()}

    @cached_property
    def _items_in_any_case(self) -> Mapping[str, list[UPath]]:
        names: dict[str, list[UPath]] = {}
        for name, folder in self._items.items():
            names.setdefault(name.casefold(), []).append(folder)
        return names

    def folder_of(self, item_id: str) -> UPath:
        """The item's folder; where there is none, the path at which it was looked for."""
        alike = self._items_in_any_case.get(item_id.casefold(), [])
        # Of folders that differ only in letter case none is taken rather than the wrong one.
        found = self._items.get(item_id) or (alike[0] if len(alike) == 1 else None)
        return found or self.root / (item_id.replace("/", "_") if item_id.strip(".") else "_")

    def ambiguity_of(self, item_id: str) -> str | None:
        """A sentence where several folders could be the item's; null where one is, or none."""
        alike = sorted(folder.name for folder in self._items_in_any_case.get(item_id.casefold(), []))
        if len(alike) < 2 or item_id in self._items:
            return None
        return f"{self.root}: folders {listing(alike)} differ only in letter case. Keep one, named {item_id}."

    def photos_of(self, item_id: str) -> list[UPath]:
        """Every ``gt_*`` image of the item in natural order: gt_2 comes before gt_10."""
        files = self._files_of(item_id).values()
        return sorted((file for file in files if _PHOTO.fullmatch(file.name)), key=lambda file: _natural(file.name))

    def image_of(self, item_id: str, stem: str) -> UPath | None:
        """The item's image of that name with the first extension of `EXTENSIONS` that there is."""
        files = self._files_of(item_id)
        names = (f"{stem}.{extension}".casefold() for extension in EXTENSIONS)
        return next((files[name] for name in names if name in files), None)

    def _files_of(self, item_id: str) -> Mapping[str, UPath]:
        if item_id not in self._listings:
            folder = self.folder_of(item_id)
            files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
            self._listings[item_id] = {file.name.casefold(): self._inside(file) for file in files}
        return self._listings[item_id]

    def _inside(self, place: UPath) -> UPath:
        """The file or folder, unless it is a link that leads elsewhere; addresses of other kinds have no links."""
        refuse_name(place)
        if isinstance(place, Path):
            refuse_link_out(self.root, place, self.setting)
        return place


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


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
        FileFault: A selected object has no human score, or a text that people scored is not in its file any more.
        UserError: An image folder does not exist.
    """
    objects = _objects_to_judge(human_scores, selected, study)
    if study.texts is not None:
        texts = read_texts(study.texts)
        if gone := [row["item_id"] for row in objects if row["object"] not in texts]:
            problem = f"there is no text any more of {count_noun(len(gone), 'object')}: {listing(gone)}."
            raise FileFault(study.texts.file, problem, "Put it back, or make human_scores again without its scores.")
        return _typed([_text_row(row, texts[row["object"]], study.texts.file) for row in objects])
    if study.manifest is not None:
        named = read_manifest(study)
        found = [_named(row, named.get(row["object"]), study.manifest.file) for row in objects]
    else:
        photos = ImageFolders.at(study.references, "references")
        candidates = ImageFolders.at(study.candidates, "candidates")
        shared_by = Counter(row["item_id"] for row in objects if not _left_out(row, study))
        found = [_find(row, photos, candidates, shared_by, study) for row in objects]
    paths = {path for each in found for path in (*each.photos, each.candidate) if path and each.cause is None}
    checked = _checked(sorted(paths, key=str))
    return _typed([_row(each, checked) for each in found])


def _typed(rows: list[dict[str, Any]]) -> pd.DataFrame:
    frame = pd.DataFrame.from_records(rows, columns=list(COLUMNS))
    kinds = {"n_references": "int64", "n_with_background": "int64", **dict.fromkeys(_TEXT_LISTS, "object")}
    return frame.astype({column: kinds.get(column, "str") for column in COLUMNS})


def _text_row(row: Mapping[str, Any], text: Text, file: Path) -> dict[str, Any]:
    """A text that is judged: the file is its address, and the hash is of what the judge reads."""
    read = {"candidate_path": str(file), "candidate_sha256": text.sha256}
    none = {"reference_paths": [], "reference_sha256": [], "n_references": 0}
    return {**row, **read, **none, "excluded": None, "exclusion_detail": None, "n_with_background": 0}


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


def _named(row: Mapping[str, Any], candidate: Candidate | None, manifest: Path) -> _Found:
    """The images that a manifest names for an object."""
    if candidate is None:
        return _Found(row, (), None, "no_candidate", f"{manifest.name} does not name it. Make human_scores again.")
    gone = [photo for photo in candidate.photos if not photo.is_file()]
    used = candidate.photos[:MAX_PHOTOS]
    cause: str | None = None
    detail: str | None = None
    if not candidate.place.is_file():
        cause, detail = "no_candidate", f"{candidate.place}: there is no such file. Put the render there."
    elif gone or not candidate.photos:
        named = str(gone[0]) if gone else f"the photos of {candidate.name}"
        cause, detail = "no_photos", f"{named}: there is no such file. Put the photo there."
    elif len(candidate.photos) > MAX_PHOTOS:
        names = listing(photo.name for photo in used)
        detail = (
            f"{candidate.name}: there are {len(candidate.photos)} photos, and the first {MAX_PHOTOS} are used: {names}."
        )
    return _Found(row, tuple(map(UPath, used)), UPath(candidate.place), cause, detail)


class _Picture(NamedTuple):
    """What an image that shows something is known by, and whether it has a background of its own."""

    sha256: str
    has_background: bool


def _checked(paths: Iterable[UPath]) -> dict[UPath, _Picture | UnreadableImage]:
    """Every image that decodes to a picture of something, and for the others the error."""
    at_once = PixelsAtOnce(MOST_PIXELS_AT_ONCE)

    def check(path: UPath) -> _Picture | UnreadableImage:
        try:
            data = read_image_file(path)
            with at_once.decoding(pixels_in(data)):
                return looked_at(data, path)
        except UnreadableImage as error:
            return error

    def looked_at(data: bytes, path: UPath) -> _Picture | UnreadableImage:
        picture = decode_image(data, path)
        if shows_nothing(picture):
            problem = "nothing is visible in the picture: it is all transparent or all black."
            remedy = "Export it again with the object in view."
            return UnreadableImage(path, problem, remedy, cause="nothing_visible")
        return _Picture(hashlib.sha256(data).hexdigest(), has_background(picture))

    known = list(paths)
    with ThreadPoolExecutor(_THREADS) as pool:
        return dict(zip(known, pool.map(check, known), strict=True))


def _row(found: _Found, checked: Mapping[UPath, _Picture | UnreadableImage]) -> dict[str, Any]:
    cause, detail = found.cause, found.detail
    hashes: dict[UPath, str] = {}
    n_with_background = 0
    # The candidate last: of several bad images the first photo is named.
    for path in (*found.photos, found.candidate):
        result = checked.get(path) if path is not None else None
        if path is not None and isinstance(result, _Picture):
            hashes[path] = result.sha256
            n_with_background += result.has_background
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
        "n_with_background": n_with_background,
    }


def read_selected_objects(
    path: str | Path | UPath, algorithms: tuple[str, ...], filename_column: str = "3D Object filename"
) -> pd.DataFrame:
    """The objects that a study judges.

    Args:
        path: Local path or fsspec address of a CSV file.
        algorithms: Known algorithms, as in `parse_object_name`.
        filename_column: The column with the object that people scored.

    Returns:
        `SELECTED_COLUMNS`, in the file's order: `row` in the file, `object` from the file name, `judged_object` from
        `output_glb_relpath`. They are meant to be equal; where they differ, people scored another object than
        the render shows.

    Raises:
        FileFault: A name cannot be read, or an object is listed twice.
        FileFaults: Several such faults.
    """
    file = read_csv_file(path, [filename_column, PATH], "fidelity.columns")
    faults = Faults(file.name)
    if file.frame.empty:
        faults.add("there is no row below the header.", "List the objects, or leave `selected_objects` out.")
    records = []
    rows_of = defaultdict(list)
    for row, cells in file.records():
        scored = _name(cells, filename_column, algorithms, row, faults)
        judged = _name(cells, PATH, algorithms, row, faults)
        if scored is not None and judged is not None:
            records.append((row, scored.object, judged.object, scored.filename, judged.filename))
            rows_of[scored.object].append(row)
    for scored_object, rows in rows_of.items():
        if len(rows) > 1:
            problem = f"object '{scored_object}' in column '{filename_column}' is listed in rows {listing(rows)}."
            faults.add(problem, "Keep one of them.", rows[1])
    faults.raise_if_any()
    return pd.DataFrame.from_records(records, columns=list(SELECTED_COLUMNS))


def _name(
    cells: dict[str, str], column: str, algorithms: tuple[str, ...], row: int, faults: Faults
) -> ObjectName | None:
    try:
        return parse_object_name(cells[column], algorithms)
    except BadObjectName as error:
        faults.add(f"in column '{column}', {error.problem}", error.remedy, row)
        return None
