"""A newer version on what an older one left: the ledger's and Dagster's tables are brought up to date, rows kept."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import sqlalchemy as sa
from alembic import command
from dagster._core.storage.runs.sqlite import sqlite_run_storage as sqlite_runs
from dagster._core.storage.sql import get_alembic_config, run_alembic_downgrade
from dagster_postgres.run_storage import run_storage as postgres_runs
from dagster_postgres.run_storage.run_storage import PostgresRunStorage
from dagster_postgres.utils import pg_alembic_config

from pipeline.instance import open_instance
from resources.database.engine import open_engine, writing
from resources.database.migrate import configuration
from resources.runtime.home import CHECKOUT, Home, touchstone_home
from resources.study import Study
from tests.deploy.configured_study import environment
from tests.small_study import KEYS, UP_TO_CALLS, errors, ledger_rows, run, write_study

# Dagster's revision before it could search backfills by job; ours before study D.
DAGSTER_THEN, LEDGER_THEN = "1aca709bba64", "0002"
STRETCH = (KEYS[1], KEYS[1])
POSTGRES = "postgres"


@pytest.fixture(params=["sqlite", POSTGRES])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home whose ledger and Dagster lie on SQLite or on Postgres."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    for name in ("DAGSTER_HOME", "DAGSTER_POSTGRES_URL", "TOUCHSTONE_DAGSTER_YAML", "TOUCHSTONE_DATABASE_URL"):
        monkeypatch.setenv(name, "")
    if request.param == POSTGRES:
        monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", request.getfixturevalue("postgres_url"))
        monkeypatch.setenv("TOUCHSTONE_DAGSTER_YAML", str(CHECKOUT / "deploy/postgres/dagster.yaml"))
    yield touchstone_home()
    # Postgres lets nobody drop a database that an engine of Dagster's still holds open.
    monkeypatch.undo()


def older(storage: Any) -> None:
    """Take Dagster's tables of runs back to what an older release made."""
    of_postgres = isinstance(storage, PostgresRunStorage)
    ours = pg_alembic_config(postgres_runs.__file__) if of_postgres else get_alembic_config(sqlite_runs.__file__)
    with storage.connect() as connection:
        run_alembic_downgrade(ours, connection, DAGSTER_THEN)


def test_dagsters_tables_of_an_older_release_are_migrated_and_keep_their_runs(home: Home) -> None:
    @dg.job
    def anything() -> None: ...

    with open_instance(home) as instance:
        made = anything.execute_in_process(instance=instance).run_id
        older(instance.run_storage)
        assert instance.run_storage.alembic_version()[0] == DAGSTER_THEN
    program = str(Path(sys.executable).parent / "dagster")
    variables = environment(home.local, DAGSTER_HOME=str(home.dagster))
    if home.database_url.startswith("postgresql"):
        variables["DAGSTER_POSTGRES_URL"] = open_engine(home.database_url).url.render_as_string(hide_password=False)
    done = subprocess.run([program, "instance", "migrate"], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open_instance(home) as instance:
        now, newest = instance.run_storage.alembic_version()
        assert now == newest != DAGSTER_THEN
        assert [run.run_id for run in instance.get_runs()] == [made]


def test_a_ledger_of_an_older_version_is_migrated_at_first_use_and_no_call_is_repeated(
    home: Home, tmp_path: Path
) -> None:
    plan = write_study(tmp_path)

    def study() -> Study:
        return Study("small", plan.fidelity_section, home)

    with open_instance(home) as instance:
        assert not errors(run(study(), instance, STRETCH, UP_TO_CALLS))
        before = ledger_rows(study())
        engine = open_engine(home.database_url)
        with writing(engine).begin() as connection:
            command.downgrade(configuration(connection), LEDGER_THEN)
        assert "queries" not in sa.inspect(engine).get_table_names()
        assert not errors(run(study(), instance, STRETCH, UP_TO_CALLS))
    assert "queries" in sa.inspect(engine).get_table_names()
    engine.dispose()
    assert not before.empty
    assert ledger_rows(study()).equals(before)
