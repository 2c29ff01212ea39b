"""Whether two raters use each category equally often: Stuart and Maxwell's test, and Bhapkar's."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.undefined import UndefinedStatistic

ASSUMES = "assumes independence of units"
# Eigenvalues of the variance below this share of the largest are 0: categories that never move against each other.
RANK = 1e-10


class MarginalHomogeneity(NamedTuple):
    """`statistic` is chi-square with `df` degrees of freedom; a small `p` says that the raters' shares differ."""

    statistic: float
    df: int
    p: float
    method: str
    n: int


def stuart_maxwell(table: ArrayLike) -> MarginalHomogeneity:
    """Whether row and column shares of a square table differ, with the variance under no difference.

    Args:
        table: Shape ``(k, k)``, units by the first rater's and the second's category, both in the same order.

    Returns:
        ``d' V⁻ d``, d the differences of row and column sums, V of ``r + c - 2 n_ii`` on the diagonal and
        ``-(n_ij + n_ji)`` elsewhere; df is the rank of V (k - 1 unless categories never meet). Two categories: McNemar
        without correction.

    Raises:
        ValueError: Not square, or a count that is negative or missing.
        UndefinedStatistic: Both raters agree on every unit.

    Source:
        Stuart (1955), Biometrika 42:412-416; Maxwell (1970), British Journal of Psychiatry 116:651-655.
    """
    counts = _square(table)
    statistic, df = _statistic(counts)
    return MarginalHomogeneity(statistic, df, _p(statistic, df), f"Stuart-Maxwell, {ASSUMES}", int(counts.sum()))


def bhapkar(table: ArrayLike) -> MarginalHomogeneity:
    """As `stuart_maxwell` with the variance that the shares have, which finds a difference sooner.

    Returns:
        ``W / (1 - W/n)`` with W of Stuart and Maxwell.

    Raises:
        ValueError: As there.
        UndefinedStatistic: As there, or the raters differ in one way on every unit, so that nothing varies.

    Source:
        Bhapkar (1966), J. Am. Stat. Assoc. 61:228-235; the relation: Keefe (1982), Biometrika 69:447-450.
    """
    counts = _square(table)
    statistic, df = _statistic(counts)
    left = 1.0 - statistic / float(counts.sum())
    if left <= RANK:
        raise UndefinedStatistic("the raters differ in one way on every unit, so nothing varies")
    return MarginalHomogeneity(statistic / left, df, _p(statistic / left, df), f"Bhapkar, {ASSUMES}", int(counts.sum()))


def _square(table: ArrayLike) -> NDArray[np.float64]:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"one row and one column per category are needed, got shape {counts.shape}")
    if not bool(np.all(np.isfinite(counts) & (counts >= 0.0))):
        raise ValueError("a count of units is negative or missing")
    return counts


def _statistic(counts: NDArray[np.float64]) -> tuple[float, int]:
    apart = counts - np.diag(np.diag(counts))
    differences = apart.sum(axis=1) - apart.sum(axis=0)
    variance = np.diag(apart.sum(axis=1) + apart.sum(axis=0)) - apart - apart.T
    values, vectors = np.linalg.eigh(variance)
    kept = values > RANK * max(float(values.max(initial=0.0)), 1.0)
    if not bool(kept.any()):
        raise UndefinedStatistic("both raters agree on every unit, so there is nothing to test")
    along = vectors[:, kept].T @ differences
    return float((along**2 / values[kept]).sum()), int(kept.sum())


def _p(statistic: float, df: int) -> float:
    return float(scipy.stats.chi2.sf(statistic, df))
