"""Queries, documents and what judges said of them: `queries`, `documents` and `judgments` of one study."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd
import sqlalchemy as sa

from resources.database.bulk_rows import (
    TEXT,
    WHOLE,
    alone,
    count_distinct_values,
    read_frame,
    staged,
    staging,
    write_rows,
)
from resources.database.engine import usable
from resources.database.reliability import judgment_rows
from resources.database.reliability.judgment_rows import Changed, Meant
from resources.database.reliability.models import Document, Judgment, Query
from resources.database.reliability.records import JudgmentRecord, KeptOtherwise, Source, short
from resources.tables.reliability.agreement import QUERY_DOCUMENTS

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
QUERIES, DOCUMENTS = Query.__table__, Document.__table__
JUDGMENTS = Judgment.__table__
IN_ORDER = (QUERIES.c.position, QUERIES.c.id, DOCUMENTS.c.position, DOCUMENTS.c.id)


def _refuse_contradictions(frame: pd.DataFrame) -> None:
    """Refuse a frame that contradicts itself: reading a user's file has refused it before.

    Raises:
        ValueError: A document stands twice, or a query has two texts.
    """
    if frame.duplicated(["query_id", "doc_id"]).any():
        raise ValueError("a document stands twice in one query")
    if len(frame.drop_duplicates(["query_id", "query"])) != frame["query_id"].nunique():
        raise ValueError("a query has two texts")


def _add(connection: sa.Connection, study: str, frame: pd.DataFrame) -> int:
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


def _refuse_changed(connection: sa.Connection, study: str, frame: pd.DataFrame) -> None:
    """Refuse what `_add` would refuse; nothing is kept.

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


class QueryStore:
    """Reads and writes `queries`, `documents` and `judgments` of one study; safe in several processes at once.

    What is written is there for good when the call returns, all of it or none. Nothing is deleted.
    `UserError` is raised where the database cannot be reached, is damaged or locked.
    """

    def __init__(self, engine: sa.Engine, study: str) -> None:
        """Use a database whose tables are up to date (`resources.database.migrate`)."""
        self.engine, self.study = engine, study

    def add_queries(self, frame: pd.DataFrame, scores: Iterable[JudgmentRecord] = ()) -> int:
        """Keep queries and documents with their scores; the same input twice is there once.

        A document without a known text gets the one given now; one given without a text keeps the one it has.

        Args:
            frame: Columns of table `query_documents`; queries in their order.
            scores: Of these documents, or of others that are known; kept as by `record`.

        Returns:
            How many documents are new.

        Raises:
            ValueError: A document stands twice, or a query has two texts.
            KeptOtherwise: A known query or document has another text now, or a judgment is there with another score.
            UserError: The database cannot be used. In every case nothing was stored, neither texts nor scores.
        """
        _refuse_contradictions(frame)
        with alone(self.engine, self._what()) as connection:
            n_new = _add(connection, self.study, frame)
            judgment_rows.record(connection, self.study, scores)
            return n_new

    def refuse_changed(self, frame: pd.DataFrame, scores: Iterable[JudgmentRecord] = ()) -> None:
        """Refuse texts and scores that `add_queries` would refuse, in its words; nothing is kept, and nothing waits.

        Args:
            frame: Columns of table `query_documents`.
            scores: Of these documents or of others.

        Raises:
            KeptOtherwise: A known query or document has another text now, or a judgment is there with another score.
            UserError: The database cannot be used.
        """
        with usable(self.engine), self.engine.begin() as connection:
            _refuse_changed(connection, self.study, frame)
            judgment_rows.refuse_changed(connection, self.study, scores)

    def query_documents(self) -> pd.DataFrame:
        """Table `query_documents`: all queries with their documents, in the order of the input."""
        question = (
            sa.select(
                QUERIES.c.query_id, QUERIES.c.query, DOCUMENTS.c.doc_id, DOCUMENTS.c.document, DOCUMENTS.c.position
            )
            .join(DOCUMENTS, DOCUMENTS.c.query_row == QUERIES.c.id)
            .where(QUERIES.c.study == self.study)
            .order_by(*IN_ORDER)
        )
        types = {"query_id": TEXT, "query": TEXT, "doc_id": TEXT, "document": TEXT, "position": WHOLE}
        with usable(self.engine), self.engine.connect() as connection:
            return QUERY_DOCUMENTS.validated(read_frame(connection, question, types))

    def query_rows(self) -> dict[str, int]:
        """The row of each query."""
        question = sa.select(QUERIES.c.query_id, QUERIES.c.id).where(QUERIES.c.study == self.study)
        with usable(self.engine), self.engine.connect() as connection:
            return {found.query_id: found.id for found in connection.execute(question)}

    def document_rows(self) -> dict[tuple[str, str], int]:
        """The row of each document, by query and document."""
        question = (
            sa.select(QUERIES.c.query_id, DOCUMENTS.c.doc_id, DOCUMENTS.c.id)
            .join(DOCUMENTS, DOCUMENTS.c.query_row == QUERIES.c.id)
            .where(QUERIES.c.study == self.study)
        )
        with usable(self.engine), self.engine.connect() as connection:
            return {(query, document): row for query, document, row in connection.execute(question)}

    def record(self, judgments: Iterable[JudgmentRecord]) -> int:
        """Keep judgments, all or none.

        A judgment is known by document, judge, prompt version, judge identity and prompt hash. One that is there
        stays; where it has no score, one with a score takes its place.

        Returns:
            How many are new or took the place of one without a score.

        Raises:
            KeptOtherwise: A judgment is there with another score.
            UserError: A document is not of this study, or the database cannot be used. Nothing was stored either way.
        """
        with alone(self.engine, self._what()) as connection:
            return judgment_rows.record(connection, self.study, judgments)

    def judges(self) -> tuple[str, ...]:
        """Everyone who has judged, in the order in which they were first recorded."""
        question = (
            sa.select(JUDGMENTS.c.judge)
            .join(DOCUMENTS, DOCUMENTS.c.id == JUDGMENTS.c.document_row)
            .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
            .where(QUERIES.c.study == self.study)
            .group_by(JUDGMENTS.c.judge)
            .order_by(sa.func.min(JUDGMENTS.c.id))
        )
        with usable(self.engine), self.engine.connect() as connection:
            return tuple(connection.scalars(question))

    def judgments(
        self,
        judges: Sequence[str] = (),
        documents: pd.DataFrame | None = None,
        sources: Collection[Source] | None = None,
        withdrawn: Collection[int] = (),
    ) -> pd.DataFrame:
        """Table `judgments`: what stands of these judges, and which scores count; see `counted_judgments`.

        `attrs["about"]` of the frame counts the scores of these judges that were passed over as of another source:
        `n_of_other_sources`.

        Args:
            judges: The study's judges in their order; everyone who has judged where none is given.
            documents: `query_id` and `doc_id` of the documents that the input has now, each once; all that there ever
                were where left out. Others are passed over, and do not make a query incomplete.
            sources: Those that the study has now: judgments of others are passed over; none is where left out.
            withdrawn: Rows that are passed over, of scores that came with an earlier input (`withdrawn`).
        """
        asked = tuple(judges) or self.judges()
        with usable(self.engine), self.engine.connect() as connection:
            return judgment_rows.judgments(connection, self.study, asked, Meant(documents, sources, withdrawn))

    def withdrawn(self, given: pd.DataFrame, documents: pd.DataFrame) -> list[int]:
        """The rows of scores that came with an earlier input and are not in the one of now, though they could be.

        Args:
            given: Its scores: `query_id`, `doc_id`, `judge` and `prompt_version`. All of them are kept already, and of
                other judges and versions there is none to find.
            documents: Its documents: `query_id` and `doc_id`.
        """
        with usable(self.engine), self.engine.connect() as connection:
            return judgment_rows.withdrawn(connection, self.study, given, documents)

    def _what(self) -> str:
        return f"queries of {self.study}"
