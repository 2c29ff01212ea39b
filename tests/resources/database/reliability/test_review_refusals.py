"""What the store of human tiebreaks refuses, on SQLite and on Postgres: nothing is saved then."""

import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine
from resources.database.reliability.models import Dispute
from resources.errors import UserError
from tests.made_disputes import add_disputes, add_query, disputed, store_of


def test_a_reason_of_200_characters_is_kept_and_of_201_refused(engine: sa.Engine) -> None:
    ((row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    with pytest.raises(UserError, match="has 201 characters; 200 are allowed. Nothing was saved"):
        store.vote("ann", "long", dict.fromkeys(documents, True), "x" * 201)
    with pytest.raises(UserError, match="201 characters"):
        store.skip("ann", "long", row, "x" * 201)
    assert len(store.votes()) == 0
    store.vote("ann", "fits", dict.fromkeys(documents, True), "\u00e9" * 200, "n" * 100_000)
    assert store.votes()["reason"].tolist() == ["\u00e9" * 200] * 2


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "x" * 61, "--"])
def test_a_name_that_is_none_is_refused(engine: sa.Engine, name: str) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    with pytest.raises(UserError, match="name"):
        store_of(engine).vote(name, "s", dict.fromkeys(documents, True))


def test_documents_of_another_study_or_of_two_queries_are_refused(engine: sa.Engine) -> None:
    (_first, one), (_second, two) = add_disputes(engine, 2)
    _row, foreign = add_query(engine, ["x"], study="boots")
    store = store_of(engine)
    with pytest.raises(UserError, match="has no document in row"):
        store.vote("ann", "s", {foreign[0]: True})
    with pytest.raises(ValueError, match="one query"):
        store.vote("ann", "s", {one[0]: True, two[0]: True})
    with pytest.raises(ValueError, match="true or false"):
        store.vote("ann", "s", {})
    with pytest.raises(ValueError, match="true or false"):
        store.vote("ann", "s", {one[0]: None})  # type: ignore[dict-item]
    assert len(store.votes()) == 0


def test_disputes_that_do_not_fit_change_nothing(engine: sa.Engine) -> None:
    queries = add_disputes(engine, 2)
    store = store_of(engine)
    rows = disputed(queries)
    faults = {
        "without a gap": rows[1:],
        "follow": [rows[0], rows[0]._replace(place_in_query=1, query_row=queries[1][0])],
        "twice": [rows[0], rows[0]._replace(place_in_query=1)],
        "finite": [rows[0]._replace(scores={"careful": float("nan"), "hasty": 0.1})],
    }
    for words, wrong in faults.items():
        with pytest.raises(ValueError, match=words):
            store.replace_disputes(wrong)
    missing = rows[0]._replace(document_row=10**6)
    with pytest.raises(sa.exc.IntegrityError):
        store.replace_disputes([missing])
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(Dispute)) == 4


def test_a_database_that_is_gone_is_said_and_nothing_is_claimed(engine: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    broken = open_engine("postgresql://nobody:secret@127.0.0.1:1/none")
    with pytest.raises(UserError, match="cannot be used") as told:
        store_of(broken).vote("ann", "s", dict.fromkeys(documents, True))
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("name", ["ANN Lee", "\uff21nn  Lee", "an\u200bn lee", "\x1bann\x00 lee", "ann\u00a0lee\u2060"])
def test_one_person_under_two_spellings_is_one_reviewer(engine: sa.Engine, name: str) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("Ann Lee", "first", dict.fromkeys(documents, True))
    assert store.next_query(name) is None
    store.vote(name, "second", dict.fromkeys(documents, False))
    standing = store.votes()[lambda rows: rows["withdrawn_at"].isna()]
    assert standing["reviewer"].tolist() == ["Ann Lee"] * len(documents)
    assert not standing["relevant"].any()
    assert store.undo(name) == "second"
