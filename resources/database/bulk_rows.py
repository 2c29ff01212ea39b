"""Writes very many rows at once: Postgres' COPY, or many rows a statement on SQLite; and one writer at a time."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import StringIO
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa

from resources.database.engine import usable, writing
from resources.database.storable import storable

ROWS_AT_A_TIME = 1_000
CHARACTERS_AT_A_TIME = 2**22
NULL = r"\N"
_ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


T = TypeVar("T")


def in_batches(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values, so many at a time; the last batch may have fewer."""
    waiting = iter(values)
    while batch := list(islice(waiting, size)):
        yield batch


@contextmanager
def alone(engine: sa.Engine, what: str) -> Iterator[sa.Connection]:
    """A transaction that writes and that no other of the same name runs next to.

    Raises:
        UserError: The database cannot be reached, is damaged, locked or full.
    """
    with usable(engine), writing(engine).begin() as connection:
        # On SQLite a writing transaction is alone by itself.
        if engine.dialect.name == "postgresql":
            number = int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], "big", signed=True)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))
            # Sorting a million rows in memory, not on the disk; for this transaction alone.
            connection.exec_driver_sql("SET LOCAL work_mem = '128MB'")
        yield connection


@contextmanager
def staged(connection: sa.Connection, *tables: sa.Table) -> Iterator[None]:
    """Temporary tables that exist while the block runs, and not after a rollback either."""
    for table in tables:
        table.create(connection)
    yield
    for table in tables:
        table.drop(connection)


def staging(name: str, *columns: sa.Column[Any]) -> sa.Table:
    """A temporary table, of its own metadata so that no migration sees it."""
    return sa.Table(name, sa.MetaData(), *columns, prefixes=["TEMPORARY"])


def write_rows(connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Append rows to a table, inside the caller's transaction.

    Args:
        connection: In a transaction.
        table: Where to.
        names: The columns that the rows have values for.
        rows: Values in the order of `names`; text as a database can hold it is what is stored.
    """
    if connection.dialect.name == "postgresql":
        _copy(connection, table, names, rows)
        return
    for chunk in in_batches(rows, ROWS_AT_A_TIME):
        connection.execute(sa.insert(table), [dict(zip(names, map(_clean, row), strict=True)) for row in chunk])


def count_distinct_values(connection: sa.Connection, table: sa.Table) -> None:
    """Let Postgres know what a table that was just filled is like, so that it plans joins with it well."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ANALYZE {connection.dialect.identifier_preparer.format_table(table)}")


@contextmanager
def copying(connection: sa.Connection, statement: str) -> Iterator[Any]:
    """The driver's cursor for COPY inside the connection's transaction; its errors become SQLAlchemy's."""
    driver = connection.connection.driver_connection
    if driver is None:
        raise RuntimeError("the connection has no driver's connection to copy through")
    with driver.cursor() as cursor:
        try:
            yield cursor
        except driver.Error as error:
            wrapped = sa.exc.DBAPIError.instance(statement, None, error, driver.Error, True, dialect=connection.dialect)
            raise wrapped from error


def _copy(connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    quote = connection.dialect.identifier_preparer
    statement = f"COPY {quote.format_table(table)} ({', '.join(map(quote.quote, names))}) FROM STDIN"
    for text in _texts(rows):
        with copying(connection, statement) as cursor:
            cursor.copy_expert(statement, StringIO(text))


def _texts(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The rows in COPY's text format, some millions of characters at a time."""
    lines: list[str] = []
    length = 0
    for row in rows:
        line = "\t".join(map(_written, row)) + "\n"
        lines.append(line)
        length += len(line)
        if length >= CHARACTERS_AT_A_TIME:
            yield "".join(lines)
            lines, length = [], 0
    if lines:
        yield "".join(lines)


def _written(value: Any) -> str:
    """The value in COPY's text format."""
    if value is None:
        return NULL
    if type(value) is float:
        return repr(value)
    if isinstance(value, str):
        return str(_clean(value)).translate(_ESCAPED)
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _clean(value: Any) -> Any:
    """The value as a database can hold it; most text is, and looking costs less than making it anew."""
    return value if not isinstance(value, str) or (value.isascii() and "\x00" not in value) else storable(value)
