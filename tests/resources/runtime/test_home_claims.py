"""One home, one study: the marker is written once and whole; and remote homes that share nothing."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from upath import UPath

from resources.configuration.place import configuration_file
from resources.database.engine import open_engine
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, Home, touchstone_home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(UPath(tmp_path / "home"), tmp_path / "home")


def marker(home: Home) -> Path:
    return home.local / "study.txt"


def test_the_marker_is_written_once(home: Home) -> None:
    home.claim("shoes")
    written = marker(home).stat()
    home.claim("shoes")
    again = marker(home).stat()
    assert (again.st_ino, again.st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    assert [path.name for path in home.local.iterdir()] == ["study.txt"]


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe\x00"])
def test_a_marker_that_a_crash_left_empty_or_unreadable_holds_no_study(home: Home, content: bytes) -> None:
    home.local.mkdir()
    marker(home).write_bytes(content)
    home.claim("shoes")
    assert marker(home).read_text() == "shoes\n"


def test_the_marker_is_never_seen_half_written(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(written: Path, target: Path) -> None:
        assert written.read_text() == "shoes\n"
        assert not target.exists()
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        home.claim("shoes")
    assert list(home.local.iterdir()) == []


def test_of_two_studies_that_come_at_once_one_is_turned_away(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = Path.replace

    def overtaken(written: Path, target: Path) -> Path:
        moved = replace(written, target)
        target.write_text("chairs\n")
        return moved

    monkeypatch.setattr(Path, "replace", overtaken)
    with pytest.raises(UserError, match="holds the study 'chairs', not 'shoes'"):
        home.claim("shoes")


def home_at(address: str, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TOUCHSTONE_HOME", address)
    return touchstone_home()


def test_remote_homes_share_neither_ledger_nor_dagsters_state(monkeypatch: pytest.MonkeyPatch) -> None:
    first, same, other = (home_at(f"memory://{name}", monkeypatch) for name in ("a/b", "a/b/", "a-b"))
    assert first.local == same.local
    assert first.local.parent == CHECKOUT / ".touchstone" / "remote"
    assert first.local.name.startswith("memory-a-b-")
    assert len({first.database_url, other.database_url}) == 2
    assert len({first.dagster, other.dagster}) == 2
    assert str(first.tables) == "memory://a/b/tables"


def test_a_remote_homes_folder_shows_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "hunter2" not in home_at("memory://user:hunter2@host/folder", monkeypatch).local.name


def test_the_configuration_of_a_remote_home_lies_in_its_local_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("resources.runtime.home.CHECKOUT", tmp_path)
    home = home_at("memory://bucket", monkeypatch)
    home.local.mkdir(parents=True)
    assert configuration_file(home) is None
    (home.local / "touchstone.yaml").touch()
    assert configuration_file(home) == home.local / "touchstone.yaml"


@pytest.mark.parametrize("name", ["home % 1", "50%20off", "what?", "caf\u00e9 #1"])
def test_the_ledger_lies_in_the_home_whatever_its_folder_is_called(tmp_path: Path, name: str) -> None:
    home = Home(UPath(tmp_path / name), tmp_path / name)
    with open_engine(home.database_url).begin() as connection:
        connection.execute(sa.text("CREATE TABLE here (id INTEGER)"))
    assert (tmp_path / name / "touchstone.db").is_file()
