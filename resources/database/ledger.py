"""The ledger of judge calls: an attempt is there once it is recorded, whatever happens to the run afterwards."""

from collections.abc import Iterable, Set
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from resources.database.engine import usable, writing
from resources.database.models import JudgeCall
from resources.judges.contract import ANSWER_STATES, SUBSCORES
from resources.judges.records import CallKey, CallRecord, images_digest
from resources.tables.declare import DTYPES
from resources.tables.fidelity import JUDGE_CALLS

CALLS = JudgeCall.__table__
KEY = [CALLS.c[name] for name in CallKey._fields]
ROW_KEY = [*KEY, CALLS.c.attempt]
BATCH = 500


class Progress(NamedTuple):
    """How far one planned call has come: `attempts` is the highest number used, `answered` ends it."""

    attempts: int
    answered: bool


class Ledger:
    """Reads and writes `judge_calls`; safe in several threads and processes at once.

    A call's last attempt is the one that counts: a call that is answered is not made again, so that no fault comes
    after an answer.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Use a database whose tables are up to date (`resources.database.migrate`)."""
        self._engine = engine
        self._writer = writing(engine)
        dialect = postgresql if engine.dialect.name == "postgresql" else sqlite
        # A row that is there already returns nothing.
        self._insert = dialect.insert(CALLS).on_conflict_do_nothing(index_elements=ROW_KEY).returning(*ROW_KEY)

    def progress(
        self, study: str, judge_identity: str, settings: Iterable[str] | None = None
    ) -> dict[CallKey, Progress]:
        """What every call of one judge has come to; a call without any attempt is not in it.

        Args:
            study: The study's name.
            judge_identity: Digest of the judge.
            settings: Partition keys; all where left out.

        Raises:
            UserError: The database cannot be reached, is damaged or locked.
        """
        answered = sa.func.max(sa.case((CALLS.c.state.in_(ANSWER_STATES), 1), else_=0))
        question = (
            sa.select(*KEY, sa.func.max(CALLS.c.attempt), answered)
            .where(*self._scope(study, judge_identity, settings))
            .group_by(*KEY)
        )
        with usable(self._engine), self._engine.connect() as connection:
            return {CallKey(*row[:-2]): Progress(row[-2], bool(row[-1])) for row in connection.execute(question)}

    def record_many(self, rows: Iterable[CallRecord]) -> int:
        """Keep attempts, all or none, at once and for good.

        A row under the same key and attempt stays as it is, and the new one is dropped; only an answer that meets a
        fault there (two processes asked at the same time) is kept under the next free attempt, because it was paid
        for.

        Returns:
            How many are new.

        Raises:
            UserError: The database cannot be reached, is damaged, locked or full.
        """
        waiting = list(rows)
        if not waiting:
            return 0
        new = 0
        with usable(self._engine), self._writer.begin() as connection:
            for start in range(0, len(waiting), BATCH):
                batch = waiting[start : start + BATCH]
                made = {tuple(key) for key in connection.execute(self._insert, [_values(row) for row in batch])}
                new += len(made)
                for row in batch:
                    if row.answered and (*row.call_key, row.attempt) not in made:
                        new += self._after_fault(connection, row)
        return new

    def rows(
        self,
        study: str,
        judge_identity: str,
        settings: Iterable[str] | None = None,
        keys: Set[CallKey] | None = None,
    ) -> pd.DataFrame:
        """The recorded attempts with the columns and types of table `judge_calls`, in the order of its key.

        Args:
            study: The study's name.
            judge_identity: Digest of the judge.
            settings: Partition keys; all where left out.
            keys: The calls planned now; attempts with another prompt or other images are left out. All where left out.

        Raises:
            UserError: The database cannot be reached, is damaged or locked.
        """
        question = sa.select(CALLS).where(*self._scope(study, judge_identity, settings)).order_by(*ROW_KEY)
        with usable(self._engine), self._engine.connect() as connection:
            found = connection.execution_options(yield_per=1000).execute(question).mappings()
            kept = [row for row in found if keys is None or CallKey(*(row[column] for column in KEY)) in keys]
        # Databases disagree about the order of text, Python does not.
        kept.sort(key=lambda row: tuple(row[name] for name in JUDGE_CALLS.key))
        return _frame(kept)

    @staticmethod
    def _scope(study: str, judge_identity: str, settings: Iterable[str] | None) -> list[sa.ColumnElement[bool]]:
        scope = [CALLS.c.study == study, CALLS.c.judge_identity == judge_identity]
        return scope if settings is None else [*scope, CALLS.c.setting.in_(list(settings))]

    def _after_fault(self, connection: sa.Connection, row: CallRecord) -> bool:
        """Keep an answer whose attempt is taken, unless the call has an answer."""
        same_call = [column == value for column, value in zip(KEY, row.call_key, strict=True)]
        taken = connection.execute(sa.select(CALLS.c.attempt, CALLS.c.state).where(*same_call)).all()
        if any(state in ANSWER_STATES for _attempt, state in taken):
            return False
        values = _values(row) | {"attempt": max(attempt for attempt, _state in taken) + 1}
        return connection.execute(self._insert, [values]).first() is not None


def _values(row: CallRecord) -> dict[str, Any]:
    values = {item.name: getattr(row, item.name) for item in fields(row)}
    # The drivers take a numpy number for something else, or not at all.
    values = {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
    subscores = None if row.subscores is None else {name: float(value) for name, value in row.subscores.items()}
    parameters = dict(row.parameters)
    return values | {
        "subscores": subscores,
        "parameters": parameters,
        "images_digest": images_digest(row.image_hashes),
    }


def _frame(rows: list[sa.RowMapping]) -> pd.DataFrame:
    shown = [{**row, **{name: (row["subscores"] or {}).get(name) for name in SUBSCORES}} for row in rows]
    frame = pd.DataFrame(shown, columns=[column.name for column in JUDGE_CALLS.columns], dtype="object")
    return frame.astype({column.name: DTYPES[column.kind] for column in JUDGE_CALLS.columns})
