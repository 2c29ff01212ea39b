"""The tables of the relational store: records that must survive a crash one by one."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from resources.database.storable import storable
from resources.tables.call_states import ANSWER_STATES, FAULT_STATES

NAMES = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
# SQLite counts rows up by itself only in a column called INTEGER.
ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


class UtcTime(sa.types.TypeDecorator[datetime]):
    """An instant: always with a time zone in Python, UTC in SQLite, which keeps none."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Refuse a time without a zone, store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """The instant in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(sa.types.TypeDecorator[str]):
    """Text of any origin: what a database cannot hold is replaced, the same on each."""

    impl = sa.Text()
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """The text without NUL and lone surrogates."""
        return None if value is None else storable(value)


class Base(DeclarativeBase):
    """All tables; Alembic compares them with what the migrations make."""

    metadata = sa.MetaData(naming_convention=NAMES)


class JudgeCall(Base):
    """One attempt at one judge call; `resources.database.call_records.CallRecord` says what each column means."""

    __tablename__ = "judge_calls"
    __table_args__ = (
        # The order serves the question asked at every start: which calls of this judge are answered?
        sa.UniqueConstraint(
            "study",
            "judge_identity",
            "setting",
            "object",
            "repeat",
            "prompt_hash",
            "images_digest",
            "attempt",
            name="uq_judge_calls_key",
        ),
        sa.CheckConstraint("repeat >= 1", name="repeat"),
        sa.CheckConstraint("attempt >= 1", name="attempt"),
        sa.CheckConstraint("score >= 0 AND score <= 1", name="score"),
    )

    id: Mapped[int] = mapped_column(ROW_ID, primary_key=True)
    study: Mapped[str] = mapped_column(sa.Text())
    object: Mapped[str] = mapped_column(sa.Text())
    item_id: Mapped[str] = mapped_column(sa.Text())
    setting: Mapped[str] = mapped_column(sa.Text())
    repeat: Mapped[int] = mapped_column(sa.Integer())
    attempt: Mapped[int] = mapped_column(sa.Integer())
    run_id: Mapped[str] = mapped_column(sa.Text())
    judge: Mapped[str] = mapped_column(sa.Text())
    judge_identity: Mapped[str] = mapped_column(sa.Text())
    model_asked: Mapped[str] = mapped_column(sa.Text())
    model_answered: Mapped[str | None] = mapped_column(Words())
    fingerprint: Mapped[str | None] = mapped_column(Words())
    rubric_version: Mapped[str] = mapped_column(sa.Text())
    parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
    temperature: Mapped[float] = mapped_column(sa.Double())
    top_p: Mapped[float] = mapped_column(sa.Double())
    seed: Mapped[int] = mapped_column(sa.BigInteger())
    prompt_hash: Mapped[str] = mapped_column(sa.Text())
    image_hashes: Mapped[list[str]] = mapped_column(JSON)
    images_digest: Mapped[str] = mapped_column(sa.Text())
    started_at: Mapped[datetime] = mapped_column(UtcTime())
    latency_ms: Mapped[float] = mapped_column(sa.Double())
    tokens_in: Mapped[int | None] = mapped_column(sa.BigInteger())
    tokens_out: Mapped[int | None] = mapped_column(sa.BigInteger())
    tokens_cached: Mapped[int | None] = mapped_column(sa.BigInteger())
    cost_usd: Mapped[float] = mapped_column(sa.Double())
    state: Mapped[str] = mapped_column(
        sa.Enum(*ANSWER_STATES, *FAULT_STATES, native_enum=False, create_constraint=True, length=32, name="state")
    )
    fault_message: Mapped[str | None] = mapped_column(Words())
    score: Mapped[float | None] = mapped_column(sa.Double())
    score_stated: Mapped[float | None] = mapped_column(sa.Double())
    score_recomputed: Mapped[float | None] = mapped_column(sa.Double())
    subscores: Mapped[dict[str, float] | None] = mapped_column(JSON)
    rationale: Mapped[list[str]] = mapped_column(JSON)
    raw_answer: Mapped[str | None] = mapped_column(Words())
    dagster_run_id: Mapped[str | None] = mapped_column(sa.Text())
    answer_form: Mapped[str | None] = mapped_column(sa.Text())
    key_id: Mapped[str | None] = mapped_column(sa.Text())
