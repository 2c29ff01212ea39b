"""Cohen's kappa of two judges' labels: of each query, over queries (macro) and over all documents (micro)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

# How the two judges' labels of a document fall together, in the order of the columns of counts.
COUNTS = ("n_11", "n_10", "n_01", "n_00")
LOW_KAPPA = 0.40
BY_CONVENTION = 1.0
ONE_LABEL = message("both judges give every document the same label, so kappa is 0/0")


class KappaSummary(NamedTuple):
    """Kappa over queries and over documents, unitless; none where the data do not define it.

    `macro` counts a query without a kappa (0/0) as 1, `macro_defined` leaves it out. `low_share` is the share of the
    queries with a defined kappa whose kappa is low. `n_queries` are those with documents; `n_undefined` and `n_low`
    are counts of them.
    """

    macro: float
    macro_defined: float | None
    micro: float | None
    low_share: float | None
    n_queries: int
    n_undefined: int
    n_low: int
    n_documents: int

    @property
    def n_defined(self) -> int:
        """Queries with a defined kappa."""
        return self.n_queries - self.n_undefined


def relevant(scores: ArrayLike, threshold: float) -> NDArray[np.bool_]:
    """The labels that a judge's scores stand for.

    Args:
        scores: Any shape, on 0-1.
        threshold: A score above it is relevant, one equal to it is not.

    Returns:
        The same shape.

    Raises:
        ValueError: A score or the threshold is missing or infinite.
    """
    values = np.asarray(scores, dtype=np.float64)
    missing = int(np.count_nonzero(~np.isfinite(values)))
    if missing:
        raise ValueError(f"{missing} of {values.size} scores are missing or infinite; drop and count them")
    if not np.isfinite(threshold):
        raise ValueError(f"a threshold must be a number, got {threshold}")
    return np.asarray(compare(values, threshold) > 0, dtype=np.bool_)


def counts_of_queries(
    first: ArrayLike, second: ArrayLike, queries: ArrayLike, n_queries: int | None = None
) -> NDArray[np.int64]:
    """How the two judges' labels fall together in each query.

    Args:
        first: Shape ``(n_documents,)``, the first judge's labels: true / false or 1 / 0.
        second: Shape ``(n_documents,)``, the second judge's, same order.
        queries: Shape ``(n_documents,)``, the number of each document's query, from 0, in any order.
        n_queries: How many queries there are; none: as many as the largest number says.

    Returns:
        Shape ``(n_queries, 4)``: documents relevant to both, to the first alone, to the second alone, to neither. A
        query without documents has four zeros.

    Raises:
        ValueError: Shapes differ, a label is missing or neither true nor false, or a query's number does not fit.
    """
    one, two = _labels(first, "first"), _labels(second, "second")
    index = np.asarray(queries)
    if one.ndim != 1 or one.shape != two.shape or one.shape != index.shape:
        raise ValueError(
            f"both judges need one label and one query per document, got shapes {one.shape}, {two.shape}, {index.shape}"
        )
    if index.size and (index.dtype.kind not in "iu" or int(index.min()) < 0):
        raise ValueError("a query's number must be a whole number from 0 on")
    needed = int(index.max()) + 1 if index.size else 0
    n = needed if n_queries is None else n_queries
    if n < needed:
        raise ValueError(f"there is a query number {needed - 1}, but only {n} queries")
    column = 3 - 2 * one.astype(np.int64) - two
    cells = index.astype(np.int64) * len(COUNTS) + column
    return np.bincount(cells, minlength=n * len(COUNTS)).astype(np.int64).reshape(n, len(COUNTS))


def kappas(counts: ArrayLike) -> NDArray[np.float64]:
    """Cohen's kappa of each 2 x 2 table.

    Args:
        counts: Shape ``(..., 4)``, documents by `COUNTS`.

    Returns:
        Shape ``(...)``; NaN where both judges give one and the same single label, or there is no document (0/0). Where
        one judge gives a single label and the other does not, kappa is exactly 0.

    Raises:
        ValueError: Another last dimension than 4, or a negative count.

    Source:
        Cohen (1960), Educ. Psychol. Meas. 20:37-46. (p_o - p_e) / (1 - p_e) of a 2 x 2 table is
        2 (n_11 n_00 - n_10 n_01) / ((n_11 + n_10) (n_10 + n_00) + (n_01 + n_00) (n_11 + n_01)).
    """
    both, first, second, neither = columns_of(counts)
    above = 2.0 * (both * neither - first * second)
    below = (both + first) * (first + neither) + (second + neither) * (both + second)
    found = np.full(below.shape, np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def macro_says_little(n_queries: int, n_undefined: int, n_documents: int) -> bool:
    """Whether macro kappa is mostly a convention: most queries have one label, or each has one document."""
    return 2 * n_undefined > n_queries or n_documents == n_queries


def headline_kappas(counts: ArrayLike) -> NDArray[np.float64]:
    """`kappas`, with 1 by convention where both judges give one and the same single label.

    Args:
        counts: Shape ``(..., 4)``, documents by `COUNTS`.

    Returns:
        Shape ``(...)``; NaN only where there is no document.
    """
    found = kappas(counts)
    one_label = np.isnan(found) & (np.asarray(counts).sum(axis=-1) > 0)
    return np.where(one_label, BY_CONVENTION, found)


def cohens_kappa(counts: ArrayLike) -> float:
    """Cohen's kappa of one 2 x 2 table.

    Args:
        counts: Shape ``(4,)``, documents by `COUNTS`.

    Returns:
        At most 1; 0 is what two judges of such habits reach without looking.

    Raises:
        ValueError: Another shape, or a negative count.
        UndefinedStatistic: No document, or both judges give one and the same single label.

    Source:
        Cohen (1960), Educ. Psychol. Meas. 20:37-46.
    """
    table = np.asarray(counts)
    if table.shape != (len(COUNTS),):
        raise ValueError(f"one table of {len(COUNTS)} counts is needed, got shape {table.shape}")
    value = float(kappas(table))
    if np.isnan(value):
        raise UndefinedStatistic(ONE_LABEL if table.any() else "no document, so there is no kappa")
    return value


def is_low(found: ArrayLike, low_kappa: float = LOW_KAPPA) -> NDArray[np.bool_]:
    """Which kappas are low.

    Args:
        found: Any shape, of `kappas`.
        low_kappa: A kappa below it is low, one that is equal but for the last digits of arithmetic is not.

    Returns:
        The same shape; false where kappa is not defined.
    """
    return np.asarray(compare(found, low_kappa) < 0, dtype=np.bool_)


def kappa_summary(counts: ArrayLike, low_kappa: float = LOW_KAPPA) -> KappaSummary:
    """Macro and micro kappa of two judges, by both conventions, and how many queries are low.

    Args:
        counts: Shape ``(n_queries, 4)``, documents by `COUNTS`; queries without documents do not count.
        low_kappa: A defined kappa below it is low.

    Returns:
        Point values with what they were computed from.

    Raises:
        ValueError: Another shape, or a negative count.
        UndefinedStatistic: No query with a document.

    Source:
        docs/statistics.md, Agreement of two judges.
    """
    table = with_documents(counts)
    found = kappas(table)
    defined = ~np.isnan(found)
    n, n_defined, n_low = len(found), int(defined.sum()), int(is_low(found, low_kappa).sum())
    micro = float(kappas(table.sum(axis=0)))
    return KappaSummary(
        macro=float(headline_kappas(table).mean()),
        macro_defined=float(found[defined].mean()) if n_defined else None,
        micro=None if np.isnan(micro) else micro,
        low_share=n_low / n_defined if n_defined else None,
        n_queries=n,
        n_undefined=n - n_defined,
        n_low=n_low,
        n_documents=int(table.sum()),
    )


def with_documents(counts: ArrayLike) -> NDArray[np.int64]:
    """The tables of the queries that have documents, shape ``(n, 4)``.

    Args:
        counts: Shape ``(n_queries, 4)``, documents by `COUNTS`.

    Raises:
        ValueError: Another shape, or a negative count.
        UndefinedStatistic: No query with a document.
    """
    table = np.asarray(counts)
    if table.ndim != 2:
        raise ValueError(f"one row of {len(COUNTS)} counts per query is needed, got shape {table.shape}")
    columns_of(table)
    kept = table[table.sum(axis=1) > 0].astype(np.int64)
    if not len(kept):
        raise UndefinedStatistic("no query with a document that both judges scored")
    return np.asarray(kept)


def columns_of(counts: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """The four counts of each table, in the order of `COUNTS`, shape ``(...)`` each.

    Args:
        counts: Shape ``(..., 4)``, documents.

    Raises:
        ValueError: Another last dimension than 4, or a count that is negative or missing.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim == 0 or table.shape[-1] != len(COUNTS):
        raise ValueError(f"a table has {len(COUNTS)} counts ({', '.join(COUNTS)}), got shape {table.shape}")
    if not bool(np.all(table >= 0)):
        raise ValueError("a count of documents is negative or missing")
    return tuple(table[..., column] for column in range(len(COUNTS)))


def _labels(values: ArrayLike, judge: str) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind == "O" and any(value is None for value in array.ravel()):
        raise ValueError(f"a label of the {judge} judge is missing; drop and count it")
    if array.dtype.kind == "f" and bool(np.isnan(array).any()):
        raise ValueError(f"a label of the {judge} judge is missing; drop and count it")
    if not np.isin(array, [0, 1]).all():
        raise ValueError(f"each label of the {judge} judge must be true or false, 1 or 0")
    return array.astype(np.bool_)
