"""How many repeats an object needs: its running statistics, and where their interval becomes narrow enough."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.mean_squares import score_matrix
from analysis.agreement.stability import stability, t_quantile
from analysis.ties import compare

THRESHOLD = 0.02
FEWEST_REPEATS = 3


@dataclass(frozen=True)
class Convergence:
    """Curves of shape ``(n_objects, n_repeats)`` in score units: column n - 1 holds the first n valid repeats.

    NaN where the object has fewer than n valid repeats, and for spread and interval at n = 1. A number of repeats is
    None where the object never comes there.

    Attributes:
        n_valid: Shape ``(n_objects,)``, valid repeats.
        mean: Running mean.
        median: Running median.
        mad: Running median distance from the running median.
        sd: Running standard deviation, n - 1 in the denominator.
        low: Lower end of the running mean's t interval.
        high: Its upper end.
        half_width: Half of its length; holds for one look at an n fixed beforehand.
        half_width_all_looks: The same for all planned looks n = 2..N together.
        first_n: Smallest n >= 3 with spread and `half_width` at or below the threshold.
        stable_n: Smallest n from which that stays so to the last valid repeat.
        projected_n: Repeats that would do, judged by the spread of all valid repeats; None without spread.
        first_n_all_looks: `first_n` of `half_width_all_looks`: safe although one looks after every repeat.
        threshold: Half-width aimed at, score units.
        planned_repeats: N of the planned looks.
        method: How both half-widths were made.
    """

    n_valid: NDArray[np.int64]
    mean: NDArray[np.float64]
    median: NDArray[np.float64]
    mad: NDArray[np.float64]
    sd: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    half_width: NDArray[np.float64]
    half_width_all_looks: NDArray[np.float64]
    first_n: tuple[int | None, ...]
    stable_n: tuple[int | None, ...]
    projected_n: tuple[int | None, ...]
    first_n_all_looks: tuple[int | None, ...]
    threshold: float
    planned_repeats: int
    method: str


class ConvergenceSummary(NamedTuple):
    """Over objects, at each n (shape ``(n_repeats,)``); half-widths NaN where no object has one.

    ``n_objects`` have n valid repeats; ``n_at_or_below`` of them have a half-width at or below the threshold,
    ``n_without_spread`` of those only because their repeats so far are equal.
    """

    n: NDArray[np.int64]
    n_objects: NDArray[np.int64]
    mean_half_width: NDArray[np.float64]
    median_half_width: NDArray[np.float64]
    max_half_width: NDArray[np.float64]
    n_at_or_below: NDArray[np.int64]
    n_without_spread: NDArray[np.int64]


def convergence(
    scores: ArrayLike, threshold: float = THRESHOLD, planned_repeats: int | None = None, confidence: float = 0.95
) -> Convergence:
    """Running statistics of every object after each repeat, and the repeats after which its mean is known well enough.

    Args:
        scores: Shape ``(n_objects, n_repeats)`` on 0-1, repeats in the order they were made. Missing scores (NaN) are
            skipped: n counts valid repeats.
        threshold: Half-width aimed at, above 0.
        planned_repeats: N of the looks planned; the number of columns when left out.
        confidence: Between 0 and 1.

    Returns:
        Curves and repeat numbers. Equal repeats (sd 0) never count as arrived: their width says nothing about the next.

    Raises:
        ValueError: Not a matrix, an infinite score, a threshold not above 0, fewer repeats planned than there are, or
            a confidence outside 0-1.

    Source:
        Student (1908), Biometrika 6:1-25; all looks by Bonferroni: t at ``1 - alpha / (2 (N - 1))``, Dunn (1961),
        JASA 56:52-64.
    """
    matrix = score_matrix(scores)
    n_objects, n_repeats = matrix.shape
    planned = n_repeats if planned_repeats is None else planned_repeats
    if not threshold > 0:
        raise ValueError(f"threshold is {threshold}; a half-width must be above 0")
    if planned < n_repeats:
        raise ValueError(f"planned_repeats is {planned}, but there are {n_repeats} repeats")
    in_order = np.take_along_axis(matrix, np.argsort(np.isnan(matrix), axis=1, kind="stable"), axis=1)
    n_valid = (~np.isnan(matrix)).sum(axis=1)
    names = ("mean", "median", "mad", "sd", "low", "high", "half_width")
    curves = {name: np.full((n_objects, n_repeats), np.nan) for name in names}
    for n in range(1, n_repeats + 1):
        so_far = stability(in_order[:, :n], confidence)
        for name, curve in curves.items():
            curve[:, n - 1] = np.where(n_valid >= n, getattr(so_far, name), np.nan)
    looks = max(planned - 1, 1)
    ns = np.arange(1, n_repeats + 1)
    all_looks = t_quantile(ns, 1 - (1 - confidence) / (2 * looks)) * curves["sd"] / np.sqrt(ns)
    last_sd = curves["sd"][np.arange(n_objects), np.maximum(n_valid - 1, 0)]
    arrived = _arrived(curves["half_width"], curves["sd"], threshold)
    return Convergence(
        n_valid=n_valid,
        **curves,
        half_width_all_looks=all_looks,
        first_n=_first(arrived),
        stable_n=_first(_stays(arrived, n_valid)),
        projected_n=_projected(last_sd, threshold, confidence),
        first_n_all_looks=_first(_arrived(all_looks, curves["sd"], threshold)),
        threshold=threshold,
        planned_repeats=planned,
        method=f"t, {100 * confidence:g} %; all {looks} planned looks by Bonferroni",
    )


def summarised(curves: Convergence) -> ConvergenceSummary:
    """How wide the objects' intervals are after each number of repeats, and how many are narrow enough."""
    width = curves.half_width
    with_interval = ~np.isnan(width)
    n_repeats = width.shape[1]
    mean, median, widest = (np.full(n_repeats, np.nan) for _ in range(3))
    for column in np.flatnonzero(with_interval.any(axis=0)):
        seen = width[with_interval[:, column], column]
        mean[column], median[column], widest[column] = seen.mean(), np.median(seen), seen.max()
    return ConvergenceSummary(
        n=np.arange(1, n_repeats + 1),
        n_objects=(~np.isnan(curves.mean)).sum(axis=0),
        mean_half_width=mean,
        median_half_width=median,
        max_half_width=widest,
        n_at_or_below=(compare(width, curves.threshold) <= 0).sum(axis=0),
        n_without_spread=(curves.sd == 0).sum(axis=0),
    )


def _arrived(half_width: NDArray[np.float64], sd: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    enough = np.arange(1, half_width.shape[1] + 1) >= FEWEST_REPEATS
    return enough & (sd > 0) & (compare(half_width, threshold) <= 0)


def _stays(arrived: NDArray[np.bool_], n_valid: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether every look from this one to the last valid repeat has arrived."""
    beyond = np.arange(1, arrived.shape[1] + 1) > n_valid[:, None]
    to_the_end = np.logical_and.accumulate((arrived | beyond)[:, ::-1], axis=1)[:, ::-1]
    return to_the_end & ~beyond


def _first(reached: NDArray[np.bool_]) -> tuple[int | None, ...]:
    ever = np.asarray(reached.any(axis=1)).tolist()
    return tuple(at + 1 if yes else None for at, yes in zip(reached.argmax(axis=1).tolist(), ever, strict=True))


def _projected(sd: NDArray[np.float64], threshold: float, confidence: float) -> tuple[int | None, ...]:
    probability = (1 + confidence) / 2
    spread = np.where(sd > 0, sd, np.nan)
    # t exceeds the normal quantile, so the answer is never below this; it is at most a few repeats above.
    least = np.floor((float(scipy.special.ndtri(probability)) * spread / threshold) ** 2)
    n = np.fmax(least, FEWEST_REPEATS)
    while (short := compare(t_quantile(n, probability) * spread / np.sqrt(n), threshold) > 0).any():
        n = n + short
    none = np.isnan(spread).tolist()
    return tuple(None if missing else int(at) for at, missing in zip(n.tolist(), none, strict=True))
