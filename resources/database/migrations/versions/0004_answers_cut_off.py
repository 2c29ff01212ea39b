"""Answers cut off, filtered, only reasoned or ambiguous are states of their own; whether a reviewer saw the scores."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ANSWERS = ("valid", "recovered", "invalid_json", "schema_error", "out_of_range", "refused")
FAULTS = ("rate_limited", "timeout", "provider_error")
NEW = ("cut_off", "filtered", "reasoning_only", "ambiguous")


def upgrade() -> None:
    """Allow the new states; of earlier votes it is not known what was on the screen."""
    _allow("judge_calls", (*ANSWERS, *NEW, *FAULTS))
    _allow("judgments", (*ANSWERS, *NEW))
    op.add_column("tiebreaks", sa.Column("blind", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Take them back; an answer in a new state becomes the nearest that was there before."""
    op.drop_column("tiebreaks", "blind")
    for table, states in (("judge_calls", (*ANSWERS, *FAULTS)), ("judgments", ANSWERS)):
        for new, earlier in zip(NEW, ("invalid_json", "refused", "invalid_json", "schema_error"), strict=True):
            rows = sa.table(table, sa.column("state", sa.Text()))
            op.execute(rows.update().where(rows.c.state == new).values(state=earlier))
        _allow(table, states)


def _allow(table: str, states: tuple[str, ...]) -> None:
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(op.f(f"ck_{table}_state"), type_="check")
        batch.create_check_constraint(op.f(f"ck_{table}_state"), sa.column("state").in_(states))
