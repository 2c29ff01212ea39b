"""What a person looks up in the ledger: how many calls came to what and at which price, and single calls."""

from typing import NamedTuple

import pandas as pd
import sqlalchemy as sa

from resources.database.call_queries import CALLS, IS_RELEVANCE
from resources.database.call_records import ALTERATION_SIGN, OCCASION_SIGN
from resources.database.engine import usable

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

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
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
    """Every different message of answers without a score and of faults: state, message, attempts.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
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

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
    """
    columns = [_KIND.label("kind"), *(CALLS.c[name] for name in SHOWN)]
    with usable(engine), engine.connect() as connection:
        found = connection.execute(sa.select(*columns).where(*scope.conditions)).mappings().all()
    frame = pd.DataFrame(found, columns=["kind", *SHOWN])
    return frame.sort_values(["setting", "object", "repeat", "attempt"], ignore_index=True)
