"""McNemar's test: do two judges of the same items succeed equally often?"""

from typing import NamedTuple

import scipy


class McNemar(NamedTuple):
    """Two-sided p-values from the items on which exactly one succeeded; `p_exact` errs further on the safe side."""

    only_first: int
    only_second: int
    p_exact: float
    p_mid: float


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Whether the items on which exactly one succeeded split evenly, for independent items.

    Args:
        only_first: On how many items the first alone succeeded.
        only_second: On how many the second alone succeeded.

    Returns:
        p-values; 1 where the two never differ.

    Raises:
        ValueError: A negative count.

    Source:
        McNemar (1947), Psychometrika 12:153-157; mid-p: Fagerland, Lydersen and Laake (2013), BMC Med. Res. Methodol.
        13:91 (the exact p less the probability of the split seen).
    """
    if only_first < 0 or only_second < 0:
        raise ValueError(f"counts must not be negative, got {only_first} and {only_second}")
    n, fewer = only_first + only_second, min(only_first, only_second)
    up_to = 2.0 * float(scipy.stats.binom.cdf(fewer, n, 0.5))
    here = float(scipy.stats.binom.pmf(fewer, n, 0.5))
    return McNemar(only_first, only_second, min(1.0, up_to), min(1.0, up_to - here))
