"""A connection to the relational store: SQLite in WAL mode where nothing is said, Postgres where a URL says so."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url

from resources.database.storable import storable
from resources.errors import DatabaseUnusable, UserError

BUSY_TIMEOUT_S = 60.0
CONNECT_TIMEOUT_S = 10
WRITES = "touchstone_writes"
INSUFFICIENT_PRIVILEGE = "42501"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_HELD = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_MEND = "Fix it, or set TOUCHSTONE_DATABASE_URL (unset: SQLite in TOUCHSTONE_HOME)."
_RESTORE = (
    "The file is damaged: restore it from a backup, or move it away, and Touchstone starts an empty one and asks the "
    "judge again."
)
_WAIT = "Another process holds it: wait until that is done, or stop it, and run again."


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


def is_there(url: str) -> bool:
    """Whether there can be a database at an address: an SQLite file must be there, a server is asked when connected.

    Raises:
        UserError: The URL cannot be read, or names another kind of database.
    """
    address = _address(url)
    return address.get_backend_name() != "sqlite" or Path(address.database or "").is_file()


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


def unreachable(engine: sa.Engine, error: sa.exc.DBAPIError) -> DatabaseUnusable:
    """The error to raise in place of a driver's, which may say more than a log should hold."""
    return DatabaseUnusable(_complaint(engine, _without_secrets(engine, str(error.orig)), remedy_of(error)))


@contextmanager
def usable(engine: sa.Engine) -> Iterator[None]:
    """Turn what the database itself does wrong into an error that says what to do; other errors pass.

    Raises:
        UserError: It cannot be reached, is damaged, locked or full, or its rights do not suffice.
    """
    try:
        yield
    except sa.exc.DatabaseError as error:
        if not is_of_the_database(error):
            raise
        raise unreachable(engine, error) from None


def refuse_damaged(engine: sa.Engine) -> None:
    """Look through SQLite's file for damage; a Postgres server is only asked for an answer.

    Takes as long as the file takes to read. Locks nothing.

    Raises:
        UserError: The database is damaged, or cannot be reached.
    """
    with usable(engine), engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            connection.execute(sa.select(1))
            return
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise UserError(_complaint(engine, " ".join(str(found).split()), _RESTORE))


def is_of_the_database(error: sa.exc.DatabaseError) -> bool:
    """Whether the fault lies with the database, its address or its rights, not with what was asked of it."""
    forbidden = getattr(error.orig, "pgcode", None) == INSUFFICIENT_PRIVILEGE
    # psycopg2 calls an address that it cannot read a programming error; no statement has been sent then.
    misread = isinstance(error, sa.exc.ProgrammingError) and error.statement is None
    return forbidden or misread or type(error) in (sa.exc.OperationalError, sa.exc.DatabaseError)


def remedy_of(error: sa.exc.DBAPIError, *, restore: str = _RESTORE, otherwise: str = _MEND) -> str:
    """What to do about it: `restore` where SQLite's file is damaged, to wait where it is held."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is None:
        return otherwise
    # The lower byte is the kind of error, the rest its details.
    return restore if code & 0xFF in _DAMAGED else _WAIT if code & 0xFF in _HELD else otherwise


def _complaint(engine: sa.Engine, cause: str, remedy: str) -> str:
    return f"The database {shown(engine)} cannot be used: {cause}. {remedy}"


def _without_secrets(engine: sa.Engine, words: str) -> str:
    cause = " ".join(words.split())
    secrets = [engine.url.password, *[str(value) for name, value in engine.url.query.items() if "password" in name]]
    for secret in filter(None, secrets):
        cause = cause.replace(str(secret), "***")
    return cause


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
