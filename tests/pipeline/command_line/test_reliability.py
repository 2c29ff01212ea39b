"""`touchstone reliability`: each step through the command line, in order, refused before its time and on record."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from pipeline.command_line import reliability_steps
from pipeline.command_line.main import application
from resources.errors import UserError
from resources.runtime.dagster_databases import close_connections
from resources.study import Study
from tests.small_relevance import AGREED, LENIENT, OPPOSED, relevance_study, stored, study_in, vote_on

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "from pipeline.command_line.main import run; run()"
Said = Callable[..., str]


@pytest.fixture(scope="module")
def shared_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the study of `validated` is: tables and configuration name the folder."""
    return tmp_path_factory.mktemp("validated") / "study"


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, shared_place: Path) -> Path:
    """The folder of the test's study."""
    return shared_place if "validated" in request.fixturenames else tmp_path


@pytest.fixture
def said(place: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """What stands on a terminal of 80 columns after a command on the study in this folder, on one line."""
    for name, value in (("TOUCHSTONE_HOME", place / "home"), ("DAGSTER_HOME", place), ("COLUMNS", 80)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(application, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return " ".join(done.output.split())

    return call


@pytest.fixture
def validated(place: Path, said: Said) -> Study:
    """Six of ten queries in dispute, and answers of the next prompt: run once, and as it was then for each test."""
    kept = place.with_name("kept")
    close_connections()
    shutil.rmtree(place, ignore_errors=True)
    if kept.exists():
        shutil.copytree(kept, place)
        return study_in(place / "home")
    place.mkdir()
    study = relevance_study(place, [AGREED] * 4 + [OPPOSED] * 6, [AGREED] * 10)
    (place / "said.txt").write_text(said("run", "reliability"))
    close_connections()
    shutil.copytree(place, kept)
    return study


@pytest.mark.slow
def test_fifty_queries_end_to_end_leave_their_row_and_ground_truth_in_postgres(
    said: Said, tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", postgres_url)
    study = relevance_study(tmp_path, [AGREED] * 45 + [OPPOSED] * 5)
    # 45 queries of kappa 1 and 5 of kappa 0: both macro and micro are 0.9.
    assert "IRR Validation Passed (Kappa: 0.90)" in said("run", "reliability")
    [row] = study.validations.validations().to_dict("records")
    assert (row["status"], row["total_queries"], row["n_documents"]) == ("passed", 50, 200)
    assert row["kappa_macro"] == pytest.approx(0.9)
    # The five queries on which the judges differ have nobody's decision: they are left out.
    assert len(study.validations.ground_truth_rows()) == 45
    assert "Ground truth: 45 of 50 queries written" in said("reliability", "status")
    assert "5 left out, because the judges differ" in said("reliability", "status")
    assert "**IRR Validation Passed (Kappa: 0.90)**" in said("reliability", "status", "--markdown")
    for name, read in (("t.csv", pd.read_csv), ("t.parquet", pd.read_parquet)):
        assert "Wrote 45 queries" in said("reliability", "export", str(tmp_path / name))
        assert len(read(tmp_path / name)) == 45
    monkeypatch.setenv("TOUCHSTONE_SOURCE_URL", postgres_url)
    assert "45 rows new, 0 changed, 0 unchanged" in said("reliability", "export", "--table", "others")
    assert "0 rows new, 0 changed, 45 unchanged" in said("reliability", "export", "--table", "others")


@pytest.mark.slow
def test_the_steps_of_a_contingency_come_one_after_the_other(said: Said, tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 4 + [LENIENT] * 8, [AGREED] * 4 + [LENIENT] * 8)
    for step in (("accept-thresholds",), ("recalibrate",), ("recalibrate", "--all"), ("manual-review",)):
        with pytest.raises(UserError, match="no validation yet"):
            said("reliability", *step)
    assert "Next: touchstone review" in said("run", "reliability")
    for step in ("accept-thresholds", "recalibrate", "manual-review"):
        with pytest.raises(UserError, match="0/8 disagreements reviewed, 2 needed"):
            said("reliability", step)
    with pytest.raises(UserError, match="no ground truth yet"):
        said("reliability", "export", str(tmp_path / "truth.csv"))
    vote_on(study, 2)
    assert "Next: touchstone reliability accept-thresholds" in said("reliability", "status")

    # All of the lenient judge's scores lie above 0.5, and two of four do not above the advised one.
    shown = said("reliability", "accept-thresholds", "--who", "ann")
    assert "Threshold of judge2: 0.5 -> 0.65." in shown
    assert "Held out, micro kappa of judge1 and judge2: 0.333 -> " in shown
    assert "On all queries, judge1 and judge2: macro 0.333 -> 0.667, micro 0.333 -> " in shown
    taken = study.validations.actions().iloc[0]
    assert (taken["action"], taken["who"]) == ("thresholds_accepted", "ann")
    # Of four documents the judges now differ on one: kappa 0.5 is not low, so there is nothing to judge again.
    assert "Next: touchstone reliability manual-review" in said("reliability", "status")
    assert len(study.validations.validations()) == 2


@pytest.mark.slow
def test_a_threshold_is_named_by_judge_and_value_or_refused(said: Said, validated: Study) -> None:
    study = validated
    vote_on(study, 2)
    for written, words in (
        ("judge2", "NAME=VALUE is needed"),
        ("judg2=0.6", "did you mean 'judge2'"),
        ("judge2=high", "'high' is no threshold"),
        ("judge2=1.1", "a number from 0 to 1"),
        ("judge2=nan", "a number from 0 to 1"),
    ):
        with pytest.raises(UserError, match=words):
            said("reliability", "accept-thresholds", "--judge", written)
    with pytest.raises(
        UserError, match=r"No threshold is advised but the current one\. Neither judge is shown to score higher"
    ):
        said("reliability", "accept-thresholds")
    with pytest.raises(UserError, match="names no one"):
        said("reliability", "accept-thresholds", "--judge", "judge2=0.6", "--who", " ")
    with pytest.raises(UserError, match="`--who` has 61 characters; 60 are allowed"):
        said("reliability", "accept-thresholds", "--judge", "judge2=0.6", "--who", "x" * 61)
    with pytest.raises(UserError, match=r"'judge2' stands twice, with 0\.6 and 0\.7"):
        said("reliability", "accept-thresholds", "--judge", "judge2=0.6", "--judge", "judge2=0.7")
    assert study.validations.actions().empty
    who = "\x1b Ann\u200b\n Lee"
    said("reliability", "accept-thresholds", "--judge", "judge2=0.6", "--judge", "judge1=0.4", "--who", who)
    assert study.validations.actions()["who"].tolist() == ["Ann Lee"]
    assert study.validations.actions()["details"].iloc[0] == {"thresholds": {"judge2": 0.6, "judge1": 0.4}}
    assert json.loads(study.validations.validations()["thresholds"].iloc[-1]) == {"judge1": 0.4, "judge2": 0.6}


@pytest.mark.slow
def test_judging_again_is_shown_first_and_then_mends_what_it_can(said: Said, validated: Study) -> None:
    study = validated
    vote_on(study, 2)
    shown = said("reliability", "recalibrate", "--dry-run")
    assert "6 queries with kappa below 0.4 are judged again under 'recalibrated_v2'; 3 of them are held out" in shown
    assert "judge1, recalibrated_v2: 24 documents, judge recorded: costs nothing." in shown
    assert study.validations.actions().empty
    shown = said("reliability", "recalibrate", "--who", "ann")
    assert "Kappa macro, judged again (6 queries): 0.000 -> 1.000, change +1.000 [1.000, 1.000] unreliable." in shown
    assert "Kappa macro, of these held out (3 queries): 0.000 -> 1.000, change +1.000 without an" in shown
    assert "Kappa macro, all queries (10 queries): 0.400 -> 1.000, change +0.600 [" in shown
    # Only the low ones were judged again, so they rise by chance too.
    assert "A part of the rise comes from judging only queries of low kappa again" in shown
    assert "IRR Validation Passed (Kappa: 1.00)" in shown
    assert "4 votes; 6 queries judged again by ann" in said("reliability", "status")
    with pytest.raises(UserError, match="The latest validation is passed: no step is due"):
        said("reliability", "recalibrate")
    # After a pass the others can be judged again too: then no query was chosen for its kappa.
    shown = said("reliability", "recalibrate", "--all", "--who", "ann")
    assert "All 4 queries that do not count under it yet are judged again under 'recalibrated_v2'; 2 of them" in shown
    assert "Kappa macro, judged again (10 queries): 0.400 -> 1.000" in shown
    assert "A part of the rise" not in shown
    assert "untouched" not in set(stored(study, "recalibration")["part"])
    with pytest.raises(UserError, match="No query is left that was not judged under 'recalibrated_v2'"):
        said("reliability", "recalibrate", "--all")


@pytest.mark.slow
def test_all_queries_are_judged_again_at_once_where_that_is_asked_for(said: Said, validated: Study) -> None:
    study = validated
    with pytest.raises(UserError, match="0/6 disagreements reviewed, 2 needed"):
        said("reliability", "recalibrate", "--all")
    vote_on(study, 2)
    assert "All 10 queries" in said("reliability", "recalibrate", "--all", "--dry-run")
    assert study.validations.actions().empty
    shown = said("reliability", "recalibrate", "--all")
    assert "IRR Validation Passed (Kappa: 1.00)" in shown
    assert "A part of the rise" not in shown
    assert len(study.validations.actions()["details"].iloc[0]["queries"]) == 10


@pytest.mark.slow
def test_a_recalibration_that_died_goes_on_and_is_not_recorded_twice(
    said: Said, validated: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = validated
    vote_on(study, 2)

    def killed(*_arguments: object, **_named: object) -> str:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr("pipeline.command_line.run_study.run_and_show", killed)
        with pytest.raises(RuntimeError, match="killed"):
            said("reliability", "recalibrate")
    assert "Next: touchstone run reliability" in said("reliability", "status")
    with pytest.raises(UserError, match="A recalibration was started and not finished"):
        said("reliability", "accept-thresholds", "--judge", "judge2=0.6")
    assert "of 6 queries was started and not finished: it goes on" in said("reliability", "recalibrate")
    assert len(study.validations.actions()) == 1
    assert study.validations.validations()["status"].iloc[-1] == "passed"


@pytest.mark.slow
def test_people_settle_what_is_left_and_the_command_says_how_much(said: Said, tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 2 + [OPPOSED] * 4)
    said("run", "reliability")
    vote_on(study, 1)
    shown = said("reliability", "status")
    assert "Touchstone cannot ask the judges again" in shown
    assert "6 documents of 3 queries are left" in said("reliability", "manual-review", "--who", "ann")
    vote_on(study)
    assert "People decided every document" in said("reliability", "manual-review", "--who", "ann")
    assert "resolved by review" in said("run", "reliability")
    assert len(study.validations.ground_truth_rows()) == 6


@pytest.mark.slow
def test_texts_that_look_like_markup_or_steer_terminals_are_shown_as_they_are(said: Said, tmp_path: Path) -> None:
    hostile = "[bold]x[/red] \x1b[2J\x1b]0;title\x07 | <script>=cmd()\n\u202eright to left"
    study = relevance_study(tmp_path, [AGREED] + [OPPOSED] * 3, [AGREED] * 4)
    path = study.reliability.queries
    assert path is not None
    records = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(one | {"query": hostile}) + "\n" for one in records))
    said("run", "reliability")
    vote_on(study, 1, reviewer="[red]ann[/bold]")
    shown = [said("reliability", "disagreements"), said("reliability", "recalibrate", "--dry-run")]
    shown += [said("reliability", "recalibrate", "--who", "[/nonsense]\x1b[31m"), said("reliability", "status")]
    for one in shown:
        assert "\x1b" not in one
        assert "\x07" not in one
        assert "\u202e" not in one
    assert "[bold]x[/red]" in shown[0]
    assert "[/nonsense]" in shown[3]


@pytest.mark.slow
def test_the_csv_of_disagreements_goes_where_it_is_wanted(said: Said, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] + [OPPOSED] * 12)
    with pytest.raises(UserError, match="no table of disagreements yet"):
        said("reliability", "disagreements")
    said("run", "reliability")
    assert "12 queries are in dispute, 0 of them reviewed. The worst 10 of 12:" in said("reliability", "disagreements")
    said("reliability", "disagreements", "-o", str(tmp_path / "mine.csv"))
    mine, there = tmp_path / "mine.csv", tmp_path / "home" / "outputs" / "disagreements.csv"
    assert mine.read_bytes() == there.read_bytes()
    with pytest.raises(UserError, match="ending in .csv"):
        said("reliability", "disagreements", "-o", str(tmp_path / "mine.xlsx"))


@pytest.mark.slow
def test_without_a_verdict_the_next_step_is_the_input(said: Said, tmp_path: Path) -> None:
    one_label = ((0.9, 0.8, 0.7, 0.9), (0.8, 0.9, 0.9, 0.6))
    relevance_study(tmp_path, [one_label] * 2)
    assert "Due: The study was not run yet" in said("reliability", "status")
    for shown in (said("run", "reliability"), said("reliability", "status")):
        assert "Due: There is no verdict: add queries with relevant and irrelevant documents" in shown
        assert "queries.jsonl Next: touchstone import reliability" in shown
        # Advice on a verdict that is not there neither holds nor fails.
        assert "agreement_is_proven" not in re.sub(r"not asked: [^.]*\.", "", shown)
    assert "A run would compare the judges" in said("import", "reliability")


@pytest.mark.slow
@pytest.mark.usefixtures("validated")
def test_a_run_tells_its_conditions_once(place: Path) -> None:
    shown = (place / "said.txt").read_text()
    assert "judges_agree: its numbers are below." in shown
    assert "Macro kappa" not in shown
    assert shown.count("missed") == 4  # the legend of the gates, and three conditions
    assert "Go through the contingency" not in shown


@pytest.mark.slow
def test_disagreements_of_a_database_of_a_newer_version_are_refused(said: Said, tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] + [OPPOSED] * 3)
    said("run", "reliability")
    with study.engine.begin() as connection:
        connection.execute(sa.text("UPDATE touchstone_version SET version_num = '9999'"))
    study.engine.dispose()
    with pytest.raises(UserError, match="a newer Touchstone made"):
        said("reliability", "disagreements")


def test_one_place_to_export_to_is_needed(said: Said, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED])
    for arguments in ((), ("t.csv", "--table", "t")):
        with pytest.raises(UserError, match="one of them"):
            said("reliability", "export", *arguments)


def test_an_account_without_a_name_has_to_give_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr(reliability_steps.getpass, "getuser", nobody)
    with pytest.raises(UserError, match="--who NAME"):
        reliability_steps.who_takes_it(None)
    assert reliability_steps.who_takes_it(" ann ") == "ann"


@pytest.mark.slow
def test_a_mistake_ends_with_one_line_and_code_2(tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED])
    environment = {**os.environ, "TOUCHSTONE_HOME": str(tmp_path / "home"), "COLUMNS": "80"}
    command = [sys.executable, "-c", PROGRAM, "reliability", "recalibrate"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: There is no validation yet.")
    assert done.stderr.count("\n") == 1
