"""Dagster's databases: one engine with a connection each, and commits that wait for no disk."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy as sa

from resources.runtime import dagster_databases
from resources.runtime.dagster_databases import close_connections, keep_engines, kept_engine, kept_server
from tests.small_study import sqlite_instance_in
from tests.unsynced import synced

MADE = dg.AssetMaterialization("table")


def test_the_second_event_of_an_instance_makes_no_engine(tmp_path, monkeypatch):
    with sqlite_instance_in(tmp_path) as instance:
        instance.report_runless_asset_event(MADE)
        monkeypatch.setattr(sa, "create_engine", lambda *_args, **_options: pytest.fail("an engine was made again"))
        instance.report_runless_asset_event(MADE)
        records = instance.fetch_materializations(dg.AssetKey("table"), limit=5).records
    assert len(records) == 2


def test_databases_of_two_instances_share_nothing(tmp_path):
    with sqlite_instance_in(tmp_path / "a") as one, sqlite_instance_in(tmp_path / "b") as two:
        one.report_runless_asset_event(MADE)
        assert len(one.fetch_materializations(dg.AssetKey("table"), limit=5).records) == 1
        assert two.fetch_materializations(dg.AssetKey("table"), limit=5).records == []


def test_a_database_that_was_made_anew_at_its_place_is_the_one_that_is_read(tmp_path):
    file = tmp_path / "one.db"
    engine = kept_engine(f"sqlite:///{file}", sa.pool.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    file.unlink()
    assert sa.inspect(kept_engine(f"sqlite:///{file}", sa.pool.NullPool)).get_table_names() == []


def made_connections(tmp_path, monkeypatch):
    made, connect = [], sqlite3.connect
    monkeypatch.setattr(sqlite3.dbapi2, "connect", lambda *given, **more: made.append(given) or connect(*given, **more))
    return made


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are seen on Linux only")
def test_no_database_is_open_for_a_child_that_is_forked_after_connections_are_closed(tmp_path):
    def opened():
        return [one for one in Path("/proc/self/fd").iterdir() if str(tmp_path) in os.path.realpath(one)]

    with sqlite_instance_in(tmp_path) as instance:
        instance.report_runless_asset_event(MADE)
        assert opened()
        close_connections()
        assert not opened()
        assert len(instance.fetch_materializations(dg.AssetKey("table"), limit=5).records) == 1


def test_the_second_event_of_an_instance_makes_no_connection(tmp_path, monkeypatch):
    with sqlite_instance_in(tmp_path) as instance:
        instance.report_runless_asset_event(MADE)
        made = made_connections(tmp_path, monkeypatch)
        instance.report_runless_asset_event(MADE)
        assert len(instance.fetch_materializations(dg.AssetKey("table"), limit=5).records) == 2
    assert made == []


def test_threads_at_once_have_a_connection_each_and_all_their_events_are_kept(tmp_path):
    with sqlite_instance_in(tmp_path) as instance, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: instance.report_runless_asset_event(MADE), range(40)))
        assert len(instance.fetch_materializations(dg.AssetKey("table"), limit=99).records) == 40


def test_what_another_process_wrote_last_and_closed_is_read(tmp_path):
    file = tmp_path / "one.db"
    engine = kept_engine(f"sqlite:///{file}", sa.pool.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    file.read_bytes()  # a file that is closed takes this process's locks with it: the next one is alone, it thinks
    program = f"import sqlite3; c = sqlite3.connect({str(file)!r}); c.execute('INSERT INTO t VALUES (1)'); c.commit()"
    subprocess.run([sys.executable, "-c", program], check=True)
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO t VALUES (2)")
    with sqlite3.connect(file) as other:
        assert other.execute("SELECT x FROM t").fetchall() == [(1,), (2,)]


def test_a_process_that_ends_leaves_no_log_behind(tmp_path):
    file = tmp_path / "one.db"
    program = f"""
from resources.runtime.dagster_databases import kept_engine
import sqlalchemy as sa
engine = kept_engine("sqlite:///{file}", sa.pool.NullPool)
with engine.begin() as connection:
    connection.exec_driver_sql("PRAGMA journal_mode = WAL")
with engine.begin() as connection:
    connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
assert {str(file)!r} + "-wal" in map(str, __import__("pathlib").Path({str(tmp_path)!r}).iterdir())
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert [one.name for one in tmp_path.iterdir()] == [file.name]
    with sqlite3.connect(file) as other:
        assert other.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_a_child_process_makes_a_connection_of_its_own(tmp_path):
    engine = kept_engine(f"sqlite:///{tmp_path / 'one.db'}", sa.pool.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    child = os.fork()
    if child == 0:
        kept = engine.pool.checkedin()  # type: ignore[attr-defined]
        with engine.begin() as connection:
            connection.exec_driver_sql("INSERT INTO t VALUES (1)")
        os._exit(kept)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT x FROM t").fetchall() == [(1,)]


def test_a_server_is_connected_to_once_and_again_when_it_has_ended_the_connection(postgres_url):
    def backend(engine: sa.Engine) -> int:
        with engine.connect() as connection:
            return int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar() or 0)

    from dagster_postgres.utils import create_pg_engine  # as late as Dagster loads it

    address = driven(postgres_url)
    asked = {"isolation_level": "AUTOCOMMIT", "poolclass": sa.pool.NullPool}
    engine = create_pg_engine(address, **asked)
    first = backend(engine)
    assert create_pg_engine(address, **asked) is engine
    assert backend(engine) == first
    other = sa.create_engine(address, poolclass=sa.pool.NullPool)
    with other.connect() as connection:
        connection.exec_driver_sql(f"SELECT pg_terminate_backend({first})")
    assert backend(engine) != first
    close_connections()
    with other.connect() as connection:
        left = connection.exec_driver_sql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).scalar()
    assert left == 0


def test_the_web_ui_has_connections_of_its_own(postgres_url):
    address = driven(postgres_url)
    kept = kept_server(address, isolation_level="AUTOCOMMIT", poolclass=sa.pool.NullPool)
    own = kept_server(address, isolation_level="AUTOCOMMIT", pool_size=1, max_overflow=10)
    assert own is not kept
    assert own is not kept_server(address, isolation_level="AUTOCOMMIT", pool_size=1, max_overflow=10)


NOWHERE = "postgresql+psycopg2://user@nowhere/{}"


def test_an_engine_with_a_hook_that_gives_a_token_is_not_kept():
    kept = kept_server(NOWHERE.format("token"), poolclass=sa.pool.NullPool)
    assert kept_server(NOWHERE.format("token"), poolclass=sa.pool.NullPool) is kept
    sa.event.listen(kept, "do_connect", lambda *_given: None)
    other = kept_server(NOWHERE.format("token"), poolclass=sa.pool.NullPool)
    assert other is not kept
    assert not other.dialect.dispatch.do_connect


def test_a_server_has_its_engine_where_python_leaves_assertions_out():
    made = f"kept_server({NOWHERE.format('o')!r}, poolclass=sa.pool.NullPool)"
    program = f"import sqlalchemy as sa; from {dagster_databases.__name__} import kept_server; {made}"
    subprocess.run([sys.executable, "-O", "-c", program], check=True)


def driven(address: str) -> str:
    """The address as Dagster is given it."""
    return sa.make_url(address).set(drivername="postgresql+psycopg2").render_as_string(hide_password=False)


def test_the_log_is_written_ahead_and_a_commit_does_not_wait_for_the_disk(tmp_path):
    def asked(name: str) -> object:
        # The second `synced`: `sqlite_instance_in` turns syncing off, for connections that are kept too.
        with sqlite_instance_in(tmp_path) as instance, synced():
            dagster_databases._engine.cache_clear()
            with instance.event_log_storage.index_connection() as found:
                return found.exec_driver_sql(f"PRAGMA {name}").scalar()

    with synced():
        assert [asked("journal_mode"), asked("synchronous")] == ["wal", 1]


def test_without_such_a_log_a_commit_waits_for_the_disk(tmp_path):
    with synced(), kept_engine(f"sqlite:///{tmp_path / 'one.db'}", sa.pool.NullPool).connect() as connection:
        asked = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert asked == ["delete", 2]


def test_a_module_that_makes_its_engines_in_another_way_is_named():
    with pytest.raises(AssertionError, match="json makes its engines in another way now"):
        keep_engines(["json"])


def test_no_more_engines_are_kept_than_a_process_needs(tmp_path):
    for number in range(dagster_databases.KEPT + 5):
        kept_engine(f"sqlite:///{tmp_path / str(number)}.db", sa.pool.NullPool)
    assert dagster_databases._engine.cache_info().currsize == dagster_databases.KEPT
