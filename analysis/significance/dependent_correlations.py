"""Two correlations with the same truth: the tests of Williams and Steiger."""

import math
from typing import NamedTuple

import scipy

from analysis.messages import message
from analysis.undefined import UndefinedStatistic

ASSUMES = message("assumes independence")
# A correlation of 1 but for the last bits of floating point.
NEARLY_ONE = 1.0 - 1e-12


class DependentTest(NamedTuple):
    """A two-sided test that two correlations with one truth are equal; positive where the first is the larger.

    Without a statistic there is no p either, and `method` says why; `df` is none for a normal statistic.
    """

    statistic: float | None
    df: int | None
    p: float | None
    method: str


def williams(r_first: float, r_second: float, r_between: float, n: int) -> DependentTest:
    """Williams' t, for correlations of two metrics with one truth over the same independent samples.

    Args:
        r_first: Of the first metric with the truth.
        r_second: Of the second metric with the truth.
        r_between: Of the two metrics.
        n: How many samples.

    Returns:
        t with n - 3 degrees of freedom.

    Raises:
        ValueError: A correlation outside -1 to 1.
        UndefinedStatistic: Fewer than 4 samples, or the metrics are one and the same line.

    Source:
        Williams (1959), J. R. Stat. Soc. B 21:396-399, in the form of Steiger (1980), Psychol. Bull. 87:245-251, eq. 7.
    """
    _check(r_first, r_second, r_between, n)
    determinant = 1.0 - r_first**2 - r_second**2 - r_between**2 + 2.0 * r_first * r_second * r_between
    mean = (r_first + r_second) / 2.0
    below = 2.0 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1.0 - r_between) ** 3
    if 1.0 + r_between <= 0.0 or below <= 0.0:
        raise UndefinedStatistic("the correlations leave no variation to test against")
    t = (r_first - r_second) * math.sqrt((n - 1) * (1.0 + r_between) / below)
    return DependentTest(t, n - 3, float(2.0 * scipy.stats.t.sf(abs(t), n - 3)), f"Williams' t, {ASSUMES}")


def steiger(r_first: float, r_second: float, r_between: float, n: int) -> DependentTest:
    """Steiger's Z, on Fisher's scale with the mean of both correlations in their covariance; arguments as `williams`.

    Returns:
        A standard normal statistic.

    Raises:
        ValueError: A correlation outside -1 to 1.
        UndefinedStatistic: Fewer than 4 samples, a correlation of 1 or -1, or the metrics are one and the same line.

    Source:
        Steiger (1980), Psychol. Bull. 87:245-251, eq. 14.
    """
    _check(r_first, r_second, r_between, n)
    if max(abs(r_first), abs(r_second)) >= NEARLY_ONE:
        raise UndefinedStatistic("a correlation of 1 or -1 has no place on Fisher's scale")
    mean = (r_first + r_second) / 2.0
    product = r_between * (1.0 - 2.0 * mean**2) - mean**2 * (1.0 - 2.0 * mean**2 - r_between**2) / 2.0
    covariance = product / (1.0 - mean**2) ** 2
    if covariance >= 1.0:
        raise UndefinedStatistic("the correlations leave no variation to test against")
    z = (math.atanh(r_first) - math.atanh(r_second)) * math.sqrt((n - 3) / (2.0 - 2.0 * covariance))
    return DependentTest(z, None, float(2.0 * scipy.stats.norm.sf(abs(z))), f"Steiger's Z, {ASSUMES}")


def _check(r_first: float, r_second: float, r_between: float, n: int) -> None:
    for r in (r_first, r_second, r_between):
        if not -1.0 <= r <= 1.0:
            raise ValueError(f"a correlation lies between -1 and 1, got {r}")
    if n < 4:
        raise UndefinedStatistic("only {n} samples, at least 4 needed", n=n)
    if r_between >= NEARLY_ONE:
        raise UndefinedStatistic("the two metrics lie on one rising line")
