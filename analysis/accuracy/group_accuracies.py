"""Accuracies of several groups compared: all at once, then all pairs."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.accuracy.accuracy import truths
from analysis.accuracy.accuracy_comparison import SMALLEST_EXPECTED, TwoAccuracies, compare_accuracies, expected_counts
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, Resampling
from analysis.significance.dependent_correlations import ASSUMES
from analysis.significance.holm import below_level, holm
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

OF_CLUSTERS = "Holm's p of a t-test on the clustered standard error"


class GroupPair(NamedTuple):
    """Two of several groups: `comparison` on its own, `p_holm` and `significant` with all pairs in mind.

    Both are none where samples share clusters and the clusters are too few to tell.
    """

    first: str
    second: str
    comparison: TwoAccuracies
    p_holm: float | None
    significant: bool | None
    method: str


class GroupAccuracies(NamedTuple):
    """Whether several groups differ at all, and which ones.

    There is no chi-square where all answers are right or all are wrong; `method` says so.
    """

    chi_square: float | None
    df: int
    p: float | None
    method: str
    accuracies: dict[str, float]
    sizes: dict[str, int]
    pairs: list[GroupPair]


def compare_groups(
    correct: ArrayLike, groups: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> GroupAccuracies:
    """Whether groups of samples are answered right equally often: all at once, then all pairs.

    Args:
        correct: Shape ``(n,)``, right or wrong per sample.
        groups: Shape ``(n,)``, the group's label of each sample.
        clusters: Shape ``(n,)``; none: every sample is its own.
        resampling: Of the interval; 1 - its confidence is the level of `significant`.

    Returns:
        Pairs in the order of the labels. `significant` is read off Holm's p. Where clusters exist, that is Holm's of a
        t-test: the difference over its jackknife standard error, with one degree of freedom fewer than
        there are clusters in the group that has fewer.

    Raises:
        ValueError: Shapes differ, or values that are not true or false.
        UndefinedStatistic: Fewer than two groups.

    Source:
        docs/statistics.md, Multiple choice.
    """
    right, labels = truths(correct), np.asarray(groups).astype(str)
    if labels.shape != right.shape or (clusters is not None and np.shape(clusters) != right.shape):
        raise ValueError(f"one group and one cluster per sample are needed, got shape {labels.shape} for {right.shape}")
    names = [str(name) for name in np.unique(labels)]
    if len(names) < 2:
        raise UndefinedStatistic("only one group, so there is nothing to compare")
    of_cluster = None if clusters is None else np.asarray(clusters)
    members = [labels == name for name in names]
    table = np.array([[right[rows].sum(), (1 - right[rows]).sum()] for rows in members])
    n_clusters = [0 if of_cluster is None else len(np.unique(of_cluster[rows])) for rows in members]
    places = list(combinations(range(len(names)), 2))
    found = [
        compare_accuracies(
            right[members[i]],
            right[members[j]],
            None if of_cluster is None else of_cluster[members[i]],
            None if of_cluster is None else of_cluster[members[j]],
            resampling=resampling,
        )
        for i, j in places
    ]
    p_values = [_p(each, min(n_clusters[i], n_clusters[j])) for each, (i, j) in zip(found, places, strict=True)]
    adjusted = iter(holm([p for p in p_values if p is not None]))
    pairs = [
        _pair(names[i], names[j], each, None if p is None else next(adjusted), 1.0 - resampling.confidence)
        for (i, j), each, p in zip(places, found, p_values, strict=True)
    ]
    chi_square, p, method = _chi_square(table)
    if any(each.interval is not None for each in found):
        method += f", {ASSUMES}"
    sizes = table.sum(axis=1)
    return GroupAccuracies(
        chi_square,
        len(names) - 1,
        p,
        method,
        {name: float(row[0] / size) for name, row, size in zip(names, table, sizes, strict=True)},
        {name: int(size) for name, size in zip(names, sizes, strict=True)},
        pairs,
    )


def _pair(first: str, second: str, found: TwoAccuracies, p_holm: float | None, level: float) -> GroupPair:
    method = found.p_method if found.interval is None else f"{found.p_method}; {OF_CLUSTERS}"
    return GroupPair(first, second, found, p_holm, None if p_holm is None else below_level(p_holm, level), method)


def _p(found: TwoAccuracies, n_clusters: int) -> float | None:
    """One pair's p, of clusters where there are any."""
    if found.interval is None:
        return found.p
    if found.standard_error is None or n_clusters < FEWEST_CLUSTERS:
        return None
    if compare(found.difference, 0.0, 1.0) == 0:
        return 1.0
    if compare(found.standard_error, 0.0, 1.0) == 0:
        # All clusters tell the same: a sign test's p.
        return float(0.5 ** (n_clusters - 1))
    t = found.difference / found.standard_error
    return float(2.0 * scipy.stats.t.sf(abs(t), n_clusters - 1))


def _chi_square(table: NDArray[np.int64]) -> tuple[float | None, float | None, str]:
    if (table.sum(axis=0) == 0).any():
        return None, None, "none: all answers are right, or all are wrong"
    found = scipy.stats.chi2_contingency(table, correction=False)
    few = expected_counts(table).min() < SMALLEST_EXPECTED
    method = "chi-square (rough: an expected count is under 5)" if few else "chi-square"
    return float(found.statistic), float(found.pvalue), method
