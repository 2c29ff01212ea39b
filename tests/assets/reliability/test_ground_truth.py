"""Ground truth: the consensus by hand, and the gates that refuse it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from analysis.agreement.consensus import NO_DOCUMENT, NO_VOTE
from assets.reliability.ground_truth import allowed_gate, consensus_of, current_gate
from assets.reliability.logic.judge_pairs import scored_documents
from assets.reliability.query_kappa import lowest_kappas
from resources.database.reliability.records import GroundTruthRecord
from resources.database.reliability.review_store import DECISION_TYPES
from tests.assets.reliability.made_judgments import (
    BASE,
    THREE,
    TWO,
    Scores,
    at,
    judgments_of,
    plan,
    query_kappa_of,
    scored_of,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def decisions(votes: dict[tuple[str, str], tuple[int, int]], reasons: dict[tuple[str, str], str]) -> pd.DataFrame:
    """Votes for and against, each document an hour after the one before."""
    rows = [
        {
            "query_row": 1,
            "document_row": place,
            "query_id": key[0],
            "doc_id": key[1],
            "votes_relevant": yes,
            "votes_not_relevant": no,
            "decision": None if yes == no else yes > no,
            "reviewer": f"reviewer {place}",
            "decided_at": NOON + timedelta(hours=place),
            "reason": reasons.get(key),
        }
        for place, (key, (yes, no)) in enumerate(votes.items())
    ]
    return pd.DataFrame(rows, columns=list(DECISION_TYPES)).astype(DECISION_TYPES)


def truth(
    scores: Scores = BASE, judges: tuple[str, ...] = TWO, votes: Any = None, reasons: Any = None
) -> tuple[dict[str, GroundTruthRecord], int]:
    records, unresolved = consensus_of(
        scored_of(scores, judges),
        at(judges),
        decisions(votes or {}, reasons or {}),
        lowest_kappas(query_kappa_of(scores, judges)),
        7,
    )
    return {record.query_id: record for record in records}, unresolved


def test_where_judges_agree_their_label_counts_and_the_rest_is_left_out_and_counted() -> None:
    found, unresolved = truth()
    assert list(found) == ["q2", "q3"]
    assert unresolved == {"q1": NO_VOTE, "q4": NO_VOTE}
    assert found["q2"].expected_docs == ("d1",)
    assert found["q3"].expected_docs == ("d1", "d2")
    assert (found["q2"].kappa, found["q3"].kappa) == (1.0, None)
    assert (found["q2"].human_override, found["q2"].reviewer, found["q2"].validation) == (False, None, 7)
    assert found["q2"].scores == {"careful": [0.9, 0.1], "hasty": [0.9, 0.1]}


def test_people_decide_where_judges_differ_and_only_there() -> None:
    # q1/d1 is agreed: the vote against it changes nothing and is nobody's decision.
    votes = {("q1", "d2"): (2, 1), ("q1", "d1"): (0, 3)}
    found, unresolved = truth(votes=votes, reasons={("q1", "d2"): "it is about shoes"})
    one = found["q1"]
    assert one.expected_docs == ("d1", "d2")
    assert (one.n_by_people, one.human_override, one.reviewer) == (1, True, "reviewer 0")
    assert (one.override_reason, one.decided_at) == ("it is about shoes", NOON)
    assert unresolved == {"q4": NO_VOTE}


def test_a_tie_and_a_document_without_a_vote_leave_the_query_out() -> None:
    assert "q1" not in truth(votes={("q1", "d2"): (1, 1)})[0]
    assert "q4" not in truth(votes={("q4", "d1"): (1, 0)})[0]


def test_the_last_decision_names_the_reviewer_and_the_last_reason_stands() -> None:
    votes = {("q4", "d2"): (0, 1), ("q4", "d1"): (1, 0)}
    one = truth(votes=votes, reasons={("q4", "d2"): "no shoe at all"})[0]["q4"]
    assert (one.expected_docs, one.n_by_people) == (("d1",), 2)
    assert (one.reviewer, one.decided_at) == ("reviewer 1", NOON + timedelta(hours=1))
    assert one.override_reason == "no shoe at all"


def test_three_judges_agree_only_when_all_do() -> None:
    scores = {"q": {"d": (0.9, 0.8, 0.7), "e": (0.9, 0.8, 0.1)}}
    assert truth(scores, THREE) == ({}, {"q": NO_VOTE})
    found, _ = truth(scores, THREE, votes={("q", "e"): (0, 1)})
    assert found["q"].expected_docs == ("d",)


def test_incomplete_documents_have_no_label_and_a_query_of_them_alone_is_unresolved() -> None:
    found, unresolved = truth({"q": {"d": (0.9, 0.8), "e": (0.9, None)}, "r": {"d": (None, 0.1)}})
    assert (found["q"].expected_docs, found["q"].n_documents) == (("d",), 1)
    assert unresolved == {"r": NO_DOCUMENT}


def test_of_an_incomplete_document_people_alone_decide() -> None:
    scores: Scores = {"q": {"d": (0.9, 0.8, 0.7), "e": (0.9, 0.1, None), "f": (0.9, 0.8, None)}}
    # Two judges differ on e and nobody decided: unresolved. f, on which they agree, is left out.
    assert truth(scores, THREE) == ({}, {"q": NO_VOTE})
    found, _ = truth(scores, THREE, votes={("q", "e"): (1, 0)})
    one = found["q"]
    assert (one.expected_docs, one.n_documents, one.n_by_people) == (("d", "e"), 2, 1)
    assert one.scores == {"careful": [0.9, 0.9], "hasty": [0.8, 0.1], "odd": [0.7, None]}
    # With a vote, f is decided by people, against both judges that scored it.
    voted, _ = truth(scores, THREE, votes={("q", "e"): (1, 0), ("q", "f"): (0, 1)})
    assert (voted["q"].expected_docs, voted["q"].n_documents, voted["q"].n_by_people) == (("d", "e"), 3, 2)


def test_a_query_without_a_relevant_document_is_resolved_and_empty() -> None:
    assert truth({"q": {"d": (0.1, 0.2)}})[0]["q"].expected_docs == ()


def row(**changes: Any) -> dict[str, Any]:
    """The validation of BASE."""
    return {
        "id": 1,
        "status": "passed",
        "judge_1": "careful",
        "judge_2": "hasty",
        "kappa_macro": 0.375,
        "kappa_macro_defined": 0.5 / 3,
        "kappa_micro": 0.4,
        "n_documents": 10,
        "total_queries": 4,
        "thresholds": '{"careful": 0.5, "hasty": 0.5}',
    } | changes


@pytest.mark.parametrize(
    ("status", "allowed"), [("passed", True), ("resolved_by_review", True), ("contingency_triggered", False)]
)
def test_the_latest_validation_allows_or_refuses(status: str, allowed: bool) -> None:
    gate = allowed_gate(pd.DataFrame([row(status="passed"), row(status=status)]))
    assert gate.passed == allowed
    assert f"The latest validation is {status}; needed: passed or resolved_by_review." in gate.sentence


def test_without_a_validation_there_is_nothing_to_write() -> None:
    gate = allowed_gate(pd.DataFrame([row()]).iloc[:0])
    assert not gate.passed
    assert "no validation yet" in gate.sentence


def test_a_validation_of_these_scores_and_thresholds_is_current() -> None:
    assert current_gate(pd.DataFrame([row()]), scored_of(BASE), at(TWO)).passed


@pytest.mark.parametrize(
    "change",
    [
        {"kappa_macro": 0.376},
        {"n_documents": 9},
        {"judge_2": "odd"},
        {"thresholds": '{"careful": 0.5, "hasty": 0.6}'},
        {"thresholds": '{"careful": 0.5}'},
    ],
)
def test_a_validation_of_other_scores_or_thresholds_is_not(change: dict[str, Any]) -> None:
    gate = current_gate(pd.DataFrame([row(), row(**change)]), scored_of(BASE), at(TWO))
    assert not gate.passed
    assert "Run `touchstone run reliability`" in gate.sentence


def test_scores_without_a_defined_kappa_are_not_those_that_passed() -> None:
    rows = judgments_of({"q": {"d": (0.9, 0.9)}})
    assert not current_gate(pd.DataFrame([row()]), scored_documents(rows, plan()), at(TWO)).passed
