"""Whether votes were cast before the judges' scores were on the screen: kept, counted and said."""

import pandas as pd
import sqlalchemy as sa

from assets.reliability.disagreements import lines_by_query
from resources.database.reliability.review_records import Blindness
from tests.made_disputes import add_disputes, store_of


def blind_of(engine: sa.Engine) -> list[object]:
    votes = store_of(engine).votes()
    return [None if pd.isna(one) else bool(one) for one in votes["blind"]]


def test_a_vote_keeps_what_was_on_the_screen_and_null_where_that_was_not_recorded(engine: sa.Engine) -> None:
    store = store_of(engine)
    for place, (_query, documents) in enumerate(add_disputes(engine, 3)):
        store.vote("ann", f"s{place}", dict.fromkeys(documents, True), blind=(True, False, None)[place])
    n = len(blind_of(engine)) // 3
    assert blind_of(engine) == [True] * n + [False] * n + [None] * n
    assert store.blindness() == Blindness(n, n, n)
    assert str(Blindness(10, 2, 0)) == "10 of 12 votes cast blind, 2 with the judges' scores shown"
    assert str(Blindness(1, 0, 3)).endswith("0 with the judges' scores shown, 3 not recorded")


def test_a_vote_cast_anew_is_not_blind_since_scores_are_shown_after_the_first(engine: sa.Engine) -> None:
    store = store_of(engine)
    [(_query, documents)] = add_disputes(engine, 1)
    store.vote("ann", "first", {documents[0]: True}, blind=True)
    store.undo("ann", "first")
    store.vote("ann", "second", dict.fromkeys(documents, False), blind=True)
    store.vote("ben", "third", {documents[0]: True}, blind=True)
    again = [True] * (len(documents) - 1)
    assert blind_of(engine) == [True, False, *again, True]
    assert store.blindness() == Blindness(len(documents), 1, 0)


def test_the_csv_marks_words_of_who_saw_the_scores(engine: sa.Engine) -> None:
    store = store_of(engine)
    for place, (_query, documents) in enumerate(add_disputes(engine, 2)):
        store.vote("ann", f"s{place}", dict.fromkeys(documents, True), "so it is", blind=place == 0)
    assert [line for lines in lines_by_query(store.words()).values() for line in lines.splitlines()] == [
        "ann: so it is",
        "ann (saw the scores): so it is",
    ]
