"""What only one run may do at a time: locks between processes that end with the process that holds them."""

import hashlib
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Protocol

import sqlalchemy as sa

from resources.database.engine import usable
from resources.errors import UserError

LOOKS_EVERY_S = 0.25  # between two looks whether it is free; a person who stops the wait is heard in between
FOLDER_SUFFIX = ".locks"
_LONGEST_NAME = 63  # of a Postgres application
_UNKNOWN = "another run"


class Lock(Protocol):
    """Locks of one run by name; they are released when it is closed, or its process ends."""

    def take(self, name: str) -> bool:
        """Whether it is ours now; a lock that another holds is not waited for."""
        ...

    def holder(self, name: str) -> str:
        """Who holds it, in words, with the command that ends it."""
        ...

    def still_ours(self) -> bool:
        """Whether no lock was lost since it was taken."""
        ...

    def files(self) -> list[int]:
        """Open files that hold what is ours; a process that inherits them holds it too."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class Turn:
    """One run's turn at several named things: it has it once all of them are its own."""

    def __init__(self, lock: Lock, names: Iterable[str]) -> None:
        self._lock = lock
        # All take them in one order, so that no two wait for each other.
        self._missing = sorted(set(names))

    def take(self) -> bool:
        """Whether it is our turn, without waiting."""
        while self._missing and self._lock.take(self._missing[0]):
            del self._missing[0]
        return not self._missing

    def holder(self) -> str:
        """Who has what we lack, in words, with the command that ends it; only where `take` said no."""
        return self._lock.holder(self._missing[0])

    def wait(self, say: Callable[[str], object]) -> None:
        """Return when it is our turn; `say` hears once whom we wait for."""
        if self.take():
            return
        say(
            f"Waiting for {self.holder()}. It asks for the same: {self._missing[0]}. "
            "Ctrl+C ends the wait; nothing is lost."
        )
        while not self.take():
            time.sleep(LOOKS_EVERY_S)

    def files(self) -> list[int]:
        """Open files by which a child process has the turn too; none where a connection holds it."""
        return self._lock.files()

    def keep(self) -> None:
        """Go on only while it is our turn.

        Raises:
            UserError: The database dropped the connection that held it, so that another run may have begun.
        """
        if not self._lock.still_ours():
            raise UserError(
                "The database closed the connection that kept other runs from asking the same calls. What was "
                "answered is kept; run again."
            )


@contextmanager
def turn(engine: sa.Engine, names: Iterable[str], who: str) -> Iterator[Turn]:
    """A turn at these names, given back at the end.

    SQLite: locks on files in a folder next to the database. Postgres: session locks on a connection of its own, which
    must reach the server itself or through a pooler that keeps sessions.

    Args:
        engine: The database that the runs share.
        names: What must not happen twice at once, in words.
        who: Says to others who holds it.

    Raises:
        UserError: The database cannot be reached.
    """
    lock: Lock
    if engine.dialect.name == "postgresql":
        lock = _SessionLocks(engine, who)
    elif engine.url.database and engine.url.database != ":memory:":
        lock = _FileLocks(Path(f"{engine.url.database}{FOLDER_SUFFIX}"), who)
    else:
        lock = _NoLocks()
    try:
        yield Turn(lock, names)
    finally:
        lock.close()


class _FileLocks:
    """Locks on files; what a file says is who locked it last."""

    def __init__(self, folder: Path, who: str) -> None:
        try:
            from fcntl import LOCK_EX, LOCK_NB, flock
        except ImportError as missing:
            raise UserError(
                "Runs on SQLite are kept apart by locks on files, which this system (Windows?) does not have. Use WSL "
                "or Docker, or set TOUCHSTONE_DATABASE_URL to a Postgres database."
            ) from missing
        self._lock: Callable[[IO[str]], None] = lambda file: flock(file, LOCK_EX | LOCK_NB)
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._who = folder, who
        self._open: list[IO[str]] = []

    def take(self, name: str) -> bool:
        file = self._path(name).open("a", encoding="utf-8")
        try:
            self._lock(file)
        except BlockingIOError:
            file.close()
            return False
        self._open.append(file)
        file.truncate(0)
        host, process = socket.gethostname(), os.getpid()
        since = _shown(datetime.now(UTC))
        file.write(f"{self._who} (process {process} on {host}, since {since}; `kill {process}` there ends it)")
        file.flush()
        return True

    def holder(self, name: str) -> str:
        return self._path(name).read_text(encoding="utf-8", errors="replace") or _UNKNOWN

    def still_ours(self) -> bool:
        return True

    def files(self) -> list[int]:
        return [file.fileno() for file in self._open]

    def close(self) -> None:
        for file in self._open:
            file.close()

    def _path(self, name: str) -> Path:
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"


class _SessionLocks:
    """Postgres' advisory locks, which the server gives back when the connection ends."""

    def __init__(self, engine: sa.Engine, who: str) -> None:
        self._engine = engine
        with usable(engine):
            self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            # Closed at the end, not pooled: whatever happened, nothing stays locked.
            self._connection.detach()
            name = sa.func.set_config("application_name", who[:_LONGEST_NAME], False)
            self._connection.execute(sa.select(name))

    def take(self, name: str) -> bool:
        with usable(self._engine):
            return bool(self._connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_number(name)))))

    def holder(self, name: str) -> str:
        number = _number(name)
        # The server keeps the two halves of the number apart.
        halves = {"high": number >> 32 & 0xFFFFFFFF, "low": number & 0xFFFFFFFF}
        question = sa.text(
            "SELECT application_name, pid, host(client_addr) AS address, backend_start "
            "FROM pg_locks JOIN pg_stat_activity USING (pid) "
            "WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid::bigint = :high "
            "AND objid::bigint = :low AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        with usable(self._engine):
            row = self._connection.execute(question, halves).first()
        if row is None or not row.application_name:
            return _UNKNOWN
        since = "" if row.backend_start is None else f", since {_shown(row.backend_start)}"
        client = "" if row.address is None else f" for {row.address}"
        ends = f"`SELECT pg_terminate_backend({row.pid})` on the database ends it"
        return f"{row.application_name} (server process {row.pid}{client}{since}; {ends})"

    def still_ours(self) -> bool:
        try:
            self._connection.execute(sa.select(1))
        except sa.exc.DBAPIError:
            return False
        return True

    def files(self) -> list[int]:
        return []

    def close(self) -> None:
        # A server asked to end a session does so a moment later; of one that is gone nothing is locked any more.
        with suppress(sa.exc.SQLAlchemyError):
            self._connection.execute(sa.select(sa.func.pg_advisory_unlock_all()))
        self._connection.close()


class _NoLocks:
    """A database in memory, which no other run sees."""

    def take(self, name: str) -> bool:
        return True

    def holder(self, name: str) -> str:
        return _UNKNOWN

    def still_ours(self) -> bool:
        return True

    def files(self) -> list[int]:
        return []

    def close(self) -> None:
        return


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def _shown(time_: datetime) -> str:
    return f"{time_.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
