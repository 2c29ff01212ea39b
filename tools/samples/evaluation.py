"""Sample inputs of the evaluation study: scores and answers whose right result is known, and a paper's results."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipeline.samples.evaluation import ANSWERS, DATASETS, SCORES
from tools.samples import evaluation_answers as answers
from tools.samples import evaluation_scores as scores

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


def write_all(folder: Path, seed: int) -> None:
    """Every file of the study's samples into an empty folder."""
    (folder / DATASETS).mkdir()
    _write_lines(folder / DATASETS / f"{SCORES}.jsonl", scores.score_records(seed))
    _write_lines(folder / DATASETS / f"{ANSWERS}.jsonl", answers.answer_records(seed))
    _write_json(folder / "baseline.json", BASELINE)
    _write_json(folder / "truth.json", planted())


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record, allow_nan=False) + "\n" for record in records), encoding="utf-8")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, allow_nan=False) + "\n", encoding="utf-8")
