"""Which query each of several reviewers is offered next: shared ones, one's own share, then what is left."""

import sqlalchemy as sa

from analysis.agreement.overlap import place_in_line
from resources.database.reliability.review_store import ReviewStore
from tests.made_disputes import add_disputes, store_of

# By hash q22 and q38 are shared at 10 %, see `test_overlap.py`.
N, SHARED = 40, (22, 38)


def decided(store: ReviewStore, reviewer: str, queries: list[tuple[int, list[int]]], n: int | None = None) -> list[int]:
    """The places of the queries that are offered to a reviewer who decides each; of `n` of them where given."""
    rows = [row for row, _documents in queries]
    places: list[int] = []
    while n is None or len(places) < n:
        task = store.next_query(reviewer, only="offered")
        if task is None:
            break
        places.append(rows.index(task.query_row))
        store.vote(reviewer, f"{reviewer} {task.query_row}", dict.fromkeys(dict(queries)[task.query_row], True))
    return places


def test_a_single_reviewer_is_offered_every_query_the_highest_disagreement_first(engine: sa.Engine) -> None:
    assert decided(store_of(engine), "ann", add_disputes(engine, N)) == list(range(N))


def test_two_reviewers_share_a_tenth_and_meet_on_nothing_else(engine: sa.Engine) -> None:
    queries, store = add_disputes(engine, N), store_of(engine)
    assert store.n_shared() == len(SHARED)
    # A first vote of each, so that they know of one another.
    decided(store, "ann", queries, 1)
    first = decided(store, "ben", queries, 1)
    found: dict[str, list[int]] = {"ann": [0], "ben": first}
    while True:
        more = {name: decided(store, name, queries, 1) for name in found}
        if not any(more.values()):
            break
        for name, places in more.items():
            found[name] += places
    assert set(found["ann"]) & set(found["ben"]) == set(SHARED)
    assert sorted({*found["ann"], *found["ben"]}) == list(range(N))
    (agreement,) = store.reviewer_agreement().to_dict("records")
    assert (agreement["n_queries"], agreement["n_documents"]) == (2, 4)


def test_ones_own_share_comes_first_and_then_colleagues_queries_from_the_last(engine: sa.Engine) -> None:
    queries, store = add_disputes(engine, N), store_of(engine)
    store.skip("ben", "left", queries[0][0], "has left")
    own = [place for place in range(N) if place in SHARED or place_in_line(f"q{place}", "ann", ["ben"]) == 0]
    rest = [place for place in range(N) if place not in own]
    assert 10 < len(own) < 30
    # Ben left after one look: no query is left undone, the one that he skipped neither.
    assert decided(store, "ann", queries) == own + rest[::-1]
    # What ann decided is decided, but for the shared ones.
    assert decided(store, "carla", queries) == list(SHARED)


def test_a_query_on_a_colleagues_screen_is_offered_when_nothing_else_is(engine: sa.Engine) -> None:
    rows = [row for row, _documents in add_disputes(engine, 3)]

    def offered(*on_desks: int, overlap: float = 0.1) -> int:
        task = store_of(engine, overlap=overlap).next_query("ann", only="offered", on_desks=on_desks)
        assert task is not None
        return rows.index(task.query_row)

    assert offered() == 0
    assert offered(rows[0]) == 1
    assert offered(rows[0], rows[1]) == 2
    assert offered(*rows) in range(3)
    assert offered(*rows, overlap=1) == 0


def test_a_share_of_nothing_and_of_all(engine: sa.Engine) -> None:
    queries = add_disputes(engine, 6)
    none, every = store_of(engine, overlap=0), store_of(engine, overlap=1)
    assert (none.n_shared(), every.n_shared()) == (0, 6)
    assert decided(none, "ann", queries) == list(range(6))
    assert decided(none, "ben", queries) == []
    assert decided(every, "ben", queries) == list(range(6))
