"""Reviewers, tabs, threads and processes at once on SQLite and on Postgres: nothing lost, nothing counted twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from resources.configuration.reliability import Review
from resources.database.engine import open_engine
from resources.database.reliability.review_store import ReviewStore
from tests.chaos.forked import CONTEXT, LIBRARIES
from tests.made_disputes import STUDY, add_disputes, disputed, store_of

pytestmark = pytest.mark.slow


def votes_of_process(url: str, reviewer: str, documents: list[tuple[int, list[int]]]) -> None:
    store = ReviewStore(open_engine(url), STUDY, Review())
    for query_row, rows in documents:
        for _click in range(2):
            store.vote(reviewer, f"{reviewer}-{query_row}", dict.fromkeys(rows, True))


def test_two_reviewers_and_double_clicks_at_once_lose_nothing_and_count_nothing_twice(engine: sa.Engine) -> None:
    queries = add_disputes(engine, 12)
    store = store_of(engine)

    def send(task: tuple[str, int]) -> bool:
        name, place = task
        return store.vote(name, f"{name}{place}", dict.fromkeys(queries[place][1], place % 2 == 0))

    clicks = [(name, place) for place in range(12) for name in ("ann", "ben") for _click in range(3)]
    with ThreadPoolExecutor(8) as threads:
        new = list(threads.map(send, clicks))
    assert sum(new) == 24
    found = store.votes()
    assert len(found) == 48
    assert found["withdrawn_at"].isna().all()
    assert store.progress().reviewed == 12
    assert (store.decisions()[["votes_relevant", "votes_not_relevant"]].max(axis=1) == 2).all()


def test_two_tabs_of_one_reviewer_at_once_leave_one_standing_vote_each(engine: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    store = store_of(engine)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda tab: store.vote("ann", f"tab{tab}", dict.fromkeys(documents, tab % 2 == 0)), range(16)))
    assert len(store.votes()) == 32
    assert store.votes()["withdrawn_at"].isna().sum() == 2


def test_two_processes_vote_at_once_while_a_validation_replaces_the_disputes(
    engine: sa.Engine, migrated_url: str
) -> None:
    queries = add_disputes(engine, 10)
    store = store_of(engine)
    CONTEXT.set_forkserver_preload(LIBRARIES)
    processes = [
        CONTEXT.Process(target=votes_of_process, args=(migrated_url, name, queries)) for name in ("ann", "ben")
    ]
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes):
        store.replace_disputes(disputed(queries))
        processes[0].join(0.1)
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(store.votes()) == 40
    assert store.progress() == (10, 10, 2)
    (agreement,) = store.reviewer_agreement().to_dict("records")
    assert agreement["n_documents"] == 20


def test_votes_are_there_after_a_restart(engine: sa.Engine, migrated_url: str) -> None:
    ((_row, documents),) = add_disputes(engine, 1)
    store_of(engine).vote("ann", "s", dict.fromkeys(documents, True))
    engine.dispose()
    again = open_engine(migrated_url)
    assert store_of(again).progress().reviewed == 1
    again.dispose()
