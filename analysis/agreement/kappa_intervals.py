"""Agreement of two judges with intervals over queries, all of it from sums over each query."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.coefficients import (
    ANCHORS,
    ac1s,
    bias_indices,
    bins_of,
    pabaks,
    percent_agreements,
    prevalence_indices,
    weighted_kappas,
)
from analysis.agreement.kappa import COUNTS, LOW_KAPPA, headline_kappas, is_low, kappas, with_documents
from analysis.agreement.krippendorff import alpha_of_moments, alpha_of_tables
from analysis.intervals.headline import Statistic, left_out_of_sums, of_jackknife
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, Estimate, Interval, Resampling
from analysis.significance.wilson import wilson

OF_LABELS = (
    "kappa_macro",
    "kappa_macro_defined",
    "kappa_micro",
    "low_share",
    "percent_agreement",
    "pabak",
    "prevalence_index",
    "bias_index",
    "ac1",
    "alpha_nominal",
)
OF_SCORES = ("weighted_kappa_linear", "weighted_kappa_quadratic", "alpha_ordinal", "alpha_interval")
# Why a value is missing, of those that can be.
REASONS = {
    "kappa_macro_defined": "no query has a defined kappa",
    "kappa_micro": "both judges give every document the same label, so kappa is 0/0",
    "low_share": "no query has a defined kappa",
    "alpha_nominal": "both judges give every document the same label, so alpha is 0/0",
    "weighted_kappa_linear": "all scores lie in one bin, so weighted kappa is 0/0",
    "weighted_kappa_quadratic": "all scores lie in one bin, so weighted kappa is 0/0",
    "alpha_ordinal": "all scores lie in one bin, so alpha is 0/0",
    "alpha_interval": "all scores are equal, so alpha is 0/0",
}
# All others are chance-corrected coefficients or indices from -1 to 1 over all documents.
KINDS: dict[str, Statistic] = {
    "kappa_macro": "kappa_macro",
    "kappa_macro_defined": "kappa_macro",
    "percent_agreement": "share",
}
MIDDLE = 0.5  # sums are taken from here, so that fewer digits are lost to the mean


OfSums = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Agreement(NamedTuple):
    """Every statistic by name: its estimate, or in `undefined` why the data do not define it."""

    estimates: dict[str, Estimate]
    undefined: dict[str, str]
    n_queries: int
    n_documents: int

    def interval(self, name: str) -> Interval | None:
        """The interval of a statistic; none where the statistic is not defined."""
        return self.estimates[name].interval if name in self.estimates else None


def score_sums(
    first: ArrayLike, second: ArrayLike, queries: ArrayLike, n_queries: int, anchors: tuple[float, ...] = ANCHORS
) -> NDArray[np.float64]:
    """What `agreement` needs of two judges' scores, summed over the documents of each query.

    Args:
        first: Shape ``(n_documents,)``, scores of the first judge on 0-1.
        second: Shape ``(n_documents,)``, of the second, same order.
        queries: Shape ``(n_documents,)``, the number of each document's query, from 0.
        n_queries: How many queries there are.
        anchors: Of the ``k`` bins.

    Returns:
        Shape ``(n_queries, k * k + 3)``: documents by pair of bins, the squared difference, both scores, both squares,
        the latter two taken from 0.5.

    Raises:
        ValueError: Shapes differ, a score is missing or outside 0-1, or a query's number does not fit.
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    index = np.asarray(queries)
    if one.ndim != 1 or one.shape != two.shape or one.shape != index.shape:
        raise ValueError(
            f"both judges need one score and one query per document, got shapes {one.shape}, {two.shape}, {index.shape}"
        )
    if index.size and (index.dtype.kind not in "iu" or int(index.min()) < 0 or int(index.max()) >= n_queries):
        raise ValueError(f"a query's number must be a whole number from 0 to {n_queries - 1}")
    k = len(anchors)
    cells = index.astype(np.int64) * k**2 + bins_of(one, anchors) * k + bins_of(two, anchors)
    tables = np.bincount(cells, minlength=n_queries * k**2).reshape(n_queries, k**2)
    a, b = one - MIDDLE, two - MIDDLE
    moments = [np.bincount(index, values, n_queries) for values in ((a - b) ** 2, a + b, a**2 + b**2)]
    return np.column_stack([tables, *moments])


def agreement(
    counts: ArrayLike, scores: ArrayLike | None = None, *, resampling: Resampling, low_kappa: float = LOW_KAPPA
) -> Agreement:
    """Macro and micro kappa and all that stands next to them, each with its interval over queries.

    Args:
        counts: Shape ``(n_queries, 4)``, of `kappa.counts_of_queries`; queries without documents do not count.
        scores: Shape ``(n_queries, k * k + 3)``, of `score_sums`, same queries; none: only what labels tell.
        resampling: Of the intervals.
        low_kappa: A defined kappa below it is low.

    Returns:
        The statistics `OF_LABELS` and, with scores, `OF_SCORES`, unitless. A coefficient of exactly 1 or -1 has no
        bounds: they would claim certainty. Each query with a defined kappa is one trial of the share of low ones.

    Raises:
        ValueError: Shapes that do not fit, or a bad confidence.
        UndefinedStatistic: No query with a document.

    Source:
        docs/statistics.md, Agreement of two judges and Intervals.
    """
    table = with_documents(counts)
    columns = [table.astype(np.float64), _kappa_columns(table, low_kappa)]
    if scores is not None:
        sums = np.asarray(scores, dtype=np.float64)
        if sums.ndim != 2 or len(sums) != len(np.asarray(counts)) or _n_bins(sums) ** 2 + 3 != sums.shape[1]:
            raise ValueError(f"scores must have one row of k * k + 3 sums per query, got shape {sums.shape}")
        columns.append(sums[np.asarray(counts).sum(axis=1) > 0])
        if not np.array_equal(columns[-1][:, :-3].sum(axis=1), table.sum(axis=1)):
            raise ValueError("scores and counts are not of the same documents")
    per_query = np.column_stack(columns)
    names = OF_LABELS if scores is None else OF_LABELS + OF_SCORES
    values, intervals = of_sums(
        per_query, _statistics, [KINDS.get(name, "kappa") for name in names], table.sum(axis=1), resampling=resampling
    )
    found = dict(zip(names, zip(values, intervals, strict=True), strict=True))
    low, defined = (int(column.sum()) for column in _kappa_columns(table, low_kappa)[:, [4, 3]].T)
    if defined >= FEWEST_CLUSTERS:
        found["low_share"] = low / defined, wilson(low, defined, resampling.confidence)
    return Agreement(
        {name: Estimate(value, interval) for name, (value, interval) in found.items() if not np.isnan(value)},
        {name: REASONS[name] for name, (value, _) in found.items() if np.isnan(value)},
        len(table),
        int(table.sum()),
    )


def of_sums(
    per_query: NDArray[np.float64],
    statistics: OfSums,
    kinds: Sequence[Statistic],
    sizes: ArrayLike,
    *,
    resampling: Resampling,
) -> tuple[list[float], list[Interval]]:
    """Statistics that depend on the data through sums over queries, and their headline intervals over queries.

    Args:
        per_query: Shape ``(n_queries, k)``.
        statistics: Takes sums of shape ``(rows, k)`` and gives shape ``(rows, m)``, NaN where undefined.
        kinds: What each of the ``m`` is, of `intervals.headline`.
        sizes: Shape ``(n_queries,)``, the documents of each query.
        resampling: Of the intervals.

    Returns:
        ``m`` values (NaN where undefined) and ``m`` intervals.

    Raises:
        ValueError: A bad confidence.
    """
    found = left_out_of_sums(statistics, per_query, sizes, seed=resampling.seed)
    return [float(value) for value in found.values], of_jackknife(
        found, kinds, confidence=resampling.confidence, refuse_constant=True
    )


def _kappa_columns(table: NDArray[np.int64], low_kappa: float) -> NDArray[np.float64]:
    """Of each query: itself, headline kappa, defined kappa (else 0), whether defined, whether low."""
    found = kappas(table)
    defined = ~np.isnan(found)
    return np.column_stack(
        [np.ones(len(found)), headline_kappas(table), np.where(defined, found, 0.0), defined, is_low(found, low_kappa)]
    )


def _statistics(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The statistics of each row of sums, in the order of the names."""
    split = len(COUNTS)
    counts, (n, headline, found, defined, low) = sums[:, :split], sums[:, split : split + 5].T
    both, first, second, neither = counts.T
    labels = np.stack([both, first, second, neither], axis=-1).reshape(-1, 2, 2)
    columns = [
        headline / n,
        _shares(found, defined),
        kappas(counts),
        _shares(low, defined),
        percent_agreements(counts),
        pabaks(counts),
        prevalence_indices(counts),
        bias_indices(counts),
        ac1s(counts),
        alpha_of_tables(labels, "nominal"),
    ]
    scores = sums[:, split + 5 :]
    if scores.shape[1]:
        k = _n_bins(scores)
        tables = scores[:, :-3].reshape(-1, k, k)
        columns += [
            weighted_kappas(tables, "linear"),
            weighted_kappas(tables, "quadratic"),
            alpha_of_tables(tables, "ordinal"),
            alpha_of_moments(counts.sum(axis=1), *scores[:, -3:].T),
        ]
    return np.column_stack(columns)


def _n_bins(sums: NDArray[np.float64]) -> int:
    """How many bins there are behind sums of `score_sums`."""
    return math.isqrt(max(sums.shape[1] - 3, 0))


def _shares(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(len(below), np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found
