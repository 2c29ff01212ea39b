"""Kendall's W: whether several raters put objects into the same order."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.undefined import UndefinedStatistic

METHOD = "chi-square, assumes independence of objects"


class KendallW(NamedTuple):
    """`w` from 0 (no common order) to 1 (one order), corrected for ties; `chi_square` and `p` test it against 0.

    `n_used` objects have all ratings, of `n_total`.
    """

    w: float
    chi_square: float
    df: int
    p: float
    method: str
    n_raters: int
    n_used: int
    n_total: int


def kendall_w(scores: ArrayLike) -> KendallW:
    """How far raters agree on the order of objects, whatever the unit of each.

    Args:
        scores: Shape ``(n_objects, n_raters)``, raw scores that are compared exactly; NaN where a rater gave none. An
            object with a gap is left out and counted.

    Returns:
        ``12 S / (m² (n³ - n) - m T)`` with S the squared deviations of the objects' rank sums and T the sum of t³ - t
        over the ties of all raters; chi-square ``m (n - 1) w`` with n - 1 degrees of freedom (Friedman's test).

    Raises:
        ValueError: Not two-dimensional, or an infinite score.
        UndefinedStatistic: Fewer than 2 raters or 3 objects with all ratings, or every rater ties all objects.

    Source:
        Kendall and Babington Smith (1939), Ann. Math. Stat. 10:275-287; ties: Kendall and Gibbons (1990), Rank
        Correlation Methods, chapter 6.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"one row per object and one column per rater are needed, got shape {values.shape}")
    if bool(np.isinf(values).any()):
        raise ValueError("a score is infinite; scores must be finite, missing ones NaN")
    whole = values[~np.isnan(values).any(axis=1)]
    n, m = whole.shape
    if m < 2 or n < 3:
        raise UndefinedStatistic("{m} raters of {n} objects without a gap; it takes 2 raters and 3 objects", m=m, n=n)
    ranks = scipy.stats.rankdata(whole, axis=0)
    ties = sum(float((count**3 - count).sum()) for count in (np.unique(c, return_counts=True)[1] for c in whole.T))
    sums = ranks.sum(axis=1)
    possible = m**2 * (n**3 - n) - m * ties
    if possible <= 0.0:
        raise UndefinedStatistic("every rater gives all objects one score, so there is no order")
    w = 12.0 * float(((sums - sums.mean()) ** 2).sum()) / possible
    chi_square = m * (n - 1) * w
    return KendallW(
        w,
        chi_square,
        n - 1,
        float(scipy.stats.chi2.sf(chi_square, n - 1)),
        METHOD,
        m,
        n,
        len(values),
    )
