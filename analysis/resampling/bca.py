"""The bias-corrected and accelerated bootstrap interval."""

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.resampling.bootstrap import (
    CELLS_AT_ONCE,
    CHUNK,
    Interval,
    Resampling,
    Statistics,
    cluster_index,
    interval_between,
    no_interval,
    percentile_interval,
    resampled_values,
)
from analysis.resampling.workers import mapped
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

BCA_RESAMPLES = 10_000
# Deleting one of n costs n evaluations over n observations.
MOST_CLUSTERS = 20_000
BCA = message("BCa bootstrap")


def delete_one_values(statistics: Statistics, clusters: ArrayLike, *, workers: int = 1) -> NDArray[np.float64]:
    """Several statistics of the data without one cluster, for each cluster.

    Args:
        statistics: As in `bootstrap.resampled_values`.
        clusters: Shape ``(n,)``, the cluster of each observation.
        workers: Processes; the values are the same for any number.

    Returns:
        Shape ``(n_clusters, m)``, NaN where the rest does not define the statistic.

    Raises:
        ValueError: Bad clusters or workers.
    """
    index, n_clusters = cluster_index(clusters)
    at_once = max(1, CELLS_AT_ONCE // index.size)

    def of_chunk(chunk: int) -> NDArray[np.float64]:
        left_out = np.arange(chunk, min(chunk + CHUNK, n_clusters))[:, None]
        blocks = [left_out[start : start + at_once] for start in range(0, len(left_out), at_once)]
        return np.vstack([statistics((index[None, :] != block).astype(np.int64)) for block in blocks])

    return np.vstack(mapped(of_chunk, range(0, n_clusters, CHUNK), workers))


def acceleration(deleted: ArrayLike) -> float:
    """How fast a statistic's standard error changes with its value.

    Args:
        deleted: Shape ``(n_clusters,)``, the statistic without each cluster.

    Returns:
        Unitless: 0 where the standard error does not change.

    Raises:
        UndefinedStatistic: Left out, a cluster leaves the statistic undefined, or none changes it.

    Source:
        Efron (1987), J. Am. Stat. Assoc. 82:171-185: with u the mean of the delete-one values less each of them,
        ``sum u^3 / (6 (sum u^2)^1.5)``.
    """
    values = np.asarray(deleted, dtype=np.float64)
    if not np.isfinite(values).all():
        raise UndefinedStatistic("without one of the clusters the statistic is undefined")
    # Of several units alike; the ratio has none.
    differences = values.mean() - values
    largest = float(np.abs(differences).max())
    if not compare(differences, 0.0, np.abs(values).max()).any():
        raise UndefinedStatistic("the statistic is the same whichever cluster is left out")
    u = differences / largest
    return float((u**3).sum() / (6.0 * (u**2).sum() ** 1.5))


def bca_interval(
    values: ArrayLike, value: float, deleted: ArrayLike, *, confidence: float, n_clusters: int
) -> Interval:
    """The interval between the quantiles that the bias and the acceleration of the statistic ask for.

    Args:
        values: Shape ``(resamples,)``; NaN marks a resample that does not define the statistic. 10,000 are advised,
            since the quantiles lie further out.
        value: The statistic of the data.
        deleted: Shape ``(n_clusters,)``, the statistic without each cluster.
        confidence: Between 0 and 1.
        n_clusters: How many clusters were resampled.

    Returns:
        Bounds, or none with the reason: by the rules of `bootstrap.percentile_interval`, where `acceleration` is
        undefined, and where all resamples lie on one side of the value.

    Raises:
        ValueError: `confidence` outside 0-1.

    Source:
        Efron (1987), as above; resamples equal to the value count half on each side.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    array = np.asarray(values, dtype=np.float64)
    plain = interval_between((0.5, 0.5), array, BCA, n_clusters)
    if plain.low is None:
        return plain
    kept = array[np.isfinite(array)]
    sides = compare(kept, value, np.abs(kept))
    below = float(np.mean(sides < 0) + np.mean(sides == 0) / 2.0)
    try:
        rate = acceleration(deleted)
    except UndefinedStatistic as undefined:
        return no_interval(undefined.reason, n_clusters, plain.n_dropped)
    if below in (0.0, 1.0):
        return no_interval("all resamples lie on one side of the estimate", n_clusters, plain.n_dropped)
    bias = scipy.stats.norm.ppf(below)
    z = bias + scipy.stats.norm.ppf(np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]))
    if np.any(1.0 - rate * z <= 0.0):
        return no_interval("the acceleration is too large", n_clusters, plain.n_dropped)
    low, high = scipy.stats.norm.cdf(bias + z / (1.0 - rate * z))
    return interval_between((float(low), float(high)), array, BCA, n_clusters)


def resampled_intervals(
    statistics: Statistics, values: list[float], clusters: ArrayLike, *, resampling: Resampling
) -> tuple[Sequence[Interval | None], Sequence[Interval | None]]:
    """The percentile intervals of several statistics, and their BCa intervals over as many resamples as are asked for.

    Args:
        statistics: As in `bootstrap.resampled_values`.
        values: The ``m`` statistics of the data.
        clusters: Shape ``(n,)``, the cluster of each observation.
        resampling: Of the intervals.

    Returns:
        ``m`` percentile and ``m`` BCa intervals. Above 20,000 clusters there is no BCa interval, since it takes a
        value without each of them.

    Raises:
        ValueError: Bad confidence, resamples or workers.
    """
    nothing: list[Interval | None] = [None] * len(values)
    if resampling.resamples is None and resampling.bca_resamples is None:
        return nothing, nothing
    most = max(resampling.resamples or 0, resampling.bca_resamples or 0)
    drawn = resampled_values(statistics, clusters, resamples=most, seed=resampling.seed, workers=resampling.workers)
    _, n_clusters = cluster_index(clusters)
    percentile = nothing
    if resampling.resamples is not None:
        percentile = [
            percentile_interval(column, confidence=resampling.confidence, n_clusters=n_clusters)
            for column in drawn[: resampling.resamples].T
        ]
    if resampling.bca_resamples is None:
        return percentile, nothing
    if n_clusters > MOST_CLUSTERS:
        why = message(
            "BCa leaves out each of {n_clusters} clusters in turn, more than {most}",
            n_clusters=n_clusters,
            most=MOST_CLUSTERS,
        )
        return percentile, [no_interval(why, n_clusters)] * len(values)
    deleted = delete_one_values(statistics, clusters, workers=resampling.workers)
    bca: list[Interval | None] = [
        bca_interval(column, value, left, confidence=resampling.confidence, n_clusters=n_clusters)
        for column, value, left in zip(drawn[: resampling.bca_resamples].T, values, deleted.T, strict=True)
    ]
    return percentile, bca
