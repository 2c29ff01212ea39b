"""Reads the input of the reliability study from a Postgres table, of which nothing is changed."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import sqlalchemy as sa

from resources.configuration.reliability import SourceTable
from resources.database.engine import open_engine
from resources.errors import FileFault, UserError, did_you_mean, listing
from resources.inputs.faults import Faults, RowFault
from resources.inputs.reliability.relevance_records import (
    Asked,
    Gathering,
    RelevanceInput,
    identifier,
    refuse_unknown,
)
from resources.inputs.reliability.relevance_rows import (
    AS_SCORES,
    DOC_ID,
    DOCS,
    DOCUMENT,
    ID,
    OF_QUERIES,
    QUERY,
    QUERY_ID,
    SUFFIX,
    QueryRows,
)

ROWS_AT_A_TIME: Final = 2_000
POSITION: Final = "position"
Documents = dict[str, list[dict[str, Any]]]


def read_relevance_table(
    source: SourceTable,
    columns: Mapping[str, str] | None = None,
    asked: Asked = AS_SCORES,
) -> RelevanceInput:
    """Queries, documents and scores of the table, by id; nothing is written to it.

    Args:
        source: The table with `id`, `query`, a `{judge}_score` array a judge and `prompt_version`, where it lies, and
            the table of its documents: `query_id`, `doc_id`, `document`, in the order of `position`. Without that
            column `doc_id` must be each document's place in the lists, from 1; without a table they are numbered so,
            and have no text.
        columns: Our column name to the table's.
        asked: How its scores are read.

    Raises:
        UserError: The address is missing or wrong, or the database cannot be used.
        FileFault: A table or column is not there, or one thing is wrong in it; `row` counts rows by id.
        FileFaults: Several things are wrong.
    """
    renamed = dict(columns or {})
    with source_connection(source.url_variable) as connection:
        table = stored_table(connection, source.table)
        names = list(table.c.keys())
        what = f"table {source.table}"
        refuse_unknown(what, renamed, OF_QUERIES, names, complete=True)
        found = {name: theirs for name in OF_QUERIES if (theirs := renamed.get(name, name)) in names}
        ours = {theirs: name for name, theirs in renamed.items()}
        found |= {ours.get(name, name): name for name in names if ours.get(name, name).endswith(SUFFIX)}
        _refuse_missing(what, [QUERY] if QUERY_ID in found else [ID, QUERY], found, names)
        documents = None if source.documents_table is None else _documents(connection, source.documents_table)
        gathering = Gathering(what, asked)
        reader = QueryRows(gathering, found)
        digest = hashlib.sha256(json.dumps(documents).encode())
        key = table.c[found.get(QUERY_ID) or found[ID]]
        question = sa.select(*[table.c[name] for name in found.values()]).order_by(key)
        rows = connection.execution_options(yield_per=ROWS_AT_A_TIME).execute(question).mappings()
        for number, row in enumerate(rows, start=1):
            fields = dict(row)
            digest.update(json.dumps(fields, default=str).encode())
            try:
                identifier(key.name, None if fields[key.name] is None else str(fields[key.name]))
                if documents is not None:
                    fields[DOCS] = documents.pop(str(fields[key.name]), [])
                reader.take(number, fields)
            except RowFault as fault:
                gathering.refuse(number, fault)
    if documents:
        problem = f"it has documents of queries that are not in {what}: {listing(map(repr, documents))}."
        raise FileFault(f"table {source.documents_table}", problem, "Add the queries, or remove the documents.")
    read = gathering.result([name for name in names if name not in found.values()])
    return replace(read, rows=None, sha256=digest.hexdigest())


@contextmanager
def source_connection(variable: str, writes: bool = False) -> Iterator[sa.Connection]:
    """A transaction on the database that an environment variable names; its address is in no message.

    Raises:
        UserError: The variable is not set or names no Postgres database, or the database cannot be used.
    """
    url = os.environ.get(variable)
    if not url:
        raise UserError(
            f"{variable} is not set. Nothing was changed. Set it to the address of the database with the table, like "
            "postgresql://user:password@host:5432/name."
        )
    try:
        address = sa.make_url(url)
        is_postgres = address.get_backend_name() in ("postgres", "postgresql")
    except (sa.exc.ArgumentError, ValueError):
        is_postgres = False
    if not is_postgres:
        raise UserError(
            f"{variable} is no address of a Postgres database. Nothing was changed. Write it like "
            "postgresql://user:password@host:5432/name, with special characters of the password as %XX."
        )
    engine = open_engine(url)
    try:
        # Of one moment: documents and scores that are read after each other belong together.
        options = {} if writes else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection
    except sa.exc.DBAPIError as error:
        # The driver's words hold the host and the account.
        reason = type(error.orig).__name__
        raise UserError(
            f"The database that {variable} names cannot be used ({reason}). Nothing was changed. See whether "
            f'`psql "${variable}"` gets there, and whether its account may use the table.'
        ) from None
    finally:
        engine.dispose()


def stored_table(
    connection: sa.Connection, name: str, remedy: str = "Correct `postgres.table` in touchstone.yaml."
) -> sa.Table:
    """The table as it is; `name` may have its schema in front.

    Raises:
        FileFault: It is not there.
    """
    schema, _, own = name.rpartition(".")
    try:
        return sa.Table(own, sa.MetaData(), schema=schema or None, autoload_with=connection)
    except sa.exc.NoSuchTableError:
        there = sa.inspect(connection).get_table_names(schema=schema or None)
        problem = f"there is no such table{did_you_mean(own, there)}; those there are: {listing(there) or 'none'}."
        raise FileFault(f"table {name}", problem, remedy) from None


def _documents(connection: sa.Connection, name: str) -> Documents:
    """The documents of each query, in the order of its score lists."""
    table = stored_table(connection, name, "Correct `postgres.documents_table` in touchstone.yaml.")
    names = list(table.c.keys())
    _refuse_missing(f"table {name}", [QUERY_ID, DOC_ID, DOCUMENT], names, names)
    kept = [table.c[column] for column in (QUERY_ID, DOC_ID, DOCUMENT)]
    place = table.c[POSITION] if POSITION in names else table.c[DOC_ID]
    found: Documents = {}
    places: dict[str, list[Any]] = {}
    question = sa.select(*kept, place.label("place")).order_by(place)
    for row in connection.execute(question).mappings():
        if row[QUERY_ID] is None or row[DOC_ID] is None:
            lacking, other = (QUERY_ID, DOC_ID) if row[QUERY_ID] is None else (DOC_ID, QUERY_ID)
            problem = f"a row with {other} '{row[other]}' has no value in column '{lacking}'."
            raise FileFault(f"table {name}", problem, "Give it one, or remove the row.")
        found.setdefault(str(row[QUERY_ID]), []).append({ID: str(row[DOC_ID]), "text": row[DOCUMENT]})
        places.setdefault(str(row[QUERY_ID]), []).append(row["place"])
    if POSITION in names:
        _refuse_unordered(name, places)
        return found
    for query_id, documents in found.items():
        ids = {one[ID] for one in documents}
        if ids != {str(number) for number in range(1, len(documents) + 1)}:
            problem = (
                f"the documents of query '{query_id}' are {listing(sorted(ids))}: nothing says which score is whose."
            )
            remedy = f"Add a column '{POSITION}' with each document's place in the score lists."
            raise FileFault(f"table {name}", problem, remedy)
        documents.sort(key=lambda one: int(one[ID]))
    return found


def _refuse_unordered(name: str, places: Mapping[str, list[Any]]) -> None:
    """Documents at one place, or at none, would take each other's scores.

    Raises:
        FileFaults: Queries have such documents.
        FileFault: One has.
    """
    faults = Faults(f"table {name}")
    for query_id, positions in places.items():
        # In their order those that are alike follow one another, and those without a place come last.
        wrong = [one for one, next_one in pairwise([*positions, None]) if one is None or one == next_one]
        if wrong:
            value = "nothing" if wrong[0] is None else str(wrong[0])
            problem = f"query '{query_id}' has {value} in column '{POSITION}' of {positions.count(wrong[0])} documents."
            faults.add(problem, "Give each document of a query a place of its own.")
    faults.raise_if_any()


def _refuse_missing(what: str, wanted: list[str], found: Any, names: list[str]) -> None:
    missing = ", ".join(f"'{name}'{did_you_mean(name, names)}" for name in wanted if name not in found)
    if missing:
        problem = f"column {missing} is missing; the columns there are: {listing(map(repr, names), 30)}."
        raise FileFault(what, problem, "Name it in `columns` of touchstone.yaml.")
