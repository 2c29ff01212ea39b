"""Files of a home copied while others write: whole, with their hash, and SQLite's as SQLite copies itself."""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from resources.database.locks import FOLDER_SUFFIX
from resources.errors import UserError
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.home import DATABASE
from resources.runtime.partial_files import SUFFIX, named_in_faults

_SQLITE: Final = b"SQLite format 3\0"
# What SQLite keeps next to a database while it is open.
_NEXT_TO: Final = ("-wal", "-shm", "-journal")
# Below any home, as a home of a benchmark lies in another: Dagster's state, and in it what its sensors have seen.
_DAGSTER, _SCHEDULES = "dagster", "schedules"
_CHUNK_BYTES: Final = 1 << 20
BUSY_S: Final = 60.0


class Copy(NamedTuple):
    """What was copied: size in bytes and SHA-256 in hex."""

    bytes: int
    sha256: str


def files_of(folder: Path) -> Iterator[Path]:
    """Every file to keep, relative to the folder: Dagster's state first, then tables, databases, the ledger last.

    Copied one by one as they come, while runs go on: no table is older in the copy than Dagster's copy says, and
    whatever a table tells of calls is in the copy of the ledger too. Tables are looked for when Dagster's state is
    through, so that none which it knows is missed.
    """
    for of_dagster in (True, False):
        found = [file for file in _walked(folder, folder, set()) if (_DAGSTER in file.parts[:-1]) == of_dagster]
        yield from sorted(found, key=lambda file: _turn(folder, file))


def copy_living(source: Path, target: Path) -> Copy | None:
    """Copy a file of a home in use; null where it is gone by now, as one is that was replaced or swept away.

    Raises:
        UserError: A database cannot be read or written.
    """
    try:
        if not is_sqlite(source):
            return copy_file(source, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy_sqlite(source, target)
        return hashed(target)
    except FileNotFoundError:
        return None


def copy_file(source: Path, target: Path) -> Copy:
    """Copy a file that nothing writes to, byte by byte; folders that are missing are made."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as read, named_in_faults(target), target.open("wb") as written:
        while chunk := read.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += written.write(chunk)
    return Copy(size, digest.hexdigest())


def hashed(path: Path) -> Copy:
    """Size and hash of a file that is there."""
    return Copy(path.stat().st_size, sha256_of_file(path))


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database of SQLite; one that is gone is none."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except FileNotFoundError:
        return False


def _turn(folder: Path, file: Path) -> tuple[bool, bool, bool, str]:
    """What sorts files into the order of copying.

    What sensors have seen goes before the runs that they asked for: the other way round a restored sensor would take
    for done what no run of the copy did. Asked again, a run that is there is not started twice.
    """
    return _SCHEDULES not in file.parts, is_sqlite(folder / file), file.name == DATABASE, str(file)


def _copy_sqlite(source: Path, target: Path) -> None:
    """By SQLite's own means: a plain copy lacks the newest rows, which lie in a file next to it, or is torn."""
    target.unlink(missing_ok=True)
    address = f"file:{quote(str(source.absolute()))}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as read,
            closing(sqlite3.connect(target)) as written,
        ):
            read.backup(written)
    except sqlite3.Error as fault:
        if not source.exists():
            raise FileNotFoundError(str(source)) from fault
        raise UserError(
            f"{source} cannot be copied to {target}: {fault}. The back-up is not complete. Fix the file, its rights "
            "or the disk, and back up into a new folder."
        ) from fault


def _walked(folder: Path, base: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    status = folder.stat()
    # A link that leads back up would be followed for ever.
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir():
                if not entry.name.endswith(FOLDER_SUFFIX):
                    yield from _walked(Path(entry.path), base, seen)
            elif entry.is_file() and not _passing(Path(entry.path)):
                yield Path(entry.path).relative_to(base)


def _passing(path: Path) -> bool:
    """Whether a file is one that a process has not finished writing, or needs only while it runs."""
    base, sign, ending = path.name.rpartition("-")
    return path.name.endswith(SUFFIX) or (sign + ending in _NEXT_TO and is_sqlite(path.with_name(base)))
