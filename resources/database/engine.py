"""A connection to the relational store: SQLite in WAL mode where nothing is said, Postgres where a URL says so."""

import json
import sqlite3
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from resources.database.models import storable
from resources.errors import UserError

BUSY_TIMEOUT_S = 60.0
CONNECT_TIMEOUT_S = 10
WRITES = "touchstone_writes"


def open_engine(url: str) -> sa.Engine:
    """An engine for SQLite or Postgres; nothing is connected yet.

    Args:
        url: ``sqlite:///file`` or ``postgresql://user:password@host/database``.

    Raises:
        UserError: The URL cannot be read, or names another kind of database.
    """
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        return _sqlite(address)
    try:
        return sa.create_engine(
            address,
            json_serializer=strict_json,
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args={"connect_timeout": CONNECT_TIMEOUT_S},
        )
    except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
        raise UserError(
            f"The driver of {address.drivername} is not installed ({error}). Write the address as postgresql://..."
        ) from None


def strict_json(value: Any) -> str:
    """JSON that every reader takes: no NaN or infinity, nothing that Postgres cannot hold.

    Raises:
        ValueError: A number is not finite.
    """
    return json.dumps(storable(value), allow_nan=False, ensure_ascii=False)


def writing(engine: sa.Engine) -> sa.Engine:
    """The same engine for transactions that write: on SQLite each takes the lock at its start.

    A transaction that reads first and writes later would fail at once when another process wrote in between.
    """
    return engine.execution_options(**{WRITES: True})


def shown(engine: sa.Engine) -> str:
    """The address without its password, for messages."""
    return engine.url.set(query={}).render_as_string(hide_password=True)


def unreachable(engine: sa.Engine, error: sa.exc.DBAPIError) -> UserError:
    """The error to raise in place of a driver's, which may say more than a log should hold."""
    cause = " ".join(str(error.orig).split())
    secrets = [engine.url.password, *[str(value) for name, value in engine.url.query.items() if "password" in name]]
    for secret in filter(None, secrets):
        cause = cause.replace(str(secret), "***")
    return UserError(
        f"The database {shown(engine)} cannot be used: {cause}. Mend it, or set TOUCHSTONE_DATABASE_URL "
        "(unset: SQLite in TOUCHSTONE_HOME)."
    )


def _address(url: str) -> URL:
    try:
        address = make_url(url)
        backend = address.get_backend_name()
    except (sa.exc.ArgumentError, ValueError):
        # Neither the URL nor the parser's words are repeated: both may hold the password.
        raise UserError(
            "TOUCHSTONE_DATABASE_URL is no database address. Write it like postgresql://user:password@host:5432/name, "
            "with special characters of the password as %XX."
        ) from None
    if backend == "postgres" or address.drivername == "postgresql":
        # SQLAlchemy 2.1 takes a bare postgresql:// for psycopg 3, which dagster-postgres does not work with.
        address = address.set(drivername="postgresql+psycopg2")
    elif backend not in ("sqlite", "postgresql"):
        raise UserError(f"TOUCHSTONE_DATABASE_URL asks for '{backend}'; Touchstone works with sqlite and postgresql.")
    return address


def _sqlite(address: URL) -> sa.Engine:
    if address.database and address.database != ":memory:":
        folder = Path(address.database).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"The folder {folder} of the database cannot be made: {error.strerror}. Set TOUCHSTONE_HOME or "
                "TOUCHSTONE_DATABASE_URL."
            ) from error
    engine = sa.create_engine(
        address, json_serializer=strict_json, hide_parameters=True, connect_args={"timeout": BUSY_TIMEOUT_S}
    )

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _record: object) -> None:
        # The driver's own BEGIN comes late and leaves DDL outside; ours comes from `begin` below.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}")
        _write_ahead(connection)
        # NORMAL is faster and may lose the last answers, which were paid for, when the power fails.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn WAL on; for this alone SQLite does not wait when another process does the same at that moment."""
    deadline = monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > deadline:
                raise
            sleep(0.01)
