"""A second reliability sample: two made-up judges whom recalibration does not bring together, so that people decide."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from pipeline.samples.reliability import QUERIES, RECALIBRATED, SECOND_VERSION, TRUTH
from tools.samples.reliability import (
    BY_REVIEW,
    SampleQuery,
    answer_record,
    query_record,
    sample_queries,
    truth_records,
    write_lines,
)

FIRST_VERSION = "v1"


class Habit(NamedTuple):
    """How a judge's scores follow true relevance: ``factor * truth + offset``, scattered by `sd`."""

    factor: float
    offset: float
    sd: float


# A strict judge, and a lenient one that is not sure of itself; the second prompt does not fix that.
HABITS: Final[Mapping[str, Mapping[str, Habit]]] = {
    FIRST_VERSION: {"judge1": Habit(0.80, -0.02, 0.08), "judge2": Habit(1.0, 0.18, 0.25)},
    SECOND_VERSION: {"judge1": Habit(0.82, -0.02, 0.10), "judge2": Habit(1.0, 0.18, 0.35)},
}


def judged(queries: list[SampleQuery], version: str, seed: int) -> dict[str, list[list[float]]]:
    """Each judge's scores under a prompt version, a list for each query in its documents' order; on 0-1."""
    rng = np.random.default_rng([seed, list(HABITS).index(version)])
    truth = np.array([[document.relevance for document in one.documents] for one in queries])
    return {
        judge: (habit.factor * truth + habit.offset + habit.sd * rng.standard_normal(truth.shape))
        .clip(0, 1)
        .round(2)
        .tolist()
        for judge, habit in HABITS[version].items()
    }


def write_all(folder: Path, seed: int) -> None:
    """Every file of the sample, the answer key included."""
    queries = sample_queries(BY_REVIEW, seed)
    first, second = (judged(queries, version, seed) for version in (FIRST_VERSION, SECOND_VERSION))
    write_lines(folder / QUERIES, (_scored(one, place, first) for place, one in enumerate(queries)))
    write_lines(
        folder / RECALIBRATED,
        (
            answer_record(one, document, judge, SECOND_VERSION, score)
            for place, one in enumerate(queries)
            for judge, scores in second.items()
            for document, score in zip(one.documents, scores[place], strict=True)
        ),
    )
    write_lines(folder / TRUTH, truth_records(queries))


def _scored(one: SampleQuery, place: int, scores: dict[str, list[list[float]]]) -> dict[str, Any]:
    return {
        **query_record(one),
        **{f"{judge}_score": of_queries[place] for judge, of_queries in scores.items()},
        "prompt_version": FIRST_VERSION,
    }
