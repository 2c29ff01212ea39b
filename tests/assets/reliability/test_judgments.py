"""Judgments: the gates on them passed and failed, who is asked about what, and who could be asked again."""

from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from upath import UPath

from assets.reliability.judgments import complete_gate, headline, judges_gate, pool_of, sound_scores
from assets.reliability.logic.judge_pairs import scored_documents
from assets.reliability.logic.judged_again import documents_of, refuse_without_judges, rounds
from resources.configuration.reliability import EmbeddingJudge, LexicalJudge, ReliabilityStudy
from resources.errors import UserError
from resources.runtime.home import Home
from resources.study import Study
from tests.assets.reliability.made_judgments import BASE, THREE, Scores, judgments_of, plan, scored_of
from tests.assets.reliability.made_judgments import documents_of as table_of

RECORDED = {"kind": "recorded", "path": Path("answers.jsonl")}


def with_gaps(n_missing: int) -> Scores:
    """Twenty documents, some of which the second judge has not scored."""
    return {"q": {f"d{place}": (0.9, None if place < n_missing else 0.8) for place in range(20)}}


def test_one_document_of_twenty_may_lack_a_score_and_two_may_not() -> None:
    assert complete_gate(scored_of(with_gaps(1)), 0.05).passed
    gate = complete_gate(scored_of(with_gaps(2)), 0.05)
    assert (gate.passed, gate.seen) == (False, 0.1)
    assert "They are q/d0, q/d1. Score them, or raise `max_incomplete_share`" in gate.sentence


def test_documents_that_nobody_judged_count_as_incomplete() -> None:
    scores = {"q": {"d": (0.9, 0.8), "e": (None, None)}}
    assert complete_gate(scored_of(scores), 0.05).seen == 0.5


def test_without_documents_the_gate_fails() -> None:
    gate = complete_gate(scored_documents(judgments_of({}), plan(), documents=table_of({})), 0.05)
    assert (gate.passed, gate.seen) == (False, None)


def test_the_passing_gate_counts_what_is_left_out() -> None:
    sentence = complete_gate(scored_of(with_gaps(1)), 0.05).sentence
    assert sentence == "19 of 20 documents have a score of every judge; 1 lacks one."


def test_only_a_judge_that_runs_a_model_here_waits_for_the_device(tmp_path: Path) -> None:
    lexical, embedding = LexicalJudge(kind="lexical"), EmbeddingJudge(kind="embedding")
    study = partial(ReliabilityStudy, queries=tmp_path / "queries.csv", calibration=tmp_path / "calibration.csv")
    assert pool_of(study(judges={"one": lexical, "two": embedding})) == "gpu"
    assert pool_of(study(judges={"one": lexical, "two": lexical})) is pool_of(None) is None


def test_two_judges_pass_and_one_does_not() -> None:
    assert judges_gate(judgments_of(BASE), plan()).passed
    gate = judges_gate(judgments_of({"q": {"d": (0.9, None)}}), plan())
    assert (gate.passed, gate.seen) == (False, 1.0)
    # A judge of whom no answer could be read has no score.
    assert not judges_gate(judgments_of({"q": {"d": (0.9, float("nan"))}}), plan()).passed
    assert not judges_gate(judgments_of({}), plan()).passed


def test_judges_without_scores_are_said_to_have_them_cut_off_and_not_to_be_named() -> None:
    judgments = judgments_of({"q": {f"d{n}": (float("nan"), float("nan")) for n in range(12)}})
    judgments = judgments.assign(state="cut_off", message="the answer was cut off at max_output_tokens")
    sentence = judges_gate(judgments, plan()).sentence
    assert "Judge careful: Of 12 answers, 12 are `cut_off`, such as: the answer was cut off" in sentence
    assert "Raise `max_output_tokens`" in sentence
    assert "Name `judges`" not in sentence


def test_three_judges_pass_and_are_named() -> None:
    assert "careful, hasty, odd" in judges_gate(judgments_of({"q": {"d": (0.1, 0.2, 0.3)}}, THREE), plan()).sentence


def test_judges_are_named_in_the_studys_order() -> None:
    # The first document lacks the first judge.
    scores = {"q": {"d": (None, 0.2), "e": (0.1, 0.3)}}
    assert judges_gate(judgments_of(scores), plan()).sentence == "2 judges have scores: careful, hasty."


def test_a_launch_by_hand_meets_the_gates_too() -> None:
    assert sound_scores(judgments_of(BASE), table_of(BASE), plan()).scores.shape == (10, 2)
    for scores in (with_gaps(2), {"q": {"d": (0.9, None)}}):
        with pytest.raises(dg.Failure):
            sound_scores(judgments_of(scores), table_of(scores), plan())


def study_of(folder: Path, **changes: Any) -> Study:
    return Study("shoes", None, Home(UPath(folder), folder), reliability_section=plan(**changes))


def test_configured_judges_are_asked_about_everything_and_again_about_the_queries_that_were_chosen(
    tmp_path: Path,
) -> None:
    judges = {"careful": RECORDED, "hasty": RECORDED}
    other = {"kind": "recorded", "path": Path("second.jsonl")}
    study = study_of(tmp_path, judges=judges, recalibration={"judges": {"hasty": other}})
    details = {"prompt_version": "recalibrated_v2", "queries": ["q1"], "held_out": []}
    study.validations.take_action("recalibration_started", details, "ann")
    first, second = rounds(study)
    assert (first[0], list(first[1]), first[2]) == ("v1", ["careful", "hasty"], None)
    assert (second[0], second[2]) == ("recalibrated_v2", frozenset({"q1"}))
    paths = {name: getattr(judge, "path", None) for name, judge in second[1].items()}
    assert paths == {"careful": Path("answers.jsonl"), "hasty": Path("second.jsonl")}
    study.engine.dispose()


def test_scores_that_came_with_the_input_ask_nobody(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    assert rounds(study) == []
    study.engine.dispose()


def test_documents_are_asked_about_with_their_texts() -> None:
    asked = documents_of(table_of(BASE).assign(document=None), frozenset({"q2"}))
    assert [(one.query_id, one.query, one.doc_id, one.document) for one in asked] == [
        ("q2", "what about q2?", "d1", None),
        ("q2", "what about q2?", "d2", None),
    ]
    assert len(documents_of(table_of(BASE), None)) == 10


def test_nobody_can_judge_imported_scores_again_unless_judges_are_named() -> None:
    with pytest.raises(UserError, match="recalibration: judges"):
        refuse_without_judges(plan())
    refuse_without_judges(plan(recalibration={"judges": {"careful": RECORDED}}))


def test_the_headline_counts_answers_without_a_score_and_incomplete_documents() -> None:
    scores = {"q": {"d": (0.9, float("nan")), "e": (0.1, 0.2), "f": (None, None)}}
    frame = judgments_of(scores)
    found = headline(frame, scored_documents(frame, plan(), documents=table_of(scores)))
    assert (found["n_judgments"], found["n_documents"], found["n_incomplete_documents"]) == (4, 3, 2)
    assert (found["n_without_score"], found["judges"], found["prompt_versions"]) == (1, "careful, hasty", "v1")
