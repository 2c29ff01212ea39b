"""Which settings cannot be distinguished from the best: intervals of all differences that hold together."""

import numpy as np
from numpy.typing import ArrayLike

from analysis.messages import message
from analysis.resampling.bootstrap import (
    FEWEST_CLUSTERS,
    RELIABLE_CLUSTERS,
    UNDEFINED_SHARE_LIMIT,
    Interval,
    method_words,
    no_interval,
    too_few,
)
from analysis.resampling.weighted import Floats
from analysis.ties import compare

FEWEST_KEPT = 2
ITSELF = message("0 by definition: the best itself")


def differences_from(
    best: int, estimates: ArrayLike, values: ArrayLike, *, confidence: float, n_clusters: int
) -> list[Interval]:
    """How far every candidate is behind the best one, with intervals that hold for all of them at once.

    The intervals hold together over **all pairs** of candidates, not only over those with the best: which one is best
    was read off the same data, and a family around the winner alone would tell equals apart too often.

    Args:
        best: Place of the candidate that the others are held against.
        estimates: Shape ``(m,)``, each candidate's score on the sample, finite.
        values: Shape ``(resamples, m)``, the scores on the same clustered resamples; NaN where undefined.
        confidence: That all intervals cover, between 0 and 1.
        n_clusters: How many clusters were resampled.

    Returns:
        ``m`` intervals of ``estimates[best] - estimates``: the difference plus and minus its bootstrap standard error
        times the ``confidence`` quantile of the largest studentised deviation. A candidate undefined in more than 5 %
        of the resamples has none; resamples in which any other candidate is undefined are dropped and counted. A
        difference that is 0 in every resample is exactly 0; one that is another constant has no standard error and no
        interval. The best one's own is 0 to 0.

    Raises:
        ValueError: Shapes do not fit, an estimate is missing, or a confidence outside 0-1.

    Source:
        Romano & Wolf (2005), J. Am. Stat. Assoc. 100:94-108 (max-T by the bootstrap); Tukey (1953) (all pairs).
    """
    seen, resampled = np.asarray(estimates, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if seen.ndim != 1 or resampled.ndim != 2 or resampled.shape[1] != seen.size or not 0 <= best < seen.size:
        raise ValueError(f"best {best}, estimates {seen.shape} and values {resampled.shape} do not fit")
    if not np.isfinite(seen).all():
        raise ValueError("a candidate has no score; leave it out and say so")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    resamples = len(resampled)
    undefined = np.isnan(resampled).sum(axis=0)
    steady = undefined <= UNDEFINED_SHARE_LIMIT * resamples
    together = ~np.isnan(resampled[:, steady]).all(axis=1) & ~np.isnan(resampled[:, steady]).any(axis=1)
    n_dropped = int(resamples - together.sum())
    reason = _refusal(n_clusters, n_dropped, resamples, int(undefined[best]), bool(steady[best]))
    if reason:
        itself = Interval(0.0, 0.0, ITSELF, n_clusters, False, 0)
        return [itself if place == best else no_interval(reason, n_clusters, n_dropped) for place in range(seen.size)]
    kept, among = resampled[together][:, steady], seen[steady]
    critical = _critical(among, kept, confidence)
    method = method_words(
        message(
            "simultaneous over all pairs of {n} settings (max-T, bootstrap standard errors)",
            n=among.size,
        ),
        resamples,
        n_clusters,
        n_dropped,
    )
    blank = Interval(None, None, method, n_clusters, n_clusters < RELIABLE_CLUSTERS, n_dropped)
    place_of_best = int(np.flatnonzero(steady).tolist().index(best))
    intervals, column = [], 0
    for place in range(seen.size):
        if not steady[place]:
            why = message(
                "undefined in {n_dropped} of {resamples} resamples, more than 5 %",
                n_dropped=undefined[place],
                resamples=resamples,
            )
            intervals.append(no_interval(why, n_clusters, int(undefined[place])))
            continue
        if place == best:
            intervals.append(Interval(0.0, 0.0, ITSELF, n_clusters, False, 0))
        else:
            behind = kept[:, place_of_best] - kept[:, column]
            intervals.append(_interval(float(seen[best] - seen[place]), behind, critical, blank))
        column += 1
    return intervals


def distinguishable(interval: Interval) -> bool | None:
    """Whether a difference from the best lies above 0, not just in the last digits; none without an interval."""
    return None if interval.low is None else bool(compare(interval.low, 0.0, 1.0) > 0)


def _refusal(n_clusters: int, n_dropped: int, resamples: int, of_best: int, best_steady: bool) -> str | None:
    if n_clusters < FEWEST_CLUSTERS:
        return too_few(n_clusters)
    if not best_steady:
        return message(
            "the best is undefined in {n_dropped} of {resamples} resamples, more than 5 %",
            n_dropped=of_best,
            resamples=resamples,
        )
    if n_dropped > UNDEFINED_SHARE_LIMIT * resamples or resamples - n_dropped < FEWEST_KEPT:
        return message(
            "some setting is undefined in {n_dropped} of {resamples} resamples, more than 5 %",
            n_dropped=n_dropped,
            resamples=resamples,
        )
    return None


def _critical(seen: Floats, kept: Floats, confidence: float) -> float:
    """The quantile of the largest studentised deviation over all pairs, 0 where no pair varies."""
    largest = np.zeros(len(kept))
    for first in range(seen.size - 1):
        differences = kept[:, [first]] - kept[:, first + 1 :]
        errors = differences.std(axis=0, ddof=1)
        varies = compare(errors, 0.0, 1.0) > 0
        if varies.any():
            away = np.abs(differences - (seen[first] - seen[first + 1 :]))[:, varies] / errors[varies]
            np.maximum(largest, away.max(axis=1), out=largest)
    return float(np.quantile(largest, confidence))


def _interval(difference: float, behind: Floats, critical: float, blank: Interval) -> Interval:
    """The interval of a difference; `blank` is it without its bounds."""
    error = float(behind.std(ddof=1))
    if compare(error, 0.0, 1.0) == 0:
        if compare(difference, 0.0, 1.0) == 0:
            return blank._replace(low=0.0, high=0.0, method=message("0 in every resample"))
        why = message("the difference is the same in every resample, which leaves no standard error")
        return no_interval(why, blank.n_clusters, blank.n_dropped)
    half = critical * error
    return blank._replace(low=difference - half, high=difference + half)
