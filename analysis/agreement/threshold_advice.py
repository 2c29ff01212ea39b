"""Whether a higher threshold for the judge that scores higher would make two judges agree better."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.halves import halves
from analysis.agreement.kappa import cohens_kappa, counts_of_queries, relevant
from analysis.significance.walsh import differences_by_query, walsh_median
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from analysis.words import distinct_numbers
from analysis.words import queries as in_queries

HIGHEST = 1.0
# Of a threshold that a person will write down.
DECIMALS = 12
NO_HELP = "no threshold helps"
IN_FORCE = "no further threshold helps"

Thresholds = tuple[float, float]


class ThresholdAdvice(NamedTuple):
    """What to do with the threshold of the higher judge (1 or 2; none where the shift of the documents is 0).

    `kappa_now` and `kappa_advised` are means over both halves of the queries, each at thresholds that the other half
    sets; none where a half does not define them. `threshold_advised` is none where no threshold helps that is not in
    force.
    """

    higher: Literal[1, 2] | None
    shift: float
    threshold_now: float | None
    threshold_advised: float | None
    kappa_now: float | None
    kappa_advised: float | None
    n_queries: int
    advice: str


def threshold_advice(
    first: ArrayLike,
    second: ArrayLike,
    queries: ArrayLike,
    *,
    thresholds: Thresholds = (0.5, 0.5),
    names: tuple[str, str] = ("judge 1", "judge 2"),
    seed: int,
) -> ThresholdAdvice:
    """A threshold for the judge that scores higher, if one raises kappa on queries that did not set it.

    Args:
        first: Shape ``(n_documents,)``, scores on 0-1.
        second: Shape ``(n_documents,)``, same documents.
        queries: Shape ``(n_documents,)``, the query of each document.
        thresholds: The two judges' current thresholds.
        names: The two judges' names, for the words.
        seed: Of the split of the queries into halves.

    Returns:
        The advised threshold of the higher judge is the other's + |shift|, at most 1: 0.5 + |shift| where the other's
        is 0.5. It is given when micro kappa rises with the shift (and the higher judge) estimated on one half and
        kappa on the other, both ways averaged, and when it is not set yet: once it is, the halves' thresholds lie
        about it, and kappa can rise with them by chance.

    Raises:
        ValueError: Shapes differ, or a score, threshold or query is missing.
        UndefinedStatistic: No document.

    Source:
        docs/statistics.md, Agreement of two judges.
    """
    differences, index, n_queries = differences_by_query(first, second, queries)
    moved = walsh_median(differences)
    if moved == 0.0:
        return ThresholdAdvice(
            None, 0.0, None, None, None, None, n_queries, f"{NO_HELP}: the median shift of the documents is 0"
        )
    place = 0 if moved > 0 else 1
    higher: Literal[1, 2] = 1 if place == 0 else 2
    now = thresholds[place]
    if n_queries < 2:
        words = f"{NO_HELP} that could be shown: one query cannot be split into halves"
        return ThresholdAdvice(higher, moved, now, None, None, None, n_queries, words)
    scores = np.column_stack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    kappa_now, kappa_advised = _kappas_of_halves(scores, differences, halves(index, seed), thresholds)
    if kappa_now is None or kappa_advised is None:
        words = f"{NO_HELP} that could be shown: kappa is not defined on a half of the queries"
        return ThresholdAdvice(higher, moved, now, None, kappa_now, kappa_advised, n_queries, words)
    tried = _moved(thresholds, moved)[place]
    kappas = f"micro kappa {kappa_now:.2f} -> {kappa_advised:.2f}"
    seen = f"{kappas} on queries that did not set it, of {in_queries(n_queries)}"
    shown_now, shown = distinct_numbers(now, tried)
    if compare(kappa_advised, kappa_now, 1.0) <= 0:
        words = f"{NO_HELP}: {names[place]} above {shown} does not raise kappa ({seen})"
        return ThresholdAdvice(higher, moved, now, None, kappa_now, kappa_advised, n_queries, words)
    if compare(tried, now) == 0:
        words = f"{IN_FORCE}: {shown} for {names[place]}, which is what its shift calls for, is set already"
        return ThresholdAdvice(higher, moved, now, None, kappa_now, kappa_advised, n_queries, words)
    words = f"set the threshold of {names[place]} from {shown_now} to {shown} ({seen})"
    return ThresholdAdvice(higher, moved, now, tried, kappa_now, kappa_advised, n_queries, words)


def _kappas_of_halves(
    scores: NDArray[np.float64], differences: NDArray[np.float64], half: NDArray[np.bool_], thresholds: Thresholds
) -> tuple[float | None, float | None]:
    """Mean micro kappa of both halves, at the thresholds now and at those that the other half sets."""
    now, advised = [], []
    for seen in (half, ~half):
        now.append(_micro_kappa(scores[~seen], thresholds))
        advised.append(_micro_kappa(scores[~seen], _moved(thresholds, walsh_median(differences[seen]))))
    return _mean(now), _mean(advised)


def _moved(thresholds: Thresholds, moved: float) -> Thresholds:
    """The thresholds with that of the higher judge as far above the other's as its scores lie above."""
    first, second = thresholds
    if moved > 0:
        return min(HIGHEST, round(second + moved, DECIMALS)), second
    return first, min(HIGHEST, round(first - moved, DECIMALS))


def _micro_kappa(scores: NDArray[np.float64], thresholds: Thresholds) -> float | None:
    one, two = (relevant(scores[:, judge], thresholds[judge]) for judge in (0, 1))
    [counts] = counts_of_queries(one, two, np.zeros(len(scores), dtype=np.intp))
    try:
        return cohens_kappa(counts)
    except UndefinedStatistic:
        return None


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None
