"""Prediction-powered share: how many objects people would pass, from a few verdicts of theirs and a judge's on all."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.accuracy.accuracy import truths
from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.messages import message
from analysis.resampling.bootstrap import Estimate, Interval, no_interval
from analysis.significance.wilson import wilson, wilson_at
from analysis.undefined import UndefinedStatistic

# Measured as for the mean: 10 labels 89 %, 20: 92, 25: 94.
RELIABLE_LABELS = 25
BEYOND_THE_END = "the corrected share {share:.3f} is at or beyond the end of 0-1"


class PredictionPoweredShare(NamedTuple):
    """The share (0-1) that people pass by labels and judge together, and by either alone; else as the mean's."""

    share: Estimate
    tuning: float
    effective_labels_gain: float | None
    human_only: Estimate
    judge_only: Estimate
    n_labelled: int
    n_unlabelled: int


def prediction_powered_share(
    labels: ArrayLike,
    judge_labelled: ArrayLike,
    judge_unlabelled: ArrayLike,
    *,
    tuning: float | None = None,
    confidence: float = 0.95,
) -> PredictionPoweredShare:
    """The share that people would pass of all objects, from their verdicts on a random subset.

    Args:
        labels: Shape ``(n,)``, whether people pass each object of a random subset (true or false, 1 or 0).
        judge_labelled: Shape ``(n,)``, whether the judge passes the same objects.
        judge_unlabelled: Shape ``(N,)``, whether the judge passes each of all other objects.
        tuning: As `prediction_powered_mean`.
        confidence: Between 0 and 1.

    Returns:
        The value is that of the mean. The interval is Wilson's at the number of independent verdicts that would have
        this variance, ``p (1 - p) / variance``, so that it stays inside 0-1; none where the value lies outside. Labels
        and judge alone have Wilson's interval.

    Raises:
        ValueError: Shapes do not fit, a verdict that is neither true nor false, or an argument outside its range.
        UndefinedStatistic: As `prediction_powered_mean`.

    Source:
        Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453; effective size: Kish (1965), Survey Sampling; Wilson
        (1927), J. Am. Stat. Assoc. 22:209-212.
    """
    if not np.size(labels) or not np.size(judge_unlabelled):
        raise UndefinedStatistic("no object is labelled" if not np.size(labels) else "no object is left unlabelled")
    human, seen, unseen = truths(labels), truths(judge_labelled), truths(judge_unlabelled)
    found = prediction_powered_mean(human, seen, unseen, tuning=tuning, confidence=confidence)
    n, share, low, high = human.size, found.mean.value, found.mean.interval.low, found.mean.interval.high
    passed, judged = int(human.sum()), int(seen.sum() + unseen.sum())
    if low is None or high is None:
        interval = found.mean.interval
    elif not 0.0 < share < 1.0:
        interval = no_interval(message(BEYOND_THE_END, share=share), n)
    else:
        z = float(scipy.stats.norm.ppf(0.5 + confidence / 2.0))
        size = share * (1.0 - share) / ((high - low) / (2.0 * z)) ** 2
        low, high = (float(end) for end in wilson_at(share, size, z))
        method = f"PPI++, Wilson at {size:.1f} effective labels, lambda {found.tuning:.3g}, {n} labels"
        interval = Interval(low, high, method, n, n < RELIABLE_LABELS, 0)
    return PredictionPoweredShare(
        Estimate(share, interval),
        found.tuning,
        found.effective_labels_gain,
        Estimate(passed / n, wilson(passed, n, confidence)),
        Estimate(judged / (n + unseen.size), wilson(judged, n + unseen.size, confidence)),
        n,
        unseen.size,
    )
