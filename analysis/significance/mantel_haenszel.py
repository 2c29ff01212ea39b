"""The odds ratio that several 2 x 2 tables have in common, each table with a level of its own."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.messages import message
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, RELIABLE_CLUSTERS, Interval, cluster_index, no_interval
from analysis.undefined import UndefinedStatistic


class CommonOddsRatio(NamedTuple):
    """`log_odds_ratio` with its standard error over other clusters; `n_used` tables say something about it."""

    log_odds_ratio: float
    error: float
    interval: Interval
    n_used: int
    n_total: int


def common_odds_ratio(tables: ArrayLike, clusters: ArrayLike, *, confidence: float = 0.95) -> CommonOddsRatio:
    """Mantel and Haenszel's log odds ratio, right also where each table holds a few counts only.

    Args:
        tables: Shape ``(m, 2, 2)``, counts [[a, b], [c, d]].
        clusters: Shape ``(m,)``, what tables share, such as a series; each its own where they are independent.
        confidence: Of the interval, between 0 and 1.

    Returns:
        ``log(sum(a d / n) / sum(b c / n))``; the error from the clusters' parts in ``sum(a d / n) - ratio sum(b c /
        n)``, the interval t with clusters - 1.

    Raises:
        ValueError: Shapes differ, a count that is negative or missing, or a confidence outside 0-1.
        UndefinedStatistic: No table, or one of the two sums is 0.

    Source:
        Mantel and Haenszel (1959), J. Natl. Cancer Inst. 22:719-748; clustered: Liang (1985), Biometrika 72:678-682.
    """
    counts = np.asarray(tables, dtype=np.float64)
    if counts.ndim != 3 or counts.shape[1:] != (2, 2) or np.shape(clusters) != counts.shape[:1]:
        raise ValueError(f"tables need shape (m, 2, 2) and a cluster each, got {counts.shape} and {np.shape(clusters)}")
    if not bool(np.all(np.isfinite(counts) & (counts >= 0.0))):
        raise ValueError("a count is negative or missing")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    totals = counts.sum(axis=(1, 2))
    if not bool(np.any(totals > 0)):
        raise UndefinedStatistic("no table with a count")
    size = np.where(totals > 0, totals, 1.0)
    along, across = counts[:, 0, 0] * counts[:, 1, 1] / size, counts[:, 0, 1] * counts[:, 1, 0] / size
    if along.sum() <= 0.0 or across.sum() <= 0.0:
        raise UndefinedStatistic(
            "no table has counts in both diagonals' directions, so the odds ratio is 0 or infinite"
        )
    ratio = float(along.sum() / across.sum())
    used = (along > 0) | (across > 0)
    index, _ = cluster_index(np.asarray(clusters)[used])
    parts = np.bincount(index, weights=(along - ratio * across)[used])
    n_clusters = parts.size
    error = 0.0
    if n_clusters > 1:
        error = float(np.sqrt(n_clusters / (n_clusters - 1) * float(parts @ parts)) / along.sum())
    value = float(np.log(ratio))
    if n_clusters < FEWEST_CLUSTERS or error == 0.0:
        reason = (
            message("{n_clusters} clusters, fewer than {fewest}", n_clusters=n_clusters, fewest=FEWEST_CLUSTERS)
            if error
            else "all clusters say the same"
        )
        interval = no_interval(reason, n_clusters)
    else:
        half = float(scipy.stats.t.ppf(0.5 + confidence / 2.0, n_clusters - 1)) * error
        method = message("Mantel-Haenszel, t, {n_clusters} clusters", n_clusters=n_clusters)
        interval = Interval(value - half, value + half, method, n_clusters, n_clusters < RELIABLE_CLUSTERS, 0)
    return CommonOddsRatio(value, error, interval, int(used.sum()), len(counts))
