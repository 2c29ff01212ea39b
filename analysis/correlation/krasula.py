"""Krasula's areas: does a metric tell different from similar pairs of samples, and the better from the worse one?"""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.correlation.score_correlation import SIDES
from analysis.messages import message
from analysis.resampling.pairs import paired
from analysis.ties import compare, differences

LEVEL = 0.95
# All pairs of 3,000 samples, 4.5 million; of more samples as many pairs are drawn.
MOST_PAIRS = 4_498_500


class KrasulaAreas(NamedTuple):
    """Areas under the ROC curve (0.5 is chance, 1 perfect) and the share of pairs put in the right order.

    An area is none where one of its two classes is empty, and `reason` says which. Pairs share samples, so no interval
    that takes them for independent is given.
    """

    different_similar: float | None
    better_worse: float | None
    correct_at_zero: float | None
    n_different: int
    n_similar: int
    n_pairs: int
    n_pairs_in_all: int
    reason: str


def krasula(
    prediction: ArrayLike, truth: ArrayLike, standard_error: ArrayLike, *, seed: int, most_pairs: int = MOST_PAIRS
) -> KrasulaAreas:
    """What a metric's differences say about pairs of samples.

    Two samples are different where ``Phi(|mos1 - mos2| / sqrt(se1^2 + se2^2))`` is at least 0.95, else similar.
    `different_similar` asks whether |difference of predictions| is larger for different pairs. `better_worse` asks,
    among different pairs in both orders, whether the signed difference is larger for (better, worse) than for (worse,
    better); `correct_at_zero` is the share in which its sign is right (a tie is wrong).

    Args:
        prediction: Shape ``(n,)``, in the direction in which higher is better.
        truth: Shape ``(n,)``, mean opinion scores.
        standard_error: Shape ``(n,)``, of each mean: SD of its votes / sqrt(votes), in the scores' unit.
        seed: Of the pairs that are drawn, with replacement, where there are more than `most_pairs`.
        most_pairs: How many pairs are looked at.

    Returns:
        The areas; equal differences count half.

    Raises:
        ValueError: Shapes differ, or a value is missing or negative where it may not be.
        UndefinedStatistic: Fewer than 3 samples.

    Source:
        Krasula, Fliegel, Le Callet and Klima (2016), QoMEX, "On the accuracy of objective image and video quality
        models"; the test of a pair is that of ITU-T J.149.
    """
    pairs = paired(prediction, truth, sides=SIDES)
    error = np.asarray(standard_error, dtype=np.float64)
    if error.shape != (pairs.n,):
        raise ValueError(f"one standard error per sample is needed, got shape {error.shape}")
    if not np.isfinite(error).all() or bool(np.any(error < 0.0)):
        raise ValueError("standard errors must be finite and not negative")
    first, second = _pairs(pairs.n, seed, most_pairs)
    of_truth, of_prediction = (differences(side[first], side[second]) for side in (pairs.human, pairs.judge))
    needed = float(scipy.special.ndtri(LEVEL)) * np.hypot(error[first], error[second])
    enough = compare(np.abs(of_truth), needed, np.maximum(np.abs(pairs.human[first]), np.abs(pairs.human[second]))) >= 0
    different = enough & (of_truth != 0.0)
    better = (of_prediction * np.sign(of_truth))[different]
    n_different, n_similar = int(different.sum()), int((~different).sum())
    return KrasulaAreas(
        _area(np.abs(better), np.abs(of_prediction[~different])) if n_different and n_similar else None,
        _area(better, -better) if n_different else None,
        float(np.mean(better > 0.0)) if n_different else None,
        n_different,
        n_similar,
        int(first.size),
        pairs.n * (pairs.n - 1) // 2,
        ""
        if n_different and n_similar
        else message("no pair is similar")
        if n_different
        else message("no pair is different"),
    )


def standard_errors(sd: ArrayLike, votes: ArrayLike) -> NDArray[np.float64]:
    """The standard error of each mean opinion score: ``sd / sqrt(votes)``, shape and unit of `sd`."""
    number = np.asarray(votes, dtype=np.float64)
    if not np.isfinite(number).all() or bool(np.any(number < 1)):
        raise ValueError("votes must be whole numbers from 1 on")
    return np.asarray(np.asarray(sd, dtype=np.float64) / np.sqrt(number))


def _pairs(n: int, seed: int, most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if n * (n - 1) // 2 <= most:
        first, second = np.triu_indices(n, 1)
        return first, second
    random = np.random.default_rng(seed)
    one = random.integers(0, n, most)
    # A shift of 1 to n - 1 never meets the sample itself.
    return one, (one + random.integers(1, n, most)) % n


def _area(above: NDArray[np.float64], below: NDArray[np.float64]) -> float:
    """The share of cross pairs in which the first class is larger, ties half (Mann-Whitney)."""
    below = np.sort(below)
    # Sorted, so that each look-up begins near the last one in memory.
    above = np.sort(above)
    smaller, not_larger = np.searchsorted(below, above, "left"), np.searchsorted(below, above, "right")
    # Divided one by one: the product of two sizes of millions leaves 15 digits.
    return float((smaller.mean() + not_larger.mean()) / 2.0 / below.size)
