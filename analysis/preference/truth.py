"""What people chose between two images: winner, agreement, and the filter on both."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.ties import compare

NO_WINNER = 0
MIN_AGREEMENT = 0.7
MIN_REVIEWERS = 2
SHOWN = 5


class PairFilter(NamedTuple):
    """Which pairs count, shape ``(n,)`` each; another one has one cause: a tie, else agreement, else reviewers."""

    kept: NDArray[np.bool_]
    tied: NDArray[np.bool_]
    low_agreement: NDArray[np.bool_]
    few_reviewers: NDArray[np.bool_]


def winners(left: ArrayLike, right: ArrayLike, neither: ArrayLike | None = None) -> NDArray[np.int64]:
    """Which image of each pair got more votes.

    Args:
        left: Shape ``(n,)``, votes for image 1.
        right: Shape ``(n,)``, votes for image 2.
        neither: Shape ``(n,)``, votes for neither, without which a pair needs a vote for one of the two; none: 0.

    Returns:
        Shape ``(n,)``: 1, 2, or 0 where the votes are tied and there is no winner.

    Raises:
        ValueError: Shapes differ, votes that are no counts, or a pair without a vote.

    Source:
        docs/statistics.md, Pairwise preference.
    """
    first, second = vote_counts(left, right, neither)
    return np.where(first > second, 1, np.where(second > first, 2, NO_WINNER))


def agreements(left: ArrayLike, right: ArrayLike, neither: ArrayLike | None = None) -> NDArray[np.float64]:
    """The larger side's share of the votes for one of the two images of each pair.

    Args:
        left: Shape ``(n,)``, votes for image 1.
        right: Shape ``(n,)``, votes for image 2.
        neither: Shape ``(n,)``, votes for neither, which have no part in it; none: 0.

    Returns:
        Shape ``(n,)``, 0.5 (tied, or all votes are for neither) to 1 (all for the same image).

    Raises:
        ValueError: As `winners`.
    """
    first, second = vote_counts(left, right, neither)
    both = first + second
    return np.where(both > 0, np.maximum(first, second) / np.maximum(both, 1), 0.5)


def majority_share(left: ArrayLike, right: ArrayLike) -> float:
    """The share of all votes that went with their pair's majority (0.5-1); a tied pair gives half of its votes.

    A filter on agreement raises it, and strengths fitted on the filtered votes are exaggerated as much.

    Raises:
        ValueError: As `winners`, whose arguments these are, or no pair.
    """
    first, second = vote_counts(left, right)
    if first.size == 0:
        raise ValueError("no pair, so there are no votes to share")
    return float(np.maximum(first, second).sum() / (first + second).sum())


def contradicts_max_vote(
    left: ArrayLike, right: ArrayLike, first: ArrayLike, second: ArrayLike, max_vote: ArrayLike
) -> NDArray[np.bool_]:
    """Rows whose recorded winner is not the one of their votes.

    Args:
        left: Shape ``(n,)``, votes for the first image.
        right: Shape ``(n,)``, votes for the second image.
        first: Shape ``(n,)``, compareID of the first image.
        second: Shape ``(n,)``, compareID of the second image.
        max_vote: Shape ``(n,)``, the compareID that the file names as winner.

    Returns:
        Shape ``(n,)``. On tied votes the file has to name one of the two and either is let through.

    Raises:
        ValueError: As `winners`, or shapes differ.
    """
    winner = winners(left, right)
    ids = [np.asarray(column) for column in (first, second, max_vote)]
    if any(column.shape != winner.shape for column in ids):
        raise ValueError(f"one compareID per row is needed, got shapes {[c.shape for c in ids]} for {winner.shape}")
    names_first, names_second = ids[2] == ids[0], ids[2] == ids[1]
    return np.asarray(
        ~np.where(winner == 1, names_first, np.where(winner == 2, names_second, names_first | names_second))
    )


def filter_pairs(
    left: ArrayLike,
    right: ArrayLike,
    reviewers: ArrayLike,
    *,
    neither: ArrayLike | None = None,
    min_agreement: float = MIN_AGREEMENT,
    min_reviewers: int = MIN_REVIEWERS,
) -> PairFilter:
    """The pairs with a winner on which enough people agree enough.

    Args:
        left: Shape ``(n,)``, votes for image 1.
        right: Shape ``(n,)``, votes for image 2.
        reviewers: Shape ``(n,)``, how many people saw the pair; of merged pairs, in both orders together.
        neither: Shape ``(n,)``, votes for neither; none: 0.
        min_agreement: 0.5-1, the least agreement that is kept.
        min_reviewers: The least number of reviewers that is kept.

    Returns:
        An agreement that is the smallest one but for the last digits of a division passes.

    Raises:
        ValueError: As `winners`, reviewers of another shape or missing, or `min_agreement` outside 0.5-1.
    """
    if not 0.5 <= min_agreement <= 1.0:
        raise ValueError(f"the least agreement must lie between 0.5 and 1, got {min_agreement}")
    tied = winners(left, right, neither) == NO_WINNER
    seen_by = np.asarray(reviewers, dtype=np.float64)
    if seen_by.shape != tied.shape or not np.isfinite(seen_by).all():
        raise ValueError(f"one number of reviewers per pair is needed, got shape {seen_by.shape} for {tied.shape}")
    low = ~tied & (compare(agreements(left, right, neither), min_agreement) < 0)
    few = ~tied & ~low & (seen_by < min_reviewers)
    return PairFilter(~(tied | low | few), tied, low, few)


def vote_counts(
    left: ArrayLike, right: ArrayLike, neither: ArrayLike | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both columns of votes as whole numbers.

    Args:
        left: Shape ``(n,)``.
        right: Shape ``(n,)``.
        neither: Shape ``(n,)``, votes for neither; none: 0.

    Returns:
        Both, shape ``(n,)``.

    Raises:
        ValueError: Shapes differ, votes that are no counts, or a pair without a vote.
    """
    first, second = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    tied = np.zeros(first.shape) if neither is None else np.asarray(neither, dtype=np.float64)
    if first.ndim != 1 or not first.shape == second.shape == tied.shape:
        raise ValueError(
            f"votes must hold one number per pair, got shapes {first.shape}, {second.shape} and {tied.shape}"
        )
    for votes in (first, second, tied):
        bad = np.flatnonzero(~(np.isfinite(votes) & (votes >= 0) & (votes == np.floor(votes))))
        if bad.size:
            raise ValueError(f"votes must be whole numbers from 0 on, not so in {bad.size} rows: {_rows(bad)}")
    empty = np.flatnonzero(first + second + tied == 0)
    if empty.size:
        raise ValueError(f"{empty.size} pairs have no vote: {_rows(empty)}")
    return first.astype(np.int64), second.astype(np.int64)


def _rows(numbers: NDArray[np.intp]) -> str:
    more = ", ..." if numbers.size > SHOWN else ""
    return ", ".join(str(number) for number in numbers[:SHOWN]) + f"{more} (counted from 0)"
