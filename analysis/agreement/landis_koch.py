"""Landis and Koch's words for a kappa."""

import math

from analysis.ties import snap

# Each word reaches up to and with its number; what lies above the last is almost perfect, what is negative poor.
BANDS = ((0.20, "slight"), (0.40, "fair"), (0.60, "moderate"), (0.80, "substantial"))
LOWEST, HIGHEST = "poor", "almost perfect"


def landis_koch(kappa: float) -> str:
    """The word for a kappa, the limits in its lower one but for the last digits of arithmetic.

    Args:
        kappa: A defined kappa, unitless, at most 1.

    Returns:
        poor (below 0), slight, fair, moderate, substantial or almost perfect.

    Raises:
        ValueError: The kappa is missing or above 1.

    Source:
        Landis and Koch (1977), Biometrics 33:159-174.
    """
    value = float(snap(kappa, [0.0, *(upper for upper, _ in BANDS), 1.0], 1.0))
    if not math.isfinite(value) or value > 1.0:
        raise ValueError(f"a kappa is a number up to 1, got {kappa}; an undefined one has no band")
    if value < 0.0:
        return LOWEST
    return next((word for upper, word in BANDS if value <= upper), HIGHEST)
