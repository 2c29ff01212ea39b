"""The statistics of original and altered scores, for the list that `test_every_statistic` runs over."""

import numpy as np

from analysis.accuracy.effect_size import effect_size
from analysis.accuracy.hit_rate import hit_rate
from analysis.agreement.dose_response import dose_response
from analysis.agreement.page_trend import page_trend
from analysis.correlation.separation import separation
from tests.analysis.statistics_list import QUICK, Statistic, of_pairs

MISSING = "1 of 4 altered scores are missing"
DROPS = [0.1, 0.2, 0.3]


def a_fifth(scores: np.ndarray) -> float:
    """A tolerance in the scores' unit, off the grid of their differences, so that a change of unit changes no hit."""
    finite = scores[np.isfinite(scores)]
    return float(np.ptp(finite)) / 5.3 or 1.0 if finite.size else 1.0


OF_ALTERED_SCORES = [
    of_pairs(
        "effect_size",
        lambda x, y, c: effect_size(x, y, c, **QUICK),
        constant_is_defined=True,
        fewest_rows=2,
        missing=MISSING,
    ),
    *[
        of_pairs(
            f"hit_rate_{expected}",
            lambda x, y, c, expected=expected: hit_rate(
                x, y, expected, c, tolerance=a_fifth(np.asarray([*x, *y])), **QUICK
            ),
            units=dict.fromkeys(("mean_original", "mean_altered", "mean_difference"), 1),
            moves=("mean_original", "mean_altered"),
            constant_is_defined=True,
            fewest_rows=1,
            missing=MISSING,
        )
        for expected in ("worse", "better", "same")
    ],
    of_pairs(
        "separation",
        lambda x, y, c: separation(x, y, c, **QUICK),
        constant_is_defined=True,
        fewest_rows=1,
        missing=MISSING,
    ),
    Statistic(
        "dose_response",
        lambda scores, products: dose_response(scores, range(scores.shape[1]), products, **QUICK),
        lambda: dose_response(DROPS, DROPS, **QUICK),
        units={"slope": 1, "slope_interval": 1, "intercept": 1},
        moves=("intercept",),
        gaps={"n_missing_cells": 1, "n_used": 4},
        fewest_rows=2,
    ),
    Statistic(
        "page_trend",
        lambda scores, products: page_trend(scores, range(scores.shape[1])),
        lambda: page_trend(DROPS, DROPS),
        gaps={"n_items": 4, "n_used": 3},
        fewest_rows=1,
    ),
]
