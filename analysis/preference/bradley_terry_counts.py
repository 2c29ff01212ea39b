"""Votes between images as counts per pair, checked before strengths are fitted to them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.undefined import UndefinedStatistic

SHOWN = 5

Floats = NDArray[np.float64]


class Counts(NamedTuple):
    """Votes of pairs of images, which are numbers from 0; shape ``(n,)`` each."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    wins_first: Floats
    wins_second: Floats
    ties: Floats
    n_images: int


class CountedVotes(NamedTuple):
    """Labels of the images that got a vote, sorted; one entry per row with a vote; which rows of the input these are.

    `kept` has shape ``(n,)``.
    """

    images: NDArray[Any]
    counts: Counts
    kept: NDArray[np.bool_]


def win_counts(
    first: ArrayLike, second: ArrayLike, wins_first: ArrayLike, wins_second: ArrayLike, ties: ArrayLike | None
) -> CountedVotes:
    """The images that got a vote, and the rows with a vote in their numbers.

    Args:
        first: Shape ``(n,)``, labels of images (text or integers), the same label for the same image everywhere.
        second: Shape ``(n,)``.
        wins_first: Shape ``(n,)``, votes for the first.
        wins_second: Shape ``(n,)``, votes for the second.
        ties: Shape ``(n,)``, votes for neither; none: no ties.

    Returns:
        Rows with a vote in the order of the rows.

    Raises:
        ValueError: Shapes differ, an image against itself, or votes that are negative or missing.
        UndefinedStatistic: No vote.
    """
    one, two = labels_of(first), labels_of(second)
    votes = [np.asarray(column, dtype=np.float64) for column in (wins_first, wins_second)]
    votes.append(np.zeros(one.shape) if ties is None else np.asarray(ties, dtype=np.float64))
    if one.ndim != 1 or {one.shape} != {two.shape, *(column.shape for column in votes)}:
        raise ValueError(
            f"images and votes need one entry per row, got shapes {one.shape}, {two.shape} and "
            f"{', '.join(str(column.shape) for column in votes)}"
        )
    if any(not bool(np.all(np.isfinite(column) & (column >= 0))) for column in votes):
        raise ValueError("votes must be counts from 0 on, none missing")
    if one.dtype.kind != two.dtype.kind and one.size:
        raise ValueError("labels of images must be all text or all integers")
    itself = np.flatnonzero(one == two)
    if itself.size:
        raise ValueError(f"{itself.size} rows set an image against itself: {named(one[itself])}")
    voted = np.add.reduce(votes) > 0
    if not bool(voted.any()):
        raise UndefinedStatistic("no vote, so there are no strengths")
    images, number = np.unique(np.concatenate([one[voted], two[voted]]), return_inverse=True)
    half = int(voted.sum())
    won, lost, tied = (column[voted] for column in votes)
    return CountedVotes(images, Counts(number[:half], number[half:], won, lost, tied, len(images)), voted)


def per_pair(counts: Counts) -> Counts:
    """The same votes with one entry per pair of images, lower number first."""
    turned = counts.first > counts.second
    low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
    _, row, pair = np.unique(low * counts.n_images + high, return_index=True, return_inverse=True)

    def added(column: Floats) -> Floats:
        return np.bincount(pair, weights=column, minlength=row.size).astype(np.float64)

    return Counts(
        low[row],
        high[row],
        added(np.where(turned, counts.wins_second, counts.wins_first)),
        added(np.where(turned, counts.wins_first, counts.wins_second)),
        added(counts.ties),
        counts.n_images,
    )


def labels_of(images: ArrayLike) -> NDArray[Any]:
    """Labels as text or integers.

    Args:
        images: Shape ``(n,)``.

    Raises:
        ValueError: A label is missing, or neither text nor an integer.
    """
    array = np.asarray(images)
    if array.dtype.kind in "iuU":
        return array
    if array.size == 0 or all(isinstance(label, str) for label in array.ravel()):
        return array.astype(np.str_)
    if all(isinstance(label, int | np.integer) for label in array.ravel()):
        return array.astype(np.int64)
    raise ValueError("labels of images must be all text or all integers, none missing")


def named(images: Sequence[Any] | NDArray[Any]) -> str:
    """The first few labels, for a message."""
    return ", ".join(str(image) for image in images[:SHOWN]) + (", ..." if len(images) > SHOWN else "")
