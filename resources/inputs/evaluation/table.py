"""Turns what an evaluation file holds into the table `evaluation_samples`."""

import numpy as np
import pandas as pd

from resources.inputs.evaluation.files import FIELD, EvaluationRead
from resources.inputs.evaluation.unusable_rows import n_unusable


def evaluation_samples_table(dataset: str, read: EvaluationRead) -> pd.DataFrame:
    """One row per sample; columns of the other kind are null.

    Args:
        dataset: Partition key.
        read: What was read from the data set's file.
    """
    frame = read.frame
    scores = read.kind == "scores"
    no_text = pd.array([None] * len(frame), dtype="str")
    return pd.DataFrame(
        {
            "dataset": dataset,
            "sample_id": frame["sample_id"],
            "kind": read.kind,
            "prediction_score": frame["prediction"] if scores else np.nan,
            "truth_score": frame["truth"] if scores else np.nan,
            "options": pd.Series([None] * len(frame), dtype="object") if scores else frame["options"],
            "prediction_answer": no_text if scores else frame["prediction"],
            "truth_answer": no_text if scores else frame["truth"],
            "answer_as_given": no_text if scores else frame["answer_as_given"],
            "n_rows_in_file": read.n_rows_in_file,
            "n_unusable": n_unusable(read),
            **{name: frame[name] for name in frame.columns if name.startswith(FIELD)},
        }
    )
