"""SRCC, PLCC and KRCC of a metric's predictions and opinion scores, in the direction in which higher is better."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.correlation.correlation import KINDS, Correlation, correlations
from analysis.resampling.bootstrap import Resampling
from analysis.resampling.exact_permutation import Kind

SIDES = ("prediction", "truth")
KEYS: dict[Kind, str] = {"spearman": "srcc", "pearson": "plcc", "kendall": "krcc"}


class ScoreCorrelation(NamedTuple):
    """One coefficient: `oriented` for comparing metrics, `value_as_given` before the flip of a lower-is-better one."""

    oriented: Correlation
    value_as_given: float
    higher_is_better: bool


def oriented(prediction: ArrayLike, higher_is_better: bool) -> NDArray[np.float64]:
    """Predictions of which higher ones claim the better quality.

    Args:
        prediction: Any shape, any unit.
        higher_is_better: Whether that is so already; if not, the sign is turned.

    Returns:
        The same shape and unit.
    """
    values = np.asarray(prediction, dtype=np.float64)
    # 0.0 - x, not -x: no negative zeros.
    return values if higher_is_better else 0.0 - values


def score_correlations(
    prediction: ArrayLike,
    truth: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    higher_is_better: bool,
    resampling: Resampling,
    kinds: tuple[Kind, ...] = KINDS,
) -> dict[str, ScoreCorrelation]:
    """How well a metric predicts opinion scores.

    Args:
        prediction: Shape ``(n,)``, the metric's values in its own unit.
        truth: Shape ``(n,)``, mean opinion scores, same order.
        clusters: Shape ``(n,)``, e.g. the reference image of each sample; none: every sample is its own.
        higher_is_better: False for a metric of distortion; its sign is turned before anything is compared.
        kinds: Which coefficients.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.

    Returns:
        By key `srcc`, `plcc`, `krcc`. All but `value_as_given` is after the flip.

    Raises:
        ValueError: Shapes differ, or a value is missing.
        UndefinedStatistic: Fewer than 3 samples, or one side is constant.

    Source:
        docs/statistics.md, Score-level evaluation.
    """
    found = correlations(
        oriented(prediction, higher_is_better), truth, clusters, resampling=resampling, kinds=kinds, sides=SIDES
    )
    sign = 1.0 if higher_is_better else -1.0
    return {
        KEYS[kind]: ScoreCorrelation(result, sign * result.value + 0.0, higher_is_better)
        for kind, result in found.items()
    }
