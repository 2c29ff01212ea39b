"""Sample inputs of the reliability study: queries on which two real judges disagree, and made-up answers that agree."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pipeline.samples.reliability import EXAMPLES, QUERIES, RECALIBRATED, SECOND_VERSION, TRUTH
from resources.configuration.load import FIRST, SECOND

TEXTS = Path(__file__).parent / "relevance"
EVALUATED, CALIBRATION, BY_REVIEW = "evaluated", "calibration", "by_review"
# What the prompt's scale names; a document that is moderately relevant, 0.5, is not relevant yet.
ANCHORS = (0.0, 0.3, 0.5, 0.7, 1.0)
# Hard: an irrelevant document shares the query's words, or a relevant one has none of them, or the query names nothing.
DIFFICULTIES = ("easy", "shared_words", "other_words", "vague")
# How the made-up answers scatter around the truth: alike for both judges, and each on its own.
COMMON_SD, OWN_SD = 0.03, 0.05
# Under the second prompt half an answer is "partial", and lies a little below the threshold.
MIDDLE, MIDDLE_SEEN_AS = 0.5, 0.43


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


def recalibrated_records(seed: int) -> list[dict[str, Any]]:
    """Made-up answers under the second prompt, about every document: near the truth, and so near each other."""
    rng = np.random.default_rng([seed, 1])
    records = []
    for one in sample_queries(EVALUATED, seed):
        for document in one.documents:
            seen = MIDDLE_SEEN_AS if document.relevance == MIDDLE else document.relevance
            both = seen + COMMON_SD * rng.standard_normal()
            records += [
                answer_record(one, document, judge, SECOND_VERSION, both + OWN_SD * rng.standard_normal())
                for judge in (FIRST, SECOND)
            ]
    return records


def write_all(folder: Path, seed: int) -> None:
    """Every file of the sample, the answer key included."""
    queries = sample_queries(EVALUATED, seed)
    write_lines(folder / QUERIES, map(query_record, queries))
    write_lines(folder / EXAMPLES, _example_records(seed))
    write_lines(folder / RECALIBRATED, recalibrated_records(seed))
    write_lines(folder / TRUTH, truth_records(queries))


def _example_records(seed: int) -> list[dict[str, Any]]:
    return [
        {"query": one.query, "document": document.text, "relevance": document.relevance}
        for one in sample_queries(CALIBRATION, seed)
        for document in one.documents
    ]
