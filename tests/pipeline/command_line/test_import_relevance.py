"""`touchstone import reliability`: what a file holds, what a run would do, what would stop it; nothing is changed."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.study import Study
from tests.small_relevance import (
    AGREED,
    JUDGES,
    OPPOSED,
    record,
    relevance_study,
    validate_in,
    write_answers,
    write_queries,
)

pytestmark = pytest.mark.slow

OFFLINE = {"meaning": {"kind": "embedding"}, "words": {"kind": "lexical"}}


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


def dry_run(*, refused: str | None = None) -> str:
    """What `run --dry-run` says; with `refused`, the error that it must end with."""
    arguments = ["run", "reliability", "--dry-run"]
    if refused is None:
        return CliRunner().invoke(application, arguments, catch_exceptions=False).output
    with pytest.raises(UserError, match=refused) as problem:
        CliRunner().invoke(application, arguments, catch_exceptions=False)
    return str(problem.value)


def test_a_file_alone_is_checked_and_nothing_is_made(tmp_path: Path, home: Path) -> None:
    path = write_queries(tmp_path / "mine.jsonl", [AGREED, OPPOSED])
    shown = said(str(path))
    assert "mine.jsonl: 2 queries, 8 documents." in shown
    # Both queries' scores of judge1: 2 * (0.9 + 0.8 + 0.2 + 0.1) / 8.
    assert "judge1: 8 scores, mean 0.500, range 0.1-0.9, 0 missing; prompt version v1." in shown
    assert "pass two_judges_have_scores: 2 judges have scores: judge1, judge2." in shown
    assert "A run would compare the judges judge1, judge2, and ask no judge." in shown
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
    examples.write_text("query,document,relevance\n" + "".join(f"what,this {n},{n % 2}\n" for n in range(10)))
    relevance_study(tmp_path, [AGREED] * 3, judges=OFFLINE, calibration=str(examples))
    shown = said()
    assert "meaning: embedding" in shown
    assert "A run would have 2 judges score 12 documents under prompt 'v1'" in shown


def validated(folder: Path) -> Study:
    """A study with a validation behind it."""
    study = relevance_study(folder, [AGREED] * 3)
    assert validate_in(study).succeeded
    study.engine.dispose()
    return study


def test_changed_scores_are_told_before_a_run_with_their_number_the_first_and_what_to_do(tmp_path: Path) -> None:
    study = validated(tmp_path)
    path = tmp_path / "queries.jsonl"
    # judge1 scored d1 of every query 0.9 and d2 0.8.
    path.write_text(path.read_text().replace("[0.9, 0.8,", "[0.7, 0.6,"))
    shown = said(code=2)
    assert "STOP queries.jsonl, row 1: Query 'q01', document 'd1': judge 'judge1' scored 0.9 under prompt" in shown
    assert "version 'v1', and now 0.7. 5 more scores changed: query 'q01', document 'd2', judge 'judge1', 'v1'" in shown
    assert "0.8 -> 0.6; query 'q02', document 'd1', judge 'judge1', 'v1': 0.9 -> 0.7; and 3 more. Nothing was" in shown
    assert "give the new scores another prompt_version" in shown
    assert "A run would stop there, and ask no judge." in shown
    refused = dry_run(refused="'q01', document 'd1': judge 'judge1' scored 0.9 .*, and now 0.7. 5 more scores changed")
    # In the words of the run itself.
    assert validate_in(study).user_errors == [refused]
    assert len(study.queries.judgments()) == 24
    study.engine.dispose()


def test_changed_texts_are_told_before_a_run(tmp_path: Path) -> None:
    study = validated(tmp_path)
    write_queries(tmp_path / "queries.jsonl", [AGREED] * 3, text="Page")
    shown = said(code=2)
    assert (
        "Document 'd1' of query 'q01' is kept as 'Document 1 of query 1.' and now reads 'Page 1 of query 1.'" in shown
    )
    assert "11 more documents changed: document 'd2' of query 'q01': 'Document 2 of query 1.' -> 'Page 2" in shown
    assert validate_in(study).user_errors == [dry_run(refused="11 more documents changed")]
    study.engine.dispose()


def test_new_queries_beside_kept_ones_are_no_problem_and_are_not_stored_by_looking(tmp_path: Path) -> None:
    study = validated(tmp_path)
    write_queries(tmp_path / "queries.jsonl", [AGREED] * 5)
    assert "A run would compare the judges judge1, judge2" in said()
    assert "no judge is asked" in dry_run()
    assert len(study.queries.query_documents()) == 12
    study.engine.dispose()


def test_looking_makes_no_database(tmp_path: Path, home: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 3)
    said()
    assert [path.name for path in home.iterdir()] == ["touchstone.yaml"]


@pytest.mark.parametrize("validated_before", [False, True])
def test_a_file_of_answers_that_is_missing_is_told_before_a_run(tmp_path: Path, validated_before: bool) -> None:
    path = write_answers(tmp_path / "answers.jsonl", [AGREED] * 3, "v1")
    judges = {judge: {"kind": "recorded", "path": str(path)} for judge in JUDGES}
    study = relevance_study(tmp_path, [AGREED] * 3, judges=judges)
    if validated_before:
        validate_in(study)
    path.unlink()
    shown = said(code=2)
    assert re.search(r"STOP .*answers\.jsonl", shown)
    assert shown.count("STOP") == 1
    assert "A run would stop there" in shown
    assert dry_run(refused="answers.jsonl") in validate_in(study).user_errors[0]
    study.engine.dispose()


def test_a_calibration_file_that_is_missing_is_told_before_a_run(tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 3, judges=OFFLINE, calibration=str(tmp_path / "examples.csv"))
    assert re.search(r"STOP .*examples\.csv", said(code=2))
    dry_run(refused="examples.csv")


def test_documents_without_text_are_told_before_a_judge_would_have_to_read_them(tmp_path: Path) -> None:
    examples = tmp_path / "examples.csv"
    examples.write_text("query,document,relevance\n" + "".join(f"what,this {n},{n % 2}\n" for n in range(10)))
    study = relevance_study(tmp_path, [AGREED] * 3, judges=OFFLINE, calibration=str(examples))
    path = tmp_path / "queries.jsonl"
    whole = path.read_text()
    path.write_text(whole.replace('"text": "Document 2 of query 3."', '"text": null'))
    said_of = "judges.meaning: 1 document has no text, and cannot be judged by reading: query 'q03', document 'd2'."
    shown = said(code=2)
    assert f"STOP {said_of}" in shown
    assert "judges.words: 1 document has no text" in shown
    assert said_of in dry_run(refused="no text")
    # A text that the store has counts.
    torn = path.read_text()
    path.write_text(whole)
    study.queries.add_queries(read_relevance(study.reliability).documents)
    path.write_text(torn)
    assert "STOP" not in said()
    assert "judge lexical: costs nothing" in dry_run()
    study.engine.dispose()


def test_answers_for_a_recalibration_that_are_missing_are_told_and_stop_no_run(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 3, [AGREED] * 3)
    assert "before a recalibration" not in said()
    (tmp_path / "again.jsonl").unlink()
    shown = said()
    assert re.search(r"before a recalibration: .*again\.jsonl", shown)
    assert "A run would compare the judges" in shown
    assert re.search(r"before a recalibration: .*again\.jsonl", dry_run())
    assert validate_in(study).succeeded
    study.engine.dispose()


def test_a_gate_that_would_stop_the_run_is_told_by_a_dry_run_too(tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED] * 3)
    path = tmp_path / "queries.jsonl"
    path.write_text(path.read_text().replace('"judge1_score": [0.9,', '"judge1_score": [null,', 1))
    assert "STOP Share of documents that not every judge scored" in dry_run()


def test_a_file_that_is_no_study_of_the_home_is_not_held_against_what_it_keeps(tmp_path: Path, home: Path) -> None:
    validated(tmp_path)
    (home / "touchstone.yaml").unlink()
    other = write_queries(tmp_path / "other.jsonl", [OPPOSED] * 3)
    assert "A run would compare the judges" in said(str(other))


def test_a_database_of_another_version_is_told_of_and_left_as_it_is(tmp_path: Path) -> None:
    study = validated(tmp_path)
    with study.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE touchstone_version SET version_num = '0001'")
    study.engine.dispose()
    assert "The database is at version 0001, not" in said()
    with study.engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT version_num FROM touchstone_version").scalar()
    assert found == "0001"
    study.engine.dispose()
