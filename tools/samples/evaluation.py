"""Sample inputs of the evaluation study: scores and answers whose right result is known, and a paper's results."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.samples import evaluation_answers as answers
from pipeline.samples import evaluation_scores as scores
from pipeline.samples.whole_folder import make_whole

SAMPLES_VERSION = "1"
SEED = 20260101
DATASETS = "datasets"
SCORES, ANSWERS = "sample_scores", "sample_answers"
# What a paper might report: the first lies near the planted value, the second does not.
BASELINE = (
    {
        "dataset": SCORES,
        "metric": "srcc",
        "value": 0.85,
        "model": "example-vision-7b",
        "tools": ["sharpness", "noise"],
        "protocol": "all distortions, no mapping",
    },
    {
        "dataset": ANSWERS,
        "metric": "accuracy",
        "value": 0.90,
        "model": "example-vision-7b",
        "tools": [],
        "protocol": "all questions, one attempt",
    },
)


@dataclass(frozen=True)
class EvaluationSamples:
    """Where the sample inputs lie; ``truth`` is the answer key and no input of the study.

    `datasets` is the folder with the two data sets and nothing else.
    """

    datasets: Path
    scores: Path
    answers: Path
    baseline: Path
    truth: Path


def write_evaluation_samples(folder: Path, seed: int = SEED) -> EvaluationSamples:
    """The sample inputs in a folder, made now or found complete from before.

    Args:
        folder: Where they go; made where it is missing. Samples of another seed or version are replaced whole.
        seed: Decides every score and which question has which answer.

    Returns:
        Paths of the files and of the folder with the data sets.

    Raises:
        UserError: The folder holds something that is no set of samples.
    """
    folder = Path(folder)
    make_whole(folder, SAMPLES_VERSION, seed, partial(_write_all, seed=seed))
    return EvaluationSamples(
        datasets=folder / DATASETS,
        scores=folder / DATASETS / f"{SCORES}.jsonl",
        answers=folder / DATASETS / f"{ANSWERS}.jsonl",
        baseline=folder / "baseline.json",
        truth=folder / "truth.json",
    )


def planted() -> dict[str, Any]:
    """The answer key: population values for the scores, exact counts for the answers."""
    letters = answers.CONFUSION[answers.LETTERS]
    share = answers.N_QUESTIONS // len(answers.CORRECT_BY_TASK_TYPE)
    half = answers.N_QUESTIONS // len(answers.CORRECT_BY_REFERENCE_MODE)
    n_rows = len(scores.SRCC_BY_DISTORTION) * scores.N_REFERENCES * scores.N_LEVELS
    return {
        SCORES: {
            "n_rows": n_rows,
            "n_missing_predictions": scores.N_MISSING,
            "n_numbers_as_text": scores.N_AS_TEXT,
            "n_references": scores.N_REFERENCES,
            "srcc": round(scores.SRCC, 6),
            "srcc_by_distortion_type": scores.SRCC_BY_DISTORTION,
            "sharpness_score_srcc": scores.SHARPNESS_SRCC,
        },
        ANSWERS: {
            "n_rows": answers.N_QUESTIONS,
            "accuracy": answers.N_CORRECT / answers.N_QUESTIONS,
            "accuracy_by_task_type": {name: n / share for name, n in answers.CORRECT_BY_TASK_TYPE.items()},
            "accuracy_by_reference_mode": {name: n / half for name, n in answers.CORRECT_BY_REFERENCE_MODE.items()},
            "n_invalid": len(answers.INVALID_ANSWERS),
            "n_respelled": answers.N_RESPELLED,
            "confusion": [
                {"options": options, "columns": [*options, answers.INVALID], "matrix": list(rows.values())}
                for options, rows in answers.CONFUSION.items()
            ],
            "most_confused": {"truth": "B", "prediction": "C", "n": letters["B"][2]},
        },
    }


def _write_all(folder: Path, seed: int) -> None:
    (folder / DATASETS).mkdir()
    _write_lines(folder / DATASETS / f"{SCORES}.jsonl", scores.score_records(seed))
    _write_lines(folder / DATASETS / f"{ANSWERS}.jsonl", answers.answer_records(seed))
    _write_json(folder / "baseline.json", BASELINE)
    _write_json(folder / "truth.json", planted())


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record, allow_nan=False) + "\n" for record in records), encoding="utf-8")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, allow_nan=False) + "\n", encoding="utf-8")
