"""`touchstone status`: what is made, what stands still and what comes next, in 80 columns, with its exit code."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError
from tests.small_relevance import AGREED, OPPOSED, record, relevance_study

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "from pipeline.command_line.main import run; run()"
Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """A command on the home of this test, on a terminal of 80 columns: its exit code and what it said, line by line."""
    for name, value in (("TOUCHSTONE_HOME", tmp_path / "home"), ("DAGSTER_HOME", tmp_path), ("COLUMNS", 80)):
        monkeypatch.setenv(name, str(value))

    def called(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(application, arguments)
        if done.exception is not None and not isinstance(done.exception, UserError | SystemExit):
            raise done.exception
        return done.exit_code, done.output

    return called


def words(text: str) -> str:
    return " ".join(text.split())


def test_before_any_run_nothing_is_made_and_the_command_that_makes_it_is_named(call: Call, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 3)
    code, said = call("status")
    assert code == 0
    assert "0 of 16 made" in said
    assert "Last run  never" in said
    assert "Nothing is made yet: touchstone run reliability" in said
    assert "fidelity" not in said  # not configured here


def test_after_a_run_tables_run_gates_numbers_and_the_next_step_are_there(call: Call, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 10)
    assert call("run", "reliability")[0] == 0
    code, said = call("status")
    assert code == 0
    assert "16 of 16 made; none out of date" in words(said)
    assert "write_ground_truth succeeded, 20" in said
    assert "status passed, kappa_macro 1.0000, kappa_micro 1.0000, total_queries 10" in words(said)
    assert re.search(r"Gates +\d pass", said)
    assert "touchstone reliability export ground_truth.csv" in words(said)
    assert all(len(line) <= 80 for line in said.splitlines() if "Tables in" not in line)


def test_of_one_study_every_table_is_listed_with_rows_time_and_gates(call: Call, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 10)
    call("run", "reliability")
    code, said = call("status", "--study", "reliability")
    assert code == 0
    [row] = [line for line in said.splitlines() if line.strip().startswith("judgments")]
    assert row.split()[1:3] == ["made", "80"]  # 10 queries of 4 documents, two judges
    assert row.split()[-2:] == ["2", "pass"]


def test_a_missed_threshold_is_shown_with_what_to_do_and_is_no_standstill(call: Call, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 2 + [OPPOSED] * 8)
    call("run", "reliability")
    code, said = call("status")
    assert code == 0
    assert "FAIL kappa_validation: judges_agree" in words(said)
    assert "made only when asked for: ground_truth" in words(said)
    assert "touchstone reliability" in words(said).partition("Next")[2] or "touchstone review" in said


def test_bad_data_stand_still_and_the_exit_code_says_so(call: Call, tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 4)
    lacking = [record(number, ((0.9, 0.8, None, None), (0.9, None, None, 0.1))) for number in range(1, 5)]  # type: ignore[arg-type]
    queries = study.reliability.queries
    assert queries is not None
    queries.write_text("".join(json.dumps(one) + "\n" for one in lacking))
    assert call("run", "reliability")[0] != 0
    code, said = call("status")
    assert code == 1
    assert "STOP judgments: every_judge_scored_the_documents" in words(said)
    next_step = words(said).partition("Next")[2]
    assert "max_incomplete_share" in next_step
    assert "Then: touchstone run reliability" in next_step


def test_a_changed_configuration_makes_tables_out_of_date(call: Call, tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 10)
    call("run", "reliability")
    assert study.file is not None
    plan = yaml.safe_load(study.file.read_text())
    plan["reliability"]["bootstrap_resamples"] = 120
    study.file.write_text(yaml.safe_dump(plan))
    code, said = call("status")
    assert code == 0
    assert "(configuration or code changed)" in words(said)
    assert "Make what is missing or out of date: touchstone run reliability" in words(said)


def test_a_study_that_is_not_there_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 3)
    environment = {**os.environ, "TOUCHSTONE_HOME": str(tmp_path / "home"), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "status", "--study", "fidelity"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "Error: There is no study 'fidelity' in this home. There are reliability.\n"
