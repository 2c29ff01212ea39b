"""How cleanly original and altered scores separate, whichever item they belong to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.intervals.headline import headline_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.pairs import paired
from analysis.resampling.weighted import Counts, Floats, OfCounts


class Separation(NamedTuple):
    """P(original > altered) plus half the ties, over all cross pairs: 0.5 is no separation, 1 a complete one."""

    auc: float
    interval: Interval
    n_pairs: int
    n_clusters: int


def separation(
    original: ArrayLike, altered: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> Separation:
    """The probability that a random original scores higher than a random altered image, of any item.

    Args:
        original: Shape ``(n,)``, scores of any one scale.
        altered: Shape ``(n,)``, the same items, same order.
        clusters: Shape ``(n,)``, the item of each pair; none: every pair is its own.
        resampling: Of the interval.

    Returns:
        From ranks, in n log n steps. Of a complete separation (0 or 1) the interval is Wilson's with one trial per
        cluster.

    Raises:
        ValueError: Shapes differ, a score is missing, or `confidence` is outside 0-1.
        UndefinedStatistic: No pair.

    Source:
        Hanley and McNeil (1982), Radiology 143:29-36.
    """
    pairs = paired(original, altered, clusters, sides=("original", "altered"), fewest=1)
    of_counts = auc_of_counts(np.concatenate([pairs.judge, pairs.human]))
    value = float(of_counts(np.ones((1, pairs.n), dtype=np.int64))[0])
    [interval] = headline_intervals(
        lambda counts: of_counts(counts)[:, None], ("auc",), pairs.clusters, resampling=resampling
    )
    return Separation(value, interval, pairs.n, pairs.n_clusters)


def auc_of_counts(both: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to the AUC ``(resamples,)``.

    Args:
        both: Shape ``(2n,)``, the scores, originals first; a pair is drawn with both its scores.
    """
    n = both.size // 2
    order = np.argsort(both, kind="stable")
    pair, is_altered = order % n, order >= n
    starts = np.flatnonzero(np.r_[True, np.diff(both[order]) > 0.0])

    def auc(counts: Counts) -> Floats:
        drawn = counts.take(pair, axis=1)
        of_altered = np.add.reduceat(drawn * is_altered, starts, axis=1)
        of_original = np.add.reduceat(drawn * ~is_altered, starts, axis=1)
        # Twice the altered below each group of equal scores, plus those in it: all integers.
        doubled = 2 * np.cumsum(of_altered, axis=1) - of_altered
        total = counts.sum(axis=1)
        return np.asarray((of_original * doubled).sum(axis=1) / (2 * total * total))

    return auc
