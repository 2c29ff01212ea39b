"""Only what the configured judges and the input say now counts; what an earlier one said is kept and told."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.reliability.judgments import complete_gate
from assets.reliability.logic.contingency_state import (
    due,
    facts_of,
    nobody_to_judge_again,
    require_contingency,
    stored_tables,
)
from assets.reliability.logic.judge_pairs import input_scores, refuse_unjudged
from assets.reliability.logic.judged_again import refuse_without_judges
from assets.reliability.logic.recalibration_plan import recalibration_plan
from pipeline.command_line.reliability_steps import start_recalibration
from pipeline.definitions import definitions_of
from pipeline.runs import run_revalidation
from resources.errors import UserError
from resources.inputs.reliability.relevance_rows import read_relevance_file
from resources.study import Study
from tests.assets.reliability.made_judgments import BASE, documents_of, judgments_of, plan, scored_of
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

pytestmark = pytest.mark.slow

KINDS = [AGREED] * 4 + [OPPOSED] * 2


def recorded_study(folder: Path, **more: Any) -> Study:
    """Both judges' answers under the first prompt stand in a file."""
    path = write_answers(folder / "answers.jsonl", KINDS, "v1")
    judges = {judge: {"kind": "recorded", "path": str(path)} for judge in JUDGES}
    return relevance_study(folder, KINDS, judges=judges, max_incomplete_share=0.5, **more)


def counting(study: Study) -> dict[tuple[str, str, str], float]:
    frame = stored(study, "judgments")
    rows = frame[frame["counts"]]
    return dict(zip(zip(rows["query_id"], rows["doc_id"], rows["judge"], strict=True), rows["score"], strict=True))


def test_an_answer_that_the_file_no_longer_has_is_missing_and_comes_back_with_it(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = recorded_study(tmp_path)
    validate(study, instance)
    before = counting(study)
    answers = tmp_path / "answers.jsonl"
    text = answers.read_text()
    lines = text.splitlines(keepends=True)
    # The first line is the first judge's answer about q01/d1, the second its answer about q01/d2.
    answers.write_text("".join([lines[1].replace("0.8", "0.05"), *lines[2:]]))
    outcome = validate(study, instance)
    now = counting(study)
    assert ("q01", "d1", "judge1") not in now
    assert now["q01", "d2", "judge1"] == 0.05
    assert {key: now[key] for key in now if key[:2] not in (("q01", "d1"), ("q01", "d2"))} == {
        key: before[key] for key in before if key[:2] not in (("q01", "d1"), ("q01", "d2"))
    }
    # All 24 answers of the first judge were another source's.
    said = [one.description for one in outcome.checks if one.check_name == "every_judge_scored_the_documents"]
    assert "24 scores of another model, prompt or input are kept and do not count" in str(said)
    answers.write_text(text)
    validate(study, instance)
    assert counting(study) == before
    study.engine.dispose()


def test_a_score_that_the_input_no_longer_has_does_not_count(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, KINDS, max_incomplete_share=0.5)
    validate(study, instance)
    path = tmp_path / "queries.jsonl"
    path.write_text(path.read_text().replace('"judge1_score": [0.9,', '"judge1_score": [null,', 1))
    validate(study, instance)
    assert ("q01", "d1", "judge1") not in counting(study)
    assert len(counting(study)) == 47
    study.engine.dispose()


def test_the_input_is_read_once_in_a_run(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = relevance_study(tmp_path, KINDS)
    read: list[object] = []

    def counted(*arguments: Any) -> Any:
        read.append(arguments)
        return read_relevance_file(*arguments)

    monkeypatch.setattr("resources.inputs.reliability.relevance.read_relevance_file", counted)
    assert validate(study, instance).succeeded
    assert len(read) == 1
    study.engine.dispose()


def test_documents_of_configured_judges_have_no_scores_of_an_input() -> None:
    with pytest.raises(UserError, match="were not judged yet"):
        input_scores(documents_of(BASE))


def test_the_gate_says_what_is_kept_and_does_not_count() -> None:
    said = complete_gate(scored_of(BASE), 0.05, 1).sentence
    assert said.endswith(" 1 score of another model, prompt or input is kept and does not count.")
    assert "another model" not in complete_gate(scored_of(BASE), 0.05).sentence


def test_judgments_of_another_input_are_refused() -> None:
    judgments, documents = judgments_of(BASE), documents_of(BASE)
    refuse_unjudged(judgments, documents)
    with pytest.raises(UserError, match="were not judged yet"):
        refuse_unjudged(judgments, documents[documents["query_id"] != "q1"])
    documents.attrs["about"] = {"input": "new"}
    with pytest.raises(UserError, match="were not judged yet"):
        refuse_unjudged(judgments, documents)


def test_nothing_is_validated_on_queries_that_were_not_judged(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, KINDS)
    validate(study, instance)
    vote_on(study, 1)
    write_queries(tmp_path / "queries.jsonl", [*KINDS, AGREED])
    definitions = definitions_of(study)
    job = definitions.resolve_implicit_global_asset_job_def()
    selection = [dg.AssetKey("query_documents")]
    assert job.execute_in_process(instance=instance, asset_selection=selection).success
    before = len(study.validations.validations())
    with pytest.raises(UserError, match="The queries changed and were not judged yet"):
        require_contingency(study)
    outcome = run_revalidation(definitions, instance, study)
    assert (outcome.succeeded, outcome.other_errors) == (False, [])
    assert "The queries changed and were not judged yet" in outcome.user_errors[0]
    assert len(study.validations.validations()) == before
    assert validate(study, instance).succeeded
    study.engine.dispose()


def test_a_recalibration_of_which_no_query_counts_is_not_done(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, KINDS, KINDS)
    answers = tmp_path / "again.jsonl"
    text = answers.read_text()
    lines = text.splitlines(keepends=True)
    answers.write_text("".join(line for line in lines if not ('"d1"' in line and '"judge1"' in line)))
    validate(study, instance)
    vote_on(study, 1)
    start_recalibration(study, recalibration_plan(study).again, "ann")
    validate(study, instance)
    tables = stored_tables(study)
    assert tables is not None
    assert not facts_of(study, tables).recalibrated
    step = due(study)
    assert step.name == "recalibrate"
    assert "0 of the 2 queries set to be judged again count under 'recalibrated_v2'" in step.sentence
    assert "q05/d1 has no score of judge 'judge1' under it" in step.sentence
    answers.write_text(text)
    validate(study, instance)
    assert due(study).name == "manual_review"
    study.engine.dispose()


def test_judges_of_other_names_cannot_judge_again_and_the_status_says_so(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    other = {"judges": {"zz": {"kind": "recorded", "path": "again.jsonl"}}}
    with pytest.raises(UserError, match="again for judge1, judge2: .* which names zz, of whom there are no scores"):
        refuse_without_judges(plan(recalibration=other), JUDGES)
    study = relevance_study(tmp_path, KINDS, recalibration=other)
    validate(study, instance)
    assert "again for judge1, judge2" in (nobody_to_judge_again(study) or "")
    study.engine.dispose()


def test_what_a_table_was_made_from_is_stored_with_it(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, KINDS)
    validate(study, instance)
    about: list[dict[str, object]] = [stored(study, name).attrs["about"] for name in ("query_documents", "judgments")]
    assert about[0]["input"] == about[1]["input"]
    study.engine.dispose()
