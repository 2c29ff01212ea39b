"""Where things are kept, by the environment, and the claim that keeps two studies apart."""

from pathlib import Path

import pytest

from resources.errors import UserError
from resources.runtime.home import CHECKOUT, Home, touchstone_home
from resources.study import Study, study_from_environment


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    return touchstone_home()


def test_everything_lies_below_the_named_home(home: Home, tmp_path: Path) -> None:
    base = tmp_path / "home"
    assert Path(home.tables.path) == base / "tables"
    assert home.samples == base / "samples"
    assert home.dagster == base / "dagster"
    assert home.database_url == f"sqlite:///{base / 'touchstone.db'}"


def test_unless_told_the_home_is_in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_HOME")
    assert touchstone_home().local == CHECKOUT / ".touchstone"
    monkeypatch.setenv("TOUCHSTONE_HOME", "")
    assert touchstone_home().local == CHECKOUT / ".touchstone"


def test_a_relative_home_is_taken_from_the_working_directory_and_a_tilde_from_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_HOME", "mine")
    assert touchstone_home().local == tmp_path / "mine"
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TOUCHSTONE_HOME", "~/mine")
    assert touchstone_home().local == tmp_path / "user" / "mine"
    monkeypatch.setenv("TOUCHSTONE_HOME", f"file://{tmp_path}/mine")
    assert touchstone_home().local == tmp_path / "mine"


def at(monkeypatch: pytest.MonkeyPatch, address: str) -> Home:
    monkeypatch.setenv("TOUCHSTONE_HOME", address)
    return touchstone_home()


def test_a_remote_home_holds_tables_and_what_needs_a_disk_stays_in_the_checkout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = at(monkeypatch, "memory://bucket/folder")
    assert str(home.tables) == "memory://bucket/folder/tables"
    assert home.local.parent == CHECKOUT / ".touchstone" / "remote"
    assert home.local.name.startswith("memory-bucket-folder-")
    assert home.dagster == home.local / "dagster"


def test_every_remote_home_has_a_folder_of_its_own_and_a_slash_makes_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, same, other = (
        at(monkeypatch, f"memory://bucket/{name}").local for name in ("my-folder", "my-folder/", "my/folder")
    )
    assert first == same != other


def test_a_password_in_the_address_is_in_no_folders_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "secret" not in str(at(monkeypatch, "memory://user:secret@bucket/folder").local)


@pytest.mark.parametrize("name", ["plain", "with space", "50%", "what?", "a#b", "größe", "it's"])
def test_a_home_of_any_name_keeps_its_database_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home = at(monkeypatch, str(tmp_path / name))
    study_from_environment().ledger.progress("sample", "nobody")
    assert (home.local / "touchstone.db").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {name}


def test_the_database_can_be_elsewhere(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://user@host/name")
    assert home.database_url == "postgresql://user@host/name"
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "")
    assert home.database_url.startswith("sqlite:///")


def test_a_study_claims_its_home_and_comes_back_to_it(home: Home) -> None:
    home.claim("shoes")
    home.claim("shoes")
    assert (home.local / "study.txt").read_text() == "shoes\n"


def test_another_study_is_turned_away_with_the_remedy(home: Home) -> None:
    home.claim("shoes")
    with pytest.raises(UserError, match=r"holds the study 'shoes', not 'chairs'\. Set TOUCHSTONE_HOME"):
        home.claim("chairs")
    assert (home.local / "study.txt").read_text() == "shoes\n"


def test_a_marker_that_a_crash_left_empty_is_written_again(home: Home) -> None:
    home.local.mkdir()
    (home.local / "study.txt").write_text("")
    home.claim("shoes")
    assert (home.local / "study.txt").read_text() == "shoes\n"
    assert [path.name for path in home.local.iterdir()] == ["study.txt"]


def test_the_study_of_the_environment_is_the_sample_where_nothing_is_configured(home: Home) -> None:
    study = study_from_environment()
    assert study.name == "sample"
    assert study.fidelity.human_scores == home.samples / "fidelity" / "subjective.csv"
    assert study.home == home


def test_the_ledger_is_made_ready_when_it_is_first_used(home: Home) -> None:
    study: Study = study_from_environment()
    assert not (home.local / "touchstone.db").exists()
    assert study.ledger.progress("sample", "nobody") == {}
    assert (home.local / "touchstone.db").is_file()
