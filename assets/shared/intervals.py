"""How an interval is described in a table and in JSON: bounds, method, and a mark where it is not to be relied on."""

import math
from typing import Any

from analysis.agreement.icc import IccForm
from analysis.messages import message, message_list
from analysis.resampling.bootstrap import Interval


def interval_words(interval: Interval) -> str:
    """How the interval was made, or why there is none."""
    if interval.unreliable and interval.low is not None:
        return message_list([interval.method, message("unreliable: too few clusters")], ", ")
    return interval.method


def bound_columns(name: str, interval: Interval | IccForm | None) -> dict[str, float | None]:
    """Both bounds as columns of a row; null where there is no interval."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {f"{name}_low": low, f"{name}_high": high}


def pair(low: float | None, high: float | None) -> list[float] | None:
    """Both bounds, or null."""
    return None if low is None or high is None or math.isnan(low) or math.isnan(high) else [low, high]


def estimate_values(value: float | None, low: float | None, high: float | None, method: str) -> dict[str, Any]:
    """A number with its interval as every JSON result has it, null for NaN; `method` says why there is no interval."""
    value = None if value is None or math.isnan(value) else value
    return {"value": value, "ci": pair(low, high), "method": method}
