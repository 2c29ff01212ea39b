"""The relational tables of study D: queries, documents, judgments, tiebreaks, validations, ground truth."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from analysis.agreement.contingency import STATUSES
from resources.database.models import JSON, ROW_ID, Base, UtcTime, Words
from resources.database.reliability.records import LONGEST_REASON
from resources.tables.call_states import ANSWER_STATES

ACTIONS = ("thresholds_accepted", "recalibration_started", "manual_review_opened")


class Query(Base):
    """One question that documents were found for."""

    __tablename__ = "queries"
    __table_args__ = (sa.UniqueConstraint("study", "query_id", name="uq_queries_key"),)

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    study: Mapped[str] = mapped_column(sa.Text())
    query_id: Mapped[str] = mapped_column(sa.Text())
    query: Mapped[str] = mapped_column(Words())
    position: Mapped[int] = mapped_column(sa.Integer())


class Document(Base):
    """One document of one query; `document` is null where only its number is known."""

    __tablename__ = "documents"
    __table_args__ = (sa.UniqueConstraint("query_row", "doc_id", name="uq_documents_key"),)

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    query_row: Mapped[int] = mapped_column(sa.ForeignKey("queries.id"))
    doc_id: Mapped[str] = mapped_column(sa.Text())
    document: Mapped[str | None] = mapped_column(Words())
    position: Mapped[int] = mapped_column(sa.Integer())


class Judgment(Base):
    """What one judge said of one document under one prompt; `score` is null where the answer had none.

    `judge_identity` is `imported` and `prompt_hash` empty where the scores came with the input.
    """

    __tablename__ = "judgments"
    __table_args__ = (
        sa.UniqueConstraint(
            "document_row", "judge", "prompt_version", "judge_identity", "prompt_hash", name="uq_judgments_key"
        ),
        sa.CheckConstraint("score >= 0 AND score <= 1", name="score"),
    )

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    document_row: Mapped[int] = mapped_column(sa.ForeignKey("documents.id"))
    judge: Mapped[str] = mapped_column(sa.Text())
    judge_identity: Mapped[str] = mapped_column(sa.Text())
    prompt_version: Mapped[str] = mapped_column(sa.Text())
    prompt_hash: Mapped[str] = mapped_column(sa.Text())
    score: Mapped[float | None] = mapped_column(sa.Double())
    state: Mapped[str] = mapped_column(
        sa.Enum(*ANSWER_STATES, native_enum=False, create_constraint=True, length=32, name="state")
    )
    message: Mapped[str | None] = mapped_column(Words())
    raw_answer: Mapped[str | None] = mapped_column(Words())
    run: Mapped[str | None] = mapped_column(sa.Text())
    judged_at: Mapped[datetime] = mapped_column(UtcTime())


class Dispute(Base):
    """A document that judges differ about, as the latest validation saw it: what the review app offers.

    `place` counts queries from 0, the highest disagreement first; `place_in_query` the documents of one.
    """

    __tablename__ = "disputes"
    __table_args__ = (
        sa.UniqueConstraint("study", "place", "place_in_query", name="uq_disputes_place"),
        sa.UniqueConstraint("document_row", name="uq_disputes_document_row"),
    )

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    study: Mapped[str] = mapped_column(sa.Text())
    query_row: Mapped[int] = mapped_column(sa.ForeignKey("queries.id"))
    document_row: Mapped[int] = mapped_column(sa.ForeignKey("documents.id"))
    place: Mapped[int] = mapped_column(sa.Integer())
    place_in_query: Mapped[int] = mapped_column(sa.Integer())
    disagreement: Mapped[float] = mapped_column(sa.Double())
    labels_differ: Mapped[bool] = mapped_column(sa.Boolean())
    kappa: Mapped[float | None] = mapped_column(sa.Double())
    scores: Mapped[dict[str, float]] = mapped_column(JSON)


class Tiebreak(Base):
    """One reviewer's vote on one document; `relevant` is null for a skip, `withdrawn_at` set by undo or a new vote.

    `submission` is drawn by the page once per form: the same form sent twice counts once. `blind` is false where the
    judges' scores were on the screen before the vote, null where that was not recorded.
    """

    __tablename__ = "tiebreaks"
    __table_args__ = (
        sa.UniqueConstraint("submission", "document_row", name="uq_tiebreaks_submission"),
        sa.Index(
            "ix_tiebreaks_one_vote",
            "document_row",
            "reviewer",
            unique=True,
            sqlite_where=sa.text("withdrawn_at IS NULL"),
            postgresql_where=sa.text("withdrawn_at IS NULL"),
        ),
        sa.Index("ix_tiebreaks_query_row", "query_row"),
    )

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    query_row: Mapped[int] = mapped_column(sa.ForeignKey("queries.id"))
    document_row: Mapped[int] = mapped_column(sa.ForeignKey("documents.id"))
    reviewer: Mapped[str] = mapped_column(Words())
    relevant: Mapped[bool | None] = mapped_column(sa.Boolean())
    reason: Mapped[str | None] = mapped_column(Words())
    note: Mapped[str | None] = mapped_column(Words())
    submission: Mapped[str] = mapped_column(sa.Text())
    voted_at: Mapped[datetime] = mapped_column(UtcTime())
    blind: Mapped[bool | None] = mapped_column(sa.Boolean())
    withdrawn_at: Mapped[datetime | None] = mapped_column(UtcTime())


class ContingencyAction(Base):
    """A step that a person took: thresholds accepted, recalibration started, manual review opened."""

    __tablename__ = "contingency_actions"

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    study: Mapped[str] = mapped_column(sa.Text())
    action: Mapped[str] = mapped_column(
        sa.Enum(*ACTIONS, native_enum=False, create_constraint=True, length=32, name="action")
    )
    details: Mapped[dict[str, Any]] = mapped_column(JSON)
    who: Mapped[str] = mapped_column(Words())
    taken_at: Mapped[datetime] = mapped_column(UtcTime())


class ValidationResult(Base):
    """One validation: what kappa was and what followed; one row a run, kept for ever."""

    __tablename__ = "validation_results"
    __table_args__ = (sa.UniqueConstraint("study", "run", name="uq_validation_results_run"),)

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    study: Mapped[str] = mapped_column(sa.Text())
    timestamp: Mapped[datetime] = mapped_column(UtcTime())
    kappa_macro: Mapped[float] = mapped_column(sa.Double())
    kappa_micro: Mapped[float] = mapped_column(sa.Double())
    status: Mapped[str] = mapped_column(
        sa.Enum(*STATUSES, native_enum=False, create_constraint=True, length=32, name="status")
    )
    total_queries: Mapped[int] = mapped_column(sa.Integer())
    contingency_actions: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    notes: Mapped[str] = mapped_column(Words())
    not_proven: Mapped[bool] = mapped_column(sa.Boolean())
    depends_on_convention: Mapped[bool] = mapped_column(sa.Boolean())
    measures: Mapped[dict[str, Any]] = mapped_column(JSON)
    run: Mapped[str] = mapped_column(sa.Text())


class GroundTruth(Base):
    """The consensus on one query, in the columns of the table that others import."""

    __tablename__ = "ground_truth"
    __table_args__ = (sa.UniqueConstraint("query_row", name="uq_ground_truth_query_row"),)

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    query_row: Mapped[int] = mapped_column(sa.ForeignKey("queries.id"))
    validation_row: Mapped[int] = mapped_column(sa.ForeignKey("validation_results.id"))
    scores: Mapped[dict[str, list[float | None]]] = mapped_column(JSON)
    n_by_people: Mapped[int] = mapped_column(sa.Integer())
    kappa: Mapped[float | None] = mapped_column(sa.Double())
    expected_docs: Mapped[list[str]] = mapped_column(JSON)
    human_override: Mapped[bool] = mapped_column(sa.Boolean())
    override_reason: Mapped[str | None] = mapped_column(sa.String(LONGEST_REASON))
    reviewer: Mapped[str | None] = mapped_column(Words())
    decided_at: Mapped[datetime | None] = mapped_column(UtcTime())
    prompt_version: Mapped[str] = mapped_column(sa.Text())
