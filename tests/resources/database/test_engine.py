"""Addresses of databases: what is understood, what is refused, and that no password is shown."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine, shown, strict_json
from resources.database.migrate import migrate
from resources.errors import UserError
from tests.unsynced import synced

SECRET = "hunter2"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2"])
def test_postgres_is_reached_through_psycopg2_however_it_is_written(scheme: str) -> None:
    engine = open_engine(f"{scheme}://judge:{SECRET}@db.example:5433/calls")
    assert engine.url.drivername == "postgresql+psycopg2"
    assert (engine.url.host, engine.url.port, engine.url.password) == ("db.example", 5433, SECRET)
    assert shown(engine) == "postgresql+psycopg2://judge:***@db.example:5433/calls"


def in_folder(folder: Path) -> str:
    return f"sqlite:///{folder / 'touchstone.db'}"


def test_the_folder_of_sqlites_file_is_made_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "not yet" / "home"
    migrate(open_engine(in_folder(folder)))
    assert (folder / "touchstone.db").is_file()


def test_sqlite_waits_for_locks_keeps_references_and_waits_for_the_disk(tmp_path: Path) -> None:
    with synced(), open_engine(in_folder(tmp_path)).connect() as connection:
        pragmas = ["journal_mode", "foreign_keys", "busy_timeout", "synchronous"]
        values = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]
    assert values == ["wal", 1, 60_000, 2]  # 2 is FULL


def test_references_are_kept_after_a_migration(tmp_path: Path) -> None:
    engine = open_engine(in_folder(tmp_path))
    migrate(engine)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


@pytest.mark.parametrize(
    "url",
    [
        f"judge:{SECRET}@db.example",
        f"postgresql://judge:{SECRET}@db.example:port/calls",
        f"mysql://judge:{SECRET}@db.example/calls",
        f"postgresql+nosuch://judge:{SECRET}@db.example/calls",
        f"postgresql://judge:{SECRET}@127.0.0.1:1/calls",
        f"postgresql://127.0.0.1:1/calls?user=judge&password={SECRET}",
        f"postgresql://judge:{SECRET}@127.0.0.1:1/calls?nonsense=1",
        "sqlite:////proc/no/such/folder.db",
    ],
)
def test_a_wrong_address_is_a_user_error_without_the_password(url: str) -> None:
    with pytest.raises(UserError) as caught:
        migrate(open_engine(url))
    assert SECRET not in str(caught.value)
    assert "TOUCHSTONE_DATABASE_URL" in str(caught.value) or "postgresql://" in str(caught.value)


def test_a_file_that_is_no_database_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "touchstone.db").write_text("score,object\n" * 100)
    with pytest.raises(UserError, match="not a database"):
        migrate(open_engine(in_folder(tmp_path)))


def test_json_is_strict() -> None:
    assert strict_json({"é": (1, "\x00")}) == '{"é": [1, "\u2400"]}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        strict_json([float("inf")])


def test_a_failed_statement_does_not_show_its_values(tmp_path: Path) -> None:
    with open_engine(in_folder(tmp_path)).connect() as connection, pytest.raises(sa.exc.OperationalError) as caught:
        connection.execute(sa.text("INSERT INTO nowhere VALUES (:value)"), {"value": SECRET})
    assert SECRET not in str(caught.value)
