"""Very many rows at once, written by Postgres' COPY or many a statement on SQLite, and read column by column."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO, StringIO
from itertools import islice
from typing import Any, TypeVar

import pandas as pd
import pyarrow as pa
import sqlalchemy as sa
from pyarrow import csv

from resources.database.engine import usable, writing
from resources.database.storable import storable
from resources.tables.declare import DTYPES

FETCHED_AT_ONCE = 50_000
TEXT, NUMBER, WHOLE = pa.large_string(), pa.float64(), pa.int64()
_DTYPES = {TEXT: DTYPES["text"], NUMBER: "float64", WHOLE: "int64"}
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


def read_frame(connection: sa.Connection, question: sa.Select[Any], types: Mapping[str, pa.DataType]) -> pd.DataFrame:
    """The answer as a frame; memory holds columns, never all rows.

    Args:
        connection: An open connection.
        question: Selects the columns.
        types: Name and type of each, in the question's order: `TEXT`, `NUMBER` (both may be null) or `WHOLE`.
    """
    read = _copied if connection.dialect.name == "postgresql" else _fetched
    columns = read(connection, question, types)
    return pd.DataFrame({name: _column(values) for name, values in columns.items()})


def _fetched(
    connection: sa.Connection, question: sa.Select[Any], types: Mapping[str, pa.DataType]
) -> dict[str, pa.ChunkedArray]:
    pieces: dict[str, list[pa.Array]] = {name: [] for name in types}
    result = connection.execution_options(stream_results=True, yield_per=FETCHED_AT_ONCE).execute(question)
    for rows in result.partitions():
        for (name, type_), values in zip(types.items(), zip(*rows, strict=True), strict=True):
            pieces[name].append(pa.array(values, type_))
    return {name: pa.chunked_array(arrays, types[name]) for name, arrays in pieces.items()}


def _copied(
    connection: sa.Connection, question: sa.Select[Any], types: Mapping[str, pa.DataType]
) -> dict[str, pa.ChunkedArray]:
    """By COPY, several times as fast as fetching: no value becomes an object of Python's."""
    asked = question.compile(dialect=connection.dialect, compile_kwargs={"render_postcompile": True})
    text = BytesIO()
    with copying(connection, str(asked)) as cursor:
        words = cursor.mogrify(str(asked), asked.params).decode()
        cursor.copy_expert(f"COPY ({words}) TO STDOUT (FORMAT csv)", text)
    if not text.tell():
        return {name: pa.chunked_array([], type_) for name, type_ in types.items()}
    size = text.tell()
    text.seek(0)
    table = csv.read_csv(
        text,
        # In one block: a row longer than a block is refused.
        read_options=csv.ReadOptions(column_names=list(types), block_size=size + 1),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )
    return {name: table[name] for name in types}


def _column(values: pa.ChunkedArray) -> Any:
    return (
        pd.array(values, dtype="str")
        if values.type == TEXT
        else pd.Series(values.to_numpy(), dtype=_DTYPES[values.type])
    )
