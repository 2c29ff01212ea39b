"""The interval of the headline ICC where several objects come from one product."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.icc import DETERMINISTIC, icc
from analysis.agreement.mean_squares import one_way_icc, parted, score_matrix
from analysis.intervals.headline import headline_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.weighted import OfCounts
from analysis.undefined import UndefinedStatistic


def icc_by_product(
    scores: ArrayLike, clusters: ArrayLike, *, resampling: Resampling, planned_repeats: int | None = None
) -> Interval:
    """How far ICC(1,k) at the planned k could have come out with other products of the same kind.

    Objects of one product resemble each other; the F interval takes them for unrelated and is too narrow.

    Args:
        scores: Shape ``(n_objects, n_repeats)``, any one scale; NaN is a missing score.
        clusters: Shape ``(n_objects,)``, the product of each object.
        resampling: Of the interval.
        planned_repeats: As for `icc`.

    Returns:
        The delete-one-product jackknife's. Objects without a valid score are left out. There are no bounds where the
        coefficient is not defined without one of the products.

    Raises:
        ValueError: As `icc`; or not one cluster per object.
        UndefinedStatistic: As `icc`; or a deterministic setting, which has no interval.

    Source:
        Arvesen (1969), Ann. Math. Stat. 40:2076-2100 (jackknife of variance components on a log scale); Ukoumunne et
        al. (2003), Statistics in Medicine 22:3805-3821 (of an intraclass correlation).
    """
    matrix, products = score_matrix(scores), np.asarray(clusters)
    if products.shape != (len(matrix),):
        raise ValueError(f"clusters must name the product of each of {len(matrix)} objects; shape {products.shape}")
    estimate = icc(matrix, planned_repeats, resampling.confidence)
    if estimate.deterministic:
        raise UndefinedStatistic(DETERMINISTIC)
    used = ~np.isnan(matrix).all(axis=1)
    of_counts = icc_of_counts(matrix[used], estimate.planned_repeats)
    return headline_intervals(
        lambda counts: of_counts(counts)[:, None], ("icc",), products[used], resampling=resampling
    )[0]


def icc_of_counts(scores: ArrayLike, planned_repeats: int) -> OfCounts:
    """A function from counts to ICC(1,k) at the planned k, for many resamples of the objects at once.

    Args:
        scores: Shape ``(n_objects, n_repeats)``, at least one valid score in each row; NaN is a missing score.
        planned_repeats: As for `icc`.

    Returns:
        Takes counts of shape ``(resamples, n_objects)`` and gives shape ``(resamples,)``, NaN where the resample does
        not define the coefficient, or where the repeats of every object drawn are equal: 1 would say nothing there.
    """
    matrix = score_matrix(scores)
    moments = _object_moments(matrix, (~np.isnan(matrix)).sum(axis=1, dtype=np.float64))
    return lambda counts: _resampled(counts, moments, planned_repeats)


def _object_moments(matrix: NDArray[np.float64], repeats: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each object adds to the sums of squares: shape ``(n_objects, 6)``."""
    parts = parted(matrix, repeats)
    # Equal repeats leave noise of the mean's last digit, which is no spread.
    within = np.where(np.nanmax(matrix, axis=1) > np.nanmin(matrix, axis=1), np.square(parts.within).sum(axis=0), 0.0)
    totals = repeats * parts.objects
    return np.column_stack(
        [
            np.ones(len(repeats)),
            repeats,
            repeats**2,
            within,
            totals,
            totals * parts.objects,
        ]
    )


def _resampled(counts: NDArray[np.int64], moments: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """ICC(1,k) of each resample, NaN where it is undefined; an object drawn twice is two objects."""
    n, cells, squared, within, totals, between = (counts.astype(np.float64) @ moments).T
    with np.errstate(invalid="ignore"):
        ssb = between - totals**2 / cells
        # What is left of equal objects after the subtraction is noise of its own digits.
        ssb[ssb <= 1e-13 * between] = 0.0
        msb, msw = ssb / (n - 1), within / (cells - n)
        k0 = (cells - squared / cells) / (n - 1)
    values = one_way_icc(msb, msw, k0, k)
    values[msw == 0.0] = np.nan
    return values
