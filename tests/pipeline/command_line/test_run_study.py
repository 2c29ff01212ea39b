"""`touchstone run fidelity`: what a person is told of a run that came to its end, and of one that did not."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from pipeline.command_line.run_study import _settings_of, _show_all_calls, run_and_show
from resources.configuration.fidelity import LocalJudge
from resources.errors import UserError
from resources.study import Study
from tests.pipeline.command_line.test_calls import OURS, THEIRS, attempt
from tests.small_study import KEYS, without_drawing, write_study

SETTING = KEYS[1]
FILE = """\
study: small
fidelity:
  human_scores: subjective.csv
  references: references
  candidates: candidates
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study whose home the command line finds, with a recorded judge."""
    (tmp_path / "touchstone.yaml").write_text(FILE)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(tmp_path / "touchstone.yaml"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home" / "dagster"))
    return write_study(tmp_path)


def told(study: Study, error: str | None = None) -> str:
    """What stands on the terminal; the error is raised behind it."""
    console = Console(file=StringIO(), width=200)
    with without_drawing():
        if error is None:
            run_and_show(console, "fidelity", (SETTING,), study=study)
        else:
            with pytest.raises(UserError, match=error):
                run_and_show(console, "fidelity", (SETTING,), study=study)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.slow
def test_a_report_that_cannot_be_written_does_not_hide_what_was_found(study: Study) -> None:
    study.home.outputs.parent.mkdir(parents=True, exist_ok=True)
    study.home.outputs.write_text("a file where the folder of pictures belongs")
    shown = told(study, error="outputs")
    assert SETTING in shown
    assert "Setting: " in shown
    assert "Report:" not in shown


@pytest.mark.slow
def test_a_run_that_stops_says_whose_report_is_on_the_disk(study: Study) -> None:
    shown = told(study)
    # Before all gates and numbers.
    assert shown.index("May the recorded judge at ") < shown.index("tables made")
    assert "Setting: " in shown
    assert "Report: " in shown
    assert "The report on disk" not in shown
    people = study.fidelity.human_scores
    people.write_text("3D Object filename,Score\n")
    stopped = told(study, error="Visual Fidelity")
    assert "The report on disk is of an earlier run (judge recorded answers" in stopped
    assert "Setting: " not in stopped
    assert "stand in for people" not in stopped


def test_answers_and_money_are_told_with_the_golden_set_too(study: Study) -> None:
    table = Path(str(study.home.tables)) / "fidelity" / "judge_calls" / f"{SETTING}.parquet"
    table.parent.mkdir(parents=True)
    pd.DataFrame({"judge_identity": [OURS]}).to_parquet(table)
    rows = [attempt(study=study.name, repeat=repeat) for repeat in range(1, 4)]
    study.ledger.record_many([*rows, attempt(study=study.name, judge_identity=THEIRS)])
    console = Console(file=StringIO(), width=200)
    _show_all_calls(study, (SETTING,), console)
    golden = [attempt(study=study.name, object="0a1b2c3d~blur", repeat=repeat) for repeat in (1, 2)]
    failed = attempt(study=study.name, object="0a1b2c3d~blur", repeat=3, state="timeout", cost_usd=0.11)
    study.ledger.record_many([*golden, failed])
    _show_all_calls(study, (SETTING,), console)
    assert isinstance(console.file, StringIO)
    # 3 + 2 answers at 0.002 USD and a fault at 0.11 USD; nothing is said while there is no golden set.
    assert console.file.getvalue() == (
        "Answers and cost above are without the golden set and the anchor; with them: 5 answers and 1 faults, "
        "0.12 USD.\n"
    )


def test_a_setting_of_another_judge_never_means_all_settings_of_all_judges(study: Study) -> None:
    judges = {"near": LocalJudge(), "far": LocalJudge()}
    several = replace(study, fidelity_section=study.fidelity.model_copy(update={"judges": judges}))
    assert _settings_of(several, "far", (), "fidelity") == tuple(f"far@{key}" for key in KEYS)
    # The judge is named already.
    assert _settings_of(several, "far", (SETTING, f"far@{KEYS[0]}"), "fidelity") == (f"far@{KEYS[0]}", f"far@{SETTING}")
    for wrong in (f"near@{SETTING}", "t9.0_p1.0"):
        with pytest.raises(UserError, match="The judge far has no setting"):
            _settings_of(several, "far", (wrong,), "fidelity")
