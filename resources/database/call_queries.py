"""Questions about recorded calls that look across judges: what was spent, and what was judged on an occasion."""

from collections.abc import Iterable
from datetime import datetime

import pandas as pd
import sqlalchemy as sa

from resources.database.call_records import OCCASION_SIGN, Spent
from resources.database.engine import usable
from resources.database.models import JudgeCall
from resources.tables.call_states import RELEVANCE, SUBSCORES
from resources.tables.declare import DTYPES
from resources.tables.fidelity.scores import JUDGE_CALLS

CALLS = JudgeCall.__table__
# Names of queries and documents are a person's own and may hold either sign.
IS_RELEVANCE = CALLS.c.rubric_version.startswith(RELEVANCE, autoescape=True)


def occasion_rows(engine: sa.Engine, study: str) -> pd.DataFrame:
    """Every attempt at an object judged again on an occasion (`object@occasion`), whichever judge gave it.

    Returns:
        The columns of table `judge_calls`, in the order of object, setting, repeat, attempt. Rows of several judges,
        prompts or images may share such a key; `score` is the one that counted when it was recorded.

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
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

    Raises:
        UserError: The database cannot be reached, is damaged or locked.
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
