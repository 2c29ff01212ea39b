"""Table `judge_calls`."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATES = (
    "valid",
    "recovered",
    "invalid_json",
    "schema_error",
    "out_of_range",
    "refused",
    "rate_limited",
    "timeout",
    "provider_error",
)


def upgrade() -> None:
    """Make the ledger of judge calls."""
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    op.create_table(
        "judge_calls",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("setting", sa.Text(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("judge_identity", sa.Text(), nullable=False),
        sa.Column("model_asked", sa.Text(), nullable=False),
        sa.Column("model_answered", sa.Text()),
        sa.Column("fingerprint", sa.Text()),
        sa.Column("rubric_version", sa.Text(), nullable=False),
        sa.Column("parameters", json, nullable=False),
        sa.Column("temperature", sa.Double(), nullable=False),
        sa.Column("top_p", sa.Double(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("prompt_hash", sa.Text(), nullable=False),
        sa.Column("image_hashes", json, nullable=False),
        sa.Column("images_digest", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("latency_ms", sa.Double(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger()),
        sa.Column("tokens_out", sa.BigInteger()),
        sa.Column("tokens_cached", sa.BigInteger()),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.Column("state", sa.Enum(*STATES, native_enum=False, length=32), nullable=False),
        sa.Column("fault_message", sa.Text()),
        sa.Column("score", sa.Double()),
        sa.Column("score_stated", sa.Double()),
        sa.Column("score_recomputed", sa.Double()),
        sa.Column("subscores", json),
        sa.Column("rationale", json, nullable=False),
        sa.Column("raw_answer", sa.Text()),
        sa.Column("dagster_run_id", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judge_calls")),
        sa.UniqueConstraint(
            "study",
            "judge_identity",
            "setting",
            "object",
            "repeat",
            "prompt_hash",
            "images_digest",
            "attempt",
            name=op.f("uq_judge_calls_key"),
        ),
        sa.CheckConstraint("repeat >= 1", name=op.f("ck_judge_calls_repeat")),
        sa.CheckConstraint("attempt >= 1", name=op.f("ck_judge_calls_attempt")),
        sa.CheckConstraint("score >= 0 AND score <= 1", name=op.f("ck_judge_calls_score")),
        sa.CheckConstraint(sa.column("state").in_(STATES), name=op.f("ck_judge_calls_state")),
    )


def downgrade() -> None:
    """Drop the ledger."""
    op.drop_table("judge_calls")
