"""Table `mcq_confusion`: which option is taken for which."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least
from analysis.words import how_often
from assets.evaluation.logic.outputs import confusion_of, shown_and_saved
from assets.evaluation.logic.rows import as_table, confusion_rows, confusions_of, datasets_of
from assets.shared.gate import Kind, gate
from assets.shared.partitions import DATASETS, ONE_RUN, each_dataset
from resources.configuration.evaluation import Dataset
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.evaluation import MCQ_CONFUSION
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="evaluation_people", partitions_def=DATASETS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="1"
)
def mcq_confusion(
    context: dg.AssetExecutionContext, evaluation_samples: Frames, study: dg.ResourceParam[Study]
) -> Frames:
    """One row per option set, true option and answer of an answer data set; empty for scores."""

    def make(name: str) -> pd.DataFrame:
        samples = evaluation_samples[name]
        return as_table(MCQ_CONFUSION, name, confusion_rows(confusions_of(samples)) if is_answers(samples) else [])

    return each_dataset(context, make, lambda frame: headline(frame, study.home))


def is_answers(samples: pd.DataFrame) -> bool:
    """Whether a data set holds answers, not scores."""
    return len(samples) > 0 and samples["kind"].iloc[0] == "answers"


def headline(frame: pd.DataFrame, home: Home) -> dict[str, Any]:
    """Accuracy, the most confused pair, and the matrices at a glance."""
    if frame.empty:
        return {"n_used": 0, "note": "not multiple choice"}
    right, total = right_of(frame)
    ranked = frame[frame["rank_of_confusion"] == 1]
    cells = zip(ranked["truth"], ranked["prediction"], ranked["count"], strict=True)
    pairs = [f"{truth} taken for {prediction} ({how_often(n)})" for truth, prediction, n in cells]
    numbers = {"n_used": total, "accuracy": right / total, "most_confused": "; ".join(pairs) or "none"}
    return numbers | shown_and_saved(home, frame["dataset"].iloc[0], "confusion", confusion_of(frame))


def right_of(frame: pd.DataFrame) -> tuple[int, int]:
    """Right answers and questions."""
    return int(frame.loc[frame["truth"] == frame["prediction"], "count"].sum()), int(frame["count"].sum())


@gate(
    mcq_confusion,
    Kind.QUALITY,
    to_do="Look in option_rates and category_breakdown at where it is low.",
    withheld="nothing.",
    once=datasets_of,
)
def accuracy_is_high_enough(mcq_confusion: pd.DataFrame, partition: str, once: Mapping[str, Dataset]) -> Gate | None:
    """Enough questions are answered right: accuracy reaches the data set's minimum, where one is set."""
    return accuracy_gate(mcq_confusion, once[partition])


def accuracy_gate(frame: pd.DataFrame, dataset: Dataset) -> Gate | None:
    """Accuracy against the data set's minimum; none where none is set, failing where there are no answers."""
    if dataset.gates.min_accuracy is None:
        return None
    right, total = right_of(frame)
    return at_least(
        "accuracy_is_high_enough",
        right / total if total else None,
        dataset.gates.min_accuracy,
        n=total,
        counted="questions",
        what="Accuracy",
        remedy="Look in option_rates and category_breakdown at where it is low."
        if total
        else "Set `min_srcc` instead of `min_accuracy`, or correct the data set's `kind`.",
        reason="the data set has no answers",
    )
