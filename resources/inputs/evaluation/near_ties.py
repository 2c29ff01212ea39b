"""Scores that differ in their last digits alone: counted in a note, joined where that is asked for."""

from dataclasses import replace
from typing import Final

import numpy as np

from analysis.ties import TIE, join_ties
from resources.inputs.evaluation.files import EvaluationRead

SIDES: Final = ("prediction", "truth")


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
