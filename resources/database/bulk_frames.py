"""Reads very many rows of the database into a frame, column by column."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pandas as pd
import pyarrow as pa
import sqlalchemy as sa
from pyarrow import csv

from resources.database.bulk_rows import copying
from resources.tables.declare import DTYPES

ROWS_AT_A_TIME = 50_000
TEXT, NUMBER, WHOLE = pa.large_string(), pa.float64(), pa.int64()
_DTYPES = {TEXT: DTYPES["text"], NUMBER: "float64", WHOLE: "int64"}


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
    result = connection.execution_options(stream_results=True, yield_per=ROWS_AT_A_TIME).execute(question)
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
