"""Dagster without what takes it long and no test looks at.

Connections to its memory, processes that follow its logs, and migrations that it reads for every database.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory
from dagster._core.execution import compute_logs
from dagster._core.storage.event_log.in_memory import InMemoryEventLogStorage
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.runs.in_memory import InMemoryRunStorage

Connecting = Callable[[Any], AbstractContextManager[sa.Connection]]
FOREIGN_KEYS = "foreign keys are on"
_has_column = SqlEventLogStorage.has_asset_key_col
_read_scripts = ScriptDirectory.from_config
_scripts: dict[str | None, ScriptDirectory] = {}


def quick_dagster() -> None:
    """From here on in this process.

    Dagster reads its ninety migrations once, and not for every database that it makes or opens: each run has one. An
    instance in memory asks over the connection that it holds, in place of a new one for each question. What a run
    writes to the terminal gets there when the run is over: Dagster starts four processes that follow it.
    """
    ScriptDirectory.from_config = _scripts_of  # type: ignore[method-assign, assignment]
    compute_logs.tail_to_stream = _shown_at_the_end
    InMemoryEventLogStorage._connect = _held(InMemoryEventLogStorage._connect)  # type: ignore[method-assign]
    InMemoryRunStorage.connect = _held(InMemoryRunStorage.connect)  # type: ignore[method-assign]
    # Dagster asks for columns more often than for anything else: a table that has one keeps it.
    SqlEventLogStorage.has_asset_key_col = _asked_until_it_is_there  # type: ignore[method-assign]


def _asked_until_it_is_there(storage: SqlEventLogStorage, name: str) -> bool:
    known: set[str] = vars(storage).setdefault("columns that are there", set())
    if name not in known and _has_column(storage, name):
        known.add(name)
    return name in known


def _scripts_of(config: Config) -> ScriptDirectory:
    """The migrations that a configuration names."""
    place = config.get_main_option("script_location")
    if place not in _scripts:
        _scripts[place] = _read_scripts(config)
    return _scripts[place]


@contextmanager
def _shown_at_the_end(path: str, stream: Any) -> Iterator[tuple[None, None]]:
    try:
        yield None, None
    finally:
        os.write(compute_logs._fileno(stream) or 1, Path(path).read_bytes())


def _held(connecting: Connecting) -> Connecting:
    @contextmanager
    def connect(storage: Any) -> Iterator[sa.Connection]:
        held = storage._held_conn
        if threading.current_thread() is not threading.main_thread() or held.in_transaction():
            with connecting(storage) as connection:
                yield connection
            return
        if FOREIGN_KEYS not in held.info:
            held.connection.driver_connection.execute("PRAGMA foreign_keys = ON")
            held.info[FOREIGN_KEYS] = True
            held.rollback()
        # Of the events, which other threads write over connections of their own.
        with getattr(storage, "_db_lock", nullcontext()), held.begin():
            yield held

    return connect
