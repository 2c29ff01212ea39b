"""`touchstone import pairwise`: what a run would do with votes and photos, and nothing written."""

from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError
from tests.pair_study import write_battles
from tests.small_series import write_series


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOUCHSTONE_CONFIG", "")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def checked(*files: Path) -> Result:
    return CliRunner().invoke(application, ["import", "pairwise", *map(str, files)])


def test_votes_and_photos_say_what_a_run_would_do(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    done = checked(photos, pairs)
    assert done.exit_code == 0, done.output
    assert "pairs.csv: 12 rows, 60 votes on 12 pairs of 24 photos in 12 series; 0 pairs in both orders." in done.output
    assert "12 of 12 pairs pass the filter" in done.output
    assert "A run would judge 12 pairs by" in done.output
    assert f"touchstone pairwise --pairs {pairs} --images {photos}" in done.output
    assert f"pairwise:\n  image_root: {photos}\n  pairs_csv: {pairs}" in done.output
    assert not (tmp_path / "home").exists()


def test_votes_alone_are_checked_and_ask_for_the_photos(tmp_path: Path) -> None:
    pairs, _ = write_series(tmp_path / "mine")
    done = checked(pairs)
    assert done.exit_code == 0, done.output
    assert "12 of 12 pairs pass the filter" in done.output
    assert "left out: none." in done.output
    assert "Name the folder of photos too" in done.output


def test_missing_photos_are_the_gate_that_would_stop_a_run(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    for photo in photos.iterdir():
        photo.unlink()
    done = checked(pairs, photos)
    assert done.exit_code == 2
    assert "STOP" in done.output


def test_the_configured_files_are_checked_where_none_is_named(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "touchstone.yaml").write_text(
        f"study: mine\npairwise:\n  pairs_csv: {pairs}\n  image_root: {photos}\n  min_reviewers: 9\n"
    )
    done = checked()
    assert "0 of 12 pairs pass the filter" in done.output
    assert "write into touchstone.yaml" not in done.output
    assert done.exit_code == 2


def test_of_texts_no_photo_is_spoken_of(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    write_battles(tmp_path / "home", "http://127.0.0.1:1/v1")
    done = checked()
    assert done.exit_code == 0, done.output
    assert "photo" not in done.output
    assert "texts in 80 series" in done.output
    assert "A run would judge 80 pairs by 3 methods." in done.output


def test_what_is_no_input_is_refused_by_name(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    for files, said in (
        ((tmp_path / "gone.csv",), "gone.csv is not there"),
        ((pairs, pairs), "both pairs_csv"),
        ((photos,), "Name the CSV of votes too"),
        ((), "There is no touchstone.yaml"),
    ):
        done = checked(*files)
        assert isinstance(done.exception, UserError)
        assert said in str(done.exception)
