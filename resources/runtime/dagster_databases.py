"""Dagster's SQLite databases, each with one engine that stays: Dagster makes one for every event and every question.

A new engine asks the library for its dialect and compiles each statement again, which took two fifths of the time that
Dagster needs for a table. Connections are still made anew each time and closed.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import Any

import sqlalchemy as sa

# Each run has a database of its own; the last ones are enough.
KEPT = 32


def keep_engines(modules: Iterable[str]) -> None:
    """From here on Dagster gets the same engine for the same database, in this process.

    Args:
        modules: Of Dagster, each makes an engine by a `create_engine` of its own.
    """
    for name in modules:
        names = vars(import_module(name))
        assert "create_engine" in names, f"{name} makes its engines in another way now"
        names["create_engine"] = kept_engine


def kept_engine(address: str, poolclass: type[sa.Pool], connect_args: Mapping[str, Any] | None = None) -> sa.Engine:
    """The engine of a database, made at the first call.

    Args:
        address: As SQLAlchemy takes it.
        poolclass: Keeps no connection, so that threads and child processes may share the engine.
        connect_args: Of the driver.
    """
    return _engine(address, poolclass, tuple((connect_args or {}).items()))  # type: ignore[arg-type]


@lru_cache(maxsize=KEPT)
def _engine(address: str, poolclass: type[sa.Pool], arguments: tuple[tuple[str, Any], ...]) -> sa.Engine:
    engine = sa.create_engine(address, poolclass=poolclass, connect_args=dict(arguments))
    sa.event.listen(engine, "connect", _without_waiting_for_each_commit)
    return engine


def _without_waiting_for_each_commit(connection: Any, _record: object) -> None:
    """Only with a write-ahead log, which Dagster asks for and not every disk takes.

    A killed process loses nothing by it, a power cut the last events; without such a log it may damage the database.
    """
    # What is wrong with a damaged or a busy file is for the first question to find.
    with suppress(sqlite3.Error):
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            connection.execute("PRAGMA synchronous = NORMAL")
