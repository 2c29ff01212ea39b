"""The signed-rank test: whether differences lie as far above 0 as below."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.ties import join_ties
from analysis.undefined import UndefinedStatistic

MOST_EXACT = 50
EXACT = message("exact (sign flips of the actual mid-ranks)")
NORMAL = message("normal (Pratt, tie correction)")


class SignedRank(NamedTuple):
    """Sum of the ranks of the positive differences with its two-sided p, unitless; `n_zero` of the `n` are 0.

    `middle` is what the sum is where differences lie as far above 0 as below: above it they lean to the positive side.
    """

    statistic: float
    p: float
    method: str
    n: int
    n_zero: int
    middle: float


def signed_rank(differences: ArrayLike) -> SignedRank:
    """Whether differences are spread evenly about 0, by the signed-rank test, two-sided.

    Args:
        differences: Shape ``(n,)``, in the scores' unit, independent of each other, as `ties.differences` gives them.

    Returns:
        Mid-ranks of the absolute differences; zeros take the lowest ranks and then leave the sum (Pratt). p is the
        share of all sign flips of these very ranks that lie at least as far from the middle, for up to 50 differences
        that are not 0; beyond that normal without continuity correction. The smallest p of n such differences is
        ``2 / 2**n``: 5 cannot reach 0.05.

    Raises:
        ValueError: Not one-dimensional, or a difference is missing or infinite.
        UndefinedStatistic: No difference, or all are 0.

    Source:
        Wilcoxon (1945), Biometrics Bulletin 1:80-83; Pratt (1959), J. Am. Stat. Assoc. 54:655-667.
    """
    values = finite_differences(differences)
    if not values.size:
        raise UndefinedStatistic("no difference to test")
    moved = values[values != 0.0]
    if not moved.size:
        raise UndefinedStatistic("all of {n} differences are 0", n=values.size)
    n_zero = int(values.size - moved.size)
    doubled = np.rint(2.0 * scipy.stats.rankdata(np.abs(moved))).astype(np.int64)
    positive = moved > 0.0
    n_positive = int(np.count_nonzero(positive))
    seen = 2 * n_zero * n_positive + int(doubled[positive].sum())
    exact = moved.size <= MOST_EXACT
    p = _exact_p(doubled, n_zero, seen) if exact else _normal_p(n_zero + doubled / 2.0, seen / 2.0)
    middle = (2 * n_zero * moved.size + int(doubled.sum())) / 4.0
    return SignedRank(seen / 2.0, p, EXACT if exact else NORMAL, int(values.size), n_zero, middle)


def finite_differences(differences: ArrayLike) -> NDArray[np.float64]:
    """The differences with their ties joined, shape ``(n,)``.

    Raises:
        ValueError: Not one-dimensional, or a difference is missing or infinite.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"differences must be one list of numbers, got shape {values.shape}")
    missing = int(np.count_nonzero(~np.isfinite(values)))
    if missing:
        raise ValueError(f"{missing} of {values.size} differences are missing or infinite; drop and count them")
    return join_ties(values)


def _exact_p(doubled: NDArray[np.int64], n_zero: int, seen: int) -> float:
    """The share of sign flips at least as far from the middle, from twice the ranks among differences that are not 0.

    Zeros raise every rank by `n_zero`: a sum is determined by the number of positive signs and their ranks without the
    zeros, so the table of both stays small however many zeros there are. Its counts are whole numbers up to 2**50.
    """
    n = doubled.size
    flips = np.zeros((n + 1, int(doubled.sum()) + 1), dtype=np.int64)
    flips[0, 0] = 1
    for rank in doubled:
        flips[1:, rank:] += flips[:-1, :-rank].copy()
    n_positive, sums = np.indices(flips.shape, sparse=True)
    twice_middle = 2 * n_zero * n + int(doubled.sum())
    distances = np.abs(2 * (2 * n_zero * n_positive + sums) - twice_middle)
    return float(int(flips[distances >= abs(2 * seen - twice_middle)].sum()) / 2**n)


def _normal_p(ranks: NDArray[np.float64], seen: float) -> float:
    """Each rank counts or not with chance 1/2: the ranks as they are carry both corrections."""
    distance = abs(seen - float(ranks.sum()) / 2.0)
    return float(2.0 * scipy.stats.norm.sf(distance / (float(np.sqrt((ranks**2).sum())) / 2.0)))
