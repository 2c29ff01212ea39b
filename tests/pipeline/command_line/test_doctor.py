"""`touchstone doctor` on Dagster's settings of a home: those that a home of before lacks are named."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.runtime.home import CHECKOUT
from tests.deploy.configured_study import write_configured_study


def test_settings_that_came_after_the_home_was_made_are_named_and_damaged_ones_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = write_configured_study(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    for models in ("_device", "_weights", "_sentence_model"):
        monkeypatch.setattr(f"pipeline.command_line.doctor.{models}", lambda: "not looked at")

    def said() -> str:
        lines = CliRunner().invoke(application, ["doctor"]).output.splitlines()
        return next(line for line in lines if line.startswith("dagster.yaml")).split(maxsplit=1)[1]

    assert said() == "made by the first run"
    settings = home / "dagster" / "dagster.yaml"
    settings.parent.mkdir()
    shutil.copyfile(CHECKOUT / "dagster.yaml", settings)
    assert said() == str(settings)
    text = settings.read_text()
    settings.write_text(text[: text.index("run_retries:")].replace("  free_slots_after_run_end_seconds: 30\n", ""))
    retries = "run_retries, run_retries.enabled, run_retries.max_retries, run_retries.retry_on_asset_or_op_failure"
    assert said() == (
        f"note: {settings} says nothing of run_monitoring.free_slots_after_run_end_seconds, {retries}. "
        f"Copy these lines from {CHECKOUT / 'dagster.yaml'}."
    )
    settings.write_text("run_retries: {")
    assert said().startswith(f"broken: {settings} is no YAML")
