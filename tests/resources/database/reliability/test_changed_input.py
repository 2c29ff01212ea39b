"""An input held against what is kept, on SQLite and on Postgres: refused as it would be, and nothing is stored."""

from collections.abc import Callable, Iterator

import pandas as pd
import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine
from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.records import KeptOtherwise
from tests.made_queries import JUDGES, judged, judgment, query_frame, stored

TEXTS = {"d1": "text 1", "d2": "text 2"}


@pytest.fixture
def store(migrated_url: str) -> Iterator[QueryStore]:
    """Two queries with two documents each, scored 0.7 by both judges."""
    engine = open_engine(migrated_url)
    store = stored(engine)
    store.record(judged(["q1", "q2"]))
    yield store
    engine.dispose()


def keys(*rows: tuple[str, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "judge"])
    return frame.assign(prompt_version="v1").astype("str")


def words_of(refuse: Callable[[], object]) -> str:
    with pytest.raises(KeptOtherwise) as refused:
        refuse()
    return str(refused.value)


def tables_of(store: QueryStore) -> tuple[list[str], int]:
    """Names of all tables, and how many judgments are kept."""
    with store.engine.connect() as connection:
        return sorted(sa.inspect(connection).get_table_names()), len(store.judgments(JUDGES))


def test_what_is_the_same_or_new_is_no_problem_and_is_not_kept(store: QueryStore) -> None:
    before = tables_of(store)
    frame = query_frame({"q1": {"d1": "text 1", "d3": "new"}, "q3": {"d1": "new"}})
    store.refuse_changed(frame, [judgment("q1", "d1", "hasty", 0.7), judgment("q3", "d1", "hasty", 0.4)])
    assert tables_of(store) == before
    assert set(store.query_rows()) == {"q1", "q2"}


def test_changed_scores_are_refused_in_the_words_of_the_import_with_their_number_and_the_first_three(
    store: QueryStore,
) -> None:
    frame = query_frame({"q1": dict(TEXTS), "q2": dict(TEXTS)})
    other = judged(["q1", "q2"], score=0.2)
    said = words_of(lambda: store.refuse_changed(frame, other))
    # Two queries, two documents, two judges: 8 scores, of which three are shown.
    assert said.startswith(
        "Query 'q1', document 'd1': judge 'careful' scored 0.7 under prompt version 'v1', and now 0.2. 7 more scores "
        "changed: query 'q1', document 'd1', judge 'hasty', 'v1': 0.7 -> 0.2; query 'q1', document 'd2', judge "
        "'careful', 'v1': 0.7 -> 0.2; and 5 more. Nothing was stored."
    )
    assert said == words_of(lambda: store.add_queries(frame, other))


def test_two_changed_scores_are_both_shown_and_none_is_more(store: QueryStore) -> None:
    other = [judgment("q1", "d1", judge, 0.2) for judge in JUDGES]
    said = words_of(lambda: store.record(other))
    assert "1 more score changed: query 'q1', document 'd1', judge 'hasty', 'v1': 0.7 -> 0.2. Nothing" in said


def test_changed_texts_are_refused_in_the_words_of_the_import(store: QueryStore) -> None:
    questions = query_frame({"q1": dict(TEXTS), "q2": dict(TEXTS)}, {"q1": "new?", "q2": "newer?"})
    said = words_of(lambda: store.refuse_changed(questions))
    assert "now reads 'new?'. 1 more query changed: query 'q2': 'what is q2?' -> 'newer?'. Nothing was stored." in said
    assert said == words_of(lambda: store.add_queries(questions))
    documents = query_frame({"q1": {"d1": "a", "d2": "b"}, "q2": {"d1": "c", "d2": "d"}})
    said = words_of(lambda: store.refuse_changed(documents))
    assert "'q1' is kept as 'text 1' and now reads 'a'. 3 more documents changed: document 'd2' of query 'q1'" in said
    assert said == words_of(lambda: store.add_queries(documents))


def test_a_score_that_the_input_has_no_more_is_found_by_its_row_and_passed_over(store: QueryStore) -> None:
    documents = query_frame({"q1": dict(TEXTS), "q2": dict(TEXTS)})
    whole = [(query, doc, judge) for query in ("q1", "q2") for doc in TEXTS for judge in JUDGES]
    assert store.withdrawn(keys(*whole), documents) == []
    torn = [row for row in whole if row != ("q1", "d2", "hasty")]
    withdrawn = store.withdrawn(keys(*torn), documents)
    assert len(withdrawn) == 1
    left = store.judgments(JUDGES, withdrawn=withdrawn)
    assert list(zip(left["query_id"], left["doc_id"], left["judge"], strict=True)) == torn


def test_scores_of_other_documents_judges_and_models_are_not_looked_for(store: QueryStore) -> None:
    store.record([judgment("q1", "d1", "third", 0.5), judgment("q1", "d1", "hasty", 0.5, judge_identity="model")])
    of_first = [("q1", doc, judge) for doc in TEXTS for judge in JUDGES]
    # The second query is not in the input any more, and nobody but these two judges is.
    assert store.withdrawn(keys(*of_first), query_frame({"q1": dict(TEXTS)})) == []
