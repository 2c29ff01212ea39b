"""Exact two-sided p-values of correlations by all permutations of one side, for up to nine pairs."""

from functools import cache
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.resampling.weighted import centred
from analysis.ties import compare

LARGEST = 9
Kind = Literal["pearson", "spearman", "kendall"]


@cache
def _orders(n: int) -> NDArray[np.int8]:
    """All orders of n places in the order of a dictionary, so that the first is the identity: shape ``(n!, n)``."""
    if n == 1:
        return np.zeros((1, 1), dtype=np.int8)
    rest = _orders(n - 1)
    return np.concatenate([np.insert(rest + (rest >= first), 0, first, axis=1) for first in range(n)], dtype=np.int8)


def exact_p(kind: Kind, x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The share of all n! pairings whose correlation is at least as far from 0 as the observed one.

    Args:
        kind: The correlation.
        x: Shape ``(n,)`` with n at most 9, not constant.
        y: Shape ``(n,)``, likewise.

    Returns:
        Two-sided p, at least 1 / n!.

    Raises:
        ValueError: More than 9 pairs.

    Source:
        Hollander, Wolfe and Chicken (2014), Nonparametric Statistical Methods, chapter 8.
    """
    if len(x) > LARGEST:
        raise ValueError(f"all permutations of {len(x)} pairs are too many, the most is {LARGEST}")
    orders = _orders(len(x))
    if kind == "kendall":
        statistics = _concordance_of_orders(x, y, orders)
    else:
        left, right = (x, y) if kind == "pearson" else (scipy.stats.rankdata(x), scipy.stats.rankdata(y))
        left, right = centred(left), centred(right)
        norm = float(np.sqrt((left**2).sum()) * np.sqrt((right**2).sum()))
        statistics = right[orders] @ left / norm
    distance = np.abs(statistics)
    # The first permutation is the identity, the observed pairing. A correlation is a sum of products of at most 1.
    return float(np.mean(compare(distance, distance[0], 1.0) >= 0))


def _concordance_of_orders(
    x: NDArray[np.float64], y: NDArray[np.float64], orders: NDArray[np.int8]
) -> NDArray[np.float64]:
    signs = np.sign(y[:, None] - y[None, :]).astype(np.int8)
    total = np.zeros(len(orders), dtype=np.int16)
    for i in range(len(x)):
        for j in range(i):
            if x[i] != x[j]:
                pair = signs[orders[:, i], orders[:, j]]
                total += pair if x[i] > x[j] else -pair
    return total.astype(np.float64)
