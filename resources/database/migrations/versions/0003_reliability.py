"""The tables of the reliability study: queries, documents, judgments, tiebreaks, validations, ground truth."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import SchemaItem

from resources.database.engine import shown
from resources.errors import UserError, listing

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = (
    "queries",
    "documents",
    "judgments",
    "disputes",
    "tiebreaks",
    "contingency_actions",
    "validation_results",
    "ground_truth",
)
STATES = ("valid", "recovered", "invalid_json", "schema_error", "out_of_range", "refused")
STATUSES = ("passed", "contingency_triggered", "resolved_by_review")
ACTIONS = ("thresholds_accepted", "recalibration_started", "manual_review_opened")


def upgrade() -> None:
    """Make the tables, or none.

    Raises:
        UserError: The database has a table of somebody else's under one of their names.
    """
    connection = op.get_bind()
    there = [name for name in TABLES if sa.inspect(connection).has_table(name)]
    if there:
        raise UserError(
            f"The database {shown(connection.engine)} has tables that Touchstone did not make, of names that it needs: "
            f"{listing(there)}. Nothing was changed. Give Touchstone a database of its own in TOUCHSTONE_DATABASE_URL, "
            "or a schema of its own with `?options=-csearch_path%3Dtouchstone` at its end."
        )
    _inputs()
    _review()
    _outcome()


def downgrade() -> None:
    """Drop them."""
    for name in reversed(TABLES):
        op.drop_table(name)


def _inputs() -> None:
    op.create_table(
        "queries",
        *_row_id("queries"),
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.UniqueConstraint("study", "query_id", name=op.f("uq_queries_key")),
    )
    op.create_table(
        "documents",
        *_row_id("documents"),
        *_reference("documents", "query_row", "queries"),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("document", sa.Text()),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.UniqueConstraint("query_row", "doc_id", name=op.f("uq_documents_key")),
    )
    op.create_table(
        "judgments",
        *_row_id("judgments"),
        *_reference("judgments", "document_row", "documents"),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("judge_identity", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.Column("prompt_hash", sa.Text(), nullable=False),
        sa.Column("score", sa.Double()),
        *_choice("judgments", "state", STATES),
        sa.Column("message", sa.Text()),
        sa.Column("raw_answer", sa.Text()),
        sa.Column("run", sa.Text()),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint(
            "document_row",
            "judge",
            "prompt_version",
            "judge_identity",
            "prompt_hash",
            name=op.f("uq_judgments_key"),
        ),
        sa.CheckConstraint("score >= 0 AND score <= 1", name=op.f("ck_judgments_score")),
    )


def _review() -> None:
    op.create_table(
        "disputes",
        *_row_id("disputes"),
        sa.Column("study", sa.Text(), nullable=False),
        *_reference("disputes", "query_row", "queries"),
        *_reference("disputes", "document_row", "documents"),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("place_in_query", sa.Integer(), nullable=False),
        sa.Column("disagreement", sa.Double(), nullable=False),
        sa.Column("labels_differ", sa.Boolean(), nullable=False),
        sa.Column("kappa", sa.Double()),
        sa.Column("scores", _json(), nullable=False),
        sa.UniqueConstraint("study", "place", "place_in_query", name=op.f("uq_disputes_place")),
        sa.UniqueConstraint("document_row", name=op.f("uq_disputes_document_row")),
    )
    op.create_table(
        "tiebreaks",
        *_row_id("tiebreaks"),
        *_reference("tiebreaks", "query_row", "queries"),
        *_reference("tiebreaks", "document_row", "documents"),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("relevant", sa.Boolean()),
        sa.Column("reason", sa.Text()),
        sa.Column("note", sa.Text()),
        sa.Column("submission", sa.Text(), nullable=False),
        sa.Column("voted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("submission", "document_row", name=op.f("uq_tiebreaks_submission")),
    )
    stands = sa.text("withdrawn_at IS NULL")
    op.create_index(
        op.f("ix_tiebreaks_one_vote"),
        "tiebreaks",
        ["document_row", "reviewer"],
        unique=True,
        sqlite_where=stands,
        postgresql_where=stands,
    )
    op.create_index(op.f("ix_tiebreaks_query_row"), "tiebreaks", ["query_row"])


def _outcome() -> None:
    op.create_table(
        "contingency_actions",
        *_row_id("contingency_actions"),
        sa.Column("study", sa.Text(), nullable=False),
        *_choice("contingency_actions", "action", ACTIONS),
        sa.Column("details", _json(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "validation_results",
        *_row_id("validation_results"),
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("timestamp", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kappa_macro", sa.Double(), nullable=False),
        sa.Column("kappa_micro", sa.Double(), nullable=False),
        *_choice("validation_results", "status", STATUSES),
        sa.Column("total_queries", sa.Integer(), nullable=False),
        sa.Column("contingency_actions", _json(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("not_proven", sa.Boolean(), nullable=False),
        sa.Column("depends_on_convention", sa.Boolean(), nullable=False),
        sa.Column("measures", _json(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.UniqueConstraint("study", "run", name=op.f("uq_validation_results_run")),
    )
    op.create_table(
        "ground_truth",
        *_row_id("ground_truth"),
        *_reference("ground_truth", "query_row", "queries"),
        *_reference("ground_truth", "validation_row", "validation_results"),
        sa.Column("scores", _json(), nullable=False),
        sa.Column("n_by_people", sa.Integer(), nullable=False),
        sa.Column("kappa", sa.Double()),
        sa.Column("expected_docs", _json(), nullable=False),
        sa.Column("human_override", sa.Boolean(), nullable=False),
        sa.Column("override_reason", sa.String(200)),
        sa.Column("reviewer", sa.Text()),
        sa.Column("decided_at", sa.DateTime(timezone=True)),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.UniqueConstraint("query_row", name=op.f("uq_ground_truth_query_row")),
    )


def _json() -> Any:
    return sa.JSON().with_variant(JSONB(), "postgresql")


def _row_id(table: str) -> list[SchemaItem]:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return [sa.Column("id", number, nullable=False), sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}"))]


def _reference(table: str, column: str, other: str) -> list[SchemaItem]:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    key = sa.ForeignKeyConstraint([column], [f"{other}.id"], name=op.f(f"fk_{table}_{column}_{other}"))
    return [sa.Column(column, number, nullable=False), key]


def _choice(table: str, column: str, among: tuple[str, ...]) -> list[SchemaItem]:
    check = sa.CheckConstraint(sa.column(column).in_(among), name=op.f(f"ck_{table}_{column}"))
    return [sa.Column(column, sa.Enum(*among, native_enum=False, length=32), nullable=False), check]
