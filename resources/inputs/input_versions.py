"""Which content an input has, as one short text: a file's hash, or one hash over all files of a folder."""

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from resources.errors import UserError
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.opened_files import is_file

QUIET_S: Final = 2.0  # a file written to within this time may still grow
ABSENT: Final = "absent"
INDEX: Final = "file_hashes.db"
_BATCH: Final = 64  # files hashed between two looks at the clock
_THREADS: Final = 4
_WAIT_S: Final = 60  # for another process that writes the index


class InputVersion(NamedTuple):
    """What an input holds: `version` is its content's hash, `absent` where there is nothing."""

    version: str
    n_files: int
    n_bytes: int


class NotYet(Exception):
    """A file is still being written, or there was no time to read all of them."""


class Seen(NamedTuple):
    """A file as the folder lists it."""

    n_bytes: int
    modified_ns: int


class Listed(NamedTuple):
    """Files by path, and what links to folders say by theirs."""

    files: dict[str, Seen]
    links: dict[str, str]


@dataclass(frozen=True)
class InputVersions:
    """Versions of files and folders; hashes are remembered in the home by path, size and time of change.

    Without a home every file is read each time.
    """

    home: Path | None
    _opened: sqlite3.Connection | None = None

    @contextmanager
    def opened(self) -> Iterator["InputVersions"]:
        """The same for many places, of which each would else open and close the memory of hashes."""
        with self._index() as index:
            yield replace(self, _opened=index)

    def of(self, place: Path, *, quiet_s: float = 0.0, seconds: float | None = None) -> InputVersion:
        """The version of a file, or of a folder with everything below it that is not hidden.

        A link to a folder counts by what it says: studies follow those that stay within the folder, whose files count.
        A file that was only touched, or saved again with the same bytes, has the version that it had.

        Args:
            place: The file or folder.
            quiet_s: Files changed within so many seconds may still grow.
            seconds: At most so long is spent on reading; what was read is remembered.

        Raises:
            NotYet: A file changed within `quiet_s` or while it was read, or `seconds` are over.
            OSError: A file or folder cannot be read.
            UserError: The memory of hashes is damaged.
        """
        files, links = listed(place)
        if not files:
            return InputVersion(ABSENT, 0, 0)
        now_ns = time.time_ns()
        # A time in the future is a wrong clock, not a file that grows.
        fresh = [path for path, seen in files.items() if abs(now_ns - seen.modified_ns) < quiet_s * 1e9]
        if fresh:
            raise NotYet(f"{fresh[0]} may still grow")
        hashes = self._hashes(str(place), files, None if seconds is None else time.monotonic() + seconds)
        if place.is_file():
            version = hashes[str(place)]
        else:
            digest = hashlib.sha256()
            for path in sorted(files):
                digest.update(f"{path[len(str(place)) :]}\0{hashes[path]}\n".encode(errors="surrogateescape"))
            for path in sorted(links):
                digest.update(f"{path[len(str(place)) :]}\0-> {links[path]}\n".encode(errors="surrogateescape"))
            version = digest.hexdigest()
        return InputVersion(version, len(files), sum(seen.n_bytes for seen in files.values()))

    def _hashes(self, root: str, files: Mapping[str, Seen], until: float | None) -> dict[str, str]:
        with self._index() as index:
            rows = index.execute("SELECT path, n_bytes, modified_ns, sha256 FROM files WHERE root = ?", (root,))
            known = {path: (Seen(n_bytes, modified_ns), sha256) for path, n_bytes, modified_ns, sha256 in rows}
            hashes = {path: known[path][1] for path, seen in files.items() if path in known and known[path][0] == seen}
            gone = [(root, path) for path in known.keys() - files.keys()]
            if gone:
                index.executemany("DELETE FROM files WHERE root = ? AND path = ?", gone)
            new = [path for path in files if path not in hashes]
            with ThreadPoolExecutor(_THREADS) as pool:
                for start in range(0, len(new), _BATCH):
                    if until is not None and time.monotonic() > until:
                        raise NotYet(f"{start} of {len(new)} new files below {root} were read, the rest comes next")
                    batch = new[start : start + _BATCH]
                    read = dict(zip(batch, pool.map(sha256_of_file, batch), strict=True))
                    hashes |= read
                    self._remember(index, root, files, read)
        return hashes

    def _remember(self, index: sqlite3.Connection, root: str, files: Mapping[str, Seen], read: dict[str, str]) -> None:
        now_ns, rows = time.time_ns(), []
        for path, sha256 in read.items():
            if _seen(Path(path).stat()) != files[path]:
                raise NotYet(f"{path} changed while it was read")
            # Within the clock's grain a later change could leave size and time as they are.
            if abs(now_ns - files[path].modified_ns) >= QUIET_S * 1e9:
                rows.append((root, path, *files[path], sha256))
        index.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)
        index.commit()

    @contextmanager
    def _index(self) -> Iterator[sqlite3.Connection]:
        if self._opened is not None:
            yield self._opened
            return
        if self.home is not None:
            self.home.mkdir(parents=True, exist_ok=True)
        place = self.home / INDEX if self.home else ":memory:"
        try:
            with closing(sqlite3.connect(place, timeout=_WAIT_S)) as index:
                # Not WAL: a home may lie on a network file system, whose machines have no memory in common.
                index.execute("PRAGMA journal_mode = DELETE")
                # What a power cut takes is read again; of a file that it spoils, the message below says what to do.
                index.execute("PRAGMA synchronous = OFF")
                index.execute(
                    "CREATE TABLE IF NOT EXISTS files (root TEXT, path TEXT, n_bytes INTEGER, modified_ns INTEGER, "
                    "sha256 TEXT, PRIMARY KEY (root, path)) WITHOUT ROWID"
                )
                yield index
                index.commit()
        except sqlite3.DatabaseError as problem:
            raise UserError(
                f"{place} cannot be used ({problem}). It only remembers hashes of input files: make room, or delete it "
                "and they are read again."
            ) from problem


def listed(place: Path) -> Listed:
    """The file itself, or what lies below a folder; hidden entries and those that are gone are not in it.

    Raises:
        OSError: A folder cannot be listed.
    """
    found = Listed({}, {})
    if place.is_file():
        found.files[str(place)] = _seen(place.stat())
    elif place.is_dir():
        _add_below(str(place), found)
    return found


def _add_below(folder: str, found: Listed) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                _add_below(entry.path, found)
            elif is_file(entry):
                found.files[entry.path] = _seen(entry.stat())
            elif Path(entry.path).is_dir():
                # It may lead back: what it says counts, not what lies behind it.
                found.links[entry.path] = str(Path(entry.path).readlink())


def _seen(stat: os.stat_result) -> Seen:
    return Seen(stat.st_size, stat.st_mtime_ns)
