"""The form in which an answer was asked for, and which access key was used (by a digest of it)."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; earlier calls have neither."""
    op.add_column("judge_calls", sa.Column("answer_form", sa.Text(), nullable=True))
    op.add_column("judge_calls", sa.Column("key_id", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop them."""
    with op.batch_alter_table("judge_calls") as batch:
        batch.drop_column("key_id")
        batch.drop_column("answer_form")
