"""A ledger that is damaged, locked or badly addressed: which one, and what to do."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from resources.database import engine as engines
from resources.database.call_records import CallRecord
from resources.database.engine import open_engine, refuse_damaged
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.errors import UserError

Attempt = Callable[..., CallRecord]
USES: dict[str, Callable[[Ledger, CallRecord], object]] = {
    "progress": lambda ledger, _: ledger.progress("shoes", "5e1f"),
    "rows": lambda ledger, _: ledger.rows("shoes", "5e1f"),
    "record_many": lambda ledger, row: ledger.record_many([row]),
}


@pytest.fixture
def file(tmp_path: Path, attempt: Attempt) -> Path:
    """SQLite's file with 200 answers, nobody using it."""
    file = tmp_path / "touchstone.db"
    engine = open_engine(f"sqlite:///{file}")
    migrate(engine)
    Ledger(engine).record_many(attempt(repeat=number) for number in range(1, 201))
    engine.dispose()
    return file


@pytest.fixture
def reopened(file: Path) -> Iterator[sa.Engine]:
    """An engine on it that has not connected yet."""
    engine = open_engine(f"sqlite:///{file}")
    yield engine
    engine.dispose()


def overwrite_pages(file: Path) -> None:
    """Leave the first page, which lists the tables, and spoil the others."""
    with closing(sqlite3.connect(file)) as connection:
        page = connection.execute("PRAGMA page_size").fetchone()[0]
    data = file.read_bytes()
    file.write_bytes(data[:page] + b"\xa5" * (len(data) - page))


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_a_damaged_ledger_names_the_file_and_the_way_back(
    file: Path, reopened: sa.Engine, attempt: Attempt, use: Callable[[Ledger, CallRecord], object]
) -> None:
    overwrite_pages(file)
    with pytest.raises(UserError) as caught:
        use(Ledger(reopened), attempt(repeat=201))
    for part in (str(file), "malformed", "restore it from a backup", "move it away"):
        assert part in str(caught.value)


@pytest.mark.parametrize("spoil", [overwrite_pages, lambda file: file.write_text("score\n" * 999)])
def test_a_look_finds_the_damage(file: Path, reopened: sa.Engine, spoil: Callable[[Path], object]) -> None:
    refuse_damaged(reopened)
    reopened.dispose()
    spoil(file)
    with pytest.raises(UserError, match=r"touchstone\.db cannot be used: .*restore it from a backup"):
        refuse_damaged(reopened)


def test_a_page_that_is_damaged_where_no_one_reads_is_found_too(file: Path, reopened: sa.Engine) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:-4096] + b"\xa5" * 4096)
    migrate(reopened)  # which reads the version alone
    with pytest.raises(UserError, match="restore it from a backup"):
        refuse_damaged(reopened)


def test_a_sound_database_passes_the_look(engine: sa.Engine) -> None:
    migrate(engine)
    refuse_damaged(engine)


def test_a_locked_ledger_says_to_wait(file: Path, attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "BUSY_TIMEOUT_S", 0.05)
    engine = open_engine(f"sqlite:///{file}")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserError, match=r"touchstone\.db cannot be used: database is locked. Another process"):
            Ledger(engine).record_many([attempt(repeat=201)])
    assert Ledger(engine).record_many([attempt(repeat=201)]) == 1
    engine.dispose()


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_a_server_that_is_gone_is_a_user_error(attempt: Attempt, use: Callable[[Ledger, CallRecord], object]) -> None:
    engine = open_engine("postgresql://judge:hunter2@127.0.0.1:1/calls")
    with pytest.raises(UserError, match="TOUCHSTONE_DATABASE_URL") as caught:
        use(Ledger(engine), attempt())
    assert "hunter2" not in str(caught.value)
