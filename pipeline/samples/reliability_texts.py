"""Queries and documents in plain English, written for this project, each document with its true relevance."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

TEXTS = Path(__file__).parent / "relevance"
EVALUATED, CALIBRATION, BY_REVIEW = "evaluated", "calibration", "by_review"
# What the prompt's scale names; a document that is moderately relevant, 0.5, is not relevant yet.
ANCHORS = (0.0, 0.3, 0.5, 0.7, 1.0)
# Hard: an irrelevant document shares the query's words, or a relevant one has none of them, or the query names nothing.
DIFFICULTIES = ("easy", "shared_words", "other_words", "vague")


@dataclass(frozen=True)
class SampleDocument:
    """A document of a query; `relevance` is true, one of `ANCHORS`."""

    id: str
    text: str
    relevance: float


@dataclass(frozen=True)
class SampleQuery:
    """A query with its documents in the order in which judges and people see them."""

    id: str
    query: str
    difficulty: str
    documents: tuple[SampleDocument, ...]


def sample_queries(part: str, seed: int) -> list[SampleQuery]:
    """The queries of one part, by topic.

    Args:
        part: `EVALUATED`, `CALIBRATION` or `BY_REVIEW`; no two share a query.
        seed: Decides the order of each query's documents, so that a place tells nothing of relevance.
    """
    rng = np.random.default_rng(seed)
    return [
        SampleQuery(f"{path.stem}-{number}", entry["query"], entry["difficulty"], _shuffled(entry["documents"], rng))
        for path in sorted((TEXTS / part).glob("*.yaml"))
        for number, entry in enumerate(yaml.safe_load(path.read_text(encoding="utf-8")), start=1)
    ]


def truth_records(queries: Iterable[SampleQuery]) -> list[dict[str, Any]]:
    """The answer key, one record a document."""
    return [
        {"query_id": one.id, "doc_id": document.id, "relevance": document.relevance, "difficulty": one.difficulty}
        for one in queries
        for document in one.documents
    ]


def query_record(one: SampleQuery) -> dict[str, Any]:
    """A query with its documents, as the study reads it."""
    documents = [{"id": document.id, "text": document.text} for document in one.documents]
    return {"id": one.id, "query": one.query, "docs": documents}


def answer_record(one: SampleQuery, document: SampleDocument, judge: str, version: str, score: float) -> dict[str, Any]:
    """A recorded answer, as the judge `recorded` reads it; `score` is 0-1."""
    return {
        "query_id": one.id,
        "doc_id": document.id,
        "judge": judge,
        "prompt_version": version,
        "score": round(min(1.0, max(0.0, score)), 2),
    }


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """One JSON object a line."""
    path.write_text("".join(json.dumps(record, allow_nan=False) + "\n" for record in records), encoding="utf-8")


def _shuffled(entries: list[dict[str, Any]], rng: np.random.Generator) -> tuple[SampleDocument, ...]:
    order = rng.permutation(len(entries)).tolist()
    return tuple(
        SampleDocument(f"d{place}", entries[index]["text"], float(entries[index]["relevance"]))
        for place, index in enumerate(order, start=1)
    )
