"""Reasons and notes of reviewers: to whom the store shows them, and the table of them."""

import sqlalchemy as sa

from resources.database.reliability.review_records import Words
from tests.made_disputes import add_disputes, store_of


def test_words_of_colleagues_are_kept_back_until_every_document_is_dealt_with(engine: sa.Engine) -> None:
    ((_row, (one, other)), (_next, elsewhere)) = add_disputes(engine, 2)
    store = store_of(engine)
    store.vote("ben", "b", {one: True, other: False}, "clear", "see the last line")
    store.vote("ben", "b2", dict.fromkeys(elsewhere, True), "of another query")
    store.vote("ann", "a1", {one: True}, "my own")
    sent = store.latest("ann")
    assert sent is not None
    assert (sent.n_open, sent.colleagues) == (1, ())
    store.vote("ann", "a2", {other: True})
    sent = store.latest("ann")
    assert sent is not None
    assert (sent.n_open, sent.colleagues) == (0, (Words("ben", False, "clear", "see the last line"),))


def test_words_are_shown_once_in_the_order_they_came_and_not_after_an_undo(engine: sa.Engine) -> None:
    ((row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.skip("carla", "c", row, "not my field")
    store.vote("ben", "b", dict.fromkeys(documents, False), note="both off the point")
    store.vote("dan", "d", dict.fromkeys(documents, True))
    store.skip("ann", "a", row, "tired")
    sent = store.latest("ann")
    assert sent is not None
    wrote = [Words("carla", True, "not my field", None), Words("ben", False, None, "both off the point")]
    assert sent.colleagues == tuple(wrote)
    store.undo("ben")
    sent = store.latest("ann")
    assert sent is not None
    assert sent.colleagues == tuple(wrote[:1])


def test_a_vote_taken_again_in_part_leaves_the_words_of_the_rest(engine: sa.Engine) -> None:
    ((row, (one, other)),) = add_disputes(engine, 1)
    store = store_of(engine)
    store.vote("ben", "b", {one: True, other: True}, "first thought")
    store.vote("ben", "b2", {one: False}, "second thought")
    store.skip("ann", "a", row, "tired")
    sent = store.latest("ann")
    assert sent is not None
    assert [words.reason for words in sent.colleagues] == ["first thought", "second thought"]
    rows = store.words().to_dict("records")
    assert [(of["reason"], of["votes_relevant"], of["votes_not_relevant"]) for of in rows] == [
        ("first thought", 1, 0),
        ("second thought", 0, 1),
        ("tired", 0, 0),
    ]


def test_the_table_of_words_has_a_row_for_each_submission_with_a_word(engine: sa.Engine) -> None:
    assert store_of(engine).words().empty
    ((row, (one, other)), _second) = add_disputes(engine, 2)
    store = store_of(engine)
    store.vote("ben", "b", {one: True, other: False}, note="=1+1")
    store.vote("dan", "d", {one: True})
    store.skip("carla", "c", row, "not my field")
    frame = store.words()
    assert frame["query_id"].tolist() == ["q0", "q0"]
    assert frame["reviewer"].tolist() == ["ben", "carla"]
    assert frame["votes_relevant"].tolist() == [1, 0]
    assert frame["votes_not_relevant"].tolist() == [1, 0]
    assert frame["reason"].isna().tolist() == [True, False]
    assert frame["note"].tolist()[0] == "=1+1"
