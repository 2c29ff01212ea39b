"""Our number next to a paper's."""

from typing import Literal, NamedTuple

from analysis.resampling.bootstrap import Interval
from analysis.ties import compare


class PaperDeviation(NamedTuple):
    """Ours less the paper's, in the statistic's unit; `relative` is that over |paper|, none where the paper says 0.

    `deviates` says whether the paper's value lies outside our interval; none without an interval.
    """

    ours: float
    paper: float
    delta: float
    relative: float | None
    direction: Literal["above", "below", "equal"]
    deviates: bool | None
    reason: str


def paper_deviation(ours: float, interval: Interval, paper: float) -> PaperDeviation:
    """How far our number is from a paper's, and whether chance among our samples could account for it.

    Args:
        ours: Our number.
        interval: Of our number.
        paper: The paper's number, in the same unit and direction.

    Returns:
        `reason` says why nothing can be said about `deviates`.

    Raises:
        ValueError: A number is not finite.

    Source:
        docs/statistics.md, Score-level evaluation.
    """
    for number in (ours, paper):
        if not abs(number) < float("inf"):
            raise ValueError(f"numbers to compare must be finite, got {number}")
    side = compare(ours, paper)
    direction: Literal["above", "below", "equal"] = "equal" if side == 0 else "above" if side > 0 else "below"
    deviates, reason = None, interval.method
    if interval.low is not None and interval.high is not None:
        outside = compare(interval.low, paper) > 0 or compare(interval.high, paper) < 0
        deviates, reason = bool(outside), ""
    relative = None if paper == 0.0 else float((ours - paper) / abs(paper))
    return PaperDeviation(ours, paper, float(ours - paper), relative, direction, deviates, reason)
