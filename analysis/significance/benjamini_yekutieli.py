"""Benjamini and Yekutieli's correction of several p-values, whatever their dependence."""

import numpy as np
import scipy
from numpy.typing import ArrayLike


def benjamini_yekutieli(p_values: ArrayLike) -> list[float]:
    """The p-values that several dependent tests leave, each comparable with the share of false rejections allowed.

    Args:
        p_values: Shape ``(m,)``, one per test.

    Returns:
        ``m`` adjusted p-values in the same order: of the i-th smallest, the least of ``m c(m) p_j / j`` over j from i
        on with ``c(m) = 1 + 1/2 + ... + 1/m``, at most 1. Rejecting those at or under q keeps the expected share of
        false rejections at or under q, also where the tests share data.

    Raises:
        ValueError: Not one-dimensional, or a p-value is missing or outside 0-1.

    Source:
        Benjamini and Yekutieli (2001), Ann. Stat. 29:1165-1188.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"one p-value per test is needed, got shape {p.shape}")
    if not np.isfinite(p).all() or bool(np.any((p < 0.0) | (p > 1.0))):
        raise ValueError("p-values must lie between 0 and 1; leave out tests that have none and say so")
    return [float(value) for value in scipy.stats.false_discovery_control(p, method="by")]
