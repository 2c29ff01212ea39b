"""SQLite that leaves it to the system when to write: a killed process loses nothing by it, and tests need not wait."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa

OFF = "synchronous is off"


def without_syncing() -> None:
    """From here on no SQLite database of this process waits for the disk, Dagster's included."""
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


def _off(connection: object, record: sa.pool.ConnectionPoolEntry, _proxy: object) -> None:
    # A connection stays as it is for as long as the pool keeps it.
    if isinstance(connection, sqlite3.Connection) and OFF not in record.info:
        # What is wrong with a damaged or a busy file is for the code under test to find.
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA synchronous = OFF")
            record.info[OFF] = True
