"""SQLite as quick as tests may have it: nothing waits for the disk, and statements are compiled once a process."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from typing import Any

import sqlalchemy as sa

_create_engine = sa.create_engine
# Dagster makes an engine for each statement on a file, and each engine compiles its statements anew: a fifth of a run.
_OF_DAGSTER = {"poolclass", "connect_args"}
_MOST_STATEMENTS = 2000


def without_syncing() -> None:
    """From here on no SQLite database of this process waits for the disk, and Dagster's share what is compiled.

    A killed process loses nothing by it.
    """
    sa.create_engine = _with_shared_statements
    for name, module in list(sys.modules.items()):
        if name.startswith("dagster.") and getattr(module, "create_engine", None) is _create_engine:
            module.create_engine = _with_shared_statements  # type: ignore[attr-defined]
    if not sa.event.contains(sa.Pool, "checkout", _off):
        sa.event.listen(sa.Pool, "checkout", _off)


@contextmanager
def synced() -> Iterator[None]:
    """SQLite as it is outside the tests."""
    sa.event.remove(sa.Pool, "checkout", _off)
    try:
        yield
    finally:
        without_syncing()


def _off(connection: object, _record: object, _proxy: object) -> None:
    if isinstance(connection, sqlite3.Connection):
        # What is wrong with a damaged or a busy file is for the code under test to find.
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA synchronous = OFF")


def _with_shared_statements(url: Any, **options: Any) -> sa.Engine:
    if str(url).startswith("sqlite") and options.keys() <= _OF_DAGSTER and options.get("poolclass") is sa.NullPool:
        return _kept(str(url), **options.get("connect_args", {}))
    return _create_engine(url, **options)


@lru_cache(maxsize=64)
def _kept(url: str, **arguments: Any) -> sa.Engine:
    """An engine that holds no connection, so that one of a file that was removed does no harm."""
    engine = _create_engine(url, poolclass=sa.NullPool, connect_args=arguments)
    engine.dialect = engine.pool._dialect = _shared().dialect
    engine._compiled_cache = _shared()._compiled_cache
    return engine


@cache
def _shared() -> sa.Engine:
    """An engine whose dialect knows this SQLite already."""
    engine = _create_engine("sqlite://", query_cache_size=_MOST_STATEMENTS)
    engine.connect().close()
    return engine
