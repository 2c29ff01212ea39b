"""Wilson's interval of a share."""

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.resampling.bootstrap import Interval
from analysis.undefined import UndefinedStatistic


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The interval of a share from independent trials, one per cluster.

    Args:
        successes: 0 to `trials`.
        trials: How many trials.
        confidence: Between 0 and 1.

    Returns:
        Bounds inside 0-1 (share), never of width 0; `n_clusters` is the number of trials.

    Raises:
        ValueError: Counts that do not fit, or `confidence` outside 0-1.
        UndefinedStatistic: No trial.

    Source:
        Wilson (1927), J. Am. Stat. Assoc. 22:209-212.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    if trials < 0 or not 0 <= successes <= trials:
        raise ValueError(f"successes must lie between 0 and the trials, got {successes} of {trials}")
    if trials == 0:
        raise UndefinedStatistic("no trial, so there is no share")
    found = scipy.stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    # The formula is exact at the ends, floating point is not.
    low = 0.0 if successes == 0 else float(found.low)
    high = 1.0 if successes == trials else float(found.high)
    return Interval(low, high, message("Wilson, {n} trials", n=trials), trials, False, 0)


def wilson_at(share: ArrayLike, sample: ArrayLike, quantile: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Wilson's bounds at any sample size, such as the number of independent trials with the same variance.

    Args:
        share: Any shape, 0-1.
        sample: The same or one that broadcasts, above 0, whole or not.
        quantile: Of the normal distribution, or of what takes its place.

    Returns:
        Lower and upper bounds; at the ends of 0-1 floating point may leave them by a last digit.

    Source:
        Wilson (1927), J. Am. Stat. Assoc. 22:209-212.
    """
    p, n, z = (np.asarray(one, dtype=np.float64) for one in (share, sample, quantile))
    middle = (p + z**2 / (2.0 * n)) / (1.0 + z**2 / n)
    half = z / (1.0 + z**2 / n) * np.sqrt(p * (1.0 - p) / n + z**2 / (4.0 * n**2))
    return middle - half, middle + half
