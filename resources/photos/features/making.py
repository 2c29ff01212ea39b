"""A shard's features computed: photos prepared in threads ahead of the models, rows written as they come."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from upath import UPath

from resources.gpu import GpuResource
from resources.photos.features.plan import ShardTask
from resources.photos.features.prefetch import one_thread_a_picture, prefetched
from resources.photos.features.prepared import Photo, Prepared, prepared
from resources.photos.features.shards import (
    Shard,
    columns_of,
    parts_of,
    rows_of,
    schema_of,
    shard_at,
    written_whole,
)
from resources.photos.features.stages import STAGES, Stages
from resources.runtime.progress import Advance

# Rows held before they are written: about 10 kB each with every stage.
ROWS_AT_ONCE: Final = 512


@dataclass(frozen=True)
class ShardReport:
    """What was done to one shard: `model_s` of `wall_s` the models ran, the rest of it they waited for photos."""

    file: str
    n_computed: int
    wall_s: float
    model_s: float


@dataclass
class FeatureMaker:
    """Computes features; `threads` photos are decoded at once, and `gpu` says how many a model is given together."""

    stages: Stages
    gpu: GpuResource
    threads: int
    advance: Advance
    model_s: float = 0.0

    def make_shard(self, folder: UPath, task: ShardTask) -> ShardReport:
        """Make or complete one shard; where this fails, the shard stays as it was."""
        started, model_s = time.perf_counter(), self.model_s
        computed = self.stages.records
        with one_thread_a_picture():
            if task.missing:
                self._complete(folder, task, shard_at(folder / task.file))
            else:
                schema = schema_of(computed, self.stages.widths)
                with written_whole(folder, task.file, schema) as writer:
                    if task.kept:
                        for part in parts_of(folder, task.file, ROWS_AT_ONCE):
                            writer.write_table(part.cast(schema))
                    _write(writer, self.rows(task.new, self.stages, schema))
        return ShardReport(task.file, task.n_photos, time.perf_counter() - started, self.model_s - model_s)

    def _complete(self, folder: UPath, task: ShardTask, old: Shard) -> None:
        """Compute the missing stages of the photos that are there, and copy the others."""
        stages = self.stages.only(task.missing)
        known = {name: old.records[name] for name in task.kept} | stages.records
        widths = {**old.widths, **stages.widths}
        schema = schema_of({name: known[name] for name in STAGES if name in known}, widths)
        copied = [field.name for name in task.kept for field in columns_of(name)]
        photos = {photo.sha256: photo for photo in task.there}
        if task.rest:
            # First, so that a run that dies in between has them twice and never loses them.
            _set_aside(folder, task, old)
        with written_whole(folder, task.file, schema) as writer:
            for part in parts_of(folder, task.file, ROWS_AT_ONCE):
                mine = part.filter(pc.is_in(part["sha256"], pa.array(list(photos), pa.string())))
                hashes = mine["sha256"].to_pylist()
                if hashes:
                    rows = pa.concat_tables(self.rows([photos[one] for one in hashes], stages, schema))
                    columns = {name: mine[name] for name in copied} | {name: rows[name] for name in rows.column_names}
                    writer.write_table(pa.table([columns[field.name] for field in schema], schema=schema))

    def rows(self, photos: Sequence[Photo], stages: Stages, schema: pa.Schema) -> Iterator[pa.Table]:
        """The photos' rows in their order, a batch at a time."""
        if not photos:
            return
        stages.open()
        # While the models run on one batch, the next is being prepared.
        prepare = partial(prepared, stages=stages)
        ready = prefetched(prepare, photos, self.threads, self.gpu.batch_size + 2 * self.threads)
        while batch := list(islice(ready, self.gpu.batch_size)):
            yield rows_of(batch, stages.names, self._embeddings(batch, stages), schema)
            self.advance(len(batch))

    def _embeddings(self, batch: Sequence[Prepared], stages: Stages) -> dict[str, NDArray[np.float32]]:
        """What each model gives for the readable photos; each one's share of the time is added to its own."""
        readable = [photo for photo in batch if photo.unreadable is None]
        embeddings: dict[str, NDArray[np.float32]] = {}
        if not readable or not stages.models:
            return embeddings
        import torch

        for model in stages.models:
            inputs = torch.stack([photo.inputs.pop(model.name) for photo in readable])
            started, compute_s = time.perf_counter(), self.gpu.compute_s
            embeddings[model.name] = model.embed(inputs)
            self.model_s += time.perf_counter() - started
            taken_ms = 1000.0 * (self.gpu.compute_s - compute_s)
            for photo in readable:
                photo.stage_ms[model.name] += taken_ms / len(readable)
        return embeddings


def _set_aside(folder: UPath, task: ShardTask, old: Shard) -> None:
    """Photos of the shard that the study does not name, with the stages that still hold, in a shard of their own."""
    kept = {name: old.records[name] for name in task.kept}
    schema = schema_of(kept, {name: old.widths[name] for name in kept if name in old.widths})
    mine = pa.array([photo.sha256 for photo in task.there], pa.string())
    with written_whole(folder, task.rest, schema) as writer:
        for part in parts_of(folder, task.file, ROWS_AT_ONCE, schema.names):
            writer.write_table(part.filter(pc.invert(pc.is_in(part["sha256"], mine))).cast(schema))


def _write(writer: pq.ParquetWriter, tables: Iterable[pa.Table]) -> None:
    """Write small tables as fewer larger ones, which are faster to read."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(len(one) for one in waiting) >= ROWS_AT_ONCE:
            writer.write_table(pa.concat_tables(waiting))
            waiting.clear()
    if waiting:
        writer.write_table(pa.concat_tables(waiting))
