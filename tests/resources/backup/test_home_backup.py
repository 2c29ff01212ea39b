"""Back-ups of a home: what is copied, how, and what a restore refuses before it changes anything."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from upath import UPath

from resources.backup.home_backup import back_up, files_of, read_manifest, restore
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, DAGSTER_POSTGRES_URL, DATABASE_URL, Home

ROWS = 500


def ledger(home: Home) -> sqlite3.Connection:
    """A database in WAL mode whose newest rows lie in the file next to it."""
    connection = sqlite3.connect(home.local / "touchstone.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY, said TEXT)")
    return connection


def rows(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT count(*) FROM calls").fetchone()[0])


def test_rows_that_only_the_log_beside_the_database_holds_are_in_the_copy(home: Home, tmp_path: Path) -> None:
    with closing(ledger(home)) as connection:
        connection.executemany("INSERT INTO calls (said) VALUES (?)", [("x" * 100,)] * ROWS)
        assert (home.local / "touchstone.db-wal").stat().st_size > ROWS * 100
        back_up(home, "small", tmp_path / "backup")
    assert rows(tmp_path / "backup" / "home" / "touchstone.db") == ROWS


def test_a_transaction_that_is_under_way_is_left_out_whole(home: Home, tmp_path: Path) -> None:
    with closing(ledger(home)) as connection:
        connection.execute("INSERT INTO calls (said) VALUES ('kept')")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO calls (said) VALUES ('not yet')")
        back_up(home, "small", tmp_path / "backup")
        connection.execute("COMMIT")
    assert rows(tmp_path / "backup" / "home" / "touchstone.db") == 1
    assert rows(home.local / "touchstone.db") == 2


def test_the_ledger_is_copied_after_the_tables_and_passing_files_are_not(home: Home) -> None:
    with closing(ledger(home)) as connection:
        connection.execute("INSERT INTO calls (said) VALUES ('one')")
        files = [str(file) for file in files_of(home.local)]
    assert files == ["study.txt", "tables/fidelity/human_scores.parquet", "touchstone.db"]


def test_dagsters_state_comes_first_its_sensors_before_its_runs_and_no_table_that_it_knows_is_missed(
    home: Home,
) -> None:
    states = ["schedules/schedules.db", "dagster.yaml", "history/runs.db", "history/runs/index.db"]
    for name in states:
        (home.dagster / name).parent.mkdir(parents=True, exist_ok=True)
        (home.dagster / name).write_bytes(b"SQLite format 3\0" if name.endswith(".db") else b"")
    files = files_of(home.local)
    assert [next(files) for _ in states] == [Path("dagster", name) for name in states]
    (home.local / "tables" / "made_by_now.parquet").write_bytes(b"a table")
    assert Path("tables/made_by_now.parquet") in list(files)


def test_a_file_of_the_users_keeps_its_name_whatever_that_ends_with(home: Home) -> None:
    (home.local / "inbox").mkdir()
    (home.local / "inbox" / "scores-wal").write_text("mine")
    assert Path("inbox/scores-wal") in list(files_of(home.local))


def test_a_link_that_leads_back_up_is_followed_once(home: Home) -> None:
    (home.local / "tables" / "again").symlink_to(home.local)
    assert list(files_of(home.local)) == [Path("study.txt"), Path("tables/fidelity/human_scores.parquet")]


def test_a_restored_home_holds_the_same_files(home: Home, tmp_path: Path) -> None:
    made = back_up(home, "small", tmp_path / "backup")
    target = Home(UPath(tmp_path / "new"), tmp_path / "new")
    assert restore(tmp_path / "backup", target) == made == read_manifest(tmp_path / "backup")
    for file in files_of(home.local):
        assert (target.local / file).read_bytes() == (home.local / file).read_bytes()


def test_a_back_up_is_restored_though_nothing_can_be_written_beside_its_databases(home: Home, tmp_path: Path) -> None:
    with closing(ledger(home)) as connection:
        connection.executemany("INSERT INTO calls (said) VALUES (?)", [("x",)] * ROWS)
        back_up(home, "small", tmp_path / "backup")
    for beside in ("-wal", "-shm"):
        # In place of rights that are missing, which the account root would not notice.
        (tmp_path / "backup" / "home" / f"touchstone.db{beside}").mkdir()
    restore(tmp_path / "backup", Home(UPath(tmp_path / "new"), tmp_path / "new"))
    assert rows(tmp_path / "new" / "touchstone.db") == ROWS


def test_a_database_that_cannot_be_copied_is_named_and_no_back_up_is_left(home: Home, tmp_path: Path) -> None:
    (home.local / "touchstone.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(UserError, match="touchstone.db cannot be copied .* The back-up is not complete"):
        back_up(home, "small", tmp_path / "backup")
    assert not (tmp_path / "backup" / "backup.json").exists()


def cut_off(backup: Path) -> None:
    (backup / "backup.json").unlink()


def damaged(backup: Path) -> None:
    (backup / "home" / "tables" / "fidelity" / "human_scores.parquet").write_bytes(b"a tablE")


def leading_out(backup: Path) -> None:
    said = json.loads((backup / "backup.json").read_text())
    said["files"]["home/../../elsewhere"] = {"bytes": 0, "sha256": ""}
    (backup / "backup.json").write_text(json.dumps(said))


def unreadable(backup: Path) -> None:
    (backup / "backup.json").write_text("{}")


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (cut_off, "is no complete back-up: it has no backup.json"),
        (damaged, "human_scores.parquet is missing or damaged. Nothing was restored"),
        (leading_out, "leads out of the back-up"),
        (unreadable, "cannot be read"),
    ],
)
def test_a_back_up_that_is_not_whole_is_refused(
    home: Home, tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    back_up(home, "small", tmp_path / "backup")
    harm(tmp_path / "backup")
    target = Home(UPath(tmp_path / "new"), tmp_path / "new")
    with pytest.raises(UserError, match=words):
        restore(tmp_path / "backup", target)
    assert not target.local.exists()


def test_nothing_is_written_over(home: Home, tmp_path: Path) -> None:
    back_up(home, "small", tmp_path / "backup")
    with pytest.raises(UserError, match="is not empty. Nothing was copied"):
        back_up(home, "small", tmp_path / "backup")
    with pytest.raises(UserError, match="is not empty. Nothing was restored"):
        restore(tmp_path / "backup", home)


def test_a_home_whose_state_lies_in_a_postgres_that_nobody_names_is_not_half_copied(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (DATABASE_URL, DAGSTER_POSTGRES_URL):
        monkeypatch.delenv(name, raising=False)
    home.dagster.mkdir()
    (home.dagster / "dagster.yaml").write_bytes((CHECKOUT / "deploy/postgres/dagster.yaml").read_bytes())
    with pytest.raises(UserError, match=f"no address of it is set. Nothing was copied. Set {DATABASE_URL}"):
        back_up(home, "small", tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_a_folder_in_the_home_is_refused(home: Home) -> None:
    with pytest.raises(UserError, match="lies in the home"):
        back_up(home, "small", home.local / "backups")


def test_a_ledger_that_nobody_would_read_is_not_restored(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(home, "small", tmp_path / "backup")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(UserError, match="holds no dump of Postgres, and the environment names dagster, ledger"):
        restore(tmp_path / "backup", Home(UPath(tmp_path / "new"), tmp_path / "new"))


def test_a_home_on_an_object_store_is_no_place_for_tables_of_a_folder(home: Home, tmp_path: Path) -> None:
    back_up(home, "small", tmp_path / "backup")
    with pytest.raises(UserError, match="The tables of the back-up lie in it, and TOUCHSTONE_HOME is memory"):
        restore(tmp_path / "backup", Home(UPath("memory://bucket"), tmp_path / "new"))


def test_a_failing_dump_names_the_server_and_not_the_password(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://somebody:hush@127.0.0.1:1/none")
    with pytest.raises(UserError, match="pg_dump") as raised:
        back_up(home, "small", tmp_path / "backup")
    assert "hush" not in str(raised.value)
    assert not (tmp_path / "backup" / "backup.json").exists()
