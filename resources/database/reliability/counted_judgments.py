"""Which judgments count: for each query those under the prompt version that was recorded last as a whole."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Judged(NamedTuple):
    """Judgments in the order in which they were recorded, each field of shape ``(n,)``; names are numbers from 0.

    `source` tells judgments of one judge and version by who answered which prompt: model, parameters, prompt's text.
    """

    query: Numbers
    judge: Numbers
    version: Numbers
    source: Numbers
    scored: NDArray[np.bool_]


class Counted(NamedTuple):
    """Shape ``(n,)`` each: the judgment stands for its judge and version; the score counts."""

    stands: NDArray[np.bool_]
    counts: NDArray[np.bool_]


def counted(judged: Judged, n_documents: Numbers, n_judges: int) -> Counted:
    """Of each judge and version one source stands, and of each query one version counts.

    Of several sources the one with most scores stands, of these the one that was recorded last. A version is complete
    where every judge has a score for every document of the query; the complete version that was recorded last counts,
    and without one the version that came first. So a second round of judging changes nothing until it is whole.

    Args:
        judged: The judgments; one per document, judge, version and source.
        n_documents: Shape ``(n_queries,)``, documents of each query.
        n_judges: How many judges there are, whether or not they have judged anything.
    """
    n = len(judged.query)
    if not n:
        nothing = np.zeros(0, dtype=bool)
        return Counted(nothing, nothing)
    place = np.arange(n)
    # Sources of one judge and version of a query, then judges of one version, then versions of one query.
    of_source = _groups(judged.query, judged.version, judged.judge, judged.source)
    first_row, source_of = of_source
    n_scored = np.bincount(source_of, weights=judged.scored).astype(np.int64)
    last = _last(source_of, place)
    _, judge_of = _groups(*(values[first_row] for values in (judged.query, judged.version, judged.judge)))
    standing = _best(judge_of, n_scored, last)
    stands = np.isin(source_of, standing)

    query, version = judged.query[first_row[standing]], judged.version[first_row[standing]]
    whole = n_scored[standing] == n_documents[query]
    first_of_version, version_of = _groups(query, version)
    complete = np.bincount(version_of, weights=whole) == n_judges
    last_of_version = _last(version_of, last[standing])
    begun = np.full(len(first_of_version), n)
    np.minimum.at(begun, version_of, first_row[standing])
    query_of_version = query[first_of_version]
    # Without a complete version the one that began first is the best.
    chosen = _best(query_of_version, complete.astype(np.int64), np.where(complete, last_of_version, -begun))
    version_of_query = np.zeros(len(n_documents), dtype=np.int64)
    version_of_query[query_of_version[chosen]] = version[first_of_version[chosen]]
    return Counted(stands, stands & (judged.version == version_of_query[judged.query]))


def _groups(*keys: Numbers) -> tuple[Numbers, Numbers]:
    """The first row of each group of equal keys, and each row's group."""
    joined = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        # Numbered anew each time, so that the product stays small whatever there are.
        joined = np.unique(joined * (int(key.max()) + 1) + key, return_inverse=True)[1]
    _, first, groups = np.unique(joined, return_index=True, return_inverse=True)
    return first, groups


def _last(groups: Numbers, place: Numbers) -> Numbers:
    """The highest place in each group."""
    last = np.full(int(groups.max()) + 1, -1)
    np.maximum.at(last, groups, place)
    return last


def _best(groups: Numbers, merit: Numbers, place: Numbers) -> Numbers:
    """The member of each group with the highest merit, of these the one with the highest place."""
    order = np.lexsort((place, merit, groups))
    ends = np.flatnonzero(np.diff(groups[order], append=-1))
    return order[ends]
