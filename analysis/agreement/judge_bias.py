"""Whether one of two judges scores higher than the other."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message, message_list, none_because
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.significance.holm import below_level
from analysis.significance.signed_rank import SignedRank, signed_rank
from analysis.significance.walsh import differences_by_query, shift
from analysis.ties import differences, join_ties
from analysis.undefined import UndefinedStatistic

LEVEL = 0.05
ASSUMES_INDEPENDENCE = message("assumes independent documents")


class BiasTest(NamedTuple):
    """A signed-rank test of first judge - second, with the shift of the same differences (share).

    `p` and `statistic` are none where all differences are 0, and `undefined` says so. `higher` is the judge (1 or 2)
    that scores higher by the statistic, which can be so at a shift of 0; none where it lies in the middle. `biased` is
    none in the pooled test, which decides nothing.
    """

    test: Literal["query_medians", "pooled"]
    p: float | None
    method: str
    statistic: float | None
    higher: Literal[1, 2] | None
    n: int
    n_zero: int
    shift: float
    interval: Interval
    difference_of_medians: float
    biased: bool | None
    undefined: str | None


class JudgeBias(NamedTuple):
    """The test that decides, one difference per query, and next to it that of all documents."""

    query_medians: BiasTest
    pooled: BiasTest

    @property
    def biased(self) -> bool:
        """One judge scores higher, by the test on query medians alone."""
        return bool(self.query_medians.biased)


def judge_bias(
    first: ArrayLike, second: ArrayLike, queries: ArrayLike, *, resampling: Resampling, level: float = LEVEL
) -> JudgeBias:
    """Whether one judge scores higher, and by how much.

    Args:
        first: Shape ``(n_documents,)``, scores on 0-1.
        second: Shape ``(n_documents,)``, same documents.
        queries: Shape ``(n_documents,)``, the query of each document.
        resampling: Of the shifts' intervals.
        level: A p below it on the query medians is called bias.

    Returns:
        `query_medians` tests the median difference of each query, since documents of one query are not independent;
        `pooled` tests all documents as if they were, and says so in `method`. Positive: the first judge is higher.
        Where all medians are 0 there is no p and no bias is called. The shift of documents is `pooled.shift`.

    Raises:
        ValueError: Shapes differ, a score or a query is missing, or bad resamples or confidence.
        UndefinedStatistic: No document.

    Source:
        docs/statistics.md, Agreement of two judges.
    """
    apart, index, n_queries = differences_by_query(first, second, queries)
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    of_queries = query_medians(apart, index, np.maximum(np.abs(one), np.abs(two)))
    medians = _test(
        "query_medians",
        of_queries,
        np.arange(n_queries),
        _difference_of_medians(query_medians(one, index), query_medians(two, index)),
        resampling,
    )
    biased = medians.p is not None and below_level(medians.p, level)
    pooled = _test("pooled", apart, index, _difference_of_medians(one, two), resampling)
    if pooled.p is not None:
        pooled = pooled._replace(method=message_list([pooled.method, ASSUMES_INDEPENDENCE], ", "))
    return JudgeBias(medians._replace(biased=biased), pooled)


def query_medians(
    values: ArrayLike, queries: NDArray[np.intp], operands: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The median of each query's values.

    Args:
        values: Shape ``(n_documents,)``, one per document, none missing.
        queries: Shape ``(n_documents,)``, the number of each document's query: every number from 0 occurs.
        operands: Shape ``(n_documents,)``, the largest absolute score that went into each value; none: its own size.

    Returns:
        Shape ``(n_queries,)``, ties joined.
    """
    array = np.asarray(values, dtype=np.float64)
    ordered = array[np.lexsort((array, queries))]
    sizes = np.bincount(queries)
    starts = np.cumsum(sizes) - sizes
    medians = (ordered[starts + (sizes - 1) // 2] + ordered[starts + sizes // 2]) / 2.0
    largest = np.zeros(sizes.size)
    np.maximum.at(largest, queries, np.abs(array if operands is None else np.asarray(operands, dtype=np.float64)))
    return join_ties(medians, largest)


def _test(
    name: Literal["query_medians", "pooled"],
    apart: NDArray[np.float64],
    clusters: NDArray[np.intp],
    difference_of_medians: float,
    resampling: Resampling,
) -> BiasTest:
    moved = shift(apart, clusters, resampling=resampling)
    n, n_zero = apart.size, int(np.count_nonzero(apart == 0.0))
    tail = (moved.value, moved.interval, difference_of_medians, None)
    try:
        found = signed_rank(apart)
    except UndefinedStatistic as undefined:
        return BiasTest(
            name,
            None,
            none_because(undefined.reason),
            None,
            None,
            n,
            n_zero,
            *tail,
            undefined.reason,
        )
    return BiasTest(name, found.p, found.method, found.statistic, _higher(found), n, n_zero, *tail, None)


def _higher(found: SignedRank) -> Literal[1, 2] | None:
    """Not by the shift: it is 0 where most differences are, whatever the others say."""
    if found.statistic == found.middle:
        return None
    return 1 if found.statistic > found.middle else 2


def _difference_of_medians(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float(differences(np.median(first), np.median(second)))
