"""Page's test: whether drops rise with the dose in every item, whatever the shape of the rise."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.dose_response import FEWEST_MAGNITUDES, dosed_drops
from analysis.messages import message
from analysis.undefined import UndefinedStatistic

MOST_MAGNITUDES = 12
METHOD = message("exact permutation of the ranks within items, ties kept")


class PageTrend(NamedTuple):
    """Page's L with its smallest, expected and largest value, and the one-sided p against no trend, unitless."""

    value: float
    p: float
    p_method: str
    lowest: float
    expected: float
    highest: float
    n_items: int
    n_used: int
    n_magnitudes: int


def page_trend(drops: ArrayLike, magnitudes: ArrayLike) -> PageTrend:
    """Whether drops rise with the magnitude, judged by their order within items.

    Args:
        drops: Shape ``(n_items, n_magnitudes)``, original - altered scores on 0-1; NaN is a missing pair.
        magnitudes: Shape ``(n_magnitudes,)``, the dose of each column, all different, in any order.

    Returns:
        ``L = sum over items of 1 r_1 + 2 r_2 + ...``, with r the mid-ranks of the item's drops from the smallest dose
        to the largest. p is the probability of at least this L when each item's ranks, ties included, fall on the
        doses in random order: exact, by convolution of the items' distributions (equal tie patterns by repeated
        squaring). Items that lack a magnitude are not used.

    Raises:
        ValueError: Shapes do not fit, a drop or magnitude is infinite, or a magnitude occurs twice.
        UndefinedStatistic: Fewer than 3 magnitudes or more than 12, no item with all of them, or no item whose drops
            differ.

    Source:
        Page (1963), J. Am. Stat. Assoc. 58:216-230; ties: Hollander and Wolfe (1999), section 7.2.
    """
    matrix, doses = dosed_drops(drops, magnitudes)
    n_magnitudes = doses.size
    if n_magnitudes > MOST_MAGNITUDES:
        raise UndefinedStatistic(
            "{n_magnitudes} magnitudes; the exact distribution is made for {most} at most",
            n_magnitudes=n_magnitudes,
            most=MOST_MAGNITUDES,
        )
    if n_magnitudes < FEWEST_MAGNITUDES:
        raise UndefinedStatistic(
            "{n_magnitudes} magnitudes, at least {fewest} needed for a trend",
            n_magnitudes=n_magnitudes,
            fewest=FEWEST_MAGNITUDES,
        )
    complete = matrix[~np.isnan(matrix).any(axis=1)][:, np.argsort(doses)]
    if not len(complete):
        raise UndefinedStatistic("no item has a pair at every magnitude")
    if bool(np.all(complete == complete[:, :1])):
        raise UndefinedStatistic("no item's drops differ between magnitudes")
    # Ranks as whole numbers: doubled where some are halves.
    mid_ranks = scipy.stats.rankdata(complete, axis=1)
    scale = 1 if bool(np.all(mid_ranks == np.rint(mid_ranks))) else 2
    ranks = np.rint(scale * mid_ranks).astype(np.int64)
    ascending, places = np.sort(ranks, axis=1), np.arange(1, n_magnitudes + 1)
    chances = _distribution(Counter(tuple(row) for row in ascending.tolist()))
    lowest, seen = int((ascending[:, ::-1] @ places).sum()), int((ranks @ places).sum())
    return PageTrend(
        value=seen / scale,
        p=float(min(1.0, chances[seen - lowest :].sum())),
        p_method=METHOD,
        lowest=lowest / scale,
        expected=len(complete) * n_magnitudes * (n_magnitudes + 1) ** 2 / 4,
        highest=(lowest + len(chances) - 1) / scale,
        n_items=len(matrix),
        n_used=len(complete),
        n_magnitudes=n_magnitudes,
    )


def _distribution(patterns: Counter[tuple[int, ...]]) -> NDArray[np.float64]:
    """The chance of each sum of L above the smallest one, over all items."""
    total = np.ones(1)
    for pattern, count in patterns.items():
        power, left = _of_one_item(pattern), count
        while left:
            if left % 2:
                # Sums of positive products: even the smallest chance keeps its digits, which a Fourier route loses.
                total = np.convolve(total, power)
            left //= 2
            if left:
                power = np.convolve(power, power)
    return total


def _of_one_item(pattern: tuple[int, ...]) -> NDArray[np.float64]:
    """The same over the orders of one item's whole ranks, dose by dose; a state says how many of each are left."""
    ranks = sorted(set(pattern))
    highest = sum(place * rank for place, rank in enumerate(sorted(pattern), start=1))
    lowest = sum(place * rank for place, rank in enumerate(sorted(pattern, reverse=True), start=1))
    states = {tuple(pattern.count(rank) for rank in ranks): np.eye(1, highest + 1)[0]}
    for place in range(1, len(pattern) + 1):
        after: dict[tuple[int, ...], NDArray[np.float64]] = {}
        for state, chances in states.items():
            for which, left in enumerate(state):
                if not left:
                    continue
                step, rest = place * ranks[which], (*state[:which], left - 1, *state[which + 1 :])
                moved = after.setdefault(rest, np.zeros(highest + 1))
                moved[step:] += chances[: highest + 1 - step] * (left / sum(state))
        states = after
    [chances] = states.values()
    return np.asarray(chances[lowest:])
