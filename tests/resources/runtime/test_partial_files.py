"""What killed runs leave next to tables goes away, and nothing else does."""

import os
import time
from pathlib import Path

import dagster as dg
import pytest
from upath import UPath

from resources.errors import UserError
from resources.runtime import partial_files
from resources.runtime.partial_files import named_in_faults, partial_file, sweep, write_whole
from tests.stored_tables import KEYS, by_setting, files, frame, one_table, run

pytestmark = pytest.mark.filterwarnings("ignore:Parameter `backfill_policy`")
HOUR_S = 3600


def left_behind(path: UPath, age_s: float) -> UPath:
    """A file that a run which was killed `age_s` seconds ago would have moved to the path."""
    file = partial_file(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"PAR1")
    if isinstance(file, Path):
        os.utime(file, (time.time() - age_s,) * 2)
    else:
        stored = file.fs.store[file.path]
        stored.modified = stored.modified.fromtimestamp(time.time() - age_s, stored.modified.tzinfo)
    return file


def test_only_files_that_are_older_than_an_hour_are_left_over(tables_base: UPath) -> None:
    old = left_behind(tables_base / "a.parquet", HOUR_S + 60)
    fresh = left_behind(tables_base / "a.parquet", HOUR_S - 60)
    (tables_base / "a.parquet").write_bytes(b"PAR1")
    assert sweep(tables_base) == 1
    assert not old.exists()
    assert files(tables_base) == sorted([fresh.name, "a.parquet"])


def test_a_folder_that_is_not_there_has_nothing_left_over(tables_base: UPath) -> None:
    assert sweep(tables_base / "nowhere") == 0


def test_a_file_that_another_process_sweeps_first_is_no_fault(
    tables_base: UPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = left_behind(tables_base / "a.parquet", HOUR_S + 60)
    changed_at = partial_files._changed_at

    def swept(file: UPath) -> float:
        seen = changed_at(file)
        file.unlink()
        return seen

    monkeypatch.setattr(partial_files, "_changed_at", swept)
    assert sweep(tables_base) == 0
    assert not old.exists()


def test_storing_a_table_removes_what_a_killed_run_left_of_it_and_of_no_other(
    tables_base: UPath, instance: dg.DagsterInstance
) -> None:
    own = left_behind(tables_base / "fidelity" / "scores.parquet", 2 * HOUR_S)
    other = left_behind(tables_base / "fidelity" / "totals.parquet", 2 * HOUR_S)
    run([one_table(frame("a"))], tables_base, instance)
    assert not own.exists()
    assert files(tables_base) == sorted(["fidelity/scores.parquet", f"fidelity/{other.name}"])


def test_storing_one_partition_removes_what_was_left_of_another(
    tables_base: UPath, instance: dg.DagsterInstance
) -> None:
    left = left_behind(tables_base / "fidelity" / "scores" / f"{KEYS[2]}.parquet", 2 * HOUR_S)
    run([by_setting()], tables_base, instance, partition_key=KEYS[0])
    assert not left.exists()
    assert files(tables_base) == [f"fidelity/scores/{KEYS[0]}.parquet"]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/null", "pipe"])
def test_no_file_takes_the_place_of_a_device_or_a_pipe(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match=f"{name} is no file, and would be replaced by one. Name a file."):
        write_whole(tmp_path / name, "a")
    write_whole(tmp_path / "link", "a")
    assert (tmp_path / "link").read_text() == "a"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
def test_a_full_disk_names_the_file_that_was_written(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match="No space left") as raised,
        named_in_faults(tmp_path / "table.parquet"),
        Path("/dev/full").open("wb", buffering=0) as file,
    ):
        file.write(b"PAR1")
    assert raised.value.filename == str(tmp_path / "table.parquet")
