"""The user's own golden pairs: images or texts altered by other means, and what a judge should make of each."""

import math
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, get_args

import pandas as pd

from analysis.accuracy.hit_rate import Expected
from resources.configuration.fidelity import FidelityStudy
from resources.database.call_records import ALTERATION_SIGN
from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.any_file import file_state, record_file
from resources.inputs.column_names import own_name
from resources.inputs.faults import BadRow, Faults
from resources.inputs.fidelity.texts import Text, object_of, read_texts
from resources.inputs.record_files import SeveralValues, as_text, unknown_field
from resources.photos.golden_set import Original, alterations_of
from resources.photos.images import UnreadableImage
from resources.runtime.opened_files import leads_out
from resources.tables.fidelity.golden import KINDS, NO_UNIT

NEEDED: Final = ("object", "altered", "kind")
COLUMNS: Final = (*NEEDED, "magnitude", "unit", "expected", "moves")
OF_A_KIND: Final = ("unit", "expected", "moves")
_HASH: Final = re.compile(r"_h([0-9a-f]{8})\.\w+", re.IGNORECASE)


class GoldenPair(NamedTuple):
    """One row: what was altered as the file names it, the altered image's path or text, and what is expected of it."""

    row: int
    object: str
    altered: str
    kind: str
    magnitude: float | None
    unit: str
    expected: Expected
    moves: str | None

    @property
    def alteration(self) -> str:
        """The kind in letters that every name may have, and the magnitude where there is one."""
        kind = re.sub(r"[^\w.-]+", "-", self.kind)
        return kind if self.magnitude is None else f"{kind}_{self.magnitude:.12g}"


class OwnAltered(NamedTuple):
    """A pair whose object the study has; `path` is null for a text, and `sha256` is of what the judge sees."""

    pair: GoldenPair
    object: str
    path: str | None
    sha256: str


def own_altered(study_objects: pd.DataFrame, study: FidelityStudy) -> list[OwnAltered]:
    """The user's own pairs with each object found and each image looked at, in the file's order.

    Args:
        study_objects: Whole.
        study: Names the file; none: there are no pairs.

    Raises:
        FileFault: The file cannot be read, or a row names an unknown object, alters nothing, comes twice, or has a
            missing or unusable image, a kind that is built in, or a cell that is wrong.
        FileFaults: Several such faults.
    """
    pairs = read_golden_pairs(study)
    if study.golden.pairs is None:
        return []
    file, faults = study.golden.pairs, Faults(study.golden.pairs.name)
    hashes = dict(zip(study_objects["object"], study_objects["candidate_sha256"], strict=True))
    built_in = {one.name for one in alterations_of(study.golden)}
    texts = read_texts(study.texts) if study.texts else {}
    found: list[OwnAltered] = []
    rows: dict[tuple[str, str], GoldenPair] = {}
    for pair in pairs:
        name = _object_named(pair.object, hashes)
        if name is None:
            problem = f"'{pair.object}' in column 'object' is none of the study's objects"
            known = [*study_objects["item_id"], *hashes]
            faults.add(f"{problem}{did_you_mean(pair.object, known)}.", "Correct it, or remove the row.", pair.row)
            continue
        before = rows.setdefault((name, pair.alteration), pair)
        if before is not pair:
            faults.add(*_twice(before, pair), pair.row)
        elif pair.alteration in built_in:
            problem = f"'{pair.kind}' in column 'kind' makes '{pair.alteration}', which is a built-in alteration."
            faults.add(problem, "Name the kind otherwise.", pair.row)
        else:
            text = texts.get(name)
            one = _of_image(pair, name, file, faults) if text is None else _of_text(pair, name, text)
            if one is not None and one.sha256 == hashes[name] and pair.expected != "same":
                problem = f"'{pair.altered:.60}' in column 'altered' is the object as it was."
                faults.add(problem, "Name what was altered, or expect `same`.", pair.row)
            found += [] if one is None else [one]
    faults.raise_if_any()
    return found


def read_golden_pairs(study: FidelityStudy) -> tuple[GoldenPair, ...]:
    """The rows of the file, read once for each state of it; none where the study names no file.

    Raises:
        FileFault: The file cannot be read, lacks a column or a row, or has one cell that is wrong.
        FileFaults: It has several.
    """
    file = study.golden.pairs
    return () if file is None else _read(file, *file_state(file, "golden.pairs"))


def refuse_unknown_subscores(study: FidelityStudy) -> None:
    """End where a pair should move a sub-score that none of the study's judges gives.

    Raises:
        FileFault: One row does.
        FileFaults: Several do.
    """
    known = study.subscores
    faults = Faults(study.golden.pairs.name if study.golden.pairs else "")
    for pair in read_golden_pairs(study):
        if pair.moves is not None and pair.moves not in known:
            problem = (
                f"'{pair.moves}' in column 'moves' is none of the judge's sub-scores{did_you_mean(pair.moves, known)}"
            )
            problem = f"{problem}; they are: {listing(known) or 'none'}."
            faults.add(problem, "Correct it, or leave the cell blank.", pair.row)
    faults.raise_if_any()


def with_altered_texts(texts: Mapping[str, Text], study: FidelityStudy) -> Mapping[str, Text]:
    """The texts by what the ledger calls them, those of the user's golden pairs among them."""
    named = ((_object_named(pair.object, texts), pair) for pair in read_golden_pairs(study))
    altered = {
        f"{name}{ALTERATION_SIGN}{pair.alteration}": texts[name]._replace(document=pair.altered)
        for name, pair in named
        if name is not None
    }
    return {**texts, **altered} if altered else texts


def _object_named(name: str, known: Collection[str]) -> str | None:
    """The object that a name, an id, or the end of a generated object's file name is of."""
    by_hash = _HASH.search(name)
    names = (object_of(name), name, by_hash[1].lower() if by_hash else name)
    return next((one for one in names if one in known), None)


def _twice(before: GoldenPair, pair: GoldenPair) -> tuple[str, str]:
    """What is wrong with a second row of an object and an alteration, and the remedy."""
    if before.kind == pair.kind:
        problem = f"object '{pair.object}' has kind '{pair.kind}' with this magnitude in row {before.row} too."
        return problem, "Remove one of the two, or give each a magnitude of its own."
    return f"kinds '{before.kind}' and '{pair.kind}' have one short name, '{pair.alteration}'.", "Rename one."


def _of_text(pair: GoldenPair, name: str, text: Text) -> OwnAltered:
    return OwnAltered(pair, name, None, text._replace(document=pair.altered).sha256)


def _of_image(pair: GoldenPair, name: str, file: Path, faults: Faults) -> OwnAltered | None:
    """The image, read and decoded, or null and a fault."""
    said, place = f"'{pair.altered}' in column 'altered'", file.parent / pair.altered.replace("\\", "/")
    if leads_out(file.parent, place):
        problem = f"{said} leads out of the folder {file.parent}. Nothing was read from there."
        faults.add(problem, "Put the image next to the file, or below its folder.", pair.row)
    elif not place.is_file():
        faults.add(f"{said} is no file in {file.parent}.", "Correct the path, or put the image there.", pair.row)
    else:
        try:
            image = Original(str(place))
            _ = image.picture
        except UnreadableImage as error:
            faults.add(f"{said} cannot be used: {error.reason}", "Or remove the row.", pair.row)
        else:
            return OwnAltered(pair, name, image.path, image.sha256)
    return None


@lru_cache(4)
def _read(path: Path, mtime_ns: int, size: int) -> tuple[GoldenPair, ...]:
    file = record_file(path, COLUMNS)
    names, _ = file.names(whole=True)
    for name in NEEDED:
        if lacks := unknown_field(name, names):
            raise FileFault(file.name, str(lacks), f"Columns are {listing(COLUMNS)}; the first three are needed.")
    theirs = {name: found for name in COLUMNS if (found := own_name(name, names)) is not None}
    faults, pairs = Faults(file.name), list[GoldenPair]()
    first: dict[str, GoldenPair] = {}
    for record in file.records(list(theirs.values())):
        if isinstance(record, BadRow):
            faults.add(record.problem, record.remedy, record.row)
            continue
        try:
            cells = {name: as_text(record.fields.get(column)) for name, column in theirs.items()}
        except SeveralValues as several:
            faults.add(f"{several} is several values.", "Write one value in a cell.", record.row)
            continue
        pair = _pair(record.row, cells, faults)
        if pair is None:
            continue
        same = first.setdefault(pair.kind, pair)
        for name in OF_A_KIND:
            if getattr(pair, name) != getattr(same, name):
                # A unit follows from whether there is a magnitude.
                with_one = {one.magnitude is None for one in (pair, same)}
                column = "magnitude" if name == "unit" and len(with_one) == 2 else name
                here, there = _written(pair, column), _written(same, column)
                problem = f"kind '{pair.kind}' has {here} in column '{column}', and {there} in row {same.row}."
                faults.add(problem, "Write the same in all rows of a kind, or make two kinds of it.", pair.row)
        pairs.append(pair)
    faults.raise_if_any()
    if not pairs:
        raise FileFault(file.name, "there is no row.", "Write a row for each altered image or text.")
    return tuple(pairs)


def _written(pair: GoldenPair, column: str) -> str:
    """What a row has in a column, in words."""
    value = getattr(pair, column)
    if value is None or (column == "unit" and value == NO_UNIT):
        return "nothing"
    return f"'{value:g}'" if isinstance(value, float) else f"'{value}'"


def _pair(row: int, cells: Mapping[str, str | None], faults: Faults) -> GoldenPair | None:
    """One row, or null and its faults."""
    wrong: list[tuple[str, str]] = []
    values = {name: cells.get(name) or "" for name in COLUMNS}
    wrong += [
        (f"there is no value in column '{name}'.", "Write one, or remove the row.")
        for name in NEEDED
        if not values[name]
    ]
    kind, moves, direction = values["kind"], values["moves"], values["expected"].casefold() or "worse"
    expected: Expected = next((one for one in get_args(Expected) if one == direction), "worse")
    if kind.casefold() in KINDS:
        wrong.append((f"'{kind}' in column 'kind' is a kind of the built-in alterations.", "Name yours otherwise."))
    if expected != direction:
        problem = f"'{values['expected']}' in column 'expected' is not worse, same or better"
        wrong.append(
            (f"{problem}{did_you_mean(direction, get_args(Expected))}.", "Write one of them, or nothing for worse.")
        )
    magnitude = _number(values["magnitude"])
    if magnitude is not None and not math.isfinite(magnitude):
        problem = f"'{values['magnitude']}' in column 'magnitude' is no number."
        wrong.append((problem, "Write a number with a point, or leave the cell blank."))
    for problem, remedy in wrong:
        faults.add(problem, remedy, row)
    if wrong:
        return None
    unit = values["unit"] or NO_UNIT if magnitude is not None else "none"
    return GoldenPair(row, values["object"], values["altered"], kind, magnitude, unit, expected, moves or None)


def _number(cell: str) -> float | None:
    """The cell's number, NaN where it is none; null where it is blank."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return math.nan
