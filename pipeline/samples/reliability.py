"""Sample inputs of the reliability study: queries that two real judges answer apart, and a study that people end."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.agreement.kappa import relevant
from pipeline.samples.shipped import MANIFEST, SEED, is_whole, unpack
from resources.configuration.place import FILE_NAME
from resources.errors import UserError

SAMPLES_VERSION = "2"
SECOND_VERSION = "recalibrated_v2"
QUERIES, EXAMPLES, RECALIBRATED, TRUTH = "queries.jsonl", "calibration.jsonl", "recalibrated.jsonl", "truth.jsonl"
THRESHOLD = 0.5
INPUTS = "inputs"
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


@dataclass(frozen=True)
class ReliabilitySamples:
    """Where the sample inputs are; ``truth`` is the answer key and no input of the study.

    `calibration` is for the offline judges, and shares no query with `queries`. `recalibrated` holds answers under the
    second prompt, made up for both judges.
    """

    queries: Path
    calibration: Path
    recalibrated: Path
    truth: Path


@dataclass(frozen=True)
class ReviewSamples:
    """Where the second sample is; ``truth`` is the answer key and no input of the study.

    `home` is the study's own `TOUCHSTONE_HOME`, with its `touchstone.yaml`.
    """

    home: Path
    configuration: Path
    queries: Path
    recalibrated: Path
    truth: Path


def write_reliability_samples(folder: Path) -> ReliabilitySamples:
    """The sample inputs in a folder, written now or found complete from before."""
    folder = unpack("reliability", folder, SAMPLES_VERSION)
    return ReliabilitySamples(folder / QUERIES, folder / EXAMPLES, folder / RECALIBRATED, folder / TRUTH)


def write_review_samples(folder: Path) -> ReviewSamples:
    """The second sample in a folder that is a home of its own, written now or found complete from before.

    Args:
        folder: Where it goes; made where it is missing. Inputs of another version are replaced, with the
            configuration; what the study has made in its home stays.

    Returns:
        Paths of the home and the files.

    Raises:
        UserError: The folder holds something that is no set of samples.
    """
    folder = Path(folder)
    inputs, configuration = folder / INPUTS, folder / FILE_NAME
    if configuration.exists() and not (inputs / MANIFEST).is_file():
        raise UserError(f"{folder} holds a study that is no sample; nothing was written. Name an empty folder.")
    if not (is_whole(inputs, SAMPLES_VERSION, SEED) and configuration.is_file()):
        unpack("reliability_by_review", inputs, SAMPLES_VERSION)
        configuration.write_text(STUDY, encoding="utf-8")
    return ReviewSamples(folder, configuration, inputs / QUERIES, inputs / RECALIBRATED, inputs / TRUTH)


def scripted_votes(truth: Path) -> Iterator[tuple[str, str, bool]]:
    """What a reviewer who knows the truth votes, for demonstrations: query, document, relevant.

    Args:
        truth: `truth.jsonl` of either sample.
    """
    with truth.open(encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            yield one["query_id"], one["doc_id"], bool(relevant(one["relevance"], THRESHOLD))
