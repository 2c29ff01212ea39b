"""The manifest of study A: a row for each rating names its render, the photos, who rated and the score."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd

from resources.configuration.fidelity import TEXT, FidelityStudy, Manifest
from resources.errors import FileFault
from resources.inputs.any_file import file_state, record_file
from resources.inputs.column_names import own_name
from resources.inputs.csv_files import CsvFile
from resources.inputs.faults import BadRow, Faults
from resources.inputs.fidelity.texts import Text, object_of
from resources.inputs.record_files import SeveralValues, as_text, unknown_field
from resources.runtime.opened_files import leads_out

BETWEEN: Final = "|"
NO_SOURCE: Final = "render"
NEEDED: Final = ("candidate", "references", "score")
IMAGES: Final = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
_HASH_LENGTH: Final = 8


class Candidate(NamedTuple):
    """One render: `item_id` says what its photos show, `group` what is one cluster, `source` what made it.

    A place is a file, or where it ought to be; `text` is what goes with the render, where the manifest names such.
    """

    name: str
    place: Path
    photos: tuple[Path, ...]
    item_id: str
    group: str
    source: str
    text: str = ""

    @property
    def object(self) -> str:
        """Its name in tables and ledger."""
        return object_of(self.name)


def texts_of_renders(study: FidelityStudy) -> Mapping[str, Text]:
    """The text that goes with each render, by object.

    Raises:
        FileFault: The file cannot be read, or has one fault.
        FileFaults: It has several.
    """
    return _texts(*_state(study))


def manifest_rows(manifest: Manifest) -> CsvFile:
    """The file as text, in whatever form it is; a list in a cell has `BETWEEN` between its values.

    Raises:
        FileFault: It cannot be read, lacks a column, or has no row.
        FileFaults: Several rows cannot be read.
    """
    wanted = manifest.columns_by_name
    file = record_file(manifest.file, list(wanted.values()))
    names, _ = file.names(whole=True)
    needed = [*NEEDED, *(name for name in manifest.columns if name not in NEEDED)]
    for name in needed:
        if problem := unknown_field(wanted[name], names):
            raise FileFault(file.name, str(problem), f"Name it in `manifest.columns`: {{{name}: ...}}.")
    own = {theirs: found for theirs in wanted.values() if (found := own_name(theirs, names)) is not None}
    faults, rows = Faults(file.name), dict[int, dict[str, str]]()
    for record in file.records(list(own.values())):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        rows[record.row] = {theirs: _cell(record.fields.get(column)) for theirs, column in own.items()}
    faults.raise_if_any()
    if not rows:
        raise FileFault(file.name, "there is no row.", "Export it again with its rows.")
    others = [name for name in names if name not in own.values()]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[*own, *others], dtype="str").fillna("")
    return CsvFile(file.name, frame.rename_axis("row"), file.delimiter, 1)


def _cell(value: object) -> str:
    try:
        return as_text(value) or ""
    except SeveralValues:
        return BETWEEN.join(map(str, value)) if isinstance(value, list) else str(value)


def read_manifest(study: FidelityStudy) -> Mapping[str, Candidate]:
    """The renders by object, read once for each state of the file.

    Raises:
        FileFault: The file cannot be read, or has one fault.
        FileFaults: It has several.
    """
    return _read(*_state(study))


def _state(study: FidelityStudy) -> tuple[str, Path, Path, int, int]:
    """What the content of a manifest follows from."""
    manifest = study.manifest
    assert manifest is not None
    state = file_state(manifest.file, "manifest.file")
    return manifest.model_dump_json(), study.candidates, study.references, *state


@lru_cache(4)
def _texts(*state: Any) -> Mapping[str, Text]:
    return {name: Text(one.name, "", one.text, one.group, one.source) for name, one in _read(*state).items()}


@lru_cache(4)
def _read(manifest_json: str, candidates: Path, references: Path, mtime_ns: int, size: int) -> Mapping[str, Candidate]:
    manifest = Manifest.model_validate_json(manifest_json)
    columns, file = manifest.columns_by_name, manifest_rows(manifest)
    faults = Faults(file.name)
    # The folder that the configuration names, and the manifest's own.
    roots = {
        key: [manifest.file.parent] if folder == manifest.file else [folder, manifest.file.parent]
        for key, folder in (("candidates", candidates), ("references", references))
    }
    said: dict[str, dict[str, str]] = defaultdict(dict)
    rows: dict[str, int] = {}
    of_render = [kind for kind in ("references", "group", "source", TEXT) if kind in columns]
    for row, cells in file.records():
        name = cells[columns["candidate"]]
        if not name:
            faults.add(f"column '{columns['candidate']}' is blank.", "Name the render, or remove the row.", row)
            continue
        rows.setdefault(name, row)
        for kind in of_render:
            text = cells.get(columns[kind], "")
            if text and said[name].setdefault(kind, text) != text:
                problem = f"'{name}' has '{text}' in column '{columns[kind]}' and '{said[name][kind]}' before."
                faults.add(problem, "Write the same in all rows of a render.", row)
    items = _items({own["references"] for own in said.values() if "references" in own})
    found: dict[str, Candidate] = {}
    for name, row in rows.items():
        own = said[name]
        if "references" not in own:
            problem = f"'{name}' has no photo in column '{columns['references']}'."
            faults.add(problem, f"Name one, several with {BETWEEN} between, or their folder.", row)
            continue
        if TEXT in columns and TEXT not in own:
            remedy = f"Write it, or leave `{TEXT}` out of `manifest.columns`."
            faults.add(f"'{name}' has no text in column '{columns[TEXT]}'.", remedy, row)
        place = _place(name, "candidates", roots["candidates"], row, faults)
        photos = [
            _place(one.strip(), "references", roots["references"], row, faults)
            for one in own["references"].split(BETWEEN)
            if one.strip()
        ]
        item = items[own["references"]]
        group, source = own.get("group", item), own.get("source", NO_SOURCE)
        shown = tuple(photo for one in photos for photo in _photos(one))
        one = Candidate(name, place, shown, item, group, source, own.get(TEXT, ""))
        if found.setdefault(one.object, one) != one:
            problem = f"'{name}' and '{found[one.object].name}' have the same short hash."
            faults.add(problem, "Rename one.", row)
    faults.raise_if_any()
    return found


def _items(cells: set[str]) -> dict[str, str]:
    """A name for what each set of photos shows: that of the first, with a hash where two would have the same."""
    stems = {cell: _stem(cell) for cell in cells}
    shared = Counter(stem.casefold() for stem in stems.values())
    return {
        cell: stem
        if shared[stem.casefold()] == 1
        else f"{stem}-{hashlib.sha256(cell.encode()).hexdigest()[:_HASH_LENGTH]}"
        for cell, stem in stems.items()
    }


def _stem(cell: str) -> str:
    first = cell.split(BETWEEN)[0].strip().replace("\\", "/").rstrip("/")
    name = first.rpartition("/")[2]
    stem = name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in IMAGES else name
    return re.sub(r"[^\w.-]+", "-", stem).strip("-.") or "item"


def _place(name: str, key: str, roots: Sequence[Path], row: int, faults: Faults) -> Path:
    """Where an image is: below the first of the folders that has it."""
    places = [root / name.replace("\\", "/") for root in roots]
    place = next((one for one in places if one.exists()), places[0])
    if all(leads_out(root, place) for root in roots):
        problem = f"'{name}' leads out of the folder {roots[0]}. Nothing was read from there."
        faults.add(problem, f"Name the folder that holds it as `{key}:` in touchstone.yaml.", row)
    return place


def _photos(place: Path) -> list[Path]:
    """The photo itself, or the images of a folder, 2 before 10."""
    if not place.is_dir():
        return [place]
    images = [one for one in place.iterdir() if one.suffix.lower() in IMAGES and not one.is_symlink()]
    return sorted(images, key=lambda one: [(len(part), part) for part in re.split(r"(\d+)", one.name.casefold())])
