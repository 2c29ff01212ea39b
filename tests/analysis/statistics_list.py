"""How a statistic enters the list that `test_every_statistic` runs over, and the statistics of scored samples."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from analysis.accuracy.mean_comparison import paired_t, welch
from analysis.correlation.krasula import krasula
from analysis.correlation.metric_comparison import compare_metrics
from analysis.correlation.score_correlation import score_correlations
from analysis.resampling.bootstrap import Resampling

QUICK = {"resampling": Resampling(1)}


@dataclass(frozen=True)
class Statistic:
    """How a statistic is called on a matrix of scores (judge and human, or repeats) with a product per row.

    `units` gives the power of the score's unit for fields that have one; `moves` names fields to which a shift of all
    scores is added, `unshifted` fields for which a shift has no simple effect.
    """

    name: str
    compute: Callable[[np.ndarray, list[str]], object]
    misshapen: Callable[[], object]
    units: dict[str, int] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    unshifted: tuple[str, ...] = ()
    by_row: tuple[str, ...] = ()
    constant_is_defined: bool = False
    gaps: dict[str, object] | None = None
    fewest_rows: int | None = 3
    curves: bool = False
    missing: str = "1 of 4 human scores are missing"


def of_pairs(name: str, function: Callable[..., object], **rest: object) -> Statistic:
    return Statistic(
        name,
        lambda scores, products: function(scores[:, 0], scores[:, 1], products),
        lambda: function([0.1, 0.2, 0.3], [0.1, 0.2], ["a", "b", "c"]),
        **rest,
    )


def per_sample(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A standard error for each sample that grows with the scores' unit and does not move with them."""
    finite = np.r_[x, y][np.isfinite(np.r_[x, y])]
    return np.full(len(x), 0.05 * np.ptp(finite))


OF_SCORED_SAMPLES = [
    of_pairs(
        "score_correlations",
        lambda x, y, c: score_correlations(
            x, y, c, higher_is_better=False, resampling=Resampling(1, resamples=40, bca_resamples=60)
        ),
        missing="1 of 4 truth scores are missing",
    ),
    Statistic(
        "compare_metrics",
        lambda scores, products: compare_metrics(
            scores[:, 0],
            scores[:, 1],
            scores[:, -1],
            products,
            first_higher_is_better=True,
            second_higher_is_better=False,
            **QUICK,
        ),
        lambda: compare_metrics(
            [0.1, 0.2, 0.3],
            [0.1, 0.2],
            [0.3, 0.2, 0.1],
            first_higher_is_better=True,
            second_higher_is_better=True,
            **QUICK,
        ),
        missing="1 of 4 second metric's scores are missing",
    ),
    of_pairs(
        "krasula",
        lambda x, y, c: krasula(x, y, per_sample(np.asarray(x), np.asarray(y)), seed=1),
        constant_is_defined=True,
        missing="1 of 4 truth scores are missing",
    ),
    of_pairs(
        "paired_t",
        lambda x, y, c: paired_t(x, y, c, **QUICK),
        units={"difference": 1, "interval": 1},
        fewest_rows=2,
        missing="1 of 4 values are missing",
    ),
    of_pairs(
        "welch",
        lambda x, y, c: welch(x, y, c, c, **QUICK),
        units={"difference": 1, "interval": 1},
        fewest_rows=2,
        missing="1 of 4 values are missing",
    ),
]
