"""Dagster's SQLite databases: one engine each, which keeps no connection, and commits that wait for no disk."""

import dagster as dg
import pytest
import sqlalchemy as sa

from resources.runtime import dagster_databases
from resources.runtime.dagster_databases import keep_engines, kept_engine
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


def test_the_log_is_written_ahead_and_a_commit_does_not_wait_for_the_disk(tmp_path):
    def asked(name: str) -> object:
        # The second `synced`: `sqlite_instance_in` turns syncing off.
        with sqlite_instance_in(tmp_path) as instance, synced(), instance.event_log_storage.index_connection() as found:
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
