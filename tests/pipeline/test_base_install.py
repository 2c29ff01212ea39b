"""Without extras everything that needs none works, and what needs one says so in a line."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.chaos.forked import ForkedProgram

MODELS = "pip install -e '.[models]'"


def touchstone(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = Path(tempfile.mkdtemp(dir=home.parent))
    said, errors = words / "stdout.txt", words / "stderr.txt"
    environment = {**os.environ, "TOUCHSTONE_HOME": str(home), "COLUMNS": "300"}
    status = ForkedProgram("tests.base_install", arguments, said, environment, errors).wait()
    return subprocess.CompletedProcess(list(arguments), status, said.read_text(), errors.read_text())


@pytest.mark.slow
def test_evaluate_needs_no_extra(tmp_path: Path) -> None:
    scores = "".join(f"{place},{place * place}\n" for place in range(1, 31))
    (tmp_path / "scores.csv").write_text(f"prediction,mos\n{scores}")
    done = touchstone(tmp_path, "evaluate", "correlation", str(tmp_path / "scores.csv"))
    assert done.returncode == 0, done.stderr
    assert "SRCC" in done.stdout


@pytest.mark.slow
def test_doctor_lists_the_extras_with_the_command_for_each_and_finds_nothing_broken(tmp_path: Path) -> None:
    done = touchstone(tmp_path, "doctor")
    assert done.returncode == 0, done.stdout
    for name in ("models", "review", "scale", "k8s"):
        [line] = [one for one in done.stdout.splitlines() if f"{name}: not installed" in one]
        assert line.endswith(f"pip install -e '.[{name}]'")


@pytest.mark.slow
def test_help_needs_no_extra_and_the_review_page_names_its_own(tmp_path: Path) -> None:
    assert "evaluate" in touchstone(tmp_path, "--help").stdout
    done = touchstone(tmp_path, "review")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Error: The review page needs the extra `review` (streamlit is not installed). In the checkout, run: "
        "pip install -e '.[review]'"
    ]


@pytest.mark.slow
def test_the_demo_runs_all_but_what_needs_models_and_says_so(tmp_path: Path) -> None:
    done = touchstone(tmp_path / "home", "demo", "-v")
    assert done.returncode == 0, done.stderr
    assert f"its judge `embedding` needs the extra `models`: {MODELS}" in done.stdout
    assert f"CLIP: not installed ({MODELS})" in done.stdout
    assert "sharpness_only" in done.stdout
    again = touchstone(tmp_path / "home", "run", "reliability")
    assert again.returncode != 0
    assert f"The judge embedding needs the extra `models` (torch is not installed). In the checkout, run: {MODELS}" in (
        again.stdout + again.stderr
    )
    assert "Traceback" not in again.stdout + again.stderr
