"""Rows of disputes and tiebreaks, read and written inside a transaction of the review store."""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from resources.database.reliability import review_questions as ask
from resources.database.reliability.models import Tiebreak
from resources.database.reliability.review_questions import DISPUTES, DOCUMENTS, IS_VOTE, QUERIES, STANDS, VOTES
from resources.database.reliability.review_records import (
    DisputedDocument,
    OpenDocument,
    ReviewTask,
    Sent,
    SentDocument,
    Words,
)
from resources.errors import UserError


def values_of(rows: Iterable[DisputedDocument], study: str) -> list[dict[str, Any]]:
    """The rows as the table takes them.

    Raises:
        ValueError: Places leave a gap or belong to two queries, a document is there twice, a number is not finite.
    """
    given = sorted(rows, key=lambda row: (row.place, row.place_in_query))
    place, place_in_query, query_row = -1, -1, None
    for row in given:
        follows = row.place == place and row.place_in_query == place_in_query + 1 and row.query_row == query_row
        begins = row.place == place + 1 and row.place_in_query == 0 and row.query_row != query_row
        if not (follows or begins):
            raise ValueError(
                f"document in row {row.document_row}: place {row.place}, {row.place_in_query} in its query, does not "
                f"follow place {place}, {place_in_query}; queries and their documents are counted from 0 without a gap"
            )
        place, place_in_query, query_row = row.place, row.place_in_query, row.query_row
        if not all(math.isfinite(value) for value in (row.disagreement, row.kappa or 0.0, *row.scores.values())):
            raise ValueError(f"document in row {row.document_row}: a score, its difference or kappa is not finite")
    if len({row.document_row for row in given}) < len(given):
        raise ValueError("a document is in dispute twice")
    return [{"study": study, **row._asdict(), "scores": dict(row.scores)} for row in given]


def task_of(connection: sa.Connection, found: list[sa.RowMapping], n_shown: int) -> ReviewTask:
    """The query of these open documents, with the texts of the first few, and judges by name."""
    shown = found[:n_shown]
    query = connection.execute(sa.select(QUERIES).where(QUERIES.c.id == found[0]["query_row"])).mappings().one()
    wanted = DOCUMENTS.c.id.in_([row["document_row"] for row in shown])
    texts = {row.id: row.document for row in connection.execute(sa.select(DOCUMENTS).where(wanted))}
    documents = tuple(
        OpenDocument(
            document_row=row["document_row"],
            doc_id=row["doc_id"],
            document=texts[row["document_row"]],
            disagreement=row["disagreement"],
            labels_differ=row["labels_differ"],
            scores=dict(sorted(row["scores"].items())),
        )
        for row in shown
    )
    return ReviewTask(
        query_row=query["id"],
        query_id=query["query_id"],
        query=query["query"],
        place=found[0]["place"] + 1,
        kappa=found[0]["kappa"],
        n_open=len(found),
        documents=documents,
    )


def sent_of(connection: sa.Connection, submission: str, reviewer: str) -> Sent:
    """One submission as far as it stands."""
    rows = (
        connection.execute(
            sa.select(VOTES, DOCUMENTS.c.doc_id, DISPUTES.c.scores, DISPUTES.c.kappa)
            .join(DOCUMENTS, DOCUMENTS.c.id == VOTES.c.document_row)
            .outerjoin(DISPUTES, DISPUTES.c.document_row == VOTES.c.document_row)
            .where(VOTES.c.submission == submission, VOTES.c.reviewer == reviewer, STANDS)
            .order_by(DISPUTES.c.place_in_query, VOTES.c.id)
        )
        .mappings()
        .all()
    )
    first = rows[0]
    query = connection.execute(sa.select(QUERIES).where(QUERIES.c.id == first["query_row"])).mappings().one()
    others = {row["document_row"]: [0, 0] for row in rows}
    said = sa.select(VOTES.c.document_row, VOTES.c.relevant).where(
        VOTES.c.document_row.in_(list(others)), VOTES.c.reviewer != reviewer, STANDS, IS_VOTE
    )
    for document_row, relevant in connection.execute(said):
        others[document_row][not relevant] += 1
    documents = tuple(
        SentDocument(
            row["document_row"],
            row["doc_id"],
            row["relevant"],
            dict(sorted((row["scores"] or {}).items())),
            *others[row["document_row"]],
        )
        for row in rows
    )
    n_open = connection.scalar(ask.n_open(query["id"], reviewer)) or 0
    said_in_words = ask.words_of_others(query["id"], reviewer)
    return Sent(
        submission=submission,
        query_row=query["id"],
        query_id=query["query_id"],
        query=query["query"],
        kappa=first["kappa"],
        reason=first["reason"],
        note=first["note"],
        sent_at=first["voted_at"],
        documents=documents,
        n_open=n_open,
        colleagues=() if n_open else tuple(Words(*row) for row in connection.execute(said_in_words)),
    )


def query_of(connection: sa.Connection, study: str, documents: Iterable[int]) -> int:
    """The one query of these documents.

    Raises:
        ValueError: They belong to several.
        UserError: The study has no such document.
    """
    wanted = set(documents)
    found = connection.execute(
        sa.select(DOCUMENTS.c.id, DOCUMENTS.c.query_row)
        .join(QUERIES, QUERIES.c.id == DOCUMENTS.c.query_row)
        .where(QUERIES.c.study == study, DOCUMENTS.c.id.in_(wanted))
    )
    queries = {row.id: row.query_row for row in found}
    if absent := wanted - queries.keys():
        raise UserError(f"Study '{study}' has no document in row {min(absent)}. Nothing was saved: reload the page.")
    if len(set(queries.values())) > 1:
        raise ValueError(f"one submission is about one query, got documents of {len(set(queries.values()))}")
    return int(next(iter(queries.values())))


def keep(
    connection: sa.Connection,
    reviewer: str,
    submission: str,
    query_row: int,
    votes: Mapping[int, bool | None],
    reason: str | None,
    note: str | None,
    blind: bool | None = None,
) -> bool:
    """Write votes or skips in the place of this reviewer's standing ones; false where the submission is there.

    A document on which this reviewer voted before is not voted on blind again: after a vote its scores are shown.

    Raises:
        UserError: It is there with other votes, or another's.
    """
    there = connection.execute(
        sa.select(VOTES.c.document_row, VOTES.c.relevant, VOTES.c.reviewer).where(VOTES.c.submission == submission)
    ).all()
    if there:
        if {row.document_row: row.relevant for row in there} != dict(votes) or there[0].reviewer != reviewer:
            raise UserError(
                "This form was saved before, with other votes. Nothing was changed: reload the page and vote again."
            )
        return False
    now = datetime.now(UTC)
    connection.execute(
        sa.update(Tiebreak)
        .where(VOTES.c.document_row.in_(list(votes)), VOTES.c.reviewer == reviewer, STANDS)
        .values(withdrawn_at=now)
    )
    voted = (VOTES.c.reviewer == reviewer, VOTES.c.relevant.is_not(None), VOTES.c.document_row.in_(list(votes)))
    seen = set(connection.scalars(sa.select(VOTES.c.document_row).where(*voted)))
    common = {"query_row": query_row, "reviewer": reviewer, "reason": reason, "note": note}
    rows = [
        {**common, "document_row": row, "relevant": relevant, "submission": submission, "voted_at": now}
        | {"blind": blind and row not in seen}
        for row, relevant in votes.items()
    ]
    connection.execute(sa.insert(Tiebreak), rows)
    return True
