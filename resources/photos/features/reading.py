"""Features read back: one row per photo by name, with only the columns that a method needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from upath import UPath

from resources.errors import UserError, listing
from resources.photos.features.index import Known, read_hashes, read_index
from resources.photos.features.shards import PHOTO, columns_of, parts_of, read_columns, stored_shards
from resources.photos.features.stages import STAGES

Value = TypeVar("Value")
ROWS_AT_ONCE: Final = 4096
NOT_COMPUTED: Final = "not computed for this photo"


def read_features(
    folder: UPath, images: Sequence[str], stages: Iterable[str] = STAGES, *, vectors: bool = True
) -> pd.DataFrame:
    """The photos' features, in the order of their names.

    Args:
        folder: Of the features.
        images: Names, as `photo_pairs` gives them.
        stages: Only the columns of these are read.
        vectors: Whether the models' arrays are read too; without them a photo takes a few hundred bytes.

    Returns:
        One row per name, which is the index: `sha256`; `unreadable`, why there is no feature at all, else null;
        `width_px`, `height_px`, `decode_ms`. Stage rules: `sharpness`, `contrast`, `exposure`, `colorfulness`, NaN
        where undefined, and `<step>_ms` for each of `photo_rules.STEPS`. Stages clip, vit, efficientnet: a
        column of that name with an array per photo, none where there is none. For each stage `<stage>_ms` and
        `undefined_<stage>`, why something of it is missing, else null. Times are what the photo alone takes, in ms, as
        measured when it was computed.

    Raises:
        UserError: A name was never looked at, or a shard is gone or damaged.
    """
    known = _of_each(folder, read_index(folder), images)
    asked = [stage for stage in STAGES if stage in set(stages)]
    cells = _stored_cells(folder, [one.sha256 for one in known], asked, vectors)
    cells["unreadable"] = np.array(
        [_why_unreadable(one, said) for one, said in zip(known, cells["unreadable"], strict=True)], dtype=object
    )
    for stage in asked:
        reasons = cells.get(f"undefined_{stage}", np.full(len(known), None, dtype=object))
        computed = ~np.isnan(cells[f"{stage}_ms"])
        cells[f"undefined_{stage}"] = np.array(
            [
                unreadable or reason or (None if there else NOT_COMPUTED)
                for unreadable, reason, there in zip(cells["unreadable"], reasons, computed, strict=True)
            ],
            dtype=object,
        )
    return pd.DataFrame({"sha256": [one.sha256 for one in known], **cells}, index=pd.Index(images, name="image"))


def read_vectors(folder: UPath, images: Sequence[str], stage: str) -> NDArray[np.float32]:
    """One model's features of the photos, in the order of their names.

    Args:
        folder: Of the features.
        images: Names, as `photo_pairs` gives them.
        stage: clip, vit or efficientnet.

    Returns:
        Shape ``(m, d)``, a row of NaN where there are none; d is 0 where no shard has any. Nothing is held twice:
        100,000 photos of 768 numbers take 300 MB.

    Raises:
        UserError: A name was never looked at, or a shard is gone or damaged.
    """
    vectors = np.empty((len(images), 0), dtype=np.float32)
    wanted = _places(_of_each(folder, read_hashes(folder), images))
    for shard in stored_shards(folder):
        here = [sha256 for sha256 in shard.hashes if sha256 in wanted]
        if stage not in shard.widths or not here:
            for sha256 in here:
                del wanted[sha256]
            continue
        if not vectors.shape[1]:
            vectors = np.full((len(images), shard.widths[stage]), np.nan, dtype=np.float32)
        # By content and not by the list's rows: another run may have completed the shard since.
        for part in parts_of(folder, shard.file, ROWS_AT_ONCE, ["sha256", stage]):
            places = [wanted.pop(sha256, []) for sha256 in part["sha256"].to_pylist()]
            there = np.flatnonzero(np.asarray(part[stage].is_valid()))
            for row, vector in zip(there.tolist(), _matrix(part[stage]), strict=True):
                vectors[places[row]] = vector
    _refuse_gone(folder, wanted)
    return vectors


def _of_each(folder: UPath, index: Mapping[str, Value], images: Sequence[str]) -> list[Value]:
    """What the index says of each name."""
    if unknown := [image for image in images if image not in index]:
        raise UserError(
            f"Table 'image_features' has nothing about {len(unknown)} of {len(images)} photos ({listing(unknown, 3)}). "
            "Make it again with `touchstone run pairwise`."
        )
    return [index[image] for image in images]


def _why_unreadable(one: Known, said: str | None) -> str | None:
    """With this photo's own path: another file of the same content is as unreadable."""
    if one.sha256 is None:
        return one.fault
    return None if said is None else f"{one.path}: {said}"


def _stored_cells(
    folder: UPath, hashes: Sequence[str | None], stages: Sequence[str], vectors: bool
) -> dict[str, NDArray[Any]]:
    """Each column as the shards hold it, in the order of the hashes; null where a photo has no hash."""
    fields = [*PHOTO[1:], *(field for stage in stages for field in columns_of(stage))]
    fields = [field for field in fields if vectors or not pa.types.is_fixed_size_list(field.type)]
    cells: dict[str, NDArray[Any]] = {
        field.name: np.full(len(hashes), np.nan if _is_number(field.type) else None, dtype=_kind(field.type))
        for field in fields
    }
    for table, rows, places in _stored_rows(folder, hashes, list(cells)):
        for name in table.column_names:
            cells[name][places] = _values(table[name])[rows]
    return cells


def _stored_rows(
    folder: UPath, hashes: Sequence[str | None], columns: Sequence[str]
) -> Iterator[tuple[pa.Table, NDArray[np.intp], NDArray[np.intp]]]:
    """Each shard's columns, and which of its rows belong to which places among the hashes."""
    wanted = _places(hashes)
    for shard in stored_shards(folder):
        if not any(sha256 in wanted for sha256 in shard.hashes):
            continue
        # By content and not by the list's rows: another run may have completed the shard since.
        table = read_columns(folder, shard.file, ["sha256", *columns])
        stored = table["sha256"].to_pylist()
        rows = [row for row, sha256 in enumerate(stored) if sha256 in wanted]
        if not rows:
            continue
        table = table.select([name for name in table.column_names if name != "sha256"]).take(pa.array(rows))
        places = [wanted.pop(stored[row]) for row in rows]
        yield table, np.repeat(np.arange(len(rows)), [len(one) for one in places]), np.concatenate(places)
    _refuse_gone(folder, wanted)


def _places(hashes: Sequence[str | None]) -> dict[str, list[int]]:
    """Where each content is wanted: the same photo may have several names."""
    places: dict[str, list[int]] = {}
    for place, sha256 in enumerate(hashes):
        if sha256 is not None:
            places.setdefault(sha256, []).append(place)
    return places


def _refuse_gone(folder: UPath, wanted: Mapping[str, list[int]]) -> None:
    if wanted:
        raise UserError(
            f"Features of {len(wanted)} photos are gone: their shard is not in {folder}. Make `image_features` again."
        )


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _kind(kind: pa.DataType) -> type:
    return float if _is_number(kind) else object


def _values(column: pa.ChunkedArray) -> NDArray[Any]:
    """Numbers with NaN for null; words and vectors as objects with none for null."""
    if _is_number(column.type):
        return np.asarray(column.cast(pa.float64()).to_numpy())
    values = np.full(len(column), None, dtype=object)
    if pa.types.is_string(column.type):
        values[:] = column.to_pylist()
        return values
    there = np.flatnonzero(~np.asarray(column.is_null()))
    for place, vector in zip(there, _matrix(column), strict=True):
        values[place] = vector
    return values


def _matrix(column: pa.ChunkedArray) -> NDArray[np.float32]:
    """The vectors that are there, one a row."""
    vectors = column.drop_null().combine_chunks()
    return np.asarray(vectors.flatten(), dtype=np.float32).reshape(-1, column.type.list_size)
