"""docs/evaluation.md shows what the commands print, to the letter."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pipeline.command_line.main import application
from pipeline.samples.evaluation import EvaluationSamples
from tests.pipeline.command_line.evaluated import told

ROOT = Path(__file__).resolve().parents[3]
SHOWN = re.findall(
    r"^```\n\$ touchstone evaluate ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)^```$",
    (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE | re.DOTALL,
)


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command[:60] for command, _ in SHOWN])
def test_a_command_in_the_docs_prints_what_stands_there(
    command: str,
    output: str,
    evaluation_samples: EvaluationSamples,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    files = [evaluation_samples.scores, evaluation_samples.answers, evaluation_samples.baseline]
    if "tid2013" in command:
        files.append(request.getfixturevalue("shared_data") / "evaluation" / "tid2013_metrics.csv")
    for file in files:
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    printed = told(*shlex.split(command.replace("\\\n", " ")))
    assert [line.rstrip() for line in printed.splitlines()] == output.splitlines()


def test_the_docs_show_every_command() -> None:
    from typer.main import get_command

    known = get_command(application).commands["evaluate"].commands  # type: ignore[attr-defined]
    assert {command.split()[0] for command, _ in SHOWN} == set(known)
