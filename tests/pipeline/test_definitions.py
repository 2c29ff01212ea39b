"""The code location that workspace.yaml names: where it loads, the home is its study's, without any command."""

from pathlib import Path

import pytest

from pipeline.definitions import touchstone
from resources.backup.home_backup import back_up
from resources.errors import UserError
from resources.runtime.home import touchstone_home
from tests.small_relevance import AGREED, relevance_study


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a configuration, as a volume is mounted, in which no command was run."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    relevance_study(tmp_path, [AGREED])
    return tmp_path / "home"


def test_a_home_that_only_a_code_location_uses_is_its_studys_and_can_be_backed_up(home: Path) -> None:
    touchstone()
    assert touchstone_home().holds_a_study()
    assert back_up(touchstone_home(), "small", home.parent / "copy").study == "small"


def test_a_home_of_another_study_is_refused(home: Path) -> None:
    touchstone_home().claim("shoes")
    with pytest.raises(UserError, match="holds the study 'shoes', not 'small'"):
        touchstone()


def test_a_home_that_is_not_there_yet_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "none"))
    touchstone()
    assert not (tmp_path / "none").exists()
