"""`touchstone evaluate` as a process: exit codes, what stands on stdout, what is loaded, how it speaks."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.samples.evaluation import EvaluationSamples
from tests.pipeline.command_line.evaluated import json_lines, strict, validator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
RUN = "from pipeline.command_line.main import run; run()"


def touchstone(*arguments: object, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {RUN}"
    command = [sys.executable, "-c", program, "evaluate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120, check=False)


def test_json_is_all_that_stands_on_stdout_and_pictures_are_named_on_stderr(
    evaluation_samples: EvaluationSamples, tmp_path: Path
) -> None:
    options = ("--metric", "srcc", "--n-bootstrap", 100, "--json", "--plot")
    done = touchstone("correlation", evaluation_samples.scores, *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    validator().validate(strict(done.stdout))
    written = [f"Wrote sample_scores_correlation{suffix}" for suffix in (".png", ".svg")]
    assert done.stderr.splitlines() == written


@pytest.mark.parametrize(
    "arguments",
    [
        ("correlation", "not_there.csv"),
        ("correlation", "broken.jsonl"),
        ("correlation", "broken.jsonl", "--metric", "tau"),
        ("correlation", "broken.jsonl", "--confidence", 95),
        ("breakdown", "broken.jsonl"),
    ],
)
def test_a_mistake_of_the_user_exits_2_with_words_on_stderr_alone(tmp_path: Path, arguments: tuple[object]) -> None:
    json_lines(tmp_path / "broken.jsonl", {"sample_id": "a", "final_score": 1, "mos": 1}, "{")
    done = touchstone(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert not done.stdout
    assert "Error" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_result_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "a.jsonl", *({"sample_id": str(n), "final_score": n, "mos": n} for n in range(9)))
    (tmp_path / "file").write_text("old")
    done = touchstone("correlation", file, "--output", tmp_path / "file" / "results.json")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert (tmp_path / "file").read_text() == "old"


def test_evaluating_loads_neither_dagster_nor_a_plotting_library(
    evaluation_samples: EvaluationSamples, tmp_path: Path
) -> None:
    heavy = ("dagster", "vl_convert", "sqlalchemy", "torch", "sklearn")
    program = (
        "import sys\n"
        "from pipeline.command_line.main import application\n"
        f"application(['evaluate', 'correlation', {str(evaluation_samples.scores)!r}, '--output', sys.argv[1]], "
        "standalone_mode=False)\n"
        f"print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "r.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
