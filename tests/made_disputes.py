"""Queries, documents and disputes written straight into a database, for the tests of the human tiebreak."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from resources.configuration.reliability import Review
from resources.database.reliability.models import Document, Query, ValidationResult
from resources.database.reliability.review_records import DisputedDocument
from resources.database.reliability.review_store import ReviewStore

STUDY = "shoes"
SCORES = ((0.9, 0.1), (0.8, 0.3), (0.7, 0.4), (0.6, 0.45), (0.3, 0.55), (0.2, 0.51))


def add_query(
    engine: sa.Engine, texts: Sequence[str | None], query: str = "waterproof trail shoes", study: str = STUDY
) -> tuple[int, list[int]]:
    """One query with a document for each text; its row and theirs."""
    with Session(engine) as session:
        number = session.scalar(sa.select(sa.func.count()).select_from(Query)) or 0
        row = Query(study=study, query_id=f"q{number}", query=query, position=number)
        session.add(row)
        session.flush()
        documents = [
            Document(query_row=row.id, doc_id=f"d{place}", document=text, position=place)
            for place, text in enumerate(texts)
        ]
        session.add_all(documents)
        session.flush()
        made = row.id, [one.id for one in documents]
        session.commit()
    return made


def disputed(queries: Sequence[tuple[int, list[int]]], kappas: Sequence[float | None] = ()) -> list[DisputedDocument]:
    """Every document of the queries in dispute, the first query first; two judges, and their scores as `SCORES`."""
    found = []
    for place, (query_row, documents) in enumerate(queries):
        kappa = kappas[place] if place < len(kappas) else -0.5
        for place_in_query, document_row in enumerate(documents):
            first, second = SCORES[place_in_query % len(SCORES)]
            scores = {"careful": first, "hasty": second}
            gap = round(abs(first - second), 12)
            found.append(DisputedDocument(query_row, document_row, place, place_in_query, gap, True, kappa, scores))
    return found


def store_of(engine: sa.Engine, **review: Any) -> ReviewStore:
    """A store with the settings of `review`."""
    return ReviewStore(engine, STUDY, Review(**review))


def add_disputes(engine: sa.Engine, n_queries: int, n_documents: int = 2) -> list[tuple[int, list[int]]]:
    """Queries with that many documents each, all in dispute; their rows."""
    queries = [
        add_query(engine, [f"text {place} of query {number}" for place in range(n_documents)], f"query {number}")
        for number in range(n_queries)
    ]
    store_of(engine).replace_disputes(disputed(queries))
    return queries


def add_validation(engine: sa.Engine, macro: float, micro: float, status: str, day: int) -> None:
    """One finished validation of that day in March 2026."""
    with Session(engine) as session:
        session.add(
            ValidationResult(
                study=STUDY,
                timestamp=datetime(2026, 3, day, 9, 0, tzinfo=UTC),
                kappa_macro=macro,
                kappa_micro=micro,
                status=status,
                total_queries=24,
                contingency_actions=[],
                notes="",
                not_proven=False,
                depends_on_convention=False,
                measures={},
                run=f"run{day}",
            )
        )
        session.commit()
