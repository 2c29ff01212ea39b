"""How far judges lie apart on each document, which documents are in dispute, and whom to look at first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.ties import ceiling, compare, differences, join_ties

HIGH_DISAGREEMENT = 0.4
REVIEWED_SHARE = 0.20


class DocumentDisagreement(NamedTuple):
    """Per document, shape ``(n_documents,)``: the judges' largest difference (share), and why it is in dispute.

    `lowest_judge` and `highest_judge` are columns of the scores, the first of several.
    """

    largest: NDArray[np.float64]
    is_high: NDArray[np.bool_]
    labels_differ: NDArray[np.bool_]
    lowest_judge: NDArray[np.intp]
    highest_judge: NDArray[np.intp]

    @property
    def disputed(self) -> NDArray[np.bool_]:
        """Scores far apart, or labels that differ."""
        return self.is_high | self.labels_differ


class ReviewOrder(NamedTuple):
    """Disputed queries and their disputed documents, the highest disagreement first.

    `queries` and `largest`, `mean` (shares, over all documents of the query) have one entry per disputed query;
    `documents`, `place` and `place_in_query` one per disputed document, by place: its row, the place of its query and
    its own place in it, both from 0.
    """

    queries: NDArray[np.intp]
    largest: NDArray[np.float64]
    mean: NDArray[np.float64]
    documents: NDArray[np.intp]
    place: NDArray[np.intp]
    place_in_query: NDArray[np.intp]


def document_disagreement(
    scores: ArrayLike, thresholds: ArrayLike, high_disagreement: float = HIGH_DISAGREEMENT
) -> DocumentDisagreement:
    """How far the judges lie apart on each document.

    Args:
        scores: Shape ``(n_documents, n_judges)``, on 0-1, at least 2 judges; NaN where a judge gave none, and at least
            two scores in each row.
        thresholds: Shape ``(n_judges,)``; a score above it is relevant.
        high_disagreement: A difference above it is high.

    Returns:
        Of the judges that scored it. A difference of 0.4 is not above 0.4, whatever the last digits of the subtraction.

    Raises:
        ValueError: Fewer than 2 judges, another number of thresholds, a document with fewer than 2 scores, or an
            infinite score or threshold.

    Source:
        docs/statistics.md, Agreement of two judges.
    """
    matrix, limits = np.asarray(scores, dtype=np.float64), np.asarray(thresholds, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 2 or limits.shape != matrix.shape[1:]:
        raise ValueError(
            f"two judges or more with a threshold each are needed, got shapes {matrix.shape} and {limits.shape}"
        )
    if np.isinf(matrix).any() or not np.isfinite(limits).all():
        raise ValueError("a score or a threshold is infinite, or a threshold is missing")
    there = np.isfinite(matrix)
    if (there.sum(axis=1) < 2).any():
        raise ValueError("a document has fewer than two scores; drop it and count it")
    low, high = np.where(there, matrix, np.inf), np.where(there, matrix, -np.inf)
    labels = compare(high, limits) > 0
    largest = differences(high.max(axis=1), low.min(axis=1))
    return DocumentDisagreement(
        largest=largest,
        is_high=np.asarray(compare(largest, high_disagreement, np.nanmax(np.abs(matrix), axis=1)) > 0),
        labels_differ=np.asarray(labels.any(axis=1) & (there & ~labels).any(axis=1)),
        lowest_judge=low.argmin(axis=1),
        highest_judge=high.argmax(axis=1),
    )


def review_order(disagreement: DocumentDisagreement, queries: ArrayLike, query_kappas: ArrayLike) -> ReviewOrder:
    """In which order people look at disputed queries and documents.

    Args:
        disagreement: Of `document_disagreement`.
        queries: Shape ``(n_documents,)``, the number of each document's query, from 0 to ``n_queries`` - 1.
        query_kappas: Shape ``(n_queries,)``, NaN where kappa is not defined.

    Returns:
        Queries with a disputed document by their largest difference, descending; of equal ones the lower kappa first,
        none last; then by number. Documents inside a query by their difference, descending, then by row.

    Raises:
        ValueError: Another number of queries than documents, or a query's number does not fit.
    """
    index, kappas = np.asarray(queries), np.asarray(query_kappas, dtype=np.float64)
    if index.shape != disagreement.largest.shape or kappas.ndim != 1:
        raise ValueError(
            f"one query per document and one kappa per query are needed, got shapes {index.shape}, {kappas.shape} "
            f"for {len(disagreement.largest)} documents"
        )
    if index.size and (index.dtype.kind not in "iu" or int(index.min()) < 0 or int(index.max()) >= len(kappas)):
        raise ValueError(f"a query's number must be a whole number from 0 to {len(kappas) - 1}")
    index, n_queries = index.astype(np.intp), len(kappas)
    largest = np.zeros(n_queries)
    np.maximum.at(largest, index, disagreement.largest)
    n_documents = np.bincount(index, minlength=n_queries)
    mean = np.bincount(index, disagreement.largest, n_queries) / np.maximum(n_documents, 1)
    disputed = np.flatnonzero(disagreement.disputed)
    listed = np.unique(index[disputed]).astype(np.intp)
    # NaN sorts last.
    listed = listed[np.lexsort((join_ties(kappas[listed], 1.0), -largest[listed]))]
    place_of = np.full(n_queries, -1, dtype=np.intp)
    place_of[listed] = np.arange(len(listed))
    disputed = disputed[np.lexsort((-disagreement.largest[disputed], place_of[index[disputed]]))]
    place = place_of[index[disputed]]
    firsts = np.searchsorted(place, np.arange(len(listed)))
    return ReviewOrder(
        listed, largest[listed], mean[listed], disputed, place, np.arange(len(disputed), dtype=np.intp) - firsts[place]
    )


def review_quota(n_disputed: int, share: float = REVIEWED_SHARE) -> int:
    """How many disputed queries people must review before the next step: the share of them, rounded up.

    Raises:
        ValueError: A negative number, or a share outside 0-1.
    """
    if n_disputed < 0 or not 0.0 <= share <= 1.0:
        raise ValueError(f"a number of queries and a share of 0-1 are needed, got {n_disputed} and {share}")
    return ceiling(share * n_disputed)
