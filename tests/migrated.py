"""Databases with the tables of this version that tests need not wait for: migrations run once in a process."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import sqlalchemy as sa

from resources.database import migrate as module
from resources.database.engine import open_engine
from resources.database.migrate import migrate
from tests.postgres import empty_database

by_migrations = module._upgrade


def migrated_by_copy() -> None:
    """From here on an empty SQLite database of this process gets its tables as the migrations made them once."""
    module._upgrade = _upgrade


@pytest.fixture
def by_every_migration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every database of the test is brought to its tables by the migrations themselves."""
    monkeypatch.setattr(module, "_upgrade", by_migrations)


@pytest.fixture(params=["sqlite", "postgres"])
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Address of a database with the tables of this version and without a row."""
    if request.param == "sqlite":
        yield _migrated(f"sqlite:///{tmp_path / 'touchstone.db'}")
        return
    server, template = (request.getfixturevalue(name) for name in ("postgres_server", "migrated_template"))
    with empty_database(server, template) as address:
        yield address


@pytest.fixture(scope="session")
def migrated_template(postgres_server: str) -> Iterator[str]:
    """Name of a Postgres database with the tables of this version, to which nothing is connected."""
    with empty_database(postgres_server) as address:
        yield str(sa.make_url(_migrated(address)).database)


def _migrated(address: str) -> str:
    engine = open_engine(address)
    migrate(engine)
    engine.dispose()
    return address


def _upgrade(connection: sa.Connection, address: str) -> None:
    if connection.dialect.name != "sqlite" or sa.inspect(connection).get_table_names():
        by_migrations(connection, address)
        return
    for statement in _statements():
        connection.exec_driver_sql(statement)


@cache
def _statements() -> list[str]:
    """What makes an empty database one of this version."""
    with sa.create_engine("sqlite://").connect() as connection:
        by_migrations(connection, "in memory")
        raw = connection.connection.driver_connection
        assert raw is not None
        # A transaction is under way where they are run.
        return [one for one in raw.iterdump() if one not in ("BEGIN TRANSACTION;", "COMMIT;")]
