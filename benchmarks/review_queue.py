"""What a reviewer waits for with 50,000 disputed queries: the next query, progress, a vote, the last submission."""

import argparse
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter

import sqlalchemy as sa

from resources.configuration.reliability import Review
from resources.database.engine import open_engine, writing
from resources.database.migrate import migrate
from resources.database.reliability.models import Document, Query, Tiebreak
from resources.database.reliability.review_records import DisputedDocument
from resources.database.reliability.review_store import ReviewStore

STUDY, N_QUERIES, N_DOCUMENTS, LIMIT_MS, TIMES = "bench", 50_000, 3, 300.0, 7
TEXT = "A light shoe with a grippy sole for wet ground. " * 20


def fill(engine: sa.Engine) -> ReviewStore:
    """A database with every document in dispute; prints what writing the disputes takes."""
    queries = range(1, N_QUERIES + 1)
    documents = [(query, (query - 1) * N_DOCUMENTS + place + 1, place) for query in queries for place in range(3)]
    with writing(engine).begin() as connection:
        rows = [
            {"id": row, "study": STUDY, "query_id": f"q{row}", "query": f"shoe {row}", "position": row}
            for row in queries
        ]
        connection.execute(sa.insert(Query), rows)
        texts = [
            {"id": row, "query_row": query, "doc_id": f"d{place}", "document": TEXT, "position": place}
            for query, row, place in documents
        ]
        connection.execute(sa.insert(Document), texts)
    store = ReviewStore(engine, STUDY, Review())
    scores = {"careful": 0.9, "hasty": 0.2}
    disputes = [
        DisputedDocument(query, row, query - 1, place, 0.7, True, (query % 100) / 50 - 1, scores)
        for query, row, place in documents
    ]
    begun = perf_counter()
    store.replace_disputes(disputes)
    print(f"  {len(disputes):,} disputes written: {perf_counter() - begun:.1f} s")
    count(engine)
    return store


def count(engine: sa.Engine) -> None:
    """Let the database count its rows, as it does by itself within a minute."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")


def review(engine: sa.Engine, first: int, last: int, reviewer: str) -> None:
    """Votes of one reviewer on every document of the queries from `first` to `last`, written at once."""
    now = datetime.now(UTC)
    rows = [
        {
            "query_row": query,
            "document_row": (query - 1) * N_DOCUMENTS + place + 1,
            "reviewer": reviewer,
            "relevant": place > 0,
            "submission": f"{reviewer}{query}",
            "voted_at": now,
        }
        for query in range(first, last + 1)
        for place in range(N_DOCUMENTS)
    ]
    with writing(engine).begin() as connection:
        connection.execute(sa.insert(Tiebreak), rows)
    count(engine)


def milliseconds(name: str, work: Callable[[], object]) -> float:
    """The median of several times, printed with the longest."""
    taken = []
    for _ in range(TIMES):
        begun = perf_counter()
        work()
        taken.append((perf_counter() - begun) * 1000)
    print(f"    {name:<38} {median(taken):8.1f} ms (longest {max(taken):.1f})")
    return median(taken)


def measure(store: ReviewStore) -> float:
    """The longest median of what happens between two queries."""
    new = iter(range(10_000))
    row = N_QUERIES * N_DOCUMENTS
    taken = [
        milliseconds(f"next query, {only or 'all'}", lambda only=only: store.next_query("ann", only=only))
        for only in (None, "offered", "skipped", "low_kappa", "tied")
    ]
    taken.append(milliseconds("progress", store.progress))
    taken.append(milliseconds("the last submission", lambda: store.latest("ann")))
    taken.append(milliseconds("agreement of reviewers", store.reviewer_agreement))
    taken.append(milliseconds("a vote", lambda: store.vote("eve", f"bench{datetime.now(UTC)}{next(new)}", {row: True})))
    return max(taken)


def main() -> None:
    """Print times for no vote, for the quota reviewed and for nearly all reviewed; exit 1 above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="address of an empty database; SQLite in a temporary folder where left out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(given.url or f"sqlite:///{Path(folder) / 'review.db'}")
        migrate(engine)
        print(f"{N_QUERIES:,} disputed queries x {N_DOCUMENTS} documents on {engine.dialect.name}")
        store = fill(engine)
        print("  nothing reviewed")
        longest = measure(store)
        review(engine, 1, N_QUERIES // 5, "ann")
        review(engine, N_QUERIES // 10, N_QUERIES // 5, "ben")
        print("  one fifth reviewed, half of it by two")
        longest = max(longest, measure(store))
        engine.dispose()
    if longest > LIMIT_MS:
        sys.exit(f"{longest:.0f} ms is above the limit of {LIMIT_MS:g} ms")


if __name__ == "__main__":
    main()
