"""Dagster's databases, each with one engine and a connection that stay: Dagster makes them for every event.

A new engine asks the library for its dialect and compiles each statement again; a connection that is the only one to an
SQLite database reads its write-ahead log and merges it when it is closed. Together they take half of the time that
Dagster needs for a table. A Postgres server starts a process for each connection: 5 ms, where a question takes 0.2.
"""

import atexit
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakSet

import sqlalchemy as sa

# Each run has a database of its own; the last ones are enough.
KEPT = 32
_FILE, _LOG = "file of this connection", "with a write-ahead log"
_engines: WeakSet[sa.Engine] = WeakSet()


def kept_engine(address: str, poolclass: type[sa.Pool], connect_args: Mapping[str, Any] | None = None) -> sa.Engine:
    """The engine of a database, made at the first call. It keeps one connection, and makes more for threads at once."""
    assert poolclass is sa.pool.NullPool, f"Dagster asks for a {poolclass.__name__} now"
    return _engine(address, tuple((connect_args or {}).items()))


def kept_server(address: str, **options: Any) -> sa.Engine:
    """The engine of a database on a server, made at the first call, which keeps one connection as `kept_engine` does.

    Args:
        address: As SQLAlchemy takes it.
        options: Of `create_engine`. Without a pool class they are the web UI's, which keeps connections by itself.
    """
    if "poolclass" not in options:
        return sa.create_engine(address, **options)
    poolclass = options.pop("poolclass")
    assert poolclass is sa.pool.NullPool, f"Dagster asks for a {poolclass.__name__} now"
    engine = _server_engine(address, **options)
    # Dagster registers a hook for a token with each engine it is given: a kept one would gather them.
    has_token = bool(engine.dialect.dispatch.do_connect)
    return sa.create_engine(address, poolclass=poolclass, **options) if has_token else engine


def keep_engines(modules: Iterable[str], kept: Callable[..., sa.Engine] = kept_engine) -> None:
    """From here on Dagster gets the same engine for the same database, in this process.

    Args:
        modules: Of Dagster, each makes an engine by a `create_engine` of its own.
        kept: What they call in its place.
    """
    for name in modules:
        names = vars(import_module(name))
        assert "create_engine" in names, f"{name} makes its engines in another way now"
        names["create_engine"] = kept


@lru_cache(maxsize=KEPT)
def _server_engine(address: str, **options: Any) -> sa.Engine:
    # A server that was started again has ended its connections.
    pool = {"poolclass": sa.pool.QueuePool, "pool_size": 1, "max_overflow": -1, "pool_pre_ping": True}
    return _kept(sa.create_engine(address, **pool, **options))


@lru_cache(maxsize=KEPT)
def _engine(address: str, arguments: tuple[tuple[str, Any], ...]) -> sa.Engine:
    engine = sa.create_engine(
        address, poolclass=sa.pool.QueuePool, pool_size=1, max_overflow=-1, connect_args=dict(arguments)
    )
    file = Path(str(engine.url.database))
    log = Path(f"{file}-wal")

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, record: Any) -> None:
        _without_waiting_for_each_commit(connection)
        record.info[_FILE] = _number(file)

    @sa.event.listens_for(engine, "checkin")
    def note(_connection: object, record: Any) -> None:
        record.info[_LOG] = log.exists()

    @sa.event.listens_for(engine, "checkout")
    def look(_connection: object, record: Any, _proxy: object) -> None:
        # Another file is at the place, or another process took itself for the last one and removed the log.
        if record.info.get(_FILE) != _number(file) or (record.info.get(_LOG) and not log.exists()):
            raise sa.exc.DisconnectionError

    return _kept(engine)


def _kept(engine: sa.Engine) -> sa.Engine:
    # Dagster closes its engines after each use.
    engine.dispose = lambda close=True: None  # type: ignore[method-assign]
    _engines.add(engine)
    return engine


def _number(file: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        found = file.stat()
        return found.st_dev, found.st_ino
    return None


def _without_waiting_for_each_commit(connection: Any) -> None:
    """Only with a write-ahead log, which Dagster asks for and not every disk takes.

    A killed process loses nothing by it, a power cut the last events; without such a log it may damage the database.
    """
    # What is wrong with a damaged or a busy file is for the first question to find.
    with suppress(sqlite3.Error):
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            connection.execute("PRAGMA synchronous = NORMAL")


def close_connections() -> None:
    """Close what is kept open, for a while: a child that is forked now, and uses the databases too, inherits no lock.

    SQLite counts its locks in the process's memory; a child would take those of this process for its own.
    """
    for engine in list(_engines):
        sa.Engine.dispose(engine)


def _leave_to_the_parent() -> None:
    """Connections are not for a child process: it makes its own."""
    for engine in list(_engines):
        sa.Engine.dispose(engine, close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
# The last connection to a database merges its write-ahead log and removes it: 4 MB a run that would stay for good.
atexit.register(close_connections)
