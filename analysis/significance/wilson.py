"""Wilson's interval of a share."""

import scipy

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
    return Interval(low, high, f"Wilson, {trials} trials", trials, False, 0)
