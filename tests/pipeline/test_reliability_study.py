"""Study D through Dagster: a whole contingency on both databases, what stops a run, and what a crash leaves."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from pipeline.definitions import definitions_of
from pipeline.reliability_automation import write_ground_truth
from pipeline.runs import run_reliability, run_revalidation
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from tests.openai_server import Asked, Scripted, answered, openai_server
from tests.resources.judges.relevance.asked import model_on
from tests.small_relevance import (
    AGREED,
    JUDGES,
    OPPOSED,
    relevance_study,
    stored,
    validate,
    vote_on,
    write_answers,
    write_queries,
)

# Six queries of kappa 1 and six of kappa 0; under the next prompt all of kappa 1.
FIRST, AGAIN = [AGREED] * 6 + [OPPOSED] * 6, [AGREED] * 12
LOW = [f"q{number:02d}" for number in range(7, 13)]
OWN = {
    "kappa_validation": ["id", "timestamp", "run"],
    "ground_truth": ["decided_at"],
    "reliability_report": ["path", "sha256", "n_bytes"],
}


def judge_again(study: Study, queries: list[str] = LOW) -> None:
    details = {"prompt_version": "recalibrated_v2", "queries": queries, "held_out": queries[::2]}
    study.validations.take_action("recalibration_started", details, "ann")


def by_hand(study: Study, instance: dg.DagsterInstance, *tables: str) -> dict[str, str]:
    """A launch of these tables from the UI: the first error of each step that failed."""
    job = definitions_of(study).resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        instance=instance, asset_selection=[dg.AssetKey(name) for name in tables], raise_on_error=False
    )
    failures = {}
    for event in result.get_step_failure_events():
        error = event.step_failure_data.error
        assert error is not None
        while error.cause is not None:
            error = error.cause
        failures[event.step_key or ""] = error.message
    return failures


def tables_of(study: Study) -> set[str]:
    graph = definitions_of(study).resolve_asset_graph()
    return {key.path[-1] for key in graph.materializable_asset_keys}


def all_tables(study: Study) -> dict[str, pd.DataFrame]:
    """Every table as it lies on disk, without what no two runs have alike."""
    found = {}
    for name in BY_GROUP["reliability"]:
        if not (study.home.tables / "reliability" / f"{name}.parquet").is_file():
            continue
        frame = stored(study, name)
        if "contingency_actions" in frame:
            steps = frame["contingency_actions"].map(json.loads)
            frame["contingency_actions"] = [
                json.dumps([{key: one[key] for key in one if key != "at"} for one in of_run]) for of_run in steps
            ]
        found[name] = frame.drop(columns=OWN.get(name, []))
    return found


def whole_contingency(study: Study, instance: dg.DagsterInstance) -> list[dict[str, pd.DataFrame]]:
    """Validated, reviewed, judged again: all tables after each step."""
    seen = []
    assert validate(study, instance).succeeded
    seen.append(all_tables(study))
    vote_on(study, 2, "ann")
    vote_on(study, 1, "ben", relevant=False)
    assert run_revalidation(definitions_of(study), instance, study).succeeded
    seen.append(all_tables(study))
    judge_again(study)
    assert validate(study, instance).succeeded
    seen.append(all_tables(study))
    study.engine.dispose()
    return seen


@pytest.mark.slow
def test_a_whole_contingency_makes_the_same_tables_on_both_databases(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, instance: dg.DagsterInstance
) -> None:
    embedded = whole_contingency(relevance_study(tmp_path, FIRST, AGAIN, home=tmp_path / "embedded"), instance)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", postgres_url)
    server = whole_contingency(relevance_study(tmp_path, FIRST, AGAIN, home=tmp_path / "server"), instance)
    for step, (one, other) in enumerate(zip(embedded, server, strict=True)):
        assert one.keys() == other.keys()
        for name in one:
            pd.testing.assert_frame_equal(one[name], other[name], obj=f"{name} after step {step}")
    statuses = embedded[-1]["kappa_validation"]["status"].tolist()
    assert statuses == ["contingency_triggered", "contingency_triggered", "passed"]
    assert set(embedded[-1]) == tables_of(relevance_study(tmp_path, FIRST))
    assert len(embedded[-1]["ground_truth"]) == 12
    change = embedded[-1]["recalibration"].set_index(["part", "statistic"])
    # Six queries from kappa 0 to 1: the macro of all from 0.5 to 1.
    assert change.loc[("all", "kappa_macro"), ["before", "after"]].tolist() == [0.5, 1.0]
    assert change.loc[("held_out", "kappa_macro"), ["before", "after", "n_queries"]].tolist() == [0.0, 1.0, 3]
    steps = [
        [one["step"] for one in json.loads(text)] for text in embedded[-1]["kappa_validation"]["contingency_actions"]
    ]
    assert steps[0] == ["disagreements", "tiebreaks", "bias_test"]
    assert steps[2] == ["disagreements", "tiebreaks", "bias_test", "recalibration_started"]


def test_one_run_makes_every_table_but_ground_truth_which_is_refused_while_a_contingency_lasts(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, FIRST)
    outcome = validate(study, instance)
    assert (outcome.succeeded, outcome.user_errors, outcome.other_errors) == (True, [], [])
    assert set(outcome.tables) == tables_of(study) - {"ground_truth"}
    blocking = {check.check_name: check.passed for check in outcome.checks if check.blocking}
    assert blocking == {"every_judge_scored_the_documents": True, "two_judges_have_scores": True}
    failed = [check.check_name for check in outcome.checks if not check.passed]
    assert failed == ["judges_agree"]
    refused = by_hand(study, instance, "ground_truth")
    assert "The latest validation is contingency_triggered" in refused["ground_truth"]
    assert study.validations.ground_truth_rows().empty
    study.engine.dispose()


def incomplete(folder: Path, **plan: Any) -> Study:
    """One of eight documents, 0.125 of them, lacks the second judge's score."""
    gap: Any = (AGREED[0], (*AGREED[1][:3], None))
    return relevance_study(folder, [AGREED, gap], **plan)


def test_nothing_downstream_of_bad_data_runs_nor_does_a_launch_by_hand(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = incomplete(tmp_path)
    outcome = validate(study, instance)
    assert not outcome.succeeded
    assert set(outcome.tables) == {"query_documents", "judgments"}
    [failed] = [check for check in outcome.checks if not check.passed]
    assert failed.check_name == "every_judge_scored_the_documents"
    assert "q02/d4" in (failed.description or "")
    outcome = run_revalidation(definitions_of(study), instance, study)
    assert (outcome.succeeded, outcome.tables) == (False, [])
    assert all("Share of documents that not every judge scored is 0.125" in error for error in outcome.user_errors)
    assert study.validations.validations().empty
    study.engine.dispose()


@pytest.mark.slow
def test_incomplete_documents_within_the_limit_are_left_out_and_counted(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = incomplete(tmp_path, max_incomplete_share=0.2)
    assert validate(study, instance).succeeded
    rows = stored(study, "query_kappa").set_index("query_id")
    assert rows.loc["q02", ["n_documents", "n_both"]].tolist() == [4, 3]
    assert stored(study, "kappa_validation")["n_documents"].tolist() == [7]
    study.engine.dispose()


@pytest.mark.slow
def test_what_the_input_no_longer_has_is_in_no_table_and_an_older_verdict_allows_nothing_on_the_rest(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, [AGREED] * 6)
    assert "ground_truth" in validate(study, instance).tables
    # One query of one label is left: kappa is not defined, so there is no verdict.
    one_label = ((0.9, 0.8), (0.8, 0.9))
    write_queries(tmp_path / "queries.jsonl", [AGREED] * 6)
    records = (tmp_path / "queries.jsonl").read_text().splitlines()
    other = json.loads(records[0]) | {"id": "new", "query": "What is new?"}
    other["docs"] = other["docs"][:2]
    other |= {f"{judge}_score": list(scores) for judge, scores in zip(JUDGES, one_label, strict=True)}
    (tmp_path / "queries.jsonl").write_text(json.dumps(other) + "\n")
    outcome = validate(study, instance)
    assert outcome.succeeded
    assert "ground_truth" not in outcome.tables
    for table in ("query_documents", "judgments", "query_kappa"):
        assert set(stored(study, table)["query_id"]) == {"new"}, table
    assert len(study.validations.validations()) == 1
    assert len(study.validations.ground_truth_rows()) == 6
    failures = by_hand(study, instance, "ground_truth")
    assert "others than those of the latest validation" in failures["ground_truth"]
    study.engine.dispose()


def kappa_rows(study: Study) -> pd.DataFrame:
    return study.validations.validations()[["kappa_macro", "kappa_micro", "n_documents", "status"]]


@pytest.mark.slow
def test_a_crash_in_the_middle_of_judging_again_changes_nothing_and_the_next_run_goes_on(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, FIRST, AGAIN)
    validate(study, instance)
    before = stored(study, "query_kappa")
    judge_again(study)
    answers = tmp_path / "again.jsonl"
    lines = answers.read_text().splitlines(keepends=True)
    # The second judge's answers are gone: the first one's are not kept before that is found.
    answers.write_text("".join(line for line in lines if '"judge1"' in line))
    outcome = validate(study, instance)
    assert not outcome.succeeded
    assert "there is no judge 'judge2'" in outcome.user_errors[0]
    kept = study.queries.judgments(JUDGES)
    assert kept["prompt_version"].value_counts().to_dict() == {"v1": 96}
    assert run_revalidation(definitions_of(study), instance, study).succeeded
    pd.testing.assert_frame_equal(stored(study, "query_kappa"), before)
    rows = kappa_rows(study)
    pd.testing.assert_series_equal(rows.iloc[0], rows.iloc[1], check_names=False)
    answers.write_text("".join(lines))
    assert validate(study, instance).succeeded
    assert kappa_rows(study)["status"].tolist()[-1] == "passed"
    study.engine.dispose()


@pytest.mark.slow
def test_a_query_that_was_judged_again_in_part_keeps_its_first_scores(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, FIRST, AGAIN)
    validate(study, instance)
    judge_again(study)
    answers = write_answers(tmp_path / "again.jsonl", AGAIN)
    lines = answers.read_text().splitlines(keepends=True)
    answers.write_text("".join(line for line in lines if not ('"q12"' in line and '"d4"' in line and "judge2" in line)))
    assert validate(study, instance).succeeded
    versions = stored(study, "query_kappa").set_index("query_id")["prompt_version"]
    assert versions[LOW].tolist() == ["recalibrated_v2"] * 5 + ["v1"]
    study.engine.dispose()


@pytest.mark.slow
def test_a_second_run_asks_no_judge_anything_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instance: dg.DagsterInstance
) -> None:
    def said(asked: Asked) -> Scripted:
        return answered("0.9" if "Document 1" in asked.text or "Document 2" in asked.text else "0.1")

    with openai_server(said) as server:
        judge = model_on(server, monkeypatch)
        section = judge.model_dump(mode="json", exclude_none=True)
        study = relevance_study(tmp_path, [AGREED] * 3, judges=dict.fromkeys(JUDGES, section))
        first = validate(study, instance)
        assert (first.succeeded, first.user_errors, first.other_errors) == (True, [], [])
        tables = all_tables(study)
        # Three queries of four documents, two judges.
        assert len(server.requests) == 24
        second = run_reliability(definitions_of(study), instance, study)
        assert second.succeeded
        assert len(server.requests) == 24
    for name in ("judgments", "query_kappa", "judge_agreement", "disputed_documents"):
        pd.testing.assert_frame_equal(all_tables(study)[name], tables[name])
    assert len(study.validations.validations()) == 2
    study.engine.dispose()


def test_the_job_that_writes_ground_truth_makes_that_table_alone(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, FIRST)
    job = definitions_of(study).resolve_job_def(write_ground_truth.name)
    assert {key.path[-1] for key in job.asset_layer.selected_asset_keys} == {"ground_truth"}
