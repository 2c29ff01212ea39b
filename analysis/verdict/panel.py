"""What a judge does against one column of people's answers, statistic by statistic, with clustered intervals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import Statistic, left_out_of_rows, of_jackknife
from analysis.resampling.bootstrap import Interval, Statistics
from analysis.resampling.weighted import Counts, kappa_of_counts, means, pearson_of_counts, spearman_of_counts
from analysis.ties import differences
from analysis.verdict.people import LEVELS, Floats, Levels, People, power_of_two

OfCounts = Callable[[Counts], Floats]


class Line(NamedTuple):
    """One statistic; `value` none where the data do not define it. `n` is what it was computed from."""

    statistic: str
    value: float | None
    interval: Interval
    n: int


def panel(people: People, reference: ArrayLike, judge: ArrayLike, levels: Levels = LEVELS) -> list[Line]:
    """A judge against a person, or against the mean or the majority of people.

    Args:
        people: Whose clusters, measure and labels count: scores have correlations and errors, labels agreement and
            kappa; labels without an order have the sensitivity and the precision of each.
        reference: Shape ``(n,)``, NaN where there is none.
        judge: Shape ``(n,)``, likewise.
        levels: How sure is sure.

    Returns:
        One line a statistic. Sensitivity of a label: of the objects to which the person gave it, the share to which
        the judge did; precision the other way round.

    Source:
        docs/statistics.md.
    """
    one, machine = np.asarray(reference, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    used, measure = ~np.isnan(one) & ~np.isnan(machine), people.measure
    one, machine, sources = one[used], machine[used], people.clusters[used]
    if not len(one):
        return []

    def lines_of(rows: Floats) -> Lines:
        own, other = rows[:, 0], rows[:, 1]
        return _of_scores(own, other) if measure == "scores" else _of_labels(own, other, people)

    def statistics(rows: Floats) -> Statistics:
        functions = [of for _, _, of, _ in lines_of(rows)]
        return lambda counts: np.column_stack([of(counts) for of in functions])

    rows = np.column_stack([one, machine])
    unit = power_of_two(rows) if measure == "scores" else 1.0
    rows = rows / unit
    lines, found = lines_of(rows), left_out_of_rows(statistics, rows, sources, seed=levels.seed)
    intervals = of_jackknife(found, [kind for _, kind, _, _ in lines], confidence=levels.confidence)
    return [
        _line(name, value, interval, n, unit if kind == "mean" else 1.0)
        for (name, kind, _, n), value, interval in zip(lines, found.values, intervals, strict=True)
    ]


def _line(name: str, value: float, interval: Interval, n: int, unit: float) -> Line:
    low, high = (None if bound is None else bound * unit for bound in (interval.low, interval.high))
    return Line(name, None if np.isnan(value) else float(value) * unit, interval._replace(low=low, high=high), n)


Lines = list[tuple[str, Statistic, OfCounts, int]]


def _of_scores(person: Floats, judge: Floats) -> Lines:
    away, n = differences(judge, person), len(person)
    return [
        ("Spearman", "spearman", spearman_of_counts(judge, person), n),
        ("Pearson", "pearson", pearson_of_counts(judge, person), n),
        ("CCC", "ccc", _concordance(judge, person), n),
        ("mean absolute error", "mean", lambda counts: means(counts, np.abs(away)), n),
        ("judge - people", "mean", lambda counts: means(counts, away), n),
    ]


def _of_labels(person: Floats, judge: Floats, people: People) -> Lines:
    n = len(person)
    lines: Lines = [
        ("same label", "share", _share(judge == person, np.ones(n, dtype=bool)), n),
        ("kappa", "kappa", kappa_of_counts(judge, person), n),
    ]
    if people.measure == "ordered_labels":
        return [*lines, ("kappa, quadratic weights", "kappa", kappa_of_counts(judge, person, ordered=True), n)]
    for code, label in enumerate(people.labels):
        for what, given in (("sensitivity", person == code), ("precision", judge == code)):
            if given.any():
                both = (person == code) & (judge == code)
                lines.append((f"{what} of '{label}'", "share", _share(both, given), int(given.sum())))
    return lines


def _share(hits: NDArray[np.bool_], of: NDArray[np.bool_]) -> OfCounts:
    hit, one = hits.astype(np.int64), of.astype(np.int64)

    def share(counts: Counts) -> Floats:
        total = counts @ one
        return np.asarray(np.divide(counts @ hit, total, out=np.full(len(counts), np.nan), where=total > 0))

    return share


def _concordance(x: Floats, y: Floats) -> OfCounts:
    """Lin's coefficient of each resample; the middle is subtracted first, so that no digit is lost."""
    a, b = x - x.mean(), y - x.mean()
    columns = np.column_stack([a, b, a * a, b * b, a * b])

    def ccc(counts: Counts) -> Floats:
        total = counts.sum(axis=1)
        ma, mb, maa, mbb, mab = (counts @ columns / total[:, None]).T
        below = (maa - ma**2) + (mbb - mb**2) + (ma - mb) ** 2
        above = 2.0 * (mab - ma * mb)
        return np.asarray(np.divide(above, below, out=np.full(len(counts), np.nan), where=below > 0))

    return ccc
