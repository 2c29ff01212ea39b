"""Sample inputs of the reliability study: queries on which two real judges disagree, and made-up answers that agree."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from analysis.agreement.kappa import relevant
from pipeline.samples.reliability_texts import (
    CALIBRATION,
    EVALUATED,
    answer_record,
    query_record,
    sample_queries,
    truth_records,
    write_lines,
)
from pipeline.samples.shipped import make_whole
from resources.configuration.sample import FIRST, SECOND

SAMPLES_VERSION = "2"
SEED = 20260101
SECOND_VERSION = "recalibrated_v2"
QUERIES, EXAMPLES, RECALIBRATED, TRUTH = "queries.jsonl", "calibration.jsonl", "recalibrated.jsonl", "truth.jsonl"
THRESHOLD = 0.5
# How the made-up answers scatter around the truth: alike for both judges, and each on its own.
COMMON_SD, OWN_SD = 0.03, 0.05
# Under the second prompt half an answer is "partial", and lies a little below the threshold.
MIDDLE, MIDDLE_SEEN_AS = 0.5, 0.43


@dataclass(frozen=True)
class ReliabilitySamples:
    """Where the sample inputs lie; ``truth`` is the answer key and no input of the study.

    `calibration` is for the offline judges, and shares no query with `queries`. `recalibrated` holds answers under the
    second prompt, made up for both judges.
    """

    queries: Path
    calibration: Path
    recalibrated: Path
    truth: Path


def write_reliability_samples(folder: Path, seed: int = SEED) -> ReliabilitySamples:
    """The sample inputs in a folder, made now or found complete from before.

    Args:
        folder: Where they go; made where it is missing. Samples of another seed or version are replaced whole.
        seed: Decides the order of documents and the made-up answers; the texts are always the same.

    Returns:
        Paths of the files.

    Raises:
        UserError: The folder holds something that is no set of samples.
    """
    folder = Path(folder)
    make_whole(folder, SAMPLES_VERSION, seed, partial(_write_all, seed=seed))
    return ReliabilitySamples(folder / QUERIES, folder / EXAMPLES, folder / RECALIBRATED, folder / TRUTH)


def scripted_votes(truth: Path) -> Iterator[tuple[str, str, bool]]:
    """What a reviewer who knows the truth votes, for demonstrations: query, document, relevant.

    Args:
        truth: `truth.jsonl` of either sample.
    """
    with truth.open(encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            yield one["query_id"], one["doc_id"], bool(relevant(one["relevance"], THRESHOLD))


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


def _write_all(folder: Path, seed: int) -> None:
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
