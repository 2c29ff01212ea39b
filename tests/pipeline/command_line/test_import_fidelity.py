"""`touchstone import fidelity`: what the files say of themselves is said without images too."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application


def test_the_mismatched_objects_are_named_without_image_folders(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    files = [str(shared_data / "fidelity" / f"{name}.csv") for name in ("subjective", "database", "selected_objects")]
    done = CliRunner().invoke(application, ["import", "fidelity", *files], catch_exceptions=False)
    assert done.exit_code == 2
    assert "STOP render_shows_the_scored_object: Objects whose render is of another object is 6 over 9" in done.stdout
    assert "353489 (scored 10f792a6, render of a967a257)" in done.stdout
    assert done.stdout.count("render of ") == 6
