"""Shards on the disk: one Parquet file each, written whole or not at all, one row per photo by its content's hash."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from upath import UPath

from analysis.images.photo_rules import MEASURES, STEPS
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.photos.features.model import Record
from resources.photos.features.prepared import Prepared
from resources.runtime.file_hash import digest_of
from resources.runtime.home import Home
from resources.runtime.partial_files import whole_file
from resources.runtime.progress import TracksProgress

# What a photo has whatever the stages; then a stage's own columns, the time it takes alone last.
PHOTO: Final = (
    pa.field("sha256", pa.string(), nullable=False),
    pa.field("unreadable", pa.string()),
    pa.field("width_px", pa.int32()),
    pa.field("height_px", pa.int32()),
    pa.field("decode_ms", pa.float64()),
)
_RECORDS: Final = b"records"
FILE: Final = ".lock"


@dataclass(frozen=True)
class Shard:
    """A shard as it lies there: its photos, which of them are unreadable, and what each stage's numbers depend on."""

    file: str
    hashes: tuple[str, ...]
    records: Mapping[str, Record]
    widths: Mapping[str, int]
    unreadable: frozenset[str]

    @property
    def recipes(self) -> dict[str, str]:
        """A digest of each stage's record."""
        return {name: digest_of(record) for name, record in self.records.items()}


def features_folder(home: Home, study: PairwiseStudy) -> UPath:
    """Where the shards lie: in the study's `features_dir`, else next to the file of table `image_features`."""
    return UPath(study.features_dir) if study.features_dir else home.tables / "pairwise" / "image_features"


def shard_name(number: int) -> str:
    """The name of a shard's file; a listing by name is in the order in which they were made."""
    return f"shard_{number:06d}.parquet"


def stored_shards(folder: UPath) -> list[Shard]:
    """Every shard in the folder, by name; none where it was never made.

    Raises:
        UserError: A file is damaged.
    """
    if not folder.is_dir():
        return []
    return [shard_at(path) for path in sorted(folder.glob("shard_*.parquet"), key=lambda path: path.name)]


def shard_at(path: UPath) -> Shard:
    """The shard in this file.

    Raises:
        UserError: It is damaged.
    """
    try:
        with path.open("rb") as opened:
            parquet = pq.ParquetFile(opened)
            records = json.loads((parquet.schema_arrow.metadata or {})[_RECORDS])
            rows = parquet.read(columns=["sha256", "unreadable"])
    except (pa.ArrowException, KeyError, ValueError) as error:
        raise _damaged(path, error) from error
    unreadable = frozenset(rows["sha256"].filter(rows["unreadable"].is_valid()).to_pylist())
    widths = {
        field.name: field.type.list_size
        for field in parquet.schema_arrow
        if isinstance(field.type, pa.FixedSizeListType)
    }
    return Shard(path.name, tuple(rows["sha256"].to_pylist()), records, widths, unreadable)


def columns_of(stage: str, width: int = 0) -> list[pa.Field]:
    """The columns that a stage fills; `width` is how many numbers a model gives a photo."""
    if stage == "rules":
        numbers = (*MEASURES, *(f"{step}_ms" for step in STEPS))
        fields = [*(pa.field(name, pa.float64()) for name in numbers), pa.field("undefined_rules", pa.string())]
    else:
        fields = [pa.field(stage, pa.list_(pa.float32(), width))]
    return [*fields, pa.field(f"{stage}_ms", pa.float64())]


def schema_of(records: Mapping[str, Record], widths: Mapping[str, int]) -> pa.Schema:
    """The columns of a shard with these stages, their records next to them."""
    fields = [*PHOTO, *(field for stage in records for field in columns_of(stage, widths.get(stage, 0)))]
    return pa.schema(fields, metadata={_RECORDS: json.dumps(records, sort_keys=True).encode()})


def rows_of(
    photos: Sequence[Prepared], stages: Sequence[str], embeddings: Mapping[str, NDArray[np.float32]], schema: pa.Schema
) -> pa.Table:
    """Photos with what the stages found.

    Args:
        photos: Unreadable ones have null in all but their hash and the reason.
        stages: Those that were computed.
        embeddings: By model, one row per readable photo, in their order.
        schema: Of the shard; only its columns of these stages are made.
    """
    readable = np.array([photo.unreadable is None for photo in photos], dtype=bool)
    columns: dict[str, Any] = {
        name: [getattr(photo, name) for photo in photos]
        for name in ("sha256", "unreadable", "width_px", "height_px", "decode_ms")
    }
    for stage in stages:
        columns[f"{stage}_ms"] = [photo.stage_ms.get(stage) for photo in photos]
        if stage == "rules":
            for name in MEASURES:
                columns[name] = [getattr(photo.measures, name, None) for photo in photos]
            for step in STEPS:
                columns[f"{step}_ms"] = [photo.step_ms.get(step) for photo in photos]
            columns["undefined_rules"] = [photo.measures.undefined if photo.measures else None for photo in photos]
        else:
            columns[stage] = _vectors(readable, embeddings.get(stage), schema.field(stage).type.list_size)
    fields = [field for field in schema if field.name in columns]
    return pa.table([_array(columns[field.name], field.type) for field in fields], schema=pa.schema(fields))


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def _vectors(readable: NDArray[np.bool_], embedding: NDArray[np.float32] | None, width: int) -> pa.Array:
    rows = np.zeros((len(readable), width), np.float32)
    if embedding is not None:
        rows[readable] = embedding
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), width, mask=pa.array(~readable))


@contextmanager
def written_whole(folder: UPath, file: str, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """A shard to be filled table by table; it comes to its place at the end, and not at all where an error ends it."""
    with (
        whole_file(folder / file) as part,
        part.open("wb") as opened,
        pq.ParquetWriter(opened, schema) as writer,
    ):
        yield writer


def parts_of(folder: UPath, file: str, rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A stored shard, so many rows at a time; all columns where none are named.

    Raises:
        UserError: The file is damaged or gone.
    """
    with _opened(folder / file) as parquet:
        for batch in parquet.iter_batches(batch_size=rows, columns=columns):
            yield pa.Table.from_batches([batch])


def read_columns(folder: UPath, file: str, columns: Sequence[str]) -> pa.Table:
    """Some columns of a stored shard; those that it has not are left out.

    Raises:
        UserError: The file is damaged or gone.
    """
    with _opened(folder / file) as parquet:
        return parquet.read(columns=[name for name in columns if name in parquet.schema_arrow.names])


@contextmanager
def _opened(path: UPath) -> Iterator[pq.ParquetFile]:
    try:
        with path.open("rb") as opened:
            yield pq.ParquetFile(opened)
    except FileNotFoundError as error:
        raise UserError(f"The shard {path} is gone. Make `image_features` again.") from error
    except pa.ArrowException as error:
        raise _damaged(path, error) from error


def _damaged(path: UPath, error: Exception) -> UserError:
    reason = " ".join(str(error).split())
    return UserError(
        f"The shard {path} is empty, cut off or damaged ({reason}). Delete it and make `image_features` again: only "
        "its photos are computed anew."
    )


@contextmanager
def alone_in(folder: UPath, progress: TracksProgress, log: logging.Logger) -> Iterator[None]:
    """Wait for the run that is there, and keep others out; the lock ends with the process, however it ends.

    An object store and Windows have no such locks: there the user keeps runs apart.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        yield
        return
    if not isinstance(folder, Path):
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE).open("a") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            log.info(f"Another run makes features in {folder}: this one waits for it.")
            with progress.track("other runs on these photos waited for", 1, log) as advance:
                flock(file, LOCK_EX)
                advance()
        yield
