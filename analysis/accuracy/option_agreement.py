"""Agreement of answers with the truth beyond chance, and whether options are answered as often as they are right."""

from typing import NamedTuple

import numpy as np

from analysis.accuracy.option_confusion import OptionConfusion
from analysis.agreement.chance_corrected import ChanceCorrected, Coefficient, Weights, chance_corrected
from analysis.significance.marginal_homogeneity import MarginalHomogeneity, bhapkar
from analysis.undefined import UndefinedStatistic

UNWEIGHTED: tuple[tuple[str, Coefficient], ...] = (("kappa", "cohen"), ("ac1", "gwet"))
WEIGHTED: tuple[tuple[str, Weights], ...] = (
    ("weighted_kappa_linear", "linear"),
    ("weighted_kappa_quadratic", "quadratic"),
)


class OptionAgreement(NamedTuple):
    """Each coefficient, and Bhapkar's test; a text says why there is none. `n` answers are an option."""

    coefficients: dict[str, ChanceCorrected | str]
    equal_use: MarginalHomogeneity | str
    n: int


def option_agreement(found: OptionConfusion, confidence: float = 0.95) -> OptionAgreement:
    """Kappas of one confusion matrix, of the answers that are an option.

    Args:
        found: With a row per right option.
        confidence: Of the intervals, between 0 and 1.

    Returns:
        Cohen's kappa and Gwet's AC1; weighted kappas where every option is a number (a grade), a disagreement weighing
        as the distance of the grades or its square. All assume independent samples.

    Raises:
        ValueError: A confidence outside 0-1.

    Source:
        As `chance_corrected` and `bhapkar`.
    """
    table = found.matrix[:, : len(found.options)]
    places, grades = _places(found.options)
    cells = np.argwhere(table > 0)
    ratings, times = places[cells], table[table > 0]

    def one(kind: Coefficient, weights: Weights) -> ChanceCorrected | str:
        try:
            return chance_corrected(
                ratings, kind, weights=weights, categories=places.tolist(), times=times, confidence=confidence
            )
        except UndefinedStatistic as undefined:
            return undefined.reason

    coefficients = {name: one(kind, "unweighted") for name, kind in UNWEIGHTED}
    if grades and len(places) > 2:
        coefficients |= {name: one("cohen", weights) for name, weights in WEIGHTED}
    try:
        equal_use: MarginalHomogeneity | str = bhapkar(table)
    except UndefinedStatistic as undefined:
        equal_use = undefined.reason
    return OptionAgreement(coefficients, equal_use, int(table.sum()))


def _places(options: tuple[str, ...]) -> tuple[np.ndarray, bool]:
    """Where the options lie: at their numbers where all are different finite ones, else at 0, 1, 2, ..."""
    try:
        places = np.array([float(option) for option in options])
    except ValueError:
        return np.arange(len(options), dtype=np.float64), False
    if not np.isfinite(places).all() or len(set(places.tolist())) < len(options):
        return np.arange(len(options), dtype=np.float64), False
    return places, True
