"""Versions of files and folders: by content, remembered by path, size and time, never of what still grows."""

import os
import time
from pathlib import Path
from unittest.mock import ANY

import pytest

from resources.errors import UserError
from resources.inputs import input_versions
from resources.inputs.input_versions import ABSENT, INDEX, InputVersions, Listed, NotYet, listed
from resources.inputs.pairwise.photo_places import PhotoPlaces
from resources.runtime.file_hash import sha256_of_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    for name in ("a.png", "deep/b.png", ".hidden"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    settle(folder)
    return folder


def settle(folder: Path, ago_s: float = 60) -> None:
    then = time.time() - ago_s
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


@pytest.fixture
def versions(tmp_path: Path) -> InputVersions:
    return InputVersions(tmp_path / "home")


def test_a_files_version_is_its_hash_and_what_is_not_there_is_absent(versions: InputVersions, folder: Path) -> None:
    assert versions.of(folder / "a.png").version == sha256_of_file(folder / "a.png")
    assert versions.of(folder / "none.png") == (ABSENT, 0, 0)


def test_hidden_files_are_none_of_a_folder(versions: InputVersions, folder: Path) -> None:
    found = versions.of(folder)
    assert (found.n_files, found.n_bytes) == (2, len("a.png") + len("deep/b.png"))


def test_paths_count_and_times_and_places_do_not(versions: InputVersions, folder: Path) -> None:
    first = versions.of(folder).version
    settle(folder, ago_s=999)
    assert versions.of(folder).version == first
    assert versions.of(folder.rename(folder.with_name("moved"))).version == first
    moved = folder.with_name("moved")
    (moved / "a.png").rename(moved / "c.png")
    assert versions.of(moved).version != first


def test_a_link_to_a_folder_counts_by_what_it_says(versions: InputVersions, folder: Path) -> None:
    (folder / "item").symlink_to("deep")
    (folder / "round").symlink_to(".")
    first = versions.of(folder)
    assert first.n_files == 2
    (folder / "item").unlink()
    (folder / "item").symlink_to("round")
    assert versions.of(folder).version != first.version
    (folder / "item").unlink()
    (folder / "item").symlink_to("deep")
    assert versions.of(folder) == first


def test_a_link_that_leads_round_in_a_circle_is_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "there.jpg").write_bytes(b"1")
    (tmp_path / "circle.jpg").symlink_to("circle.jpg")
    assert listed(tmp_path) == Listed({str(tmp_path / "there.jpg"): ANY}, {})
    assert PhotoPlaces.at(tmp_path).place_of("circle") == (str(tmp_path / "circle.JPG"), False)


def test_a_file_that_is_as_it_was_is_not_read_again(
    versions: InputVersions, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(path: str) -> str:
        read.append(path)
        return sha256_of_file(path)

    monkeypatch.setattr(input_versions, "sha256_of_file", counted)
    versions.of(folder)
    versions.of(folder)
    assert len(read) == 2
    (folder / "a.png").write_text("other")
    settle(folder)
    versions.of(folder)
    # Every time is another; a size alone would not do.
    assert len(read) == 4


def test_a_file_changed_just_now_is_not_remembered(versions: InputVersions, folder: Path) -> None:
    now = time.time()
    (folder / "a.png").write_text("first")
    os.utime(folder / "a.png", (now, now))
    first = versions.of(folder).version
    (folder / "a.png").write_text("other")
    # The same size at the same time, as a clock that counts coarsely would have it.
    os.utime(folder / "a.png", (now, now))
    assert versions.of(folder).version != first


def test_a_file_written_to_just_now_is_left_alone_and_one_from_the_future_is_not(
    versions: InputVersions, folder: Path
) -> None:
    (folder / "a.png").write_text("half")
    with pytest.raises(NotYet, match="may still grow"):
        versions.of(folder, quiet_s=2)
    os.utime(folder / "a.png", (4e9, 4e9))
    assert versions.of(folder, quiet_s=2).n_files == 2


def test_without_time_to_read_nothing_is_said(versions: InputVersions, folder: Path) -> None:
    with pytest.raises(NotYet, match="the rest comes next"):
        versions.of(folder, seconds=-1)


def test_without_a_home_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    assert InputVersions(None).of(folder) == InputVersions(tmp_path / "home").of(folder)
    assert not list(folder.parent.glob(INDEX))


def test_the_memory_needs_nothing_that_machines_of_a_network_file_system_do_not_share(
    versions: InputVersions, folder: Path, tmp_path: Path
) -> None:
    with versions.opened() as first, InputVersions(tmp_path / "home").opened() as second:
        assert first.of(folder) == second.of(folder)
        # Write-ahead logging would keep an index in memory that only processes of one machine can map.
        assert not list((tmp_path / "home").glob("*-shm"))


def test_a_damaged_memory_is_named(versions: InputVersions, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / INDEX).write_bytes(b"damaged" * 1000)
    with pytest.raises(UserError, match="delete it"):
        versions.of(folder)
