"""The ledger of judge calls: an attempt is there once it is recorded, whatever happens to the run afterwards."""

from collections.abc import Iterable, Set
from contextlib import AbstractContextManager
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from resources.database import call_queries
from resources.database.call_queries import CALLS, frame_of, in_order
from resources.database.call_records import CallKey, CallRecord, Progress, Spent, images_digest
from resources.database.engine import usable, writing
from resources.database.locks import Turn, turn
from resources.tables.call_states import ANSWER_STATES, FAULT_STATES, SCORED_STATES

KEY = [CALLS.c[name] for name in CallKey._fields]
ROW_KEY = [*KEY, CALLS.c.attempt]
BATCH = 500
_STATES = (*FAULT_STATES, *ANSWER_STATES)
# Attempt and state in one number: its maximum is the last attempt with its state, on every database.
_PLACES = 16
_ATTEMPT_AND_STATE = CALLS.c.attempt * _PLACES + sa.case(
    {state: place for place, state in enumerate(_STATES)}, value=CALLS.c.state
)


class Ledger:
    """Reads and writes `judge_calls`; safe in several threads and processes at once.

    A call's last attempt is the one that counts: a call that is answered is not made again, unless it has no score and
    a person asks for another answer. `UserError` is raised where the database cannot be reached, is damaged or locked.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Use a database whose tables are up to date (`resources.database.migrate`)."""
        self.engine = engine
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
        """
        scored = sa.func.max(sa.case((CALLS.c.state.in_(SCORED_STATES), 1), else_=0))
        # The study and the judge are given, so that they need not come back with every row.
        given = [study, judge_identity]
        question = (
            sa.select(*KEY[len(given) :], sa.func.max(_ATTEMPT_AND_STATE), scored)
            .where(*self._scope(study, judge_identity, settings))
            .group_by(*KEY)
        )
        with usable(self.engine), self.engine.connect() as connection:
            return {
                CallKey(study, judge_identity, *key): _come_to(last, any_score)
                for *key, last, any_score in connection.execute(question).all()
            }

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
        with usable(self.engine), self._writer.begin() as connection:
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
        """
        question = sa.select(CALLS).where(*self._scope(study, judge_identity, settings)).order_by(*ROW_KEY)
        with usable(self.engine), self.engine.connect() as connection:
            found = connection.execution_options(yield_per=1000).execute(question).mappings()
            kept = [row for row in found if keys is None or CallKey(*(row[column] for column in KEY)) in keys]
        return frame_of(in_order(kept))

    def occasion_rows(self, study: str) -> pd.DataFrame:
        """Every attempt at an anchor object; see `call_queries.occasion_rows`."""
        return call_queries.occasion_rows(self.engine, study)

    def spent(self, study: str, midnight: datetime) -> Spent:
        """What was spent, in all and since `midnight`; see `call_queries.spent`."""
        return call_queries.spent(self.engine, study, midnight)

    def turn(self, names: Iterable[str], who: str) -> AbstractContextManager[Turn]:
        """What keeps two runs from asking the same calls at once; see `resources.database.locks`."""
        return turn(self.engine, names, who)

    @staticmethod
    def _scope(study: str, judge_identity: str, settings: Iterable[str] | None) -> list[sa.ColumnElement[bool]]:
        scope = [CALLS.c.study == study, CALLS.c.judge_identity == judge_identity]
        return scope if settings is None else [*scope, CALLS.c.setting.in_(list(settings))]

    def _after_fault(self, connection: sa.Connection, row: CallRecord) -> bool:
        """Keep an answer whose attempt is taken, unless by an answer, or the call has a score."""
        same_call = [column == value for column, value in zip(KEY, row.call_key, strict=True)]
        taken = connection.execute(sa.select(CALLS.c.attempt, CALLS.c.state).where(*same_call)).all()
        for attempt, state in taken:
            if state in SCORED_STATES or (attempt >= row.attempt and state in ANSWER_STATES):
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


@cache
def _come_to(attempt_and_state: int, scored: int) -> Progress:
    attempts, place = divmod(attempt_and_state, _PLACES)
    return Progress(attempts, _STATES[place], bool(scored))
