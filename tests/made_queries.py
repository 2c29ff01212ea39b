"""Queries, documents, scores and validations that the tests of the relational store share."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
import sqlalchemy as sa

from resources.database.migrate import migrate
from resources.database.reliability.query_store import QueryStore
from resources.database.reliability.records import GroundTruthRecord, JudgmentRecord, ValidationRecord
from resources.database.reliability.validation_store import ValidationStore

STUDY = "shoes"
JUDGES = ("careful", "hasty")
Text = str | None


def query_frame(documents: dict[str, dict[str, Text]], texts: dict[str, str] | None = None) -> pd.DataFrame:
    """Columns of table `query_documents`: for each query the text of each document."""
    rows = [
        (query, (texts or {}).get(query, f"what is {query}?"), doc, text, position)
        for query, docs in documents.items()
        for position, (doc, text) in enumerate(docs.items())
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "query", "doc_id", "document", "position"])
    return frame.astype({"document": "str", "doc_id": "str"})


def stored(engine: sa.Engine, queries: Iterable[str] = ("q1", "q2"), n_documents: int = 2) -> QueryStore:
    """A store with these queries, each with documents d1, d2, ...."""
    migrate(engine)
    store = QueryStore(engine, STUDY)
    docs: dict[str, Text] = {f"d{number}": f"text {number}" for number in range(1, n_documents + 1)}
    store.add_queries(query_frame(dict.fromkeys(queries, docs)))
    return store


def judgment(query: str, doc: str, judge: str, score: float | None, version: str = "v1", **more: Any) -> JudgmentRecord:
    """A judgment; one without a score is an answer that could not be read."""
    state = "valid" if score is not None else "invalid_json"
    return JudgmentRecord(query, doc, judge, version, score, **{"state": state, **more})


def judged(
    queries: Iterable[str], judges: Iterable[str] = JUDGES, score: float = 0.7, version: str = "v1", **more: Any
) -> list[JudgmentRecord]:
    """One score for d1 and d2 of each query by each judge."""
    return [
        judgment(query, doc, judge, score, version, **more)
        for query in queries
        for doc in ("d1", "d2")
        for judge in judges
    ]


def validated(store: ValidationStore, run: str = "run1", status: str = "passed", **changes: Any) -> int:
    """A validation with plausible numbers; its row's number."""
    measures: dict[str, Any] = {
        "kappa_macro_defined": 0.71,
        "kappa_macro_low": 0.6,
        "kappa_macro_high": None,
        "kappa_micro_low": 0.65,
        "kappa_micro_high": 0.9,
        "low_share": 0.1,
        "n_undefined": 3,
        "n_documents": 250,
        "judge_1": "careful",
        "judge_2": "hasty",
        "thresholds": {"careful": 0.5, "hasty": 0.6},
    }
    values: dict[str, Any] = {
        "run": run,
        "status": status,
        "kappa_macro": 0.75,
        "kappa_micro": 0.72,
        "total_queries": 50,
        "not_proven": True,
        "depends_on_convention": False,
        "contingency_actions": [{"step": "disagreements", "n_queries": 24}],
        "notes": "IRR Validation Passed (Kappa: 0.75)",
        "measures": measures | changes.pop("measures", {}),
    }
    return int(store.record_validation(ValidationRecord(**values | changes))["id"])


def truth(query: str, validation: int, **changes: Any) -> GroundTruthRecord:
    """The consensus on a query with two documents, the first of which is relevant."""
    values: dict[str, Any] = {
        "query_id": query,
        "expected_docs": ("d1",),
        "scores": {"careful": [0.9, 0.1], "hasty": [0.8, 0.3]},
        "n_documents": 2,
        "n_by_people": 0,
        "kappa": 1.0,
        "human_override": False,
        "override_reason": None,
        "reviewer": None,
        "decided_at": None,
        "prompt_version": "v1",
        "validation": validation,
    }
    return GroundTruthRecord(**values | changes)
