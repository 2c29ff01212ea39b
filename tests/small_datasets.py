"""Data sets small enough to reason about: scores of eight pictures, answers to ten questions, and a study over them."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
from upath import UPath

from pipeline.definitions import definitions_of
from pipeline.runs import Outcome, run_evaluation
from resources.configuration.evaluation import Dataset, EvaluationStudy
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import read
from tests.small_study import without_drawing

# Truths 1 to 8; the predictions swap the fourth and fifth: SRCC 1 - 6 * 2 / (8 * 63) = 0.97619...
TRUTHS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
PREDICTIONS = [0.1, 0.2, 0.3, 0.5, 0.4, 0.6, 0.7, 0.8]
SRCC = 1 - 12 / 504
# Of ten questions seven are right: B is taken for C twice, one answer is no option.
QUESTIONS = [("A", "A"), ("A", "A"), ("B", "B"), ("B", "C"), ("B", "C"), ("C", "C"), ("C", "C"), ("D", "D"), ("D", "D")]
QUESTIONS.append(("D", "E"))


def write_scores(path: Path, predictions: list[float] | None = None) -> Path:
    """A CSV with prediction, mos, reference and kind of distortion."""
    rows = ["sample_id,final_score,mos,reference,kind"]
    for place, (prediction, truth) in enumerate(zip(predictions or PREDICTIONS, TRUTHS, strict=True)):
        rows.append(f"s{place},{prediction},{truth},{'Ii'[place % 2]}{place // 2},{'blur' if place < 4 else 'noise'}")
    path.write_text("\n".join(rows) + "\n")
    return path


def write_answers(path: Path) -> Path:
    """A JSONL with four options a question."""
    lines = [
        {"sample_id": f"q{place}", "options": list("ABCD"), "answer": truth, "prediction": said, "task_type": "planner"}
        for place, (truth, said) in enumerate(QUESTIONS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def study_over(folder: Path, datasets: dict[str, Dataset], **more: Any) -> Study:
    """A study of its own home, fast intervals."""
    plan: dict[str, Any] = {"datasets": datasets, "bootstrap_resamples": 100, "bca_resamples": 100}
    return Study("small", None, Home(UPath(folder / "home"), folder / "home"), EvaluationStudy(**(plan | more)))


def evaluate(study: Study, instance: dg.DagsterInstance, *datasets: str) -> Outcome:
    """The study's data sets through Dagster, without plots."""
    with without_drawing():
        return run_evaluation(definitions_of(study), instance, study, datasets)


def stored(study: Study, table: str, dataset: str | None = None) -> pd.DataFrame:
    """A table as it lies on disk, read by its declaration."""
    place = study.home.tables / "evaluation" / table
    path = place / f"{dataset}.parquet" if dataset else place.with_suffix(".parquet")
    with path.open("rb") as file:
        return read(TABLES[table], file)
