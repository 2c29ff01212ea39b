"""Whether one method picks people's choices more often than another, with clusters as the unit."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message, none_because
from analysis.preference.accuracy import TIE_CREDIT
from analysis.preference.letter_display import letter_display
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, RELIABLE_CLUSTERS, cluster_index
from analysis.significance.holm import below_level, holm
from analysis.significance.mcnemar import McNemar, mcnemar
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

CHANCE = 0.5
IGNORES_SERIES = "ignores series"
SAME_CREDIT = message("the two get the same credit in each cluster")
ROWS_NOT_MERGED = none_because("an exact test needs pairs with both orders merged")

AgainstChance = Literal["better", "worse", "open"]


class ClusterTest(NamedTuple):
    """`difference` is the accuracy of the first - the second; `z` and two-sided `p` treat clusters as independent.

    `unreliable`: under 10 clusters differ, too few for a normal distribution.
    """

    difference: float
    z: float
    p: float
    unreliable: bool
    n_clusters_differing: int
    n_clusters: int
    n: int


def few_clusters_differ(test: ClusterTest) -> str:
    """Why a test is unreliable."""
    return message("{n} clusters differ, under 10: unreliable", n=test.n_clusters_differing)


class MethodPair(NamedTuple):
    """Two of several methods: `test` on its own, `p_holm` and `separated` with all pairs of methods in mind.

    No test where the two get the same credit in each cluster (`reason`). A pair without a test, or with one that is
    unreliable, is not separated. `mcnemar` counts the pairs that both methods decide, `mcnemar_method` says what it
    ignores or why it is none.
    """

    first: str
    second: str
    test: ClusterTest | None
    p_holm: float | None
    separated: bool
    reason: str
    mcnemar: McNemar | None
    mcnemar_method: str
    n_decided_by_both: int


class MethodComparison(NamedTuple):
    """All pairs of methods, and the letters of each method, methods sorted by accuracy, best first."""

    pairs: tuple[MethodPair, ...]
    letters: dict[str, tuple[str, ...]]
    level: float
    n: int
    n_clusters: int


def compare_by_cluster(first: ArrayLike, second: ArrayLike, clusters: ArrayLike) -> ClusterTest:
    """Whether two methods earn the same credit on the same pairs.

    Args:
        first: Shape ``(n,)``, credits of the first method: 1 right, 0.5 a tie, 0 wrong.
        second: Shape ``(n,)``, of the second, same pairs.
        clusters: Shape ``(n,)``, the photo series of each pair, or what several series share, such as a scene.

    Returns:
        ``z = sum D / sqrt(sum D^2)``, D the sum of first - second in a cluster.

    Raises:
        ValueError: Shapes differ, or a value that is no credit.
        UndefinedStatistic: Fewer than 5 clusters, or no cluster in which the two differ.

    Source:
        docs/statistics.md, Pairwise preference; the sign-flip variance of sums over clusters, as in Liang and Zeger
        (1986), Biometrika 73:13-22.
    """
    sums, n = _cluster_sums([first, second], clusters)
    return _test(sums[:, 0] - sums[:, 1], n)


def against_chance(accuracy: float, p: float | None, *, unreliable: bool, level: float) -> AgainstChance:
    """Whether a method is significantly right more often than a coin.

    Args:
        accuracy: Its mean credit.
        p: Of the test against a coin, corrected for all methods; none: there is no test.
        unreliable: Whether too few clusters differ from a coin for that p to be relied on.
        level: What a sure p lies below.

    Returns:
        ``better`` or ``worse`` where that is sure, else ``open``.
    """
    if p is None or unreliable or not below_level(p, level):
        return "open"
    return "better" if compare(accuracy, CHANCE) > 0 else "worse"


def compare_methods(
    credit: Mapping[str, ArrayLike], clusters: ArrayLike, *, orders_merged: bool = True, level: float = 0.05
) -> MethodComparison:
    """Which methods are distinguishable by these pairs.

    Args:
        credit: Of each method, shape ``(n,)``: 1, 0.5 or 0 for the same pairs in the same order, those that all
            methods could score.
        clusters: Shape ``(n,)``.
        orders_merged: Whether each photo pair is one row; where not there is no McNemar test.
        level: Of all pairs of methods together.

    Returns:
        Pairs in the order of accuracy (ties by name), so that no first method is behind its second. Holm counts pairs
        without a test as tests that separate nothing.

    Raises:
        ValueError: Shapes differ, or a value that is no credit.
        UndefinedStatistic: Fewer than two methods, or fewer than 5 clusters.
    """
    if len(credit) < 2:
        raise UndefinedStatistic("fewer than two methods, so there is nothing to compare")
    accuracy = {name: float(np.mean(np.asarray(values, dtype=np.float64))) for name, values in credit.items()}
    names = sorted(credit, key=lambda name: (-accuracy[name], name))
    columns = [np.asarray(credit[name], dtype=np.float64) for name in names]
    sums, n = _cluster_sums(columns, clusters)
    couples = list(combinations(range(len(names)), 2))
    tests = [None if np.array_equal(sums[:, i], sums[:, j]) else _test(sums[:, i] - sums[:, j], n) for i, j in couples]
    adjusted = holm([1.0 if test is None else test.p for test in tests])
    apart = np.zeros((len(names), len(names)), dtype=np.bool_)
    pairs = []
    for (i, j), test, p in zip(couples, tests, adjusted, strict=True):
        apart[i, j] = apart[j, i] = test is not None and not test.unreliable and below_level(p, level)
        decided, beside = _mcnemar(columns[i], columns[j])
        pairs.append(
            MethodPair(
                names[i],
                names[j],
                test,
                None if test is None else p,
                bool(apart[i, j]),
                SAME_CREDIT if test is None else "",
                beside if orders_merged else None,
                IGNORES_SERIES if orders_merged else ROWS_NOT_MERGED,
                decided,
            )
        )
    letters = dict(zip(names, letter_display(apart), strict=True))
    return MethodComparison(tuple(pairs), letters, level, n, len(sums))


def _cluster_sums(columns: Sequence[ArrayLike], clusters: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """Credits added within each cluster, shape ``(n_clusters, methods)``, and the number of pairs."""
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    shapes = {array.shape for array in arrays} | {np.shape(clusters)}
    if len(shapes) > 1 or arrays[0].ndim != 1:
        raise ValueError(f"all methods and clusters must hold the same pairs, got shapes {sorted(shapes)}")
    if any(not np.isin(array, [0.0, TIE_CREDIT, 1.0]).all() for array in arrays):
        raise ValueError("each credit must be 1, 0.5 or 0")
    if arrays[0].size == 0:
        raise UndefinedStatistic("no pair, so there is nothing to compare")
    index, n_clusters = cluster_index(clusters)
    if n_clusters < FEWEST_CLUSTERS:
        raise UndefinedStatistic(
            "{n} cluster, fewer than {fewest}|{n} clusters, fewer than {fewest}", n=n_clusters, fewest=FEWEST_CLUSTERS
        )
    return np.column_stack([np.bincount(index, weights=array) for array in arrays]), arrays[0].size


def _test(differences: NDArray[np.float64], n: int) -> ClusterTest:
    # Sums of halves are exact in floating point, so what differs differs and what is 0 is 0.
    differing = int(np.count_nonzero(differences))
    if differing == 0:
        raise UndefinedStatistic(SAME_CREDIT)
    z = float(differences.sum() / np.sqrt(differences @ differences))
    return ClusterTest(
        float(differences.sum() / n),
        z,
        float(2.0 * scipy.stats.norm.sf(abs(z))),
        differing < RELIABLE_CLUSTERS,
        differing,
        differences.size,
        n,
    )


def _mcnemar(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[int, McNemar]:
    decided = (first != TIE_CREDIT) & (second != TIE_CREDIT)
    only_first, only_second = (int(np.sum(decided & (a > b))) for a, b in ((first, second), (second, first)))
    return int(decided.sum()), mcnemar(only_first, only_second)
