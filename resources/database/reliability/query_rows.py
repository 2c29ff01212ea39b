"""Rows of queries and documents, written inside a transaction of the query store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd
import sqlalchemy as sa

from resources.database.bulk_rows import count_distinct_values, staged, staging, write_rows
from resources.database.reliability.models import Document, Query
from resources.database.reliability.records import Changed, KeptOtherwise, short

QUERIES, DOCUMENTS = Query.__table__, Document.__table__
NEW_QUERIES = staging(
    "new_queries", sa.Column("n", sa.Integer()), sa.Column("query_id", sa.Text()), sa.Column("query", sa.Text())
)
NEW_DOCUMENTS = staging(
    "new_documents",
    sa.Column("n", sa.Integer()),
    sa.Column("query_id", sa.Text()),
    sa.Column("doc_id", sa.Text()),
    sa.Column("document", sa.Text()),
    sa.Column("position", sa.Integer()),
)
_REMEDY = (
    "Nothing was stored. Scores and votes are about the text that is kept: give what changed another id, or the "
    "changed study a name of its own (`study:` in touchstone.yaml) or another home (TOUCHSTONE_HOME)."
)


def refuse_contradictions(frame: pd.DataFrame) -> None:
    """Refuse a frame that contradicts itself: reading a user's file has refused it before.

    Raises:
        ValueError: A document stands twice, or a query has two texts.
    """
    if frame.duplicated(["query_id", "doc_id"]).any():
        raise ValueError("a document stands twice in one query")
    if len(frame.drop_duplicates(["query_id", "query"])) != frame["query_id"].nunique():
        raise ValueError("a query has two texts")


def add(connection: sa.Connection, study: str, frame: pd.DataFrame) -> int:
    """Keep new queries and documents; how many documents are new.

    Raises:
        KeptOtherwise: A known query or document has another text now.
    """
    with _given(connection, frame):
        last = connection.scalar(sa.select(sa.func.max(QUERIES.c.position)).where(QUERIES.c.study == study))
        if last is not None:
            _refuse_other_queries(connection, study)
            _refuse_other_documents(connection, study)
            _add_texts(connection, study)
        return _insert(connection, study, 0 if last is None else last + 1)


def refuse_changed(connection: sa.Connection, study: str, frame: pd.DataFrame) -> None:
    """Refuse what `add` would refuse; nothing is kept.

    Raises:
        KeptOtherwise: A known query or document has another text now.
    """
    with _given(connection, frame):
        _refuse_other_queries(connection, study)
        _refuse_other_documents(connection, study)


@contextmanager
def _given(connection: sa.Connection, frame: pd.DataFrame) -> Iterator[None]:
    """Queries and documents as they are given, in tables of their own while the block runs."""
    with staged(connection, NEW_QUERIES, NEW_DOCUMENTS):
        queries = frame.drop_duplicates("query_id")
        write_rows(connection, NEW_QUERIES, ["n", "query_id", "query"], _rows(queries[["query_id", "query"]]))
        names = ["query_id", "doc_id", "document", "position"]
        write_rows(connection, NEW_DOCUMENTS, ["n", *names], _rows(frame[names]))
        for table in (NEW_QUERIES, NEW_DOCUMENTS):
            count_distinct_values(connection, table)
        yield


def _rows(frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Each row with its number; what is missing is null."""
    columns = [frame[name].astype("object").where(frame[name].notna(), None).tolist() for name in frame.columns]
    return zip(range(len(frame)), *columns, strict=True)


def _refuse_other_queries(connection: sa.Connection, study: str) -> None:
    new = NEW_QUERIES.c
    changed = (QUERIES.c.study == study, QUERIES.c.query_id == new.query_id, QUERIES.c.query != new.query)
    question = sa.select(QUERIES.c.query_id, QUERIES.c.query, new.query.label("now")).where(*changed)
    found = Changed(connection, question, new.n)
    if not found.rows:
        return
    query, kept, given = found.rows[0]
    others = [f"query '{name}': {short(was)} -> {short(now)}" for name, was, now in found.rows[1:]]
    raise KeptOtherwise(
        f"Query '{query}' is kept as {short(kept)} and now reads {short(given)}."
        f"{found.others('query', 'queries', others)} {_REMEDY}",
        query,
    )


def _refuse_other_documents(connection: sa.Connection, study: str) -> None:
    new = NEW_DOCUMENTS.c
    question = sa.select(QUERIES.c.query_id, DOCUMENTS.c.doc_id, DOCUMENTS.c.document, new.document.label("now")).where(
        *_same_document(study), DOCUMENTS.c.document != new.document
    )
    found = Changed(connection, question, new.n)
    if not found.rows:
        return
    query, document, kept, given = found.rows[0]
    others = [
        f"document '{name}' of query '{of_query}': {short(was)} -> {short(now)}"
        for of_query, name, was, now in found.rows[1:]
    ]
    raise KeptOtherwise(
        f"Document '{document}' of query '{query}' is kept as {short(kept)} and now reads {short(given)}."
        f"{found.others('document', 'documents', others)} {_REMEDY}",
        query,
        document,
    )


def _add_texts(connection: sa.Connection, study: str) -> None:
    """Give documents without a known text the one given now."""
    unknown = DOCUMENTS.c.document.is_(None) & NEW_DOCUMENTS.c.document.is_not(None)
    values = sa.update(Document).values(document=NEW_DOCUMENTS.c.document)
    connection.execute(values.where(*_same_document(study), unknown))


def _same_document(study: str) -> tuple[sa.ColumnElement[bool], ...]:
    new = NEW_DOCUMENTS.c
    return (
        QUERIES.c.study == study,
        QUERIES.c.query_id == new.query_id,
        DOCUMENTS.c.query_row == QUERIES.c.id,
        DOCUMENTS.c.doc_id == new.doc_id,
    )


def _insert(connection: sa.Connection, study: str, first_position: int) -> int:
    new, known = NEW_QUERIES.c, QUERIES.alias("known")
    missing = (
        sa.select(sa.literal(study), new.query_id, new.query, new.n + first_position)
        .where(~sa.exists().where(known.c.study == study, known.c.query_id == new.query_id))
        .order_by(new.n)
    )
    connection.execute(sa.insert(Query).from_select(["study", "query_id", "query", "position"], missing))
    given, there = NEW_DOCUMENTS.c, DOCUMENTS.alias("there")
    missing_documents = (
        sa.select(QUERIES.c.id, given.doc_id, given.document, given.position)
        .where(QUERIES.c.study == study, QUERIES.c.query_id == given.query_id)
        .where(~sa.exists().where(there.c.query_row == QUERIES.c.id, there.c.doc_id == given.doc_id))
        .order_by(given.n)
    )
    names = ["query_row", "doc_id", "document", "position"]
    return connection.execute(sa.insert(Document).from_select(names, missing_documents)).rowcount
