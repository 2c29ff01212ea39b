"""What a judge does against one column of people's answers, statistic by statistic, with clustered intervals."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.concordance import ccc_of_counts
from analysis.intervals.headline import Statistic, left_out_of_rows, of_jackknife
from analysis.resampling.bootstrap import Interval, Statistics
from analysis.resampling.weighted import OfCounts, kappa_of_counts, means, pearson_of_counts, spearman_of_counts
from analysis.ties import differences
from analysis.verdict.people import LEVELS, Floats, Levels, People, power_of_two


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

    rows = np.column_stack([one, machine])
    unit = power_of_two(rows) if measure == "scores" else 1.0
    rows = rows / unit
    return [
        line for kept, lines in _parts(rows, people) for line in _lines(rows[kept], sources[kept], lines, levels, unit)
    ]


# From rows of reference and judge to the statistics that rest on them: name, kind, and the function of their counts.
Lines = Callable[[Floats], list[tuple[str, Statistic, OfCounts]]]


def _parts(rows: Floats, people: People) -> Iterator[tuple[NDArray[np.bool_], Lines]]:
    """Which rows the lines rest on: the objects with a label are the sample of its sensitivity, not all of them."""
    everything = np.ones(len(rows), dtype=bool)
    if people.measure == "scores":
        yield everything, _of_scores
        return
    yield everything, _of_labels if people.measure == "labels" else _of_ordered_labels
    if people.measure == "labels":
        for code, label in enumerate(people.labels):
            for side, what in ((0, "sensitivity"), (1, "precision")):
                if (kept := rows[:, side] == code).any():
                    yield kept, _of_label(f"{what} of '{label}'", float(code), 1 - side)


def _lines(rows: Floats, sources: NDArray[Any], lines: Lines, levels: Levels, unit: float) -> Iterator[Line]:
    def statistics(of: Floats) -> Statistics:
        functions = [function for _, _, function in lines(of)]
        return lambda counts: np.column_stack([function(counts) for function in functions])

    found = left_out_of_rows(statistics, rows, sources, seed=levels.seed)
    named = lines(rows)
    intervals = of_jackknife(found, [kind for _, kind, _ in named], confidence=levels.confidence)
    for (name, kind, _), value, interval in zip(named, found.values, intervals, strict=True):
        yield _line(name, value, interval, len(rows), unit if kind == "mean" else 1.0)


def _line(name: str, value: float, interval: Interval, n: int, unit: float) -> Line:
    low, high = (None if bound is None else bound * unit for bound in (interval.low, interval.high))
    return Line(name, None if np.isnan(value) else float(value) * unit, interval._replace(low=low, high=high), n)


def _of_scores(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
    person, judge = rows.T
    away = differences(judge, person)
    return [
        ("Spearman", "spearman", spearman_of_counts(judge, person)),
        ("Pearson", "pearson", pearson_of_counts(judge, person)),
        ("CCC", "ccc", ccc_of_counts(judge, person)),
        ("mean absolute error", "mean", lambda counts: means(counts, np.abs(away))),
        ("judge - people", "mean", lambda counts: means(counts, away)),
    ]


def _of_labels(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
    person, judge = rows.T
    same = (judge == person).astype(np.float64)
    return [
        ("same label", "share", lambda counts: means(counts, same)),
        ("kappa", "kappa", kappa_of_counts(judge, person)),
    ]


def _of_ordered_labels(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
    quadratic = kappa_of_counts(rows[:, 1], rows[:, 0], ordered=True)
    return [*_of_labels(rows), ("kappa, quadratic weights", "kappa", quadratic)]


def _of_label(name: str, code: float, side: int) -> Lines:
    def lines(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
        hits = (rows[:, side] == code).astype(np.float64)
        return [(name, "share", lambda counts: means(counts, hits))]

    return lines
