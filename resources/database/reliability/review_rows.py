"""Disputes and tiebreaks inside a transaction of the review store: questions that an index answers, rows written."""

import math
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from analysis.ties import TIE
from resources.database.reliability.models import Dispute, Document, Query, Tiebreak, ValidationResult
from resources.database.reliability.review_records import (
    DisputedDocument,
    Only,
    OpenDocument,
    ReviewTask,
    Sent,
    SentDocument,
    Words,
)
from resources.errors import UserError

DISPUTES, VOTES = Dispute.__table__, Tiebreak.__table__
QUERIES, DOCUMENTS = Query.__table__, Document.__table__
RESULTS = ValidationResult.__table__
STANDS = VOTES.c.withdrawn_at.is_(None)
IS_VOTE = VOTES.c.relevant.is_not(None)
IS_SKIP = VOTES.c.relevant.is_(None)
HAS_WORDS = sa.or_(VOTES.c.reason.is_not(None), VOTES.c.note.is_not(None))
IN_FAVOUR = sa.case((VOTES.c.relevant, 1), else_=-1)
# Documents with as many votes for them as against them.
TIED = (
    sa.select(VOTES.c.document_row)
    .where(STANDS, IS_VOTE)
    .group_by(VOTES.c.document_row)
    .having(sa.func.sum(IN_FAVOUR) == 0)
)
Condition = sa.ColumnElement[bool]


def first_open(
    study: str, reviewer: str, only: Only | None, low_kappa: float, left_out: Collection[int]
) -> sa.Select[int, int]:
    """Row and place of the first disputed query that has something for this reviewer to do."""
    # One look along the order of places, which ends at the first document that fits.
    question = (
        sa.select(DISPUTES.c.query_row, DISPUTES.c.place)
        .where(DISPUTES.c.study == study, *_of_query(reviewer, only, low_kappa))
        .order_by(DISPUTES.c.place, DISPUTES.c.place_in_query)
        .limit(1)
    )
    return question.where(DISPUTES.c.query_row.not_in(list(left_out))) if left_out else question


def offers(study: str, reviewer: str) -> sa.Select[*tuple[Any, ...]]:
    """The disputed documents that a reviewer neither voted on nor skipped, by place, and whether others voted."""
    return (
        sa.select(DISPUTES.c.query_row, DISPUTES.c.place, QUERIES.c.query_id, standing(IS_VOTE).label("has_votes"))
        .join(QUERIES, QUERIES.c.id == DISPUTES.c.query_row)
        .where(DISPUTES.c.study == study, ~standing(VOTES.c.reviewer == reviewer))
        .order_by(DISPUTES.c.place, DISPUTES.c.place_in_query)
        # Row by row: most often the first few are enough.
        .execution_options(stream_results=True)
    )


def disputed_names(study: str) -> sa.Select[str]:
    """The names of all disputed queries."""
    return (
        sa.select(QUERIES.c.query_id)
        .join(DISPUTES, DISPUTES.c.query_row == QUERIES.c.id)
        .where(DISPUTES.c.study == study, DISPUTES.c.place_in_query == 0)
    )


def open_documents(study: str, reviewer: str, only: Only | None, place: int) -> sa.Select[*tuple[Any, ...]]:
    """The documents of one disputed query that are this reviewer's to decide, the highest disagreement first."""
    return (
        sa.select(DISPUTES, DOCUMENTS.c.doc_id)
        .join(DOCUMENTS, DOCUMENTS.c.id == DISPUTES.c.document_row)
        .where(DISPUTES.c.study == study, DISPUTES.c.place == place, _of_document(reviewer, only))
        .order_by(DISPUTES.c.place_in_query)
    )


def n_disputed(study: str) -> sa.Select[int]:
    """How many queries are disputed: places are counted from 0 without a gap."""
    return sa.select(sa.func.coalesce(sa.func.max(DISPUTES.c.place), -1) + 1).where(DISPUTES.c.study == study)


def n_reviewed(study: str) -> sa.Select[int]:
    """How many disputed queries have a standing vote on every disputed document."""
    begun = (
        sa.select(DISPUTES.c.place)
        .join(VOTES, VOTES.c.document_row == DISPUTES.c.document_row)
        .where(DISPUTES.c.study == study, STANDS, IS_VOTE)
        .distinct()
        .subquery()
    )
    other = DISPUTES.alias()
    voted = sa.exists().where(VOTES.c.document_row == other.c.document_row, STANDS, IS_VOTE)
    lacking = sa.exists().where(other.c.study == study, other.c.place == begun.c.place, ~voted)
    return sa.select(sa.func.count()).select_from(begun).where(~lacking)


def n_undecided(study: str) -> sa.Select[int]:
    """How many documents on which labels differ have no majority of the votes that stand."""
    balance = (
        sa.select(sa.func.coalesce(sa.func.sum(IN_FAVOUR), 0))
        .where(VOTES.c.document_row == DISPUTES.c.document_row, STANDS, IS_VOTE)
        .scalar_subquery()
    )
    return (
        sa.select(sa.func.count())
        .select_from(DISPUTES)
        .where(DISPUTES.c.study == study, DISPUTES.c.labels_differ, balance == 0)
    )


def n_tied(study: str) -> sa.Select[int]:
    """How many disputed queries have a document with as many votes for it as against it."""
    return sa.select(sa.func.count(DISPUTES.c.query_row.distinct())).where(
        DISPUTES.c.study == study, DISPUTES.c.document_row.in_(TIED)
    )


def latest_status(study: str) -> sa.Select[str]:
    """How the latest validation ended."""
    return sa.select(RESULTS.c.status).where(RESULTS.c.study == study).order_by(RESULTS.c.id.desc()).limit(1)


def latest_submission(study: str, reviewer: str) -> sa.Select[str]:
    """What this reviewer sent in last and has not taken back."""
    return (
        sa.select(VOTES.c.submission)
        .join(QUERIES, QUERIES.c.id == VOTES.c.query_row)
        .where(QUERIES.c.study == study, VOTES.c.reviewer == reviewer, STANDS)
        .order_by(VOTES.c.id.desc())
        .limit(1)
    )


def n_open(query_row: int, reviewer: str) -> sa.Select[int]:
    """How many disputed documents of a query this reviewer neither voted on nor skipped."""
    # By way of documents, whose queries an index has.
    of_query = sa.select(DOCUMENTS.c.id).where(DOCUMENTS.c.query_row == query_row)
    mine = standing(VOTES.c.reviewer == reviewer)
    return sa.select(sa.func.count()).select_from(DISPUTES).where(DISPUTES.c.document_row.in_(of_query), ~mine)


def words_of_others(query_row: int, reviewer: str) -> sa.Select[*tuple[Any, ...]]:
    """What other reviewers wrote about a query, once for each submission that stands, who came first first."""
    return (
        sa.select(VOTES.c.reviewer, VOTES.c.relevant.is_(None).label("skipped"), VOTES.c.reason, VOTES.c.note)
        .where(VOTES.c.query_row == query_row, VOTES.c.reviewer != reviewer, STANDS, HAS_WORDS)
        # All rows of a submission have the same words.
        .where(VOTES.c.id.in_(_first_rows(VOTES.c.query_row == query_row)))
        .order_by(VOTES.c.id)
    )


def reviewers(study: str) -> sa.Select[str]:
    """Everyone who ever voted or skipped, who came first first."""
    return (
        sa.select(VOTES.c.reviewer)
        .join(QUERIES, QUERIES.c.id == VOTES.c.query_row)
        .where(QUERIES.c.study == study)
        .group_by(VOTES.c.reviewer)
        .order_by(sa.func.min(VOTES.c.id))
    )


def votes_of(study: str, *conditions: Condition) -> sa.Select[*tuple[Any, ...]]:
    """Votes and skips of one study with the names of query and document, in the order in which they came."""
    return (
        sa.select(QUERIES.c.query_id, DOCUMENTS.c.doc_id, VOTES)
        .join(DOCUMENTS, DOCUMENTS.c.id == VOTES.c.document_row)
        .join(QUERIES, QUERIES.c.id == VOTES.c.query_row)
        .where(QUERIES.c.study == study, *conditions)
        .order_by(VOTES.c.id)
    )


def votes_in_common(study: str) -> sa.Select[*tuple[Any, ...]]:
    """For each two reviewers who voted on one document: on how many queries, and how their votes fall together."""
    one, other = VOTES.alias("one"), VOTES.alias("other")

    def both_say(first: bool, second: bool) -> sa.ColumnElement[int]:
        fits = sa.and_(one.c.relevant == first, other.c.relevant == second)
        return sa.func.sum(sa.case((fits, 1), else_=0))

    counts = [both_say(first, second) for first in (True, False) for second in (True, False)]
    return (
        sa.select(one.c.reviewer, other.c.reviewer, sa.func.count(one.c.query_row.distinct()), *counts)
        .join(other, sa.and_(other.c.document_row == one.c.document_row, one.c.reviewer < other.c.reviewer))
        .join(QUERIES, QUERIES.c.id == one.c.query_row)
        .where(QUERIES.c.study == study, one.c.withdrawn_at.is_(None), other.c.withdrawn_at.is_(None))
        .where(one.c.relevant.is_not(None), other.c.relevant.is_not(None))
        .group_by(one.c.reviewer, other.c.reviewer)
    )


def standing(*conditions: Condition) -> Condition:
    """On disputes: the document has a standing vote or skip like this."""
    return sa.exists().where(VOTES.c.document_row == DISPUTES.c.document_row, STANDS, *conditions)


def _first_rows(*conditions: Condition) -> sa.Select[int]:
    return sa.select(sa.func.min(VOTES.c.id)).where(STANDS, *conditions).group_by(VOTES.c.submission)


def _of_query(reviewer: str, only: Only | None, low_kappa: float) -> list[Condition]:
    conditions = [_of_document(reviewer, only)]
    if only == "low_kappa":
        conditions.append(DISPUTES.c.kappa < low_kappa - TIE * abs(low_kappa))
    return conditions


def _of_document(reviewer: str, only: Only | None) -> Condition:
    mine = VOTES.c.reviewer == reviewer
    if only == "skipped":
        return standing(mine, IS_SKIP)
    if only == "tied":
        return DISPUTES.c.document_row.in_(TIED)
    return ~standing(mine)


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
    still_open = connection.scalar(n_open(query["id"], reviewer)) or 0
    said_in_words = words_of_others(query["id"], reviewer)
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
        n_open=still_open,
        colleagues=() if still_open else tuple(Words(*row) for row in connection.execute(said_in_words)),
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


class Submission(NamedTuple):
    """What a reviewer sends in at once about a query, next to the votes; `blind` as of `ReviewStore.vote`."""

    reviewer: str
    submission: str
    query_row: int
    reason: str | None
    note: str | None = None
    blind: bool | None = None


def keep(connection: sa.Connection, sent: Submission, votes: Mapping[int, bool | None]) -> bool:
    """Write votes or skips in the place of this reviewer's standing ones; false where the submission is there.

    A document on which this reviewer voted before is not voted on blind again: after a vote its scores are shown.

    Raises:
        UserError: It is there with other votes, or another's.
    """
    there = connection.execute(
        sa.select(VOTES.c.document_row, VOTES.c.relevant, VOTES.c.reviewer).where(VOTES.c.submission == sent.submission)
    ).all()
    if there:
        if {row.document_row: row.relevant for row in there} != dict(votes) or there[0].reviewer != sent.reviewer:
            raise UserError(
                "This form was saved before, with other votes. Nothing was changed: reload the page and vote again."
            )
        return False
    now = datetime.now(UTC)
    connection.execute(
        sa.update(Tiebreak)
        .where(VOTES.c.document_row.in_(list(votes)), VOTES.c.reviewer == sent.reviewer, STANDS)
        .values(withdrawn_at=now)
    )
    voted = (VOTES.c.reviewer == sent.reviewer, VOTES.c.relevant.is_not(None), VOTES.c.document_row.in_(list(votes)))
    seen = set(connection.scalars(sa.select(VOTES.c.document_row).where(*voted)))
    common = {"query_row": sent.query_row, "reviewer": sent.reviewer, "reason": sent.reason, "note": sent.note}
    rows = [
        {**common, "document_row": row, "relevant": relevant, "submission": sent.submission, "voted_at": now}
        | {"blind": sent.blind and row not in seen}
        for row, relevant in votes.items()
    ]
    connection.execute(sa.insert(Tiebreak), rows)
    return True
