"""Errors of predictions set against how surely the opinion scores themselves are known."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.ties import compare
from analysis.undefined import UndefinedStatistic


class AgainstOpinionNoise(NamedTuple):
    """Of samples whose opinion scores have an interval.

    `outlier_ratio`: the share (0-1) whose error exceeds the 95 % interval of the opinion score. `rmse_epsilon`: the
    typical excess, in the scores' unit. `n_without_interval`: samples with one vote, which are left out of both.
    """

    outlier_ratio: float
    n_outliers: int
    rmse_epsilon: float
    n_used: int
    n_total: int
    n_without_interval: int


def opinion_ci95(sd: ArrayLike, votes: ArrayLike) -> NDArray[np.float64]:
    """Half the width of the 95 % interval of each mean opinion score.

    Args:
        sd: Shape ``(n,)``, standard deviation of the votes of each sample (n - 1), in the scores' unit.
        votes: Shape ``(n,)`` or one number, how many votes each sample has.

    Returns:
        Shape ``(n,)``, ``t(0.975, votes - 1) sd / sqrt(votes)``; NaN where there is one vote.

    Raises:
        ValueError: A deviation is missing or negative, a number of votes is no whole number from 1 on, shapes differ.

    Source:
        ITU-T P.1401 (2020), 7.3.
    """
    spread, number = np.asarray(sd, dtype=np.float64), np.asarray(votes, dtype=np.float64)
    if spread.ndim != 1 or number.shape not in ((), spread.shape):
        raise ValueError(f"one deviation and one number of votes per sample, got shapes {spread.shape}, {number.shape}")
    if not np.isfinite(spread).all() or bool(np.any(spread < 0.0)):
        raise ValueError("standard deviations of opinions must be finite and not negative")
    if not np.isfinite(number).all() or bool(np.any((number < 1) | (number != np.floor(number)))):
        raise ValueError("votes must be whole numbers from 1 on")
    number = np.broadcast_to(number, spread.shape)
    result = np.full(spread.shape, np.nan)
    several = number > 1
    result[several] = scipy.stats.t.ppf(0.975, number[several] - 1) * spread[several] / np.sqrt(number[several])
    return result


def against_opinion_noise(errors: ArrayLike, ci95: ArrayLike, n_parameters: int = 0) -> AgainstOpinionNoise:
    """How often and by how much predictions miss the interval of the opinion scores.

    Args:
        errors: Shape ``(n,)``, mapped prediction less opinion score, in the scores' unit.
        ci95: Shape ``(n,)``, of `opinion_ci95`; NaN where there is no interval.
        n_parameters: How many parameters of the mapping were fitted.

    Returns:
        ``rmse_epsilon`` is ``sqrt(sum max(0, |error| - ci95)^2 / (n_used - n_parameters))``.

    Raises:
        ValueError: Shapes differ, or an error is missing.
        UndefinedStatistic: No more samples with an interval than parameters.

    Source:
        ITU-T P.1401 (2020), 7.5.2 and 7.5.3.
    """
    error, half_width = np.asarray(errors, dtype=np.float64), np.asarray(ci95, dtype=np.float64)
    if error.ndim != 1 or error.shape != half_width.shape:
        raise ValueError(f"one error and one interval per sample, got shapes {error.shape} and {half_width.shape}")
    if not np.isfinite(error).all():
        raise ValueError(f"{int(np.count_nonzero(~np.isfinite(error)))} of {error.size} errors are missing or infinite")
    known = np.isfinite(half_width)
    n_used = int(known.sum())
    if n_used <= n_parameters:
        raise UndefinedStatistic(
            "{n_used} samples with an interval cannot carry {n_parameters} fitted parameters",
            n_used=n_used,
            n_parameters=n_parameters,
        )
    excess = np.abs(error[known]) - half_width[known]
    outlier = compare(excess, 0.0, np.maximum(np.abs(error[known]), half_width[known])) > 0
    n_outliers = int(np.count_nonzero(outlier))
    beyond = float(np.sqrt((excess[outlier] ** 2).sum() / (n_used - n_parameters)))
    return AgainstOpinionNoise(n_outliers / n_used, n_outliers, beyond, n_used, int(error.size), error.size - n_used)
