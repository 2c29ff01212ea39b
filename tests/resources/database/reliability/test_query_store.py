"""Queries, documents and judgments on SQLite and on Postgres: kept once, never changed, all or none."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa

from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.records import JudgmentRecord, imported
from resources.errors import UserError
from resources.tables.reliability.agreement import JUDGMENTS, QUERY_DOCUMENTS
from tests.made_queries import JUDGES, STUDY, judged, judgment, query_frame, stored

HOSTILE = "<script>alert('x')</script>\t\\N\n'; DROP TABLE queries; --\r\u2028\ufeff\U0001f97e"


def scores_of(store: QueryStore) -> list[tuple[str, str, str, float]]:
    frame = store.judgments(JUDGES)
    return list(zip(frame["query_id"], frame["doc_id"], frame["judge"], frame["score"], strict=True))


def test_queries_come_back_in_the_order_of_the_input(engine: sa.Engine) -> None:
    store = QueryStore(engine, STUDY)
    frame = query_frame({"z": {"9": "nine", "10": None}, "a": {"x": "ex"}}, {"z": "last?", "a": "first?"})
    assert store.add_queries(frame) == 3
    pd.testing.assert_frame_equal(store.query_documents(), QUERY_DOCUMENTS.validated(frame))
    assert store.add_queries(query_frame({"b": {"y": "why"}})) == 1
    assert store.query_documents()["query_id"].tolist() == ["z", "z", "a", "b"]


def test_the_same_queries_twice_are_there_once(engine: sa.Engine) -> None:
    store = stored(engine)
    before = store.query_documents()
    rows = store.document_rows()
    assert stored(engine).add_queries(before) == 0
    pd.testing.assert_frame_equal(store.query_documents(), before)
    assert store.document_rows() == rows
    assert set(rows) == {(query, doc) for query in ("q1", "q2") for doc in ("d1", "d2")}
    assert set(store.query_rows()) == {"q1", "q2"}


def test_words_of_any_origin_are_kept_and_known_again(engine: sa.Engine) -> None:
    store = QueryStore(engine, STUDY)
    frame = query_frame({"q'\\t": {"d\\N": HOSTILE, "long": "x" * 100_000, "nul": "a\x00b"}}, {"q'\\t": HOSTILE})
    store.add_queries(frame)
    kept = store.query_documents()
    assert kept["query"].tolist() == [HOSTILE] * 3
    assert kept["document"].tolist() == [HOSTILE, "x" * 100_000, "a\u2400b"]
    assert kept["doc_id"].tolist() == ["d\\N", "long", "nul"]
    assert store.add_queries(frame) == 0


def test_a_changed_query_is_refused_and_nothing_is_added(engine: sa.Engine) -> None:
    store = stored(engine)
    changed = query_frame({"q1": {"d1": "text 1"}, "q3": {"d1": "new"}}, {"q1": "another question?"})
    with pytest.raises(UserError, match=r"'q1' is kept as 'what is q1\?' and now reads 'another question\?'\. Nothing"):
        store.add_queries(changed)
    assert set(store.query_rows()) == {"q1", "q2"}


def test_a_changed_document_is_refused_and_says_how_many_more(engine: sa.Engine) -> None:
    store = stored(engine)
    changed = query_frame({"q1": {"d1": "other 1", "d2": "other 2"}, "q3": {"d1": "new"}})
    with pytest.raises(UserError, match="Document 'd1' of query 'q1' is kept as .text 1. .* 1 more document changed:"):
        store.add_queries(changed)
    assert store.query_documents()["document"].tolist() == ["text 1", "text 2"] * 2


def test_a_text_that_was_not_known_is_filled_in_and_a_missing_one_takes_none_away(engine: sa.Engine) -> None:
    store = QueryStore(engine, STUDY)
    store.add_queries(query_frame({"q": {"1": None, "2": "two"}}))
    store.add_queries(query_frame({"q": {"1": "one", "2": None}}))
    assert store.query_documents()["document"].tolist() == ["one", "two"]


@pytest.mark.parametrize(
    "rows",
    [
        [("q", "one?", "d", "x", 0), ("q", "one?", "d", "x", 1)],
        [("q", "one?", "d", "x", 0), ("q", "two?", "e", "x", 1)],
    ],
    ids=["a document twice", "two texts"],
)
def test_a_frame_that_contradicts_itself_is_refused(engine: sa.Engine, rows: list[tuple[object, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=["query_id", "query", "doc_id", "document", "position"])
    with pytest.raises(ValueError, match="twice|two texts"):
        QueryStore(engine, STUDY).add_queries(frame)


def test_studies_in_one_database_do_not_meet(engine: sa.Engine) -> None:
    store, other = stored(engine), QueryStore(engine, "boots")
    other.add_queries(query_frame({"q1": {"d1": "boots"}}, {"q1": "which boots?"}))
    store.record(judged(["q1"]))
    assert other.judgments(JUDGES).empty
    assert other.judges() == ()
    assert other.query_documents()["document"].tolist() == ["boots"]
    assert store.judges() == JUDGES


def test_judgments_come_back_as_the_declared_table(engine: sa.Engine) -> None:
    store = stored(engine)
    row = JudgmentRecord("q2", "d1", "hasty", "v1", 0.25, "recovered", "5e1f", "ab12", "half an answer", "0.25 or so")
    assert store.record([row, judgment("q1", "d1", "hasty", None, message="no JSON")]) == 2
    frame = store.judgments(JUDGES)
    assert list(frame.columns) == [column.name for column in JUDGMENTS.columns]
    assert frame["query_id"].tolist() == ["q1", "q2"]
    assert frame["prompt_hash"].isna().tolist() == [True, False]
    assert frame["message"].tolist() == ["no JSON", "half an answer"]
    assert np.isnan(frame["score"].iloc[0])
    assert frame["score"].iloc[1] == 0.25
    assert frame.iloc[1][["judge", "judge_identity", "state"]].tolist() == ["hasty", "5e1f", "recovered"]


def test_judgments_are_sorted_by_input_then_judge_whatever_order_they_came_in(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record(reversed(judged(["q1", "q2"])))
    frame = store.judgments(JUDGES)
    keys = list(zip(frame["query_id"], frame["doc_id"], frame["judge"], strict=True))
    assert keys == [(query, doc, judge) for query in ("q1", "q2") for doc in ("d1", "d2") for judge in JUDGES]


def test_the_same_judgments_twice_are_there_once(engine: sa.Engine) -> None:
    store = stored(engine)
    rows = judged(["q1", "q2"])
    assert store.record(rows) == 8
    assert store.record([*rows, *rows]) == 0
    assert len(store.judgments(JUDGES)) == 8


def test_a_score_takes_the_place_of_none_and_never_the_other_way(engine: sa.Engine) -> None:
    store = stored(engine)
    assert store.record([judgment("q1", "d1", "hasty", None, message="unreadable", raw_answer="?")]) == 1
    assert store.record([judgment("q1", "d1", "hasty", 0.5, run="r2")]) == 1
    assert store.record([judgment("q1", "d1", "hasty", None)]) == 0
    frame = store.judgments(JUDGES)
    assert frame["score"].tolist() == [0.5]
    assert frame["state"].tolist() == ["valid"]
    assert frame["message"].isna().all()


def test_within_one_call_too_a_score_takes_the_place_of_none(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record([judgment("q1", "d1", "hasty", None), judgment("q1", "d1", "hasty", 0.5)])
    assert store.judgments(JUDGES)["score"].tolist() == [0.5]


def test_another_score_for_the_same_judgment_is_refused_and_nothing_is_stored(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record([judgment("q1", "d1", "hasty", 0.7)])
    with pytest.raises(
        UserError, match="'q1', document 'd1': judge 'hasty' scored 0.7 under prompt version 'v1', and now 0.6. Nothing"
    ):
        store.record([judgment("q2", "d1", "hasty", 0.5), judgment("q1", "d1", "hasty", 0.6)])
    assert scores_of(store) == [("q1", "d1", "hasty", 0.7)]


def test_two_scores_in_one_call_for_a_judgment_without_one_are_refused(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record([judgment("q1", "d1", "hasty", None)])
    with pytest.raises(UserError, match="judge 'hasty' scored"):
        store.record([judgment("q1", "d1", "hasty", 0.6), judgment("q1", "d1", "hasty", 0.7)])
    assert store.judgments(JUDGES)["score"].isna().all()


def test_scores_that_differ_beyond_the_twelfth_decimal_are_the_same(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record([judgment("q1", "d1", "hasty", 0.3)])
    assert store.record([judgment("q1", "d1", "hasty", 0.1 + 0.2)]) == 0


def test_a_judgment_of_an_unknown_document_is_refused_and_nothing_is_stored(engine: sa.Engine) -> None:
    store = stored(engine)
    with pytest.raises(UserError, match="Query 'q1' has no document 'd9' in study 'shoes', and judge 'hasty' scored"):
        store.record([judgment("q1", "d1", "hasty", 0.5), judgment("q1", "d9", "hasty", 0.5)])
    assert store.judgments(JUDGES).empty


def test_what_fails_halfway_stores_nothing(engine: sa.Engine) -> None:
    store = stored(engine)

    def interrupted() -> Iterator[JudgmentRecord]:
        yield from judged(["q1"])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.record(interrupted())
    assert store.judgments(JUDGES).empty
    assert store.record(judged(["q1"])) == 4


def test_no_judgments_are_no_work(engine: sa.Engine) -> None:
    store = stored(engine)
    assert store.record([]) == 0
    assert list(store.judgments(JUDGES).columns) == [column.name for column in JUDGMENTS.columns]


def test_a_second_prompt_counts_once_it_is_complete_for_the_query(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record(judged(["q1", "q2"]))
    again = judged(["q1"], score=0.2, version="v2", prompt_hash="ab")
    store.record(again[:3])
    frame = store.judgments(JUDGES)
    assert frame[frame["counts"]]["prompt_version"].unique().tolist() == ["v1"]
    store.record(again)
    frame = store.judgments(JUDGES)
    counting = frame[frame["counts"]].drop_duplicates(["query_id", "prompt_version"])
    assert dict(zip(counting["query_id"], counting["prompt_version"], strict=True)) == {"q1": "v2", "q2": "v1"}
    assert len(frame) == 12


def test_a_judge_that_another_model_answers_for_counts_once_that_one_is_complete(engine: sa.Engine) -> None:
    store = stored(engine)
    store.record(judged(["q1"], judge_identity="old"))
    store.record([judgment("q1", "d1", "hasty", 0.1, judge_identity="new")])
    assert store.judgments(JUDGES)["judge_identity"].unique().tolist() == ["old"]
    store.record([judgment("q1", "d2", "hasty", 0.1, judge_identity="new")])
    frame = store.judgments(JUDGES)
    assert frame[frame["judge"] == "hasty"]["judge_identity"].unique().tolist() == ["new"]
    assert frame["counts"].all()


def test_imported_scores_are_recorded_as_such(engine: sa.Engine) -> None:
    store = stored(engine)
    frame = pd.DataFrame(
        {"query_id": ["q1"], "doc_id": ["d1"], "judge": ["hasty"], "prompt_version": ["v1"], "score": [0.5]}
    )
    assert store.record(imported(frame, "run1")) == 1
    assert store.judgments(JUDGES)["judge_identity"].tolist() == ["imported"]


def test_many_judgments_take_several_writes(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    from resources.database import bulk_rows
    from resources.database.reliability import judgment_rows

    for module, name in ((bulk_rows, "ROWS_AT_A_TIME"), (bulk_rows, "CHARACTERS_AT_A_TIME")):
        monkeypatch.setattr(module, name, 7)
    monkeypatch.setattr(bulk_rows, "FETCHED_AT_ONCE", 5)
    monkeypatch.setattr(judgment_rows, "RECORDS_AT_A_TIME", 3)
    monkeypatch.setattr(judgment_rows, "NAMES_IN_A_QUESTION", 2)
    names = [f"q{number}" for number in range(9)]
    store = stored(engine, names)
    assert store.record(judged(names)) == 36
    assert len(scores_of(store)) == 36


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"score": 1.5}, "outside 0-1"),
        ({"score": float("nan")}, "outside 0-1"),
        ({"score": None}, "only"),
        ({"state": "timeout"}, "no state"),
        ({"judged_at": datetime(2026, 3, 1)}, "no time zone"),  # noqa: DTZ001
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change: dict[str, object], why: str) -> None:
    values = {"score": 0.5, "state": "valid", "judged_at": datetime.now(UTC), **change}
    with pytest.raises(ValueError, match=why):
        JudgmentRecord("q", "d", "j", "v1", **values)  # type: ignore[arg-type]


def test_several_that_record_at_once_store_each_judgment_once(engine: sa.Engine) -> None:
    store = stored(engine, [f"q{number}" for number in range(20)])
    rows = judged([f"q{number}" for number in range(20)])
    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(lambda _: QueryStore(engine, STUDY).record(rows), range(4)))
    assert sum(new) == len(rows) == len(store.judgments(JUDGES))
