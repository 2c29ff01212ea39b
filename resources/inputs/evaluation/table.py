"""Rows of `evaluation_samples` from what was read: ties joined, too many unusable rows refused."""

from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from analysis.ties import TIE, join_ties
from resources.errors import FileFault, listing
from resources.inputs.evaluation.files import DUPLICATE, DUPLICATE_OTHER_FIELDS, FIELD, EvaluationRead

# With more of its rows left out a file gives no result.
MOST_UNUSABLE: Final = 0.5
SIDES: Final = ("prediction", "truth")


def n_unusable(read: EvaluationRead) -> int:
    """Rows that are left out though they are no repetition of another."""
    return sum(n for cause, n in read.excluded.items() if cause not in (DUPLICATE, DUPLICATE_OTHER_FIELDS))


def refuse_unusable(read: EvaluationRead, most: float) -> None:
    """Stop where so many rows cannot be used that the others stand for nothing.

    Args:
        read: The file.
        most: The largest share of unusable rows, 0-1.

    Raises:
        FileFault: More are; the message has the causes and the first rows.
    """
    unusable = n_unusable(read)
    if unusable <= most * read.n_rows_in_file:
        return
    causes = ", ".join(f"{count:,} {cause}" for cause, count in read.excluded.items())
    problem = f"{unusable:,} of {read.n_rows_in_file:,} rows cannot be used ({causes}), so that the rest says "
    problem += f"little of the file. The first: {listing(read.examples, 3)}."
    remedy = f"Correct the file, name other fields than '{read.prediction_field}' and '{read.truth_field}', or remove "
    raise FileFault(read.name, problem, f"{remedy}the rows that are meant to be left out.")


def evaluation_samples_table(dataset: str, read: EvaluationRead) -> pd.DataFrame:
    """One row per sample; columns of the other kind are null."""
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


def with_ties(read: EvaluationRead, ties: float | None) -> EvaluationRead:
    """The samples with near scores joined, or with a note on how many there are.

    Args:
        read: Samples of scores; answers come back as they are.
        ties: Distinct scores nearer to each other than this share of their size become one; none: a note for 1e-12.
    """
    if read.kind != "scores":
        return read
    frame, notes = read.frame, []
    for side, field in zip(SIDES, (read.prediction_field, read.truth_field), strict=True):
        values = frame[side].to_numpy(dtype=np.float64)
        distinct = np.unique(values)
        near = distinct.size - np.unique(join_ties(distinct, relative=ties or TIE)).size
        if not near:
            continue
        if ties is None:
            notes.append(
                f"'{field}': {near:,} of {distinct.size:,} distinct values differ from the next by less than "
                f"{TIE:g} of their size, as means computed in two ways do. They count as different; `--ties {TIE:g}` "
                f"(in a configuration `ties: {TIE:g}`) joins them."
            )
        else:
            frame = frame.assign(**{side: join_ties(values, relative=ties)})
            notes.append(
                f"'{field}': {near:,} of {distinct.size:,} distinct values were joined with the next (ties {ties:g})."
            )
    return replace(read, frame=frame, notes=(*read.notes, *notes))
