"""`touchstone import reliability`: what a file holds, what a run would do, what would stop it; nothing is changed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError
from tests.small_relevance import AGREED, OPPOSED, record, relevance_study, write_queries


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "home"


def said(*files: str, code: int = 0) -> str:
    done = CliRunner().invoke(application, ["import", "reliability", *files], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def test_a_file_alone_is_checked_and_nothing_is_made(tmp_path: Path, home: Path) -> None:
    path = write_queries(tmp_path / "mine.jsonl", [AGREED, OPPOSED])
    shown = said(str(path))
    assert "mine.jsonl: 2 queries, 8 documents." in shown
    # Both queries' scores of judge1: 2 * (0.9 + 0.8 + 0.2 + 0.1) / 8.
    assert "judge1: 8 scores, mean 0.500, range 0.1-0.9, 0 missing; prompt version v1." in shown
    assert "pass two_judges_have_scores: 2 judges have scores: judge1, judge2." in shown
    assert "A run would compare the judges judge1, judge2, and ask nobody." in shown
    assert f"reliability:\n  queries: {path}" in shown
    assert not home.exists()


def test_documents_that_one_judge_left_out_stop_a_run_and_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    whole, torn = record(1, AGREED), record(2, OPPOSED)
    torn["judge2_score"] = [0.1, None, 0.8, 0.1]
    path.write_text("".join(json.dumps(one) + "\n" for one in (whole, torn)))
    shown = said(str(path), code=2)
    assert "judge2: 7 scores" in shown
    assert "1 missing" in shown
    # One of eight documents is 12.5 %, above 5 %.
    assert "STOP every_judge_scored_the_documents" in shown
    assert "q02/d2" in shown


def test_the_configured_input_needs_no_name(tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 3)
    shown = said()
    assert "3 queries, 12 documents" in shown
    assert "write into touchstone.yaml" not in shown


def test_no_input_two_inputs_and_wrong_ones_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Nothing names queries"):
        said()
    with pytest.raises(UserError, match="one input"):
        said("a.csv", "b.csv")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("query_id,query,doc_id,document,judge,prompt_version,score\nq1,what,d1,text,j1,v1,4\n")
    with pytest.raises(UserError, match=r"wrong\.csv, row \d"):
        said(str(wrong))


def test_configured_judges_are_told_with_what_they_would_be_asked(tmp_path: Path) -> None:
    examples = tmp_path / "examples.csv"
    examples.write_text("query,document,relevance\nwhat,this,1\n")
    judges = {"meaning": {"kind": "embedding"}, "words": {"kind": "lexical"}}
    relevance_study(tmp_path, [AGREED] * 3, judges=judges, calibration=str(examples))
    shown = said()
    assert "meaning: embedding" in shown
    assert "A run would have 2 judges score 12 documents under prompt 'v1'" in shown
