"""Features read back: one row per photo by name, with only the columns that a method needs."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from upath import UPath

from resources.errors import UserError, listed
from resources.photo_features.index import read_index
from resources.photo_features.shards import PHOTO, columns_of, read_columns, stored_shards
from resources.photo_features.stages import STAGES

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
        where undefined. Stages clip, vit, efficientnet: a column of that name with an array per photo, none where there
        is none. For each stage `<stage>_ms` and `undefined_<stage>`, why something of it is missing, else null. Times
        are what the photo alone takes, in ms, as measured when it was computed.

    Raises:
        UserError: A name was never looked at, or a shard is gone or damaged.
    """
    index = read_index(folder)
    if unknown := [image for image in images if image not in index]:
        raise UserError(
            f"Table 'image_features' has nothing about {len(unknown)} of {len(images)} photos ({listed(unknown, 3)}). "
            "Make it again with `touchstone run pairwise`."
        )
    known = [index[image] for image in images]
    asked = [stage for stage in STAGES if stage in set(stages)]
    cells = _stored_cells(folder, [one.sha256 for one in known], asked, vectors)
    cells["unreadable"] = np.array(
        [one.fault if one.sha256 is None else said for one, said in zip(known, cells["unreadable"], strict=True)],
        dtype=object,
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
    places: dict[str, list[int]] = {}
    for place, sha256 in enumerate(hashes):
        if sha256 is not None:
            # The same photo may have several names.
            places.setdefault(sha256, []).append(place)
    for shard in stored_shards(folder):
        rows = [row for row, sha256 in enumerate(shard.hashes) if sha256 in places]
        if not rows:
            continue
        table = read_columns(folder, shard.file, list(cells)).take(pa.array(rows))
        targets = [places.pop(shard.hashes[row]) for row in rows]
        source = np.repeat(np.arange(len(rows)), [len(one) for one in targets])
        target = np.concatenate(targets)
        for name in table.column_names:
            cells[name][target] = _values(table[name])[source]
    if places:
        raise UserError(
            f"Features of {len(places)} photos are gone: their shard is not in {folder}. Make `image_features` again."
        )
    return cells


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
    vectors = column.drop_null().combine_chunks()
    matrix = np.asarray(vectors.flatten(), dtype=np.float32).reshape(-1, column.type.list_size)
    for place, vector in zip(there, matrix, strict=True):
        values[place] = vector
    return values
