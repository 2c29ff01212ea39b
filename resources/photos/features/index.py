"""Which photo is which file: names with paths and content hashes, looked at again only where a file has changed."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from upath import UPath

from resources.errors import UserError
from resources.photos.features.prefetch import prefetched
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.partial_files import whole_file
from resources.runtime.progress import Advance

FILE: Final = "photos.parquet"
# A file that is written twice within the clock's grain keeps its time; only an older one is taken as unchanged.
SETTLED_AFTER_NS: Final = 2_000_000_000
_WAITING_PER_THREAD: Final = 8
_SCHEMA: Final = pa.schema(
    [
        pa.field("image", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("n_bytes", pa.int64()),
        pa.field("modified_ns", pa.int64()),
        pa.field("looked_ns", pa.int64()),
        pa.field("sha256", pa.string()),
        pa.field("fault", pa.string()),
    ]
)


class Known(NamedTuple):
    """A photo's file as it was when it was looked at; `sha256` is null where it could not be read, `fault` says why."""

    image: str
    path: str
    n_bytes: int | None
    modified_ns: int | None
    looked_ns: int
    sha256: str | None
    fault: str | None

    def is_unchanged(self, n_bytes: int, modified_ns: int) -> bool:
        """Whether the file can be taken for the one that was hashed."""
        settled = 0 < modified_ns < self.looked_ns - SETTLED_AFTER_NS
        return self.sha256 is not None and settled and (self.n_bytes, self.modified_ns) == (n_bytes, modified_ns)


def look_at(folder: UPath, paths: Mapping[str, str], threads: int, advance: Advance) -> dict[str, Known]:
    """Every photo's content hash, read anew only where size or time of the file differ; kept for the next run.

    Returns:
        The photos asked for; others that were looked at before stay in the index.
    """
    before = read_index(folder)

    def look(image: str) -> Known:
        return _looked_at(image, paths[image], before.get(image))

    found: dict[str, Known] = {}
    for known in prefetched(look, paths, threads, threads * _WAITING_PER_THREAD):
        found[known.image] = known
        advance()
    if any(before.get(image) != known for image, known in found.items()):
        _write(folder, (before | found).values())
    return found


def read_index(folder: UPath) -> dict[str, Known]:
    """What was looked at so far; nothing where the index is absent.

    Raises:
        UserError: The file is damaged.
    """
    return {known.image: known for known in map(Known._make, zip(*_columns(folder, Known._fields), strict=True))}


def read_hashes(folder: UPath) -> dict[str, str | None]:
    """Each photo's content hash alone, a quarter of what `read_index` takes in memory.

    Raises:
        UserError: The file is damaged.
    """
    return dict(zip(*_columns(folder, ("image", "sha256")), strict=True))


def _columns(folder: UPath, names: Sequence[str]) -> list[list[Any]]:
    try:
        with (folder / FILE).open("rb") as opened:
            table = pq.ParquetFile(opened).read(columns=list(names))
    except FileNotFoundError:
        return [[] for _ in names]
    except pa.ArrowException as error:
        raise UserError(f"{folder / FILE} is damaged ({error}). Delete it and make `image_features` again.") from error
    return [table[name].to_pylist() for name in names]


def _looked_at(image: str, path: str, before: Known | None) -> Known:
    now = time.time_ns()
    file = UPath(path)
    try:
        seen = file.stat()
        n_bytes, modified_ns = int(seen.st_size), int(seen.st_mtime * 1e9)
        if before is not None and before.path == path and before.is_unchanged(n_bytes, modified_ns):
            return before
        return Known(image, path, n_bytes, modified_ns, now, sha256_of_file(file), None)
    except OSError as error:
        fault = f"{path}: the file cannot be read ({error.strerror or error}). Put it there, or correct the path."
        return Known(image, path, None, None, now, None, fault)


def _write(folder: UPath, known: Iterable[Known]) -> None:
    columns = zip(*known, strict=True)
    table = pa.table(
        [pa.array(cells, field.type) for cells, field in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA
    )
    with whole_file(folder / FILE) as part, part.open("wb") as opened:
        pq.write_table(table, opened)
