"""How steady a judge is on each object: centre, spread and interval over its repeats."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.mean_squares import score_matrix
from analysis.ties import compare

OUTLIER_MADS = 2.5 * 1.4826
FEWEST_REPEATS_FOR_OUTLIERS = 10


@dataclass(frozen=True)
class Stability:
    """One entry per object, in score units; NaN where `reasons` says that the object's repeats define no number.

    Attributes:
        n_valid: Valid repeats.
        mean: The judge's score of the object.
        median: The older study's score of the object.
        mad: Median distance from the median, not multiplied by 1.4826.
        sd: With n - 1 in the denominator; exactly 0 where all valid repeats are equal.
        low: Lower end of the t interval of the mean.
        high: Its upper end.
        half_width: Half of its length.
        n_outliers: Outlier repeats; None below 10 valid repeats.
        outlier: Shape ``(n_objects, n_repeats)``, whether that repeat is flagged; nowhere true below 10.
        reasons: None where everything is defined.
        method: How the interval was made.
    """

    n_valid: NDArray[np.int64]
    mean: NDArray[np.float64]
    median: NDArray[np.float64]
    mad: NDArray[np.float64]
    sd: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    half_width: NDArray[np.float64]
    n_outliers: tuple[int | None, ...]
    outlier: NDArray[np.bool_]
    reasons: tuple[str | None, ...]
    method: str


def stability(scores: ArrayLike, confidence: float = 0.95) -> Stability:
    """Mean, median, MAD, sd and t interval of every object's repeats, and which repeats stand out.

    Args:
        scores: Shape ``(n_objects, n_repeats)`` on 0-1; NaN is a missing score.
        confidence: Of the intervals, between 0 and 1.

    Returns:
        Arrays over objects. One valid repeat has a mean but no sd and no interval (not width 0). A repeat is an
        outlier where ``|x - median| > 2.5 * 1.4826 * MAD`` and ``MAD > 0``, looked for from 10 valid repeats on (with
        5 the rule flags 9 % of clean ones); it is flagged, never removed.

    Raises:
        ValueError: Not a matrix, an infinite score, or a confidence outside 0-1.

    Source:
        Student (1908), Biometrika 6:1-25; outliers: Leys et al. (2013), J. Exp. Soc. Psychology 49:764-766.
    """
    matrix = score_matrix(scores)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    n_valid = (~np.isnan(matrix)).sum(axis=1)
    median = _row_median(matrix, n_valid)
    distance = np.abs(matrix - median[:, None])
    mad = _row_median(distance, n_valid)
    mean, sd = _mean_and_sd(matrix, n_valid)
    half_width = t_quantile(n_valid, (1 + confidence) / 2) * sd / np.sqrt(np.maximum(n_valid, 1))
    largest = np.fmax.reduce(np.abs(matrix), axis=1)
    searched = (n_valid >= FEWEST_REPEATS_FOR_OUTLIERS) & (compare(mad, 0.0, largest) > 0)
    outlier = searched[:, None] & (compare(distance, (OUTLIER_MADS * mad)[:, None], largest[:, None]) > 0)
    return Stability(
        n_valid=n_valid,
        mean=mean,
        median=median,
        mad=mad,
        sd=sd,
        low=mean - half_width,
        high=mean + half_width,
        half_width=half_width,
        n_outliers=tuple(
            found if n >= FEWEST_REPEATS_FOR_OUTLIERS else None
            for found, n in zip(outlier.sum(axis=1).tolist(), n_valid.tolist(), strict=True)
        ),
        outlier=outlier,
        reasons=tuple(_reason(n) for n in n_valid.tolist()),
        method=f"t, {100 * confidence:g} %, repeats of one object",
    )


def t_quantile(n: ArrayLike, probability: ArrayLike) -> NDArray[np.float64]:
    """Student's t at n - 1 degrees of freedom; NaN where n is below 2."""
    counts = np.asarray(n, dtype=np.float64)
    return np.where(counts >= 2, scipy.special.stdtrit(np.maximum(counts - 1, 1), probability), np.nan)


def _row_median(matrix: NDArray[np.float64], n_valid: NDArray[np.int64]) -> NDArray[np.float64]:
    # NaN sorts last, so the valid scores of a row are its first n_valid; an empty row gives NaN.
    ordered = np.sort(matrix, axis=1)
    rows = np.arange(len(matrix))
    below = ordered[rows, np.maximum(n_valid - 1, 0) // 2]
    return np.asarray((below + ordered[rows, np.minimum(n_valid // 2, matrix.shape[1] - 1)]) / 2)


def _mean_and_sd(
    matrix: NDArray[np.float64], n_valid: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    mean = np.full(len(matrix), np.nan)
    np.divide(np.nansum(matrix, axis=1), n_valid, out=mean, where=n_valid >= 1)
    sd = np.full(len(matrix), np.nan)
    np.divide(np.nansum(np.square(matrix - mean[:, None]), axis=1), n_valid - 1, out=sd, where=n_valid >= 2)
    equal = np.fmax.reduce(matrix, axis=1) == np.fmin.reduce(matrix, axis=1)
    return mean, np.where(equal & (n_valid >= 2), 0.0, np.sqrt(sd))


def _reason(n_valid: int) -> str | None:
    if n_valid == 0:
        return "no valid repeat"
    return "one valid repeat: no spread and no interval" if n_valid == 1 else None
