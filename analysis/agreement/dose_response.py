"""Whether more of an alteration costs more of the score, within items."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals
from analysis.messages import message
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.resampling.weighted import Counts, Floats
from analysis.ties import compare, join_ties
from analysis.undefined import UndefinedStatistic

FEWEST_MAGNITUDES = 3


class DoseResponse(NamedTuple):
    """The line through drops against dose after each item's own mean is taken from both.

    `slope` is in the drops' unit for one unit of dose, `intercept` the drop at dose 0 in the drops' unit; `r2` and
    `pearson` are unitless, and None where no drop changes with the dose: `reason` says so.
    """

    slope: float
    slope_interval: Interval
    intercept: float
    r2: float | None
    r2_interval: Interval | None
    pearson: float | None
    reason: str | None
    n_items: int
    n_used: int
    n_cells: int
    n_missing_cells: int
    n_clusters: int


def dose_response(
    drops: ArrayLike, magnitudes: ArrayLike, clusters: ArrayLike | None = None, *, resampling: Resampling
) -> DoseResponse:
    """How drops grow with the dose, items compared with themselves only.

    Args:
        drops: Shape ``(n_items, n_magnitudes)``, original - altered scores on 0-1; NaN is a missing pair.
        magnitudes: Shape ``(n_magnitudes,)``, the dose of each column, in its own unit, all different.
        clusters: Shape ``(n_items,)``, the cluster of each item; none: every item is its own.
        resampling: Of the intervals.

    Returns:
        Items with at least 2 pairs are used and counted in `n_used`. `r2` is the share of the variance within items
        that the dose explains; read it with the slope's sign. A number that is the same without any of
        the items has no interval.

    Raises:
        ValueError: Shapes do not fit, a drop or magnitude is infinite, or a magnitude occurs twice.
        UndefinedStatistic: Fewer than 3 magnitudes with a pair of an item that has another.

    Source:
        Wooldridge (2010), Econometric Analysis of Cross Section and Panel Data, section 10.5 (within estimator).
    """
    matrix, doses = dosed_drops(drops, magnitudes)
    index, _ = cluster_index(np.arange(len(matrix)) if clusters is None else clusters)
    if index.size != len(matrix):
        raise ValueError(f"clusters must name one cluster per item, got shape {index.shape} for {len(matrix)} items")
    present = ~np.isnan(matrix)
    n_missing = int((~present).sum())
    used = present.sum(axis=1) >= 2
    matrix, present, index = matrix[used], present[used], cluster_index(index[used])[0] if used.any() else index[used]
    n_magnitudes = int(present.any(axis=0).sum())
    if n_magnitudes < FEWEST_MAGNITUDES:
        raise UndefinedStatistic(
            "{n_magnitudes} magnitudes with a pair of an item that has another, at least {fewest} needed",
            n_magnitudes=n_magnitudes,
            fewest=FEWEST_MAGNITUDES,
        )
    moments = _within_items(matrix, present, doses)
    once = np.ones((1, len(matrix)), dtype=np.int64)
    slope, r2 = (float(value) for value in _line(once, moments)[0])
    intervals = headline_intervals(
        lambda counts: _line(counts, moments), ("mean", "r_squared"), index, resampling=resampling, refuse_constant=True
    )
    mean_dose = float(np.broadcast_to(doses, matrix.shape)[present].mean())
    flat = bool(np.isnan(r2))
    return DoseResponse(
        slope=slope,
        slope_interval=intervals[0],
        intercept=float(matrix[present].mean()) - slope * mean_dose,
        r2=None if flat else r2,
        r2_interval=None if flat else intervals[1],
        pearson=None if flat else float(np.sign(slope) * np.sqrt(r2)),
        reason=message("no item's drops change with the dose") if flat else None,
        n_items=used.size,
        n_used=len(matrix),
        n_cells=int(present.sum()),
        n_missing_cells=n_missing,
        n_clusters=intervals[0].n_clusters,
    )


def dosed_drops(drops: ArrayLike, magnitudes: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Drops with their ties joined, and the dose of each column.

    Args:
        drops: Shape ``(n_items, n_magnitudes)``, as `ties.differences` gives them; NaN is a missing pair.
        magnitudes: Shape ``(n_magnitudes,)``.

    Returns:
        Both as floats.

    Raises:
        ValueError: Shapes do not fit, a drop or magnitude is infinite, or a magnitude occurs twice.
    """
    matrix, doses = np.asarray(drops, dtype=np.float64), np.asarray(magnitudes, dtype=np.float64)
    if matrix.ndim != 2 or doses.shape != matrix.shape[1:]:
        raise ValueError(f"drops must be items by magnitudes, got shapes {matrix.shape} and {doses.shape}")
    if np.isinf(matrix).any() or not np.isfinite(doses).all():
        raise ValueError("drops and magnitudes must be finite; a missing drop is NaN, a magnitude is never missing")
    if np.unique(join_ties(doses)).size < doses.size:
        raise ValueError(f"a magnitude occurs twice in {doses.tolist()}")
    return join_ties(matrix), doses


def _within_items(matrix: Floats, present: NDArray[np.bool_], doses: Floats) -> Floats:
    """Each item's sums of squares and products about its own means: dose, drop, both; shape ``(n_items, 3)``."""
    cells = present.sum(axis=1)[:, None]
    centred = []
    for values in (np.broadcast_to(doses, matrix.shape), matrix):
        kept = np.where(present, values, 0.0)
        centred.append(np.where(present, values - kept.sum(axis=1)[:, None] / cells, 0.0))
    dose, drop = centred
    # The mean of equal drops may be off by a bit, which would show as a spread.
    drop = join_ties(drop, np.fmax.reduce(np.abs(matrix), axis=1, keepdims=True))
    return np.column_stack([(dose * dose).sum(axis=1), (drop * drop).sum(axis=1), (dose * drop).sum(axis=1)])


def _line(counts: Counts, moments: Floats) -> Floats:
    """Slope and R squared of each resample, shape ``(resamples, 2)``; an item drawn twice is two items."""
    of_dose, of_drop, of_both = (counts @ moments).T
    # A sum of products that cancel leaves their last digits.
    of_both = np.where(compare(of_both, 0.0, np.sqrt(of_dose) * np.sqrt(of_drop)) == 0, 0.0, of_both)
    r2 = np.full(len(counts), np.nan)
    np.divide(of_both**2, of_dose * of_drop, out=r2, where=of_drop > 0.0)
    return np.column_stack([of_both / of_dose, np.clip(r2, 0.0, 1.0)])
