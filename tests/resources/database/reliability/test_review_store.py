"""The store of human tiebreaks on SQLite and on Postgres: order, votes, skips, undo, quota, decisions."""

import pytest
import sqlalchemy as sa
from sklearn.metrics import cohen_kappa_score

from resources.configuration.reliability import Review
from resources.database.reliability.review_store import ReviewStore
from resources.errors import UserError
from tests.made_disputes import add_disputes, add_query, disputed, store_of


def test_the_next_query_is_the_one_of_highest_disagreement_with_its_first_documents(engine: sa.Engine) -> None:
    first = add_query(engine, ["a", None, "c"], "rain boots")
    other = add_query(engine, ["d"])
    store = store_of(engine, documents_at_a_time=2)
    store.replace_disputes(disputed([first, other]))
    task = store.next_query("ann")
    assert task is not None
    assert (task.query, task.query_row, task.place, task.n_open) == ("rain boots", first[0], 1, 3)
    assert [(one.doc_id, one.document) for one in task.documents] == [("d0", "a"), ("d1", None)]
    assert task.documents[0].scores == {"careful": 0.9, "hasty": 0.1}
    assert task.kappa == -0.5


def test_what_is_left_of_a_long_query_comes_next_and_then_the_next_query(engine: sa.Engine) -> None:
    queries = [add_query(engine, ["a", "b", "c"]), add_query(engine, ["d"])]
    store = store_of(engine, documents_at_a_time=2)
    store.replace_disputes(disputed(queries))
    (row, documents), (next_row, _) = queries
    store.vote("ann", "one", dict.fromkeys(documents[:2], True))
    task = store.next_query("ann")
    assert task is not None
    assert (task.query_row, [one.document_row for one in task.documents]) == (row, documents[2:])
    assert store.progress() == (0, 2, 1)
    store.vote("ann", "two", {documents[2]: False})
    task = store.next_query("ann")
    assert task is not None
    assert task.query_row == next_row
    assert store.progress() == (1, 2, 1)
    store.vote("ann", "three", {queries[1][1][0]: False})
    assert store.next_query("ann") is None
    assert store.next_query("ben") is not None


def test_24_disagreements_need_5_reviews_and_the_store_refuses_before(engine: sa.Engine) -> None:
    # 20 % of 24 are 4.8, rounded up 5.
    queries = add_disputes(engine, 24)
    store = store_of(engine)
    for place, (_row, documents) in enumerate(queries[:4]):
        store.vote("ann", f"s{place}", dict.fromkeys(documents, True))
    assert str(store.progress()) == "4/24 disagreements reviewed, 5 needed"
    assert not store.quota_met()
    with pytest.raises(UserError, match=r"4/24 disagreements reviewed, 5 needed \(20% of them\).*Decide 1 more"):
        store.require_quota()
    store.vote("ann", "last", dict.fromkeys(queries[4][1], False))
    assert store.quota_met()
    store.require_quota()


def test_without_a_dispute_there_is_nothing_to_review_and_nothing_needed(engine: sa.Engine) -> None:
    store = store_of(engine)
    assert store.next_query("ann") is None
    assert store.progress() == (0, 0, 0)
    assert store.latest("ann") is None
    assert store.undo("ann") is None
    assert len(store.votes()) == len(store.decisions()) == len(store.reviewer_agreement()) == 0
    store.require_quota()


def test_a_form_sent_twice_counts_once(engine: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    votes = dict.fromkeys(documents, True)
    assert store.vote("ann", "form", votes) is True
    assert store.vote("ann", "form", votes) is False
    assert len(store.votes()) == 2
    store.undo("ann")
    assert store.vote("ann", "form", votes) is False
    assert len(store.decisions()) == 0


def test_a_form_sent_again_with_other_votes_is_refused(engine: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("ann", "form", dict.fromkeys(documents, True))
    for reviewer, relevant in (("ann", False), ("ben", True)):
        with pytest.raises(UserError, match="with other votes"):
            store.vote(reviewer, "form", dict.fromkeys(documents, relevant))
    assert store.votes()["relevant"].tolist() == [True, True]


def test_a_new_vote_of_the_same_reviewer_takes_the_place_of_the_old_one(engine: sa.Engine) -> None:
    ((_row, (first, _second)),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("ann", "tab one", {first: True})
    store.vote("ann", "tab two", {first: False})
    assert store.votes()["withdrawn_at"].isna().tolist() == [False, True]
    (decision,) = store.decisions().to_dict("records")
    assert (decision["votes_relevant"], decision["votes_not_relevant"], decision["decision"]) == (0, 1, False)


def test_most_votes_decide_and_a_tie_does_not(engine: sa.Engine) -> None:
    ((_row, (first, second)),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("ann", "a", {first: True, second: True}, reason="  it says so  ")
    store.vote("ben", "b", {first: False, second: True})
    assert store.decisions()["decision"].isna().tolist() == [True, False]
    tied = store.next_query("ann", only="tied")
    assert tied is not None
    assert [one.document_row for one in tied.documents] == [first]
    store.vote("eve", "c", {first: False})
    found = store.decisions()
    assert found["decision"].tolist() == [False, True]
    assert found["reviewer"].tolist() == ["eve", "ben"]
    assert found["reason"].tolist() == ["it says so", "it says so"]
    assert store.next_query("ann", only="tied") is None


def test_a_skip_is_no_vote_and_the_filter_brings_it_back(engine: sa.Engine) -> None:
    (row, documents), (other, _) = add_disputes(engine, 2)
    store = store_of(engine)
    assert store.skip("ann", "s", row, "not my field") is True
    assert store.skip("ann", "s", row, "not my field") is False
    assert store.progress().reviewed == 0
    assert len(store.decisions()) == 0
    task = store.next_query("ann")
    assert task is not None
    assert task.query_row == other
    again = store.next_query("ann", only="skipped")
    assert again is not None
    assert again.query_row == row
    assert store.next_query("ben", only="skipped") is None
    assert store.next_query("ann", only="skipped", skip_rows=[row]) is None
    store.vote("ann", "v", dict.fromkeys(documents, True))
    assert store.next_query("ann", only="skipped") is None
    assert store.progress().reviewed == 1


def test_a_skip_needs_a_reason(engine: sa.Engine) -> None:
    ((row, _documents),) = add_disputes(engine, 1)
    with pytest.raises(UserError, match="needs a reason"):
        store_of(engine).skip("ann", "s", row, "  ")


def test_the_filters_for_offered_queries_and_for_low_kappa(engine: sa.Engine) -> None:
    queries = [add_query(engine, ["a", "b"]) for _ in range(4)]
    store = store_of(engine)
    # 0.4 itself is not low, and a query without kappa is neither.
    store.replace_disputes(disputed(queries, [0.4, None, 0.39, 0.1]))
    low = store.next_query("ann", only="low_kappa")
    assert low is not None
    assert low.query_row == queries[2][0]
    store.vote("ben", "b", dict.fromkeys(queries[0][1], True))
    store.vote("ben", "half", {queries[1][1][0]: True})
    # Of query 1 a document has no vote yet; of query 0 each has.
    offered = store.next_query("ann", only="offered", skip_rows=[queries[2][0], queries[3][0]])
    assert offered is not None
    assert offered.query_row == queries[1][0]
    assert len(offered.documents) == 2


def test_undo_takes_back_the_last_submission_and_keeps_it_on_record(engine: sa.Engine) -> None:
    (first, documents), (second, others) = add_disputes(engine, 2)
    store = store_of(engine)
    store.vote("ann", "one", dict.fromkeys(documents, True))
    store.vote("ann", "two", dict.fromkeys(others, True))
    store.vote("ben", "ben", dict.fromkeys(others, True))
    assert store.undo("ann", "two") == "two"
    # A second click on the same button must not take back the vote before it.
    assert store.undo("ann", "two") is None
    assert store.progress().reviewed == 2
    task = store.next_query("ann")
    assert task is not None
    assert task.query_row == second
    assert store.undo("ann") == "one"
    assert store.undo("ann") is None
    assert len(store.votes()) == 6
    assert store.votes()["withdrawn_at"].isna().sum() == 2
    assert first in store.votes()["query_row"].tolist()


def test_after_the_vote_the_reviewer_sees_what_judges_and_others_said(engine: sa.Engine) -> None:
    ((_row, (first, second)),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("ben", "b", {first: False, second: True})
    store.vote("ann", "a", {first: True, second: True}, "why", "'; DROP TABLE tiebreaks; --")
    sent = store.latest("ann")
    assert sent is not None
    assert (sent.submission, sent.reason, sent.note, sent.skipped) == ("a", "why", "'; DROP TABLE tiebreaks; --", False)
    said = [(one.relevant, one.others_relevant, one.others_not_relevant) for one in sent.documents]
    assert said == [(True, 0, 1), (True, 1, 0)]
    assert sent.documents[0].scores == {"careful": 0.9, "hasty": 0.1}
    assert len(store.votes()) == 4


def test_one_reviewer_keeps_one_spelling(engine: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("  Ann \t Lee ", "s", dict.fromkeys(documents, True))
    assert store.known_name("ann lee") == "Ann Lee"
    assert store.known_name("ben") == "ben"
    assert store.next_query("Ann Lee") is None


def test_a_validation_replaces_its_own_disputes_and_keeps_votes(engine: sa.Engine) -> None:
    queries = add_disputes(engine, 3)
    foreign = ReviewStore(engine, "boots", Review())
    foreign.replace_disputes(disputed([add_query(engine, ["x"], study="boots")]))
    store = store_of(engine)
    store.vote("ann", "s", dict.fromkeys(queries[0][1], True))
    assert store.replace_disputes(disputed(queries[1:])) == 4
    assert store.progress() == (0, 2, 1)
    assert foreign.progress() == (0, 1, 1)
    assert len(store.decisions()) == 2
    store.vote("ann", "late", dict.fromkeys(queries[0][1], False))
    sent = store.latest("ann")
    assert sent is not None
    assert sent.documents[0].scores == {}
    store.replace_disputes(disputed(queries))
    assert store.progress() == (1, 3, 1)


def test_reviewers_agreement_is_kappa_of_the_documents_that_both_voted_on(engine: sa.Engine) -> None:
    queries = add_disputes(engine, 5)
    store = store_of(engine)
    ann = [True, True, False, True, False, False, True, False]
    ben = [True, False, False, True, True, False, True, False]
    for place, (_row, documents) in enumerate(queries[:4]):
        for name, said in (("ben", ben), ("ann", ann)):
            store.vote(name, f"{name}{place}", dict(zip(documents, said[2 * place : 2 * place + 2], strict=True)))
    store.vote("ben", "alone", dict.fromkeys(queries[4][1], True))
    store.vote("Zoe", "z", {queries[0][1][0]: True})
    rows = {(row["reviewer_1"], row["reviewer_2"]): row for row in store.reviewer_agreement().to_dict("records")}
    assert list(rows) == [("Zoe", "ann"), ("Zoe", "ben"), ("ann", "ben")]
    both = rows["ann", "ben"]
    assert (both["n_documents"], both["n_queries"], both["percent_agreement"]) == (8, 4, 0.75)
    # 3 both relevant, 3 neither, 1 and 1: p_o 0.75, p_e 0.5, kappa 0.5.
    assert both["kappa"] == pytest.approx(cohen_kappa_score(ann, ben)) == pytest.approx(0.5)
    assert rows["Zoe", "ann"]["n_documents"] == 1
    assert rows["Zoe", "ann"]["kappa"] != rows["Zoe", "ann"]["kappa"]
    assert rows["Zoe", "ann"]["undefined"].startswith("kappa: ")
