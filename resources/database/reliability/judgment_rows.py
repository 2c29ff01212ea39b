"""Rows of judgments, written inside a transaction of the query store."""

from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from analysis.ties import TIE
from resources.database.bulk_rows import count_distinct_values, in_batches, staged, staging, write_rows
from resources.database.models import UtcTime, Words
from resources.database.reliability.models import Document, Judgment, Query
from resources.database.reliability.records import Changed, JudgmentRecord, KeptOtherwise
from resources.errors import UserError

QUERIES, DOCUMENTS, JUDGMENTS = Query.__table__, Document.__table__, Judgment.__table__
KEY = ("document_row", "judge", "prompt_version", "judge_identity", "prompt_hash")
ANSWER = ("score", "state", "message", "raw_answer", "run", "judged_at")
NAMES = (*KEY, *ANSWER)
NEW = staging(
    "new_judgments",
    sa.Column("n", sa.Integer()),
    sa.Column("document_row", sa.BigInteger()),
    *[sa.Column(name, sa.Text()) for name in KEY[1:]],
    sa.Column("score", sa.Double()),
    sa.Column("state", sa.Text()),
    sa.Column("message", Words()),
    sa.Column("raw_answer", Words()),
    sa.Column("run", sa.Text()),
    sa.Column("judged_at", UtcTime()),
)
RECORDS_AT_A_TIME = 20_000
NAMES_IN_A_QUESTION = 5_000
_SAME_KEY = [JUDGMENTS.c[name] == NEW.c[name] for name in KEY]


def record(connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord]) -> int:
    """Keep judgments; how many are new or took the place of one without a score.

    Raises:
        UserError: A document is not of this study.
        KeptOtherwise: A judgment is there with another score.
    """
    with staged(connection, NEW):
        given = _stage(connection, study, judgments)
        if not given:
            return 0
        inserted = _insert(connection)
        if inserted == given:
            return inserted
        better = JUDGMENTS.c.score.is_(None) & NEW.c.score.is_not(None)
        replaced = connection.execute(
            sa.update(Judgment).values({name: NEW.c[name] for name in ANSWER}).where(*_SAME_KEY, better)
        ).rowcount
        _refuse_other_scores(connection)
        return inserted + replaced


def refuse_changed(connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord]) -> None:
    """Refuse what `record` would refuse of documents that are known, and pass over others; nothing is kept.

    Raises:
        KeptOtherwise: A judgment is there with another score.
    """
    with staged(connection, NEW):
        if _stage(connection, study, judgments, known_alone=True):
            _refuse_other_scores(connection)


def _stage(
    connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord], *, known_alone: bool = False
) -> int:
    """Write them into the table that waits for them; how many."""
    given = _Numbered(connection, study, judgments, known_alone)
    write_rows(connection, NEW, ["n", *NAMES], given)
    if given.n:
        count_distinct_values(connection, NEW)
    return given.n


class _Numbered:
    """The judgments as rows, each with its document's row; `n` counts them as they are read.

    Of documents that the study does not have they are passed over with `known_alone`, else refused.
    """

    def __init__(
        self, connection: sa.Connection, study: str, judgments: Iterable[JudgmentRecord], known_alone: bool
    ) -> None:
        self._connection, self._study, self._judgments = connection, study, judgments
        self._known_alone = known_alone
        self.n = 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for chunk in in_batches(self._judgments, RECORDS_AT_A_TIME):
            rows = _document_rows(self._connection, self._study, dict.fromkeys(one.query_id for one in chunk))
            for one in chunk:
                row = rows.get((one.query_id, one.doc_id))
                if row is None and self._known_alone:
                    continue
                if row is None:
                    raise UserError(
                        f"Query '{one.query_id}' has no document '{one.doc_id}' in study '{self._study}', and "
                        f"judge '{one.judge}' scored it. Nothing was stored. Add the document to the queries first."
                    )
                score = None if one.score is None else float(one.score)
                yield (
                    self.n,
                    row,
                    one.judge,
                    one.prompt_version,
                    one.judge_identity,
                    one.prompt_hash,
                    score,
                    one.state,
                    one.message,
                    one.raw_answer,
                    one.run,
                    one.judged_at,
                )
                self.n += 1


def _document_rows(connection: sa.Connection, study: str, queries: Iterable[str]) -> dict[tuple[str, str], int]:
    question = sa.select(QUERIES.c.query_id, DOCUMENTS.c.doc_id, DOCUMENTS.c.id).join(
        DOCUMENTS, DOCUMENTS.c.query_row == QUERIES.c.id
    )
    rows: dict[tuple[str, str], int] = {}
    for names in in_batches(queries, NAMES_IN_A_QUESTION):
        found = connection.execute(question.where(QUERIES.c.study == study, QUERIES.c.query_id.in_(names)))
        rows |= {(query, document): row for query, document, row in found}
    return rows


def _insert(connection: sa.Connection) -> int:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    # SQLite takes ON CONFLICT for the condition of a join where the question has no WHERE.
    rows = sa.select(*[NEW.c[name] for name in NAMES]).where(NEW.c.n >= 0).order_by(NEW.c.n)
    statement = dialect.insert(JUDGMENTS).from_select(list(NAMES), rows)
    return connection.execute(statement.on_conflict_do_nothing(index_elements=list(KEY))).rowcount


def _refuse_other_scores(connection: sa.Connection) -> None:
    question = (
        sa.select(
            QUERIES.c.query_id,
            DOCUMENTS.c.doc_id,
            NEW.c.judge,
            NEW.c.prompt_version,
            JUDGMENTS.c.score.label("kept"),
            NEW.c.score.label("given"),
        )
        .join_from(NEW, JUDGMENTS, sa.and_(*_SAME_KEY))
        .join(DOCUMENTS, DOCUMENTS.c.id == JUDGMENTS.c.document_row)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(sa.func.abs(JUDGMENTS.c.score - NEW.c.score) > TIE * sa.func.abs(JUDGMENTS.c.score))
    )
    changed = Changed(connection, question, NEW.c.n)
    if not changed.rows:
        return
    query, document, judge, version, kept, given = changed.rows[0]
    others = [
        f"query '{one.query_id}', document '{one.doc_id}', judge '{one.judge}', '{one.prompt_version}': "
        f"{one.kept!r} -> {one.given!r}"
        for one in changed.rows[1:]
    ]
    raise KeptOtherwise(
        f"Query '{query}', document '{document}': judge '{judge}' scored {kept!r} under prompt version '{version}', "
        f"and now {given!r}.{changed.others('score', 'scores', others)} Nothing was stored. A score is kept for ever: "
        "give the new scores another prompt_version, or the changed study another name.",
        query,
        document,
        judge,
        version,
    )
