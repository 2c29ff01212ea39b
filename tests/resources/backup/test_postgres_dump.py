"""Back-ups of databases that change meanwhile: on SQLite, and on Postgres where one holds Dagster and the ledger."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import sqlalchemy as sa
from upath import UPath

from resources.backup.home_backup import back_up, restore
from resources.database.engine import open_engine
from resources.errors import UserError
from resources.runtime.home import Home
from tests.postgres import postgres_programs

POSTGRES = "postgres"
PATIENCE_S = 60.0
# One of the ledger's tables, and one of Dagster's.
OURS, DAGSTERS = "queries", "runs"


class Databases(NamedTuple):
    """Addresses of Dagster's database and the ledger's, which are one on Postgres, and what makes a key there."""

    dagster: str
    ledger: str
    key: str

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The environment names them."""
        with pytest.MonkeyPatch.context() as patch:
            if self.ledger.startswith("postgresql"):
                patch.setenv("TOUCHSTONE_DATABASE_URL", self.ledger)
            yield

    def run_ends(self) -> None:
        """A row more for each, as at the end of a run."""
        for table, address in ((DAGSTERS, self.dagster), (OURS, self.ledger)):
            engine = open_engine(address)
            with engine.begin() as connection:
                connection.execute(sa.text(f"CREATE TABLE IF NOT EXISTS {table} (id {self.key}, said TEXT)"))
                connection.execute(sa.text(f"INSERT INTO {table} (said) VALUES ('x')"))
            engine.dispose()

    def ids(self) -> tuple[list[int], list[int]]:
        """Of the rows of each."""
        found = []
        for table, address in ((DAGSTERS, self.dagster), (OURS, self.ledger)):
            engine = open_engine(address)
            with engine.connect() as connection:
                found.append(list(connection.scalars(sa.text(f"SELECT id FROM {table} ORDER BY id"))))
            engine.dispose()
        return found[0], found[1]


@pytest.fixture(params=["sqlite", POSTGRES])
def databases_of(
    request: pytest.FixtureRequest, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Home], Databases]:
    """Names the databases of a home, empty ones each time on Postgres."""
    monkeypatch.setenv("PATH", f"{postgres_programs()}{os.pathsep}{os.environ['PATH']}")

    def made(home: Home) -> Databases:
        if request.param == POSTGRES:
            address = new_database()
            return Databases(address, address, "SERIAL PRIMARY KEY")
        return Databases(
            f"sqlite:///{home.dagster}/history/runs.db", f"sqlite:///{home.local}/touchstone.db", "INTEGER PRIMARY KEY"
        )

    return made


def test_a_run_that_ends_during_the_back_up_is_in_the_ledgers_copy_and_not_in_dagsters(
    home: Home, tmp_path: Path, databases_of: Callable[[Home], Databases]
) -> None:
    databases = databases_of(home)
    databases.run_ends()
    copied = tmp_path / "backup" / "home" / "tables" / "fidelity" / "human_scores.parquet"
    with (
        closing(sqlite3.connect(home.local / "another.db", isolation_level=None)) as another,
        ThreadPoolExecutor() as beside,
        databases.entered(),
    ):
        another.execute("CREATE TABLE anything (id INTEGER)")
        # The back-up waits for this database, which comes between the tables and the ledger.
        another.execute("BEGIN EXCLUSIVE")
        backing_up = beside.submit(back_up, home, "small", tmp_path / "backup")
        deadline = time.monotonic() + PATIENCE_S
        while not copied.exists() and not backing_up.done() and time.monotonic() < deadline:
            time.sleep(0.02)
        databases.run_ends()
        another.execute("COMMIT")
        backing_up.result(timeout=PATIENCE_S)
    target = Home(UPath(tmp_path / "new"), tmp_path / "new")
    restored = databases_of(target)
    with restored.entered():
        restore(tmp_path / "backup", target)
    assert restored.ids() == ([1], [1, 2])
    restored.run_ends()
    assert restored.ids() == ([1, 2], [1, 2, 3])


def test_a_ledger_that_no_study_made_yet_is_backed_up_and_restored(
    home: Home, tmp_path: Path, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{postgres_programs()}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", new_database())
    made = back_up(home, "small", tmp_path / "backup")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", new_database())
    assert restore(tmp_path / "backup", Home(UPath(tmp_path / "new"), tmp_path / "new")) == made


def test_where_the_second_database_refuses_the_first_is_named_with_what_to_do(
    home: Home, tmp_path: Path, new_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{postgres_programs()}{os.pathsep}{os.environ['PATH']}")
    full, dagsters, refusing = new_database(), new_database(), new_database()
    Databases(full, full, "SERIAL PRIMARY KEY").run_ends()
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", full)
    back_up(home, "small", tmp_path / "backup")
    engine = open_engine(refusing)
    with engine.begin() as connection:
        connection.execute(sa.text(f"CREATE SEQUENCE {OURS}_id_seq"))
    engine.dispose()
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", refusing)
    monkeypatch.setenv("DAGSTER_POSTGRES_URL", dagsters)
    target = Home(UPath(tmp_path / "new"), tmp_path / "new")
    with pytest.raises(UserError, match=f"pg_restore failed on .*{dagsters.rsplit('/', 1)[1]} before: drop that"):
        restore(tmp_path / "backup", target)
    assert not target.local.exists()
