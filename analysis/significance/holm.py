"""Holm's correction of several p-values."""

import numpy as np
from numpy.typing import ArrayLike

from analysis.ties import compare


def holm(p_values: ArrayLike) -> list[float]:
    """The p-values that several tests together leave, each comparable with the level of a single test.

    Args:
        p_values: Shape ``(m,)``, one per test.

    Returns:
        ``m`` adjusted p-values in the same order: of the i-th smallest, the largest of ``(m - j + 1) p_j`` over j up to
        i, at most 1. The chance that any true null hypothesis falls is then at most the level.

    Raises:
        ValueError: Not one-dimensional, or a p-value is missing or outside 0-1.

    Source:
        Holm (1979), Scand. J. Stat. 6:65-70.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"one p-value per test is needed, got shape {p.shape}")
    if not np.isfinite(p).all() or bool(np.any((p < 0.0) | (p > 1.0))):
        raise ValueError("p-values must lie between 0 and 1; leave out tests that have none and say so")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def below_level(p: float, level: float) -> bool:
    """Whether a p-value lies below a level, not just in the last digits of arithmetic."""
    return bool(compare(p, level) < 0)
