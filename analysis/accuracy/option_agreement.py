"""Agreement of answers with the truth beyond chance, and whether options are answered as often as they are right."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.accuracy.option_confusion import OptionConfusion
from analysis.agreement.chance_corrected import ChanceCorrected, Coefficient, Weights, chance_corrected
from analysis.significance.marginal_homogeneity import MarginalHomogeneity, bhapkar, over_clusters
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


def option_agreement(
    found: OptionConfusion, clusters: ArrayLike | None = None, confidence: float = 0.95
) -> OptionAgreement:
    """Kappas of one confusion matrix, of the answers that are an option.

    Args:
        found: With a row per right option.
        clusters: Shape ``(n,)``, the cluster of each sample of `found`; none: samples are independent.
        confidence: Of the intervals, between 0 and 1.

    Returns:
        Cohen's kappa and Gwet's AC1; weighted kappas where every option is a number (a grade), a disagreement weighing
        as the distance of the grades or its square. Without clusters all assume independent samples.

    Raises:
        ValueError: A confidence outside 0-1.

    Source:
        As `chance_corrected` and `over_clusters`.
    """
    table = found.matrix[:, : len(found.options)]
    places, grades = _places(found.options)
    is_option = found.cells[:, 1] < len(found.options)
    answered = found.cells[is_option]
    # Without clusters the cells of the table say it all, however many samples there are.
    ratings, times = places[np.argwhere(table > 0) if clusters is None else answered], table[table > 0]
    sources = None if clusters is None else np.asarray(clusters)[is_option]

    def one(kind: Coefficient, weights: Weights) -> ChanceCorrected | str:
        try:
            return chance_corrected(
                ratings,
                kind,
                weights=weights,
                categories=places.tolist(),
                clusters=sources,
                times=times if clusters is None else None,
                confidence=confidence,
            )
        except UndefinedStatistic as undefined:
            return undefined.reason

    coefficients = {name: one(kind, "unweighted") for name, kind in UNWEIGHTED}
    if grades and len(places) > 2:
        coefficients |= {name: one("cohen", weights) for name, weights in WEIGHTED}
    try:
        equal_use: MarginalHomogeneity | str = (
            bhapkar(table)
            if sources is None
            else over_clusters(answered[:, 0], answered[:, 1], sources, len(places))[1]
        )
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
