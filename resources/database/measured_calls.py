"""What one judge's recorded answers took on average."""

from typing import NamedTuple

import sqlalchemy as sa

from resources.database.engine import usable
from resources.database.models import JudgeCall
from resources.tables.call_states import ANSWER_STATES

CALLS = JudgeCall.__table__


class MeasuredCalls(NamedTuple):
    """Means over so many answers whose tokens are known; tokens a call, seconds a call."""

    n_answers: int
    tokens_in: float
    tokens_out: float
    tokens_cached: float
    latency_s: float


def measured_calls(engine: sa.Engine, study: str, judge_identity: str) -> MeasuredCalls | None:
    """The means of one judge's answers; null where there is none with tokens.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    mean = sa.func.avg
    question = sa.select(
        sa.func.count(), mean(CALLS.c.tokens_in), mean(CALLS.c.tokens_out), mean(CALLS.c.tokens_cached),
        mean(CALLS.c.latency_ms),
    ).where(
        CALLS.c.study == study,
        CALLS.c.judge_identity == judge_identity,
        CALLS.c.state.in_(ANSWER_STATES),
        CALLS.c.tokens_in.is_not(None),
    )  # fmt: skip
    with usable(engine), engine.connect() as connection:
        n_answers, tokens_in, tokens_out, tokens_cached, latency_ms = connection.execute(question).one()
    if not n_answers:
        return None
    # Postgres averages whole numbers to decimals.
    return MeasuredCalls(
        n_answers, float(tokens_in), float(tokens_out), float(tokens_cached or 0), float(latency_ms) / 1000
    )
