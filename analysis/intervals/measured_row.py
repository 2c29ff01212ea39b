"""One row of the measured table."""

from typing import NamedTuple


class Row(NamedTuple):
    """How the headline intervals of a statistic did with so many clusters, over all designs that were simulated.

    Attributes:
        clusters: How many.
        cells: Designs and worlds.
        kept: Those whose coverage is 93 to 97 % and whose misses on each side are 1 to 4 %, give or take two Monte
            Carlo errors.
        mean: Coverage, mean over the cells.
        below: Share of data sets whose truth lies below the interval, likewise.
        above: The same above it.
        none: Share of data sets without an interval, which count in none of the others.
        width: Of the intervals, mean of medians, in the statistic's unit.
        worst: Coverage of the worst cell.
        error: Its Monte Carlo standard error.
        design: What that cell is.
    """

    clusters: int
    cells: int
    kept: int
    mean: float
    below: float
    above: float
    none: float
    width: float
    worst: float
    error: float
    design: str
