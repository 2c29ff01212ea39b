"""A second reliability sample: two made-up judges whom recalibration does not bring together, so that people decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from pipeline.samples.reliability import (
    BY_REVIEW,
    QUERIES,
    RECALIBRATED,
    SECOND_VERSION,
    SEED,
    TRUTH,
    SampleQuery,
    answer_record,
    query_record,
    sample_queries,
    truth_records,
    write_lines,
)
from pipeline.samples.shipped import MANIFEST, is_whole, make_whole
from resources.configuration.place import FILE_NAME
from resources.errors import UserError

SAMPLES_VERSION = "2"
INPUTS = "inputs"
FIRST_VERSION = "v1"
STUDY: Final = f"""\
# A sample study whose judges go on disagreeing: it ends once people have decided. This folder is its TOUCHSTONE_HOME.
study: sample_by_review
made_up: {{reliability: [answers, reviewer]}}   # its report says so

reliability:
  queries: {INPUTS}/{QUERIES}         # scores of judge1 and judge2 are in it
  recalibration:
    judges:
      judge1: {{kind: recorded, path: {INPUTS}/{RECALIBRATED}}}
      judge2: {{kind: recorded, path: {INPUTS}/{RECALIBRATED}}}
"""


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


@dataclass(frozen=True)
class ReviewSamples:
    """Where the second sample lies; ``truth`` is the answer key and no input of the study.

    `home` is the study's own `TOUCHSTONE_HOME`, with its `touchstone.yaml`.
    """

    home: Path
    configuration: Path
    queries: Path
    recalibrated: Path
    truth: Path


def write_review_samples(folder: Path, seed: int = SEED) -> ReviewSamples:
    """The second sample in a folder that is a home of its own, made now or found complete from before.

    Args:
        folder: Where it goes; made where it is missing. Inputs of another seed or version are replaced, with the
            configuration; what the study has made in its home stays.
        seed: Decides the order of documents and every score; the texts are always the same.

    Returns:
        Paths of the home and the files.

    Raises:
        UserError: The folder holds something that is no set of samples.
    """
    folder = Path(folder)
    inputs, configuration = folder / INPUTS, folder / FILE_NAME
    if configuration.exists() and not (inputs / MANIFEST).is_file():
        raise UserError(f"{folder} holds a study that is no sample; nothing was written. Name an empty folder.")
    if not (is_whole(inputs, SAMPLES_VERSION, seed) and configuration.is_file()):
        make_whole(inputs, SAMPLES_VERSION, seed, partial(_write_all, seed=seed))
        configuration.write_text(STUDY, encoding="utf-8")
    return ReviewSamples(folder, configuration, inputs / QUERIES, inputs / RECALIBRATED, inputs / TRUTH)


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


def _write_all(folder: Path, seed: int) -> None:
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
