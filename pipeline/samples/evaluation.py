"""Sample inputs of the evaluation study: scores and answers whose right result is known, and a paper's results."""

from dataclasses import dataclass
from pathlib import Path

from pipeline.samples.shipped import unpack

SAMPLES_VERSION = "1"
DATASETS = "datasets"
SCORES, ANSWERS = "sample_scores", "sample_answers"


@dataclass(frozen=True)
class EvaluationSamples:
    """Paths of the sample inputs; ``truth`` is the answer key and no input of the study.

    `datasets` is the folder with the two data sets and nothing else.
    """

    datasets: Path
    scores: Path
    answers: Path
    baseline: Path
    truth: Path


def write_evaluation_samples(folder: Path) -> EvaluationSamples:
    """The sample inputs in a folder, written now or found complete from before."""
    folder = unpack("evaluation", folder, SAMPLES_VERSION)
    return EvaluationSamples(
        datasets=folder / DATASETS,
        scores=folder / DATASETS / f"{SCORES}.jsonl",
        answers=folder / DATASETS / f"{ANSWERS}.jsonl",
        baseline=folder / "baseline.json",
        truth=folder / "truth.json",
    )
