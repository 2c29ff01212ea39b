"""The label of each document: the judges' where they agree, else people's."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Why a query has no label for each of its documents: the first of these that holds of it.
NO_VOTE: Final = "no_vote"
TIED: Final = "tied"
NO_DOCUMENT: Final = "no_document"


class Consensus(NamedTuple):
    """Labels of documents, shape ``(n_documents,)``, and which queries have one for each, shape ``(n_queries,)``.

    `relevant` means nothing where `resolved` is false. `by_people` are documents without the label of all judges that
    people decided. A query without documents is not resolved. `why_not` is null where a query is resolved, else
    `NO_VOTE` (no votes on a document without a label), `TIED` (as many votes for as against) or `NO_DOCUMENT`.
    """

    relevant: NDArray[np.bool_]
    resolved: NDArray[np.bool_]
    by_people: NDArray[np.bool_]
    query_resolved: NDArray[np.bool_]
    why_not: NDArray[np.object_]


def majority(votes_relevant: int, votes_not_relevant: int) -> bool | None:
    """What most reviewers say of a document; none without a vote and on a tie.

    Raises:
        ValueError: A negative number of votes.
    """
    if min(votes_relevant, votes_not_relevant) < 0:
        raise ValueError(f"votes must not be negative, got {votes_relevant} and {votes_not_relevant}")
    return None if votes_relevant == votes_not_relevant else votes_relevant > votes_not_relevant


def consensus(
    labels: ArrayLike,
    votes_relevant: ArrayLike,
    votes_not_relevant: ArrayLike,
    queries: ArrayLike,
    n_queries: int,
    complete: ArrayLike | None = None,
) -> Consensus:
    """The label of each document that has one, and the queries in which every document has.

    Args:
        labels: Shape ``(n_documents, n_judges)``, true where the judge calls the document relevant.
        votes_relevant: Shape ``(n_documents,)``, reviewers whose standing vote is relevant.
        votes_not_relevant: Shape ``(n_documents,)``, those whose standing vote is not relevant.
        queries: Shape ``(n_documents,)``, the number of each document's query, from 0.
        n_queries: How many queries there are.
        complete: Shape ``(n_documents,)``, true where every judge has a label: of the others people alone decide. All
            of them where left out.

    Returns:
        Where all judges agree their label, whatever people say; else the majority of the votes; a tie or no vote
        leaves the document, and with it the query, unresolved.

    Raises:
        ValueError: Shapes differ, fewer than 2 judges, a negative vote, or a query's number does not fit.

    Source:
        docs/reliability.md.
    """
    of_judges, index = np.asarray(labels), np.asarray(queries)
    yes, no = np.asarray(votes_relevant, dtype=np.int64), np.asarray(votes_not_relevant, dtype=np.int64)
    if of_judges.ndim != 2 or of_judges.shape[1] < 2 or of_judges.dtype.kind != "b":
        raise ValueError(
            f"true or false of two judges or more is needed, got {of_judges.dtype} of shape {of_judges.shape}"
        )
    if any(one.shape != of_judges.shape[:1] for one in (yes, no, index)):
        raise ValueError(
            f"votes and a query are needed for each of {len(of_judges)} documents, got shapes {yes.shape}, {no.shape}, "
            f"{index.shape}"
        )
    if bool((yes < 0).any()) or bool((no < 0).any()):
        raise ValueError("votes must not be negative")
    if index.size and (index.dtype.kind not in "iu" or int(index.min()) < 0 or int(index.max()) >= n_queries):
        raise ValueError(f"a query's number must be a whole number from 0 to {n_queries - 1}")
    whole = np.ones(len(of_judges), dtype=np.bool_) if complete is None else np.asarray(complete)
    if whole.shape != of_judges.shape[:1] or whole.dtype.kind != "b":
        raise ValueError(f"complete must be true or false for each of {len(of_judges)} documents")
    index = index.astype(np.intp)
    agree = whole & (of_judges.all(axis=1) | ~of_judges.any(axis=1))
    by_people = ~agree & (yes != no)
    resolved = agree | by_people
    open_documents = np.bincount(index[~resolved], minlength=n_queries)
    without_votes = np.bincount(index[~resolved & (yes + no == 0)], minlength=n_queries)
    with_documents = np.bincount(index, minlength=n_queries) > 0
    why_not = np.full(n_queries, None, dtype=object)
    why_not[~with_documents] = NO_DOCUMENT
    why_not[open_documents > 0] = TIED
    why_not[without_votes > 0] = NO_VOTE
    return Consensus(
        relevant=np.where(agree, of_judges[:, 0], by_people & (yes > no)),
        resolved=resolved,
        by_people=by_people,
        query_resolved=with_documents & (open_documents == 0),
        why_not=why_not,
    )
