"""A study that judges nothing: exit code 1 and the reason, but where it was told that photos may be missing."""

from pathlib import Path

import pandas as pd
import pytest
from click.testing import Result
from typer.testing import CliRunner

from pipeline.command_line.main import application
from pipeline.command_line.pairwise_summary import why_nothing
from tests.assets.pairwise.made_photo_pairs import photo_pairs_of, plan
from tests.small_series import write_series


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOUCHSTONE_CONFIG", "")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def benchmark(folder: Path, photos: Path) -> Result:
    """The command on a study that lets any number of photos be missing."""
    file = folder / "study.yaml"
    file.write_text(f"pairs_csv: {folder / 'pairs.csv'}\nimage_root: {photos}\nmax_missing_share: 1\n")
    return CliRunner().invoke(application, ["pairwise", "--config", str(file), "--method", "sharpness_only"])


@pytest.mark.slow
def test_photos_of_which_none_can_be_read_are_exit_code_1_whatever_may_be_missing(tmp_path: Path) -> None:
    _, photos = write_series(tmp_path)
    for photo in photos.iterdir():
        photo.write_bytes(b"no picture")
    done = benchmark(tmp_path, photos)
    assert done.exit_code == 1
    assert "No method has an accuracy" in done.output


@pytest.mark.slow
def test_votes_whose_photos_are_meant_to_be_missing_are_exit_code_0_and_said_plainly(tmp_path: Path) -> None:
    write_series(tmp_path)
    (tmp_path / "empty").mkdir()
    done = benchmark(tmp_path, tmp_path / "empty")
    assert done.exit_code == 0
    assert "the votes are described, and no method is judged" in " ".join(done.output.split())


def test_the_reason_is_the_pairs_the_methods_or_the_photos() -> None:
    pairs = photo_pairs_of([(1, 0, 1, 4, 1)])
    lacking, silent = (pd.DataFrame({"unavailable": [reason]}) for reason in ("no weights", None))
    assert "of 1 pairs none is left to judge (1 tie)" in why_nothing(photo_pairs_of([(1, 0, 1, 2, 2)]), silent, plan())
    assert "not on this machine" in why_nothing(pairs, lacking, plan())
    assert "no judged pair has a prediction" in why_nothing(pairs, silent, plan())
