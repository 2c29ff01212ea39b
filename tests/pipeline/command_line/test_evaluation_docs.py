"""docs/evaluation.md shows what the commands print, to the letter."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from upath import UPath

from pipeline.command_line.main import application
from pipeline.samples.evaluation import EvaluationSamples
from resources.configuration.load import sample_configuration
from resources.runtime.home import Home
from tests.pipeline.command_line.evaluated import told

ROOT = Path(__file__).resolve().parents[3]
SHOWN = re.findall(
    r"^```\n\$ touchstone evaluate ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)^```$",
    (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE | re.DOTALL,
)


def fits_curves(command: str) -> bool:
    """Whether curves are fitted to all scores, which takes seconds."""
    return command.startswith("correlation") and "--metric" not in command


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(*shown, id=shown[0][:60], marks=[pytest.mark.slow] if fits_curves(shown[0]) else [])
        for shown in SHOWN
    ],
)
def test_a_command_in_the_docs_prints_what_stands_there(
    command: str,
    output: str,
    evaluation_samples: EvaluationSamples,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    shutil.copytree(evaluation_samples.datasets.parent, tmp_path / ".touchstone" / "samples" / "evaluation")
    if "tid2013" in command:
        shutil.copy(request.getfixturevalue("shared_data") / "evaluation" / "tid2013_metrics.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    printed = told(*shlex.split(command.replace("\\\n", " ")))
    assert [line.rstrip() for line in printed.splitlines()] == output.splitlines()


def test_the_docs_show_every_command() -> None:
    from typer.main import get_command

    known = get_command(application).commands["evaluate"].commands  # type: ignore[attr-defined]
    assert {command.split()[0] for command, _ in SHOWN} == set(known)


def test_the_files_that_the_docs_name_are_where_the_demo_makes_them(tmp_path: Path) -> None:
    samples = sample_configuration(Home(UPath(tmp_path), tmp_path)).evaluation
    assert samples is not None
    made = [samples.baseline, samples.inbox, *(dataset.file for dataset in samples.datasets.values())]
    below = {f".touchstone/{path.relative_to(tmp_path)}" for path in made if path is not None}
    assert {name for command, _ in SHOWN for name in shlex.split(command) if name.startswith(".touchstone")} < below
    assert "`.touchstone/inbox`" in (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    assert ".touchstone/inbox" in below
