"""Documents in dispute: which ones, in what order, what people said of them, and what the review app is offered."""

from pathlib import Path

import pandas as pd
import pytest
from upath import UPath

from assets.reliability.disputed_documents import headline
from assets.reliability.logic.disputes import disputes, reviewed_queries, rows_for_review, undecided, with_votes
from assets.reliability.query_kappa import lowest_kappas
from resources.database.engine import open_engine
from resources.database.migrate import migrate
from resources.runtime.home import Home
from resources.study import Study
from tests.assets.reliability.made_judgments import (
    BASE,
    THREE,
    TWO,
    at,
    disputed_of,
    documents_of,
    plan,
    query_kappa_of,
    scored_of,
)


def keys(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(frame["query_id"], frame["doc_id"], strict=True))


def test_documents_far_apart_or_with_two_labels_are_in_dispute_the_worst_query_first() -> None:
    frame = disputed_of(BASE)
    # q4: 0.8 and 0.4 apart; q1: d2 0.6 apart. q3 differs by at most 0.3 with one label.
    assert keys(frame) == [("q4", "d1"), ("q4", "d2"), ("q1", "d2")]
    assert frame["place"].tolist() == [1, 1, 2]
    assert frame["place_in_query"].tolist() == [1, 2, 1]
    assert frame["disagreement"].tolist() == pytest.approx([0.8, 0.4, 0.6], abs=1e-15)
    # 0.6 - 0.2 is 0.39999999999999997 in floating point; 0.4 is not above 0.4, and the labels differ all the same.
    assert frame["is_high"].tolist() == [True, False, True]
    assert frame["labels_differ"].tolist() == [True, True, True]


def test_a_difference_of_exactly_the_limit_with_one_label_is_no_dispute() -> None:
    assert disputed_of({"q": {"d": (0.9, 0.5 + 1e-15), "e": (0.95, 0.55), "f": (0.1, 0.45)}})["doc_id"].tolist() == [
        "d"
    ]


def test_far_apart_with_one_label_is_in_dispute_and_nobody_has_to_decide() -> None:
    frame = disputed_of({"q": {"d": (0.05, 0.49)}})
    assert frame[["is_high", "labels_differ"]].to_numpy().tolist() == [[True, False]]
    assert undecided(frame).empty


def test_of_equal_disagreement_the_lower_kappa_comes_first_and_none_last() -> None:
    scores = {
        "none": {"d": (0.05, 0.49), "e": (0.1, 0.1)},
        "half": {"d": (0.9, 0.46), "e": (0.9, 0.9), "f": (0.1, 0.1), "g": (0.1, 0.1)},
        "zero": {"d": (0.9, 0.46), "e": (0.9, 0.9)},
    }
    assert disputed_of(scores)["query_id"].tolist() == ["zero", "half", "none"]


def test_of_three_judges_the_two_furthest_apart_are_named() -> None:
    row = disputed_of({"q": {"d": (0.6, 0.9, 0.2), "e": (0.1, 0.2, 0.3)}}, THREE).iloc[0]
    assert (row["lowest_judge"], row["lowest_score"]) == ("odd", 0.2)
    assert (row["highest_judge"], row["highest_score"]) == ("hasty", 0.9)
    assert row["disagreement"] == 0.7


def test_two_judges_that_differ_are_in_dispute_though_a_third_has_no_score() -> None:
    scores = {"q": {"d": (0.9, 0.1, None), "e": (0.1, 0.1, 0.1), "f": (0.9, None, None), "g": (0.8, None, 0.9)}}
    frame = disputed_of(scores, THREE)
    assert frame["doc_id"].tolist() == ["d"]
    assert frame[["disagreement", "lowest_judge", "highest_judge"]].iloc[0].tolist() == [0.8, "hasty", "careful"]
    assert keys(undecided(frame)) == [("q", "d")]


def test_a_query_is_reviewed_when_every_disputed_document_has_a_vote() -> None:
    votes = {("q1", "d2"): (0, 1), ("q4", "d1"): (1, 1)}
    assert reviewed_queries(disputed_of(BASE, votes=votes)) == {"q1"}
    # A tie is a vote, though it decides nothing.
    frame = disputed_of(BASE, votes={**votes, ("q4", "d2"): (1, 0)})
    assert reviewed_queries(frame) == {"q1", "q4"}
    assert keys(undecided(frame)) == [("q4", "d1")]


def test_the_headline_says_how_far_people_have_come() -> None:
    found = headline(disputed_of(BASE, votes={("q1", "d2"): (0, 1)}))
    assert found == {
        "n_disputed_documents": 3,
        "n_disputed_queries": 2,
        "n_labels_differ": 3,
        "n_reviewed_queries": 1,
        "n_undecided_documents": 2,
    }
    nothing = headline(disputed_of({"q": {"d": (0.1, 0.2)}}))
    assert set(nothing.values()) == {0}


def test_votes_that_stand_are_joined_and_the_review_app_is_offered_the_same_order(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", database_url)
    study = Study("shoes", None, Home(UPath(tmp_path), tmp_path), reliability_section=plan())
    migrate(open_engine(database_url))
    study.queries.add_queries(documents_of(BASE))
    scored, kappas = scored_of(BASE).of_all(), lowest_kappas(query_kappa_of(BASE))
    frame = disputes(scored, at(TWO), kappas, plan())
    offered = rows_for_review(with_votes(frame, study), scored, kappas, study)
    assert [one.scores for one in offered] == [
        {"careful": 0.9, "hasty": 0.1},
        {"careful": 0.2, "hasty": 0.6},
        {"careful": 0.8, "hasty": 0.2},
    ]
    assert [(one.place, one.place_in_query, one.kappa) for one in offered] == [(0, 0, -1.0), (0, 1, -1.0), (1, 0, 0.5)]
    study.reviews.replace_disputes(offered)
    task = study.reviews.next_query("ann")
    assert task is not None
    assert (task.query_id, [one.doc_id for one in task.documents]) == ("q4", ["d1", "d2"])
    for reviewer, said in (("ann", True), ("ben", True), ("eve", False)):
        study.reviews.vote(reviewer, reviewer, {task.documents[0].document_row: said})
    study.reviews.undo("eve")
    voted = with_votes(frame, study)
    assert voted[["votes_relevant", "votes_not_relevant"]].to_numpy().tolist() == [[2, 0], [0, 0], [0, 0]]
    assert voted["decision"].isna().tolist() == [False, True, True]
    study.engine.dispose()
