"""Prediction-powered correlation: how people's scores of all objects go with a measure, from labels of a few."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.accuracy.accuracy import numbers
from analysis.resampling.bootstrap import RELIABLE_CLUSTERS, Estimate, Interval, no_interval
from analysis.resampling.pairs import varying
from analysis.undefined import UndefinedStatistic

Floats = NDArray[np.float64]
FEWEST_LABELS = 4


class PredictionPoweredCorrelation(NamedTuple):
    """Pearson's r of people's scores and the measure by labels and judge together, and by the labels alone.

    `tuning` is lambda, how far the judge is followed (0: not at all); `effective_labels_gain` how many further labels
    would have narrowed the labels' own interval as much, none where nothing varies.
    """

    correlation: Estimate
    tuning: float
    effective_labels_gain: float | None
    human_only: Estimate
    n_labelled: int
    n_unlabelled: int


def prediction_powered_correlation(
    labels: ArrayLike,
    judge_labelled: ArrayLike,
    judge_unlabelled: ArrayLike,
    measure_labelled: ArrayLike | None = None,
    measure_unlabelled: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
) -> PredictionPoweredCorrelation:
    """Pearson's r that people's scores of all objects would have with a measure that is known for all.

    Args:
        labels: Shape ``(n,)``, people's scores of a random subset.
        judge_labelled: Shape ``(n,)``, the judge's scores of the same objects.
        judge_unlabelled: Shape ``(N,)``, the judge's scores of all other objects.
        measure_labelled: Shape ``(n,)``, the measure of the labelled objects; none: the judge itself is the measure.
        measure_unlabelled: Shape ``(N,)``, the measure of all other objects.
        confidence: Between 0 and 1.

    Returns:
        The five moments behind r are each ``mean over labels + lambda (judge's mean, unlabelled - judge's mean,
        labelled)``, the judge's scores brought onto people's scale by a straight line; r's derivatives carry the
        variances over, and one lambda is tuned for r. Intervals are t(n - 1) on Fisher's z, for independent objects.
        Where the judge is the measure there is little to gain: all that is learnt is how widely its scores spread.

    Raises:
        ValueError: Shapes do not fit, a score is missing, or a confidence outside 0-1.
        UndefinedStatistic: Fewer than 4 labels, nothing unlabelled, a constant side, or moments of no correlation.

    Source:
        Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453, for the moments; delta method: Lehmann and Casella
        (1998), Theory of Point Estimation, section 1.8.
    """
    human, seen, unseen = numbers(labels), numbers(judge_labelled), numbers(judge_unlabelled)
    if (measure_labelled is None) != (measure_unlabelled is None):
        raise ValueError("the measure is needed for labelled and unlabelled objects, or for neither")
    of_seen = seen if measure_labelled is None else numbers(measure_labelled)
    of_unseen = unseen if measure_unlabelled is None else numbers(measure_unlabelled)
    if not human.shape == seen.shape == of_seen.shape or unseen.shape != of_unseen.shape:
        raise ValueError(
            f"labels, judge and measure must be of the same objects, got shapes {human.shape}, {seen.shape}, "
            f"{of_seen.shape} and {unseen.shape}, {of_unseen.shape}"
        )
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    n, rest = human.size, unseen.size
    if n < FEWEST_LABELS:
        raise UndefinedStatistic("only {n} labelled, at least {fewest} needed", n=n, fewest=FEWEST_LABELS)
    if not rest:
        raise UndefinedStatistic("no object is left unlabelled: the labels' own correlation is all there is")
    for values, side in ((human, "human"), (seen, "judge"), (of_seen, "measure")):
        varying(values, side)
    people, known, known_rest = _standard(human, human), _standard(of_seen, of_seen), _standard(of_unseen, of_seen)
    slope = float(np.mean(people * _standard(seen, seen)))
    truth = _moments(people, known)
    judged = _moments(slope * _standard(seen, seen), known)
    judged_rest = _moments(slope * _standard(unseen, seen), known_rest)
    alone, slopes = _correlation(truth.mean(axis=0))
    variance_alone = float((truth @ slopes).var(ddof=1)) / n
    tuning = _tuned(truth @ slopes, judged @ slopes, judged_rest @ slopes)
    value, slopes = _correlation(truth.mean(axis=0) + tuning * (judged_rest.mean(axis=0) - judged.mean(axis=0)))
    variance = (
        tuning**2 * float((judged_rest @ slopes).var()) / rest
        + float(((truth - tuning * judged) @ slopes).var(ddof=1)) / n
    )
    method = f"PPI++, Fisher's z, lambda {tuning:.3g}, {n} labels and {rest} unlabelled"
    return PredictionPoweredCorrelation(
        _estimate(value, variance, confidence, n, method),
        tuning,
        n * variance_alone / variance - n if variance > 1e-24 else None,
        _estimate(alone, variance_alone, confidence, n, f"Fisher's z, {n} labels"),
        n,
        rest,
    )


def _standard(values: Floats, by: Floats) -> Floats:
    return np.asarray((values - by.mean()) / by.std())


def _moments(scores: Floats, measure: Floats) -> Floats:
    """What r is made of, shape ``(n, 5)``."""
    return np.column_stack([measure, scores, measure**2, scores**2, measure * scores])


def _correlation(moments: Floats) -> tuple[float, Floats]:
    """r, and its derivatives by the five moments."""
    x, y, xx, yy, xy = moments
    spread_x, spread_y = xx - x**2, yy - y**2
    if spread_x <= 0.0 or spread_y <= 0.0:
        raise UndefinedStatistic("the corrected moments have no spread: too few labels for this judge")
    size = float(np.sqrt(spread_x * spread_y))
    r = float((xy - x * y) / size)
    if abs(r) > 1.0 + 1e-12:
        raise UndefinedStatistic("the corrected moments belong to no correlation: too few labels for this judge")
    by_x, by_y = r * x / spread_x - y / size, r * y / spread_y - x / size
    return float(np.clip(r, -1.0, 1.0)), np.array([by_x, by_y, -r / (2 * spread_x), -r / (2 * spread_y), 1.0 / size])


def _tuned(truth: Floats, judged: Floats, judged_rest: Floats) -> float:
    """The lambda that makes the variance of r least, as `prediction_powered_mean` has it."""
    spread = float(np.concatenate([judged, judged_rest]).var(ddof=1))
    if spread <= 1e-24:
        return 0.0
    covariance = float(np.mean((truth - truth.mean()) * (judged - judged.mean())))
    return float(np.clip(covariance / ((1.0 + truth.size / judged_rest.size) * spread), 0.0, 1.0))


def _estimate(value: float, variance: float, confidence: float, n: int, method: str) -> Estimate:
    if variance <= 1e-24 or 1.0 - value**2 <= 1e-12:
        return Estimate(value, no_interval("nothing varies", n))
    half = float(scipy.stats.t.ppf(0.5 + confidence / 2.0, n - 1)) * float(np.sqrt(variance)) / (1.0 - value**2)
    low, high = np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)
    return Estimate(value, Interval(float(low), float(high), method, n, n < RELIABLE_CLUSTERS, 0))
