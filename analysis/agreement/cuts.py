"""How kappa of two judges' grades changes with the grade from which a document counts as relevant."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.coefficients import bins_of, grades_on
from analysis.agreement.kappa import counts_of_queries, headline_kappas, kappas


class CutKappa(NamedTuple):
    """Both kappas where grades from this one on, counted from 0, are relevant; none where they are not defined."""

    grade: int
    macro: float | None
    micro: float | None


def threshold_below(grade: int, n_grades: int) -> float:
    """Half-way below a grade, counted from 0, on the 0-1 that grades are stored on."""
    return (grade - 0.5) / (n_grades - 1)


def grade_above(threshold: float, n_grades: int) -> int:
    """The lowest grade, counted from 0, whose place on 0-1 is above a threshold; `n_grades` where none is."""
    return sum(place <= threshold + 1e-9 for place in grades_on(n_grades))


def kappas_by_cut(first: ArrayLike, second: ArrayLike, queries: ArrayLike, n_grades: int) -> list[CutKappa]:
    """Both kappas at each grade but the lowest.

    Args:
        first: Shape ``(n,)``, the first judge's grades on 0-1.
        second: Shape ``(n,)``, the second judge's.
        queries: Shape ``(n,)``, the number of each document's query, from 0.
        n_grades: How many grades there are.

    Returns:
        One entry a grade, in order; macro counts a query of one label as 1.

    Raises:
        ValueError: Shapes differ, or a grade is missing or outside 0-1.
    """
    anchors = grades_on(n_grades)
    one, two = bins_of(first, anchors), bins_of(second, anchors)
    found = []
    for grade in range(1, n_grades):
        counts = counts_of_queries(one >= grade, two >= grade, queries)
        there = counts[counts.sum(axis=1) > 0]
        macro = float(headline_kappas(there).mean()) if len(there) else None
        micro = float(kappas(there.sum(axis=0))) if len(there) else np.nan
        found.append(CutKappa(grade, macro, None if np.isnan(micro) else micro))
    return found
