"""Names scores that are outside the scale on which nearly all others are."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from resources.errors import listing

# Scales that people are given; the narrowest that holds nearly all scores, and is used from end to end, is apparent.
SCALES: Final = ((0, 1), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (1, 100), (0, 100))
FEWEST: Final = 20
OUTSIDE_SHARE: Final = 0.01
USED_SHARE: Final = 0.75


def outside_scale(column: str, scores: NDArray[np.float64], rows: NDArray[np.int64], of_people: bool) -> str | None:
    """A sentence on scores that are outside the apparent scale; null where none is, or no scale is apparent.

    Args:
        column: Where they are.
        scores: Shape ``(n,)``, finite.
        rows: Shape ``(n,)``, their rows in the file.
        of_people: Whether people gave them, on a scale of theirs; a measure has one only where it is in whole steps.
    """
    if len(scores) < FEWEST:
        return None
    in_steps = np.mean(scores == np.floor(scores)) >= 1 - OUTSIDE_SHARE
    if not (of_people or in_steps):
        return None
    most = max(1, int(OUTSIDE_SHARE * len(scores)))
    for low, high in SCALES:
        outside = (scores < low) | (scores > high)
        n_outside = int(outside.sum())
        if n_outside == 0:
            return None
        if n_outside <= most and np.ptp(scores[~outside]) >= USED_SHARE * (high - low):
            found = [f"{score:g} in row {row}" for score, row in zip(scores[outside], rows[outside], strict=True)]
            return (
                f"Column '{column}': outside {low}-{high}, where the other {len(scores) - n_outside:,} scores are: "
                f"{listing(found)}. They are used; correct them if they are wrong."
            )
    return None


def outside_scales(
    prediction: str, truth: str, values: Mapping[str, pa.ChunkedArray], rows: NDArray[np.int64]
) -> list[str]:
    """One sentence for each side with scores outside its apparent scale.

    Args:
        prediction: The column of predictions.
        truth: The column of truths.
        values: Shape ``(n,)`` each, as `prediction` and `truth`.
        rows: Shape ``(n,)``, their rows in the file.
    """
    sides = ((prediction, "prediction"), (truth, "truth"))
    found = [outside_scale(name, values[side].to_numpy(), rows, side == "truth") for name, side in sides]
    return [note for note in found if note is not None]
