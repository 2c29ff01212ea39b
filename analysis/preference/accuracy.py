"""How often a method picks the image that people picked, with the interval over clusters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals
from analysis.messages import message
from analysis.preference.truth import NO_WINNER
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.significance.wilson import wilson
from analysis.ties import snap
from analysis.undefined import UndefinedStatistic

TIE_CREDIT = 0.5


class PreferenceAccuracy(NamedTuple):
    """`accuracy` credits a predicted tie with a half; `accuracy_decided` leaves ties out (none: all are ties).

    All are shares of 1; the intervals are over clusters, that of `accuracy_decided` none where it is not defined.
    """

    accuracy: float
    interval: Interval
    tie_rate: float
    accuracy_decided: float | None
    accuracy_decided_interval: Interval | None
    n: int
    n_ties: int
    n_clusters: int


class AgreementBand(NamedTuple):
    """The accuracy on pairs of one band of human agreement; none where the band is empty, and `reason` says so."""

    name: str
    low: float
    high: float
    accuracy: float | None
    interval: Interval | None
    n: int
    reason: str


# Each band begins where the one before ends; the last one holds its upper end.
BANDS = (("70_80", 0.7, 0.8), ("80_90", 0.8, 0.9), ("90_100", 0.9, 1.0))
BAND_NAMES = tuple(name for name, _, _ in BANDS)


def predicted_winners(score_1: ArrayLike, score_2: ArrayLike) -> NDArray[np.int64]:
    """Which image of each pair a method prefers.

    Args:
        score_1: Shape ``(n,)``, raw scores of images 1, higher is better, any unit; a clipped score makes ties.
        score_2: Shape ``(n,)``, of images 2.

    Returns:
        Shape ``(n,)``: 1, 2, or 0 on an exact tie; raw scores are compared exactly.

    Raises:
        ValueError: Shapes differ, or a score is missing.
    """
    one, two = np.asarray(score_1, dtype=np.float64), np.asarray(score_2, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape:
        raise ValueError(f"both images need one score per pair, got shapes {one.shape} and {two.shape}")
    missing = int(np.count_nonzero(~(np.isfinite(one) & np.isfinite(two))))
    if missing:
        raise ValueError(f"{missing} of {one.size} pairs miss a finite score; drop and count them")
    return np.where(one > two, 1, np.where(one < two, 2, NO_WINNER))


def credits_of(truth: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """What each prediction is worth: 1 right, 0.5 a tie, 0 wrong.

    Args:
        truth: Shape ``(n,)``, the winner by votes, 1 or 2; pairs without a winner have no truth and must be left out.
        predicted: Shape ``(n,)``, 1, 2 or 0.

    Returns:
        Shape ``(n,)``.

    Raises:
        ValueError: Shapes differ, or other values.
    """
    true, taken = truth_and_prediction(truth, predicted)
    return np.where(taken == NO_WINNER, TIE_CREDIT, (taken == true).astype(np.float64))


def preference_accuracy(
    truth: ArrayLike, predicted: ArrayLike, clusters: ArrayLike, *, resampling: Resampling
) -> PreferenceAccuracy:
    """How often the method picks what people picked.

    Args:
        truth: Shape ``(n,)``, the winner by votes, 1 or 2.
        predicted: Shape ``(n,)``, 1, 2 or 0 (tie).
        clusters: Shape ``(n,)``, the photo series of each pair, or what several series share, such as a scene.
        resampling: Of the intervals.

    Returns:
        Intervals are score intervals over clusters; Wilson's where each cluster gives one trial: one
        pair and no credit of a half, of `accuracy_decided` one pair that is no tie.

    Raises:
        ValueError: Shapes differ, or other values.
        UndefinedStatistic: No pair.

    Source:
        docs/statistics.md, Pairwise preference.
    """
    true, taken = truth_and_prediction(truth, predicted)
    credit, decided = credits_of(true, taken), taken != NO_WINNER
    index, n_clusters = _clusters(clusters, true.size)
    n, n_ties, n_right = true.size, int((~decided).sum()), int((decided & (taken == true)).sum())
    one_decided_each = bool(np.bincount(index[decided], minlength=1).max() == 1)
    if n_clusters == n and n_ties == 0:
        whole = of_decided = wilson(n_right, n, resampling.confidence)
    else:
        columns = [credit, np.ones(n), decided & (taken == true), decided]
        # One row per cluster: the same as of the pairs themselves, at a fraction of the cells.
        sums = np.column_stack([np.bincount(index, weights=column, minlength=n_clusters) for column in columns])
        whole, of_decided = headline_intervals(
            lambda counts: _shares((counts @ sums).astype(np.float64)),
            ("share", "share"),
            np.arange(n_clusters),
            resampling=resampling,
            sizes=sums[:, 1],
        )
        if one_decided_each:
            of_decided = wilson(n_right, n - n_ties, resampling.confidence)
    accuracy = float(credit.mean())
    if n == n_ties:
        return PreferenceAccuracy(accuracy, whole, 1.0, None, None, n, n_ties, n_clusters)
    return PreferenceAccuracy(accuracy, whole, n_ties / n, n_right / (n - n_ties), of_decided, n, n_ties, n_clusters)


def accuracy_by_agreement(
    truth: ArrayLike, predicted: ArrayLike, agreement: ArrayLike, clusters: ArrayLike, *, resampling: Resampling
) -> tuple[AgreementBand, ...]:
    """The accuracy (ties count a half) where people agree somewhat, mostly, and almost all.

    Args:
        truth: Shape ``(n,)``, 1 or 2.
        predicted: Shape ``(n,)``, 1, 2 or 0.
        agreement: Shape ``(n,)``, the majority's share of votes, 0.5-1.
        clusters: Shape ``(n,)``.
        resampling: Of the intervals.

    Returns:
        Bands [0.7, 0.8), [0.8, 0.9) and [0.9, 1.0], whatever the last digits of a division; pairs below are in none.

    Raises:
        ValueError: Shapes differ, or agreement missing or outside 0.5-1.
    """
    true, taken = truth_and_prediction(truth, predicted)
    agreed = np.asarray(agreement, dtype=np.float64)
    labels = np.asarray(clusters)
    if agreed.shape != true.shape or labels.shape != true.shape:
        raise ValueError(f"one agreement and cluster per pair, got shapes {agreed.shape}, {labels.shape}, {true.shape}")
    agreed = snap(agreed, [0.5, *(low for _, low, _ in BANDS), 1.0])
    if not bool(np.all((agreed >= 0.5) & (agreed <= 1.0))):
        raise ValueError("agreement is a majority's share of votes and lies between 0.5 and 1")
    bands = []
    for name, low, high in BANDS:
        inside = (agreed >= low) & ((agreed < high) | (high == 1.0))
        n = int(inside.sum())
        if not n:
            bands.append(AgreementBand(name, low, high, None, None, 0, message("no pair with such agreement")))
            continue
        found = preference_accuracy(true[inside], taken[inside], labels[inside], resampling=resampling)
        bands.append(AgreementBand(name, low, high, found.accuracy, found.interval, n, ""))
    return tuple(bands)


def truth_and_prediction(truth: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both sides as numbers; arguments and shapes as in `preference_accuracy`.

    Raises:
        ValueError: Shapes differ, or other values.
    """
    true, taken = np.asarray(truth), np.asarray(predicted)
    if true.ndim != 1 or true.shape != taken.shape:
        raise ValueError(f"one winner and one prediction per pair, got shapes {true.shape} and {taken.shape}")
    if not np.isin(true, [1, 2]).all():
        raise ValueError("each true winner must be 1 or 2; leave out pairs without a winner and count them")
    if not np.isin(taken, [1, 2, NO_WINNER]).all():
        raise ValueError("each predicted winner must be 1, 2 or 0 (tie)")
    return true.astype(np.int64), taken.astype(np.int64)


def _clusters(clusters: ArrayLike, n: int) -> tuple[NDArray[np.intp], int]:
    if np.shape(clusters) != (n,):
        raise ValueError(f"one cluster per pair is needed, got shape {np.shape(clusters)} for {n} pairs")
    if n == 0:
        raise UndefinedStatistic("no pair, so there is no accuracy")
    return cluster_index(clusters)


def _shares(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Accuracy and accuracy of decided pairs of each resample."""
    credit, n, right, decided = sums.T
    of_decided = np.full(len(sums), np.nan)
    np.divide(right, decided, out=of_decided, where=decided > 0)
    return np.column_stack([credit / n, of_decided])
