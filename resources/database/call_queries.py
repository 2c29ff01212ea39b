"""Questions about recorded calls: what was spent, what calls came to, single ones, and what one takes on average.

Each raises `UserError` where the database cannot be reached, is damaged or locked.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import pandas as pd
import sqlalchemy as sa

from resources.database.call_records import ALTERATION_SIGN, OCCASION_SIGN, Spent
from resources.database.engine import usable
from resources.database.models import JudgeCall
from resources.tables.call_states import ANSWER_STATES, RELEVANCE, SUBSCORES
from resources.tables.declare import DTYPES
from resources.tables.fidelity.scores import JUDGE_CALLS

CALLS = JudgeCall.__table__
# Names of queries and documents are a person's own and may hold either sign.
IS_RELEVANCE = CALLS.c.rubric_version.startswith(RELEVANCE, autoescape=True)
STUDY_CALLS, GOLDEN_CALLS, ANCHOR_CALLS, RELEVANCE_CALLS = "study", "golden", "anchor", "relevance"
JUDGE = ["judge", "model_asked", "judge_identity"]
SUMS = ["tokens_in", "tokens_out", "tokens_cached", "cost_usd"]
SHOWN = [
    *("setting", "object", "item_id", "repeat", "attempt", "state", "fault_message", "score"),
    *("tokens_in", "tokens_out", "tokens_cached", "cost_usd", "latency_ms", "started_at", "run_id", "dagster_run_id"),
]
_KIND = sa.case(
    (IS_RELEVANCE, RELEVANCE_CALLS),
    (CALLS.c.object.contains(ALTERATION_SIGN, autoescape=True), GOLDEN_CALLS),
    (CALLS.c.object.contains(OCCASION_SIGN, autoescape=True), ANCHOR_CALLS),
    else_=STUDY_CALLS,
)


def occasion_rows(engine: sa.Engine, study: str) -> pd.DataFrame:
    """Every attempt at an object judged again on an occasion (`object@occasion`), whichever judge gave it.

    Returns:
        The columns of table `judge_calls`, in the order of object, setting, repeat, attempt. Rows of several judges,
        prompts or images may share such a key; `score` is the one that counted when it was recorded.
    """
    asked_on_an_occasion = CALLS.c.object.contains(OCCASION_SIGN, autoescape=True)
    question = sa.select(CALLS).where(CALLS.c.study == study, asked_on_an_occasion, ~IS_RELEVANCE).order_by(CALLS.c.id)
    with usable(engine), engine.connect() as connection:
        return frame_of(in_order(connection.execute(question).mappings()))


def spent(engine: sa.Engine, study: str, midnight: datetime) -> Spent:
    """What the study has cost, and since `midnight`; attempts since then by access key, of all studies.

    What a recording cost is not counted again when it is replayed.

    Args:
        engine: The ledger's database.
        study: Name of the study.
        midnight: Start of the day, with a time zone.
    """
    today = sa.case((CALLS.c.started_at >= midnight, CALLS.c.cost_usd), else_=0.0)
    money = sa.select(sa.func.sum(CALLS.c.cost_usd), sa.func.sum(today)).where(
        CALLS.c.study == study, CALLS.c.judge != "replay"
    )
    requests = (
        sa.select(CALLS.c.key_id, sa.func.count().label("n"))
        .where(CALLS.c.started_at >= midnight, CALLS.c.key_id.is_not(None))
        .group_by(CALLS.c.key_id)
    )
    with usable(engine), engine.connect() as connection:
        usd, usd_today = connection.execute(money).one()
        counts = {row.key_id: row.n for row in connection.execute(requests)}
        return Spent(usd or 0.0, usd_today or 0.0, counts)


def in_order(rows: Iterable[sa.RowMapping]) -> list[sa.RowMapping]:
    """The rows in the order of the table's key: databases disagree about the order of text, Python does not."""
    return sorted(rows, key=lambda row: tuple(row[name] for name in JUDGE_CALLS.key))


def frame_of(rows: list[sa.RowMapping]) -> pd.DataFrame:
    """The rows with the columns and types of table `judge_calls`."""
    shown = [{**row, **{name: (row["subscores"] or {}).get(name) for name in SUBSCORES}} for row in rows]
    frame = pd.DataFrame(shown, columns=[column.name for column in JUDGE_CALLS.columns], dtype="object")
    return frame.astype({column.name: DTYPES[column.kind] for column in JUDGE_CALLS.columns})


class MeasuredCalls(NamedTuple):
    """Means over so many answers whose tokens are known; tokens a call, seconds a call."""

    n_answers: int
    tokens_in: float
    tokens_out: float
    tokens_cached: float
    latency_s: float


def measured_calls(engine: sa.Engine, study: str, judge_identity: str) -> MeasuredCalls | None:
    """The means of one judge's answers; null where there is none with tokens."""
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


class Scope(NamedTuple):
    """Which attempts are looked at; null is no limit."""

    study: str
    judge_identity: str
    settings: tuple[str, ...] | None = None
    states: tuple[str, ...] | None = None

    @property
    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """What the rows must meet."""
        limits = [CALLS.c.study == self.study, CALLS.c.judge_identity == self.judge_identity]
        if self.settings is not None:
            limits.append(CALLS.c.setting.in_(self.settings))
        if self.states is not None:
            limits.append(CALLS.c.state.in_(self.states))
        return limits


def state_counts(engine: sa.Engine, study: str) -> pd.DataFrame:
    """Attempts by judge, kind of object, setting and state.

    Returns:
        Columns ``judge``, ``model_asked``, ``judge_identity``, ``kind`` (study, golden, anchor, relevance),
        ``setting``, ``state``, ``n`` attempts, ``n_second`` second attempts (one for each call that was tried again),
        ``tokens_in``, ``tokens_out``, ``tokens_cached`` (0 where nothing was reported), ``cost_usd``, ``last`` (the
        highest row number: the judge that was asked last has the highest).
    """
    by = [*(CALLS.c[name] for name in JUDGE), _KIND.label("kind"), CALLS.c.setting, CALLS.c.state]
    sums = [sa.func.coalesce(sa.func.sum(CALLS.c[name]), 0).label(name) for name in SUMS]
    second = sa.func.sum(sa.case((CALLS.c.attempt == 2, 1), else_=0)).label("n_second")
    counts = [sa.func.count().label("n"), second, *sums, sa.func.max(CALLS.c.id).label("last")]
    # By position: Postgres does not see that two expressions with bound values are the same.
    grouped: list[sa.ColumnElement[str]] = [sa.literal_column(str(place)) for place in range(1, len(by) + 1)]
    question = sa.select(*by, *counts).where(CALLS.c.study == study).group_by(*grouped)
    with usable(engine), engine.connect() as connection:
        found = connection.execute(question)
        frame = pd.DataFrame(found.mappings().all(), columns=list(found.keys()))
    whole = ["n", "n_second", "last", *(name for name in SUMS if name.startswith("tokens"))]
    return frame.astype(dict.fromkeys(whole, "int64") | {"cost_usd": "float64"})


def messages(engine: sa.Engine, scope: Scope) -> list[tuple[str, str, int]]:
    """Every different message of answers without a score and of faults: state, message, attempts."""
    question = (
        sa.select(CALLS.c.state, CALLS.c.fault_message, sa.func.count())
        .where(*scope.conditions, CALLS.c.fault_message.is_not(None))
        .group_by(CALLS.c.state, CALLS.c.fault_message)
    )
    with usable(engine), engine.connect() as connection:
        return [(state, message, count) for state, message, count in connection.execute(question)]


def attempts(engine: sa.Engine, scope: Scope) -> pd.DataFrame:
    """Single attempts without their images and answers, as ordered by setting, object, repeat, attempt.

    Returns:
        Columns ``kind`` and those of `SHOWN`.
    """
    columns = [_KIND.label("kind"), *(CALLS.c[name] for name in SHOWN)]
    with usable(engine), engine.connect() as connection:
        found = connection.execute(sa.select(*columns).where(*scope.conditions)).mappings().all()
    frame = pd.DataFrame(found, columns=["kind", *SHOWN])
    return frame.sort_values(["setting", "object", "repeat", "attempt"], ignore_index=True)
