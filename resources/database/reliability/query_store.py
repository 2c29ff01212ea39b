"""Queries, documents and what judges said of them: `queries`, `documents` and `judgments` of one study."""

from collections.abc import Collection, Iterable, Sequence

import pandas as pd
import sqlalchemy as sa

from resources.database.bulk_frames import TEXT, WHOLE, read_frame
from resources.database.bulk_rows import alone
from resources.database.engine import usable
from resources.database.reliability import judgment_rows, query_rows
from resources.database.reliability.models import Document, Judgment, Query
from resources.database.reliability.records import JudgmentRecord, Source
from resources.tables.reliability.agreement import QUERY_DOCUMENTS

QUERIES, DOCUMENTS, JUDGMENTS = Query.__table__, Document.__table__, Judgment.__table__
IN_ORDER = (QUERIES.c.position, QUERIES.c.id, DOCUMENTS.c.position, DOCUMENTS.c.id)


class QueryStore:
    """Reads and writes `queries`, `documents` and `judgments` of one study; safe in several processes at once.

    What is written is there for good when the call returns, all of it or none. Nothing is deleted.
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
        query_rows.refuse_contradictions(frame)
        with alone(self.engine, self._what()) as connection:
            n_new = query_rows.add(connection, self.study, frame)
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
            query_rows.refuse_changed(connection, self.study, frame)
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

        Raises:
            UserError: The database cannot be reached, is damaged or locked.
        """
        asked = tuple(judges) or self.judges()
        with usable(self.engine), self.engine.connect() as connection:
            return judgment_rows.judgments(connection, self.study, asked, documents, sources, withdrawn)

    def withdrawn(self, given: pd.DataFrame, documents: pd.DataFrame) -> list[int]:
        """The rows of scores that came with an earlier input and are not in the one of now, though they could be.

        Args:
            given: Its scores: `query_id`, `doc_id`, `judge` and `prompt_version`. All of them are kept already, and of
                other judges and versions there is none to find.
            documents: Its documents: `query_id` and `doc_id`.

        Raises:
            UserError: The database cannot be reached, is damaged or locked.
        """
        with usable(self.engine), self.engine.connect() as connection:
            return judgment_rows.withdrawn(connection, self.study, given, documents)

    def _what(self) -> str:
        return f"queries of {self.study}"
