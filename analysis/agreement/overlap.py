"""Who is offered a query first, where several people review: a rule that keeps no list and is the same everywhere."""

import hashlib
from collections.abc import Iterable

DIGITS = 8


def is_shared(study: str, query_id: str, overlap: float) -> bool:
    """Whether a query is one of those that every reviewer is asked about.

    Args:
        study: Name of the study: the same queries in another study are drawn anew.
        query_id: The query's name in the input.
        overlap: The share of queries that are shared, 0 to 1.

    Returns:
        True for a share of about ``overlap`` of all names, drawn by hash: on each machine and at any time the same
        ones, and with a larger ``overlap`` these and more.
    """
    return _drawn(study, query_id) < overlap


def place_in_line(query_id: str, reviewer: str, colleagues: Iterable[str]) -> int:
    """How many colleagues are offered this query before this reviewer: 0 for a query of the reviewer's own share.

    Args:
        query_id: The query's name in the input.
        reviewer: Whose place is asked for.
        colleagues: The other reviewers.

    Returns:
        The place among all of them, from 0; each query has one reviewer at each place. One reviewer more takes about
        the same number of queries from each, and moves no query between the others.

    Source:
        Thaler & Ravishankar (1998), IEEE/ACM Transactions on Networking 6(1):1-14, highest random weight.
    """
    own = (_drawn(query_id, reviewer), reviewer)
    return sum((_drawn(query_id, one), one) < own for one in colleagues)


def _drawn(*names: str) -> float:
    """A number from 0 up to 1 that a hash draws for these names."""
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return int.from_bytes(digest[:DIGITS], "big") / (1 << 8 * DIGITS)
