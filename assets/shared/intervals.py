"""How an interval is described in a table: its method, and a mark where it is not to be relied on."""

from analysis.resampling.bootstrap import Interval


def interval_words(interval: Interval) -> str:
    """How the interval was made, or why there is none."""
    if interval.unreliable and interval.low is not None:
        return f"{interval.method}, unreliable: too few clusters"
    return interval.method
