"""SQLite that leaves it to the system when to write: a killed process loses nothing by it, and tests need not wait."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa


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


def _off(connection: object, _record: object, _proxy: object) -> None:
    if isinstance(connection, sqlite3.Connection):
        # What is wrong with a damaged or a busy file is for the code under test to find.
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA synchronous = OFF")
