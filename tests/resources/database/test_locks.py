"""Turns between runs: who waits for whom, and what a run that ends leaves behind."""

import importlib.util
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from resources.database import locks
from resources.database.engine import open_engine
from resources.database.locks import turn
from resources.errors import UserError


@pytest.fixture
def other(migrated_url: str) -> Iterator[sa.Engine]:
    """The same database as another run sees it."""
    engine = open_engine(migrated_url)
    yield engine
    engine.dispose()


def test_a_second_run_gets_its_turn_when_the_first_gives_it_back(engine: sa.Engine, other: sa.Engine) -> None:
    with turn(other, ["a", "b"], "run 2") as second:
        with turn(engine, ["b"], "run 1") as first:
            assert first.take()
            assert not second.take()
        assert second.take()
        assert second.take()


def test_runs_that_ask_for_different_things_do_not_wait(engine: sa.Engine, other: sa.Engine) -> None:
    with turn(engine, ["a"], "run 1") as first, turn(other, ["b"], "run 2") as second:
        assert first.take()
        assert second.take()


def test_two_runs_of_one_process_are_kept_apart_too(engine: sa.Engine) -> None:
    with turn(engine, ["a"], "run 1") as first, turn(engine, ["a"], "run 2") as second:
        assert first.take()
        assert not second.take()


def test_runs_that_want_the_same_things_in_another_order_do_not_wait_for_ever(
    engine: sa.Engine, other: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LOOKS_EVERY_S", 0.01)
    had: list[str] = []

    def work(database: sa.Engine, names: list[str], who: str) -> None:
        for _ in range(5):
            with turn(database, names, who) as mine:
                mine.wait(lambda words: None)
                had.append(who)

    threads = [
        threading.Thread(target=work, args=(engine, ["a", "b"], "run 1")),
        threading.Thread(target=work, args=(other, ["b", "a"], "run 2")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert sorted(had) == ["run 1"] * 5 + ["run 2"] * 5


def test_the_wait_is_told_once_with_who_and_what(
    engine: sa.Engine, other: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LOOKS_EVERY_S", 0.01)
    said: list[str] = []
    with turn(engine, ["study shoes, setting t0.2"], "run 4711") as first:
        assert first.take()

        def wait() -> None:
            with turn(other, ["study shoes, setting t0.2"], "run 4712") as second:
                second.wait(said.append)

        waiting = threading.Thread(target=wait)
        waiting.start()
        until = time.monotonic() + 20
        while not said and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.1)  # ten more looks
        assert waiting.is_alive()
    waiting.join(timeout=20)
    assert not waiting.is_alive()
    [words] = said
    ends = "pg_terminate_backend(" if engine.dialect.name == "postgresql" else f"on {socket.gethostname()}, since"
    for part in ("Waiting for run 4711", "process", "UTC", "study shoes, setting t0.2", "Ctrl+C", "ends it", ends):
        assert part in words


def test_a_name_of_any_length_and_script_is_a_name(engine: sa.Engine, other: sa.Engine) -> None:
    name = "schläppchen 😀/.. " * 40
    with turn(engine, [name], "läufer 😀" * 20) as first, turn(other, [name], "run 2") as second:
        assert first.take()
        assert not second.take()


def test_a_turn_is_kept_while_nothing_happens_to_it(engine: sa.Engine) -> None:
    with turn(engine, ["a"], "run 1") as mine:
        assert mine.take()
        mine.keep()


def test_a_turn_whose_connection_the_server_closed_is_lost_and_says_so(postgres_url: str) -> None:
    engine, admin = open_engine(postgres_url), open_engine(postgres_url)
    with turn(engine, ["a"], "run 1") as mine:
        assert mine.take()
        with admin.connect() as connection:
            closing = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'run 1'")
            connection.execute(closing)
        with pytest.raises(UserError, match=r"closed the connection .* run again"):
            mine.keep()
    with turn(admin, ["a"], "run 2") as next_run:
        assert next_run.take()
    engine.dispose()
    admin.dispose()


def test_a_server_that_is_gone_is_a_user_error() -> None:
    gone = open_engine("postgresql://judge:hunter2@127.0.0.1:1/calls")
    with pytest.raises(UserError, match="cannot be used") as caught, turn(gone, ["a"], "run 1"):
        pass
    assert "hunter2" not in str(caught.value)


def test_a_system_without_locks_on_files_can_load_the_module_and_hears_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    described = importlib.util.spec_from_file_location("locks_elsewhere", locks.__file__)
    assert described is not None
    assert described.loader is not None
    elsewhere = importlib.util.module_from_spec(described)
    described.loader.exec_module(elsewhere)
    on_a_file = open_engine(f"sqlite:///{tmp_path / 'touchstone.db'}")
    with pytest.raises(UserError, match="TOUCHSTONE_DATABASE_URL"), elsewhere.turn(on_a_file, ["a"], "run 1"):
        pass
    with elsewhere.turn(open_engine("sqlite://"), ["a"], "run 1") as mine:
        assert mine.take()


def test_a_database_in_memory_has_no_other_run() -> None:
    with turn(open_engine("sqlite://"), ["a"], "run 1") as mine:
        assert mine.take()
        mine.keep()
