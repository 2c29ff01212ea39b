"""What a judge does against one column of people's answers, statistic by statistic, with clustered intervals."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.bland_altman import bland_altman
from analysis.agreement.concordance import ccc_of_counts, icc_a1_of_counts
from analysis.agreement.krippendorff import alpha_of_counts
from analysis.intervals.headline import Statistic, left_out_of_rows, of_jackknife
from analysis.messages import Name, message
from analysis.resampling.bootstrap import Interval, Resampling, Statistics
from analysis.resampling.weighted import (
    OfCounts,
    gwet_of_counts,
    kappa_of_counts,
    means,
    pearson_of_counts,
    spearman_of_counts,
)
from analysis.significance.marginal_homogeneity import MarginalHomogeneity, over_clusters
from analysis.ties import differences
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import (
    AGREEMENT,
    FEWEST_PAIRS,
    KINDS,
    LEVELS,
    Floats,
    Levels,
    Measure,
    People,
    measure_of_counts,
    power_of_two,
)

# Whole numbers of at most so many values are steps of a scale, more are a measure.
MOST_STEPS: Final = 11
# Of two labels, the second of which is the good one.
POSITIVE: Final = (message("failures caught (specificity)"), message("good ones passed (sensitivity)"))
LEVEL: Final = 0.05
OF_PAIRS: Final = ("spearman", "pearson", "ccc")
EACH: Final = "each person in turn"
WEIGHTED: Final = ("kappa, linear weights", "kappa, quadratic weights", "AC2, quadratic weights")


class Line(NamedTuple):
    """One statistic; `value` none where the data do not define it. `n` is what it was computed from.

    `against` says whose answers the judge's are held against where they are not the reference.
    """

    statistic: str
    value: float | None
    interval: Interval
    n: int
    against: str = ""


class Shares(NamedTuple):
    """How often people's labels (rows) and the judge's (columns) fall together, and whether their shares differ.

    `tests` are of marginal homogeneity, over clusters where objects share sources or several people rated one; none
    with `why` where nothing varies.
    """

    confusion: tuple[tuple[int, ...], ...]
    tests: tuple[MarginalHomogeneity, ...]
    why: str = ""


def panel(people: People, reference: ArrayLike, judge: ArrayLike, levels: Levels = LEVELS) -> list[Line]:
    """A judge against a person, or against the mean or the majority of people.

    Args:
        people: Whose clusters, measure and labels count: scores have correlations and errors, and where they are no
            steps of a scale limits of agreement; labels have agreement, kappa and AC1, with an order weighted kappa and
            AC2; labels without an order have the sensitivity and the precision of each.
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
    found = [
        line for kept, lines in _parts(rows, people) for line in _lines(rows[kept], sources[kept], lines, levels, unit)
    ]
    if measure == "scores" and not people.steps:
        found += _limits(rows, sources, levels, unit)
    return found


def on_steps(people: People, judge: ArrayLike, levels: Levels = LEVELS) -> list[Line]:
    """A judge on the steps of people's scale against each person in turn: their mean is between the steps.

    Args:
        people: Scores that are a few steps of a scale.
        judge: Shape ``(n,)``, NaN where there is none.
        levels: How sure is sure.

    Returns:
        Weighted kappa and AC2; nothing where the judge's scores are no steps.
    """
    machine = np.asarray(judge, dtype=np.float64)
    own = np.unique(machine[~np.isnan(machine)])
    if people.measure != "scores" or not people.steps or len(own) > MOST_STEPS or bool((own != np.round(own)).any()):
        return []
    n = people.answers.shape[1]
    turns = replace(people, answers=people.answers.reshape(-1, 1), clusters=np.repeat(people.clusters, n), names=(),
                    measure="ordered_labels")  # fmt: skip
    lines = panel(turns, people.answers.ravel(), np.repeat(machine, n), levels)
    return [line._replace(against="" if n == 1 else message(EACH)) for line in lines if line.statistic in WEIGHTED]


def each_person(people: People, judge: ArrayLike, levels: Levels = LEVELS) -> list[Line]:
    """The judge's agreement with each person: Spearman of scores, kappa of labels, weighted if they have an order."""
    name, kind = AGREEMENT[people.measure], KINDS[people.measure]
    machine = np.asarray(judge, dtype=np.float64)
    found = []
    for person, answers in zip(people.called, people.answers.T, strict=True):
        used = ~np.isnan(answers) & ~np.isnan(machine)
        if used.any():
            rows = np.column_stack([answers[used], machine[used]])
            lines = _named(name, kind, people.measure)
            found += [
                line._replace(against=Name(person)) for line in _lines(rows, people.clusters[used], lines, levels)
            ]
    return found


def alphas(people: People, judge: ArrayLike, levels: Levels = LEVELS) -> list[Line]:
    """Krippendorff's alpha of the people, and of the people and the judge as one rater more.

    Args:
        people: Labels, or scores that are a few steps of a scale.
        judge: Shape ``(n,)``, NaN where there is none.
        levels: How sure is sure.

    Returns:
        Both over the objects that the judge and two people rated; that of the people alone only with two or more.
    """
    machine = np.asarray(judge, dtype=np.float64)
    if people.measure == "scores" and not people.steps:
        return []
    n_people = people.answers.shape[1]
    given = (~np.isnan(people.answers)).sum(axis=1)
    used = ~np.isnan(machine) & (given >= min(2, n_people))
    if not used.any():
        return []
    level: Literal["nominal", "ordinal"] = "nominal" if people.measure == "labels" else "ordinal"

    def lines(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
        alone = [(message("alpha of the people"), "kappa", alpha_of_counts(rows[:, 1:], level))] if n_people > 1 else []
        return [*alone, (message("alpha of people and judge"), "kappa", alpha_of_counts(rows, level))]  # type: ignore[list-item]

    rows = np.column_stack([machine, people.answers])[used]
    return list(_lines(rows, people.clusters[used], lines, levels))


def label_shares(people: People, reference: ArrayLike, judge: ArrayLike) -> Shares | None:
    """The confusion of people's labels and the judge's, and whether it uses each label as often as people do.

    Args:
        people: Whose labels count.
        reference: Shape ``(n,)``, NaN where there is none.
        judge: Shape ``(n,)``, likewise.

    Returns:
        None for scores.
    """
    if people.measure == "scores":
        return None
    one, machine = np.asarray(reference, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    used, q = ~np.isnan(one) & ~np.isnan(machine), len(people.labels)
    cells = np.bincount((one[used] * q + machine[used]).astype(np.intp), minlength=q * q)
    table = cells.reshape(q, q)
    confusion = tuple(tuple(int(n) for n in row) for row in table)
    try:
        return Shares(confusion, over_clusters(one[used], machine[used], people.clusters[used], q))
    except UndefinedStatistic as undefined:
        return Shares(confusion, (), str(undefined))


def uses_labels_otherwise(p_values: Iterable[float]) -> bool:
    """Whether every test of marginal homogeneity says that a judge does not give each label as often as people do."""
    return all(p < LEVEL for p in p_values)


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
            of_label = (
                message("sensitivity of '{label}'", label=Name(label)),
                message("precision of '{label}'", label=Name(label)),
            )
            for side, what in enumerate(of_label):
                if (kept := rows[:, side] == code).any():
                    name = what if side or not people.positive else POSITIVE[code]
                    yield kept, _of_label(name, float(code), 1 - side)


def _lines(rows: Floats, sources: NDArray[Any], lines: Lines, levels: Levels, unit: float = 1.0) -> Iterator[Line]:
    def statistics(of: Floats) -> Statistics:
        functions = [function for _, _, function in lines(of)]
        return lambda counts: np.column_stack([function(counts) for function in functions])

    found = left_out_of_rows(statistics, rows, sources, seed=levels.seed)
    named = lines(rows)
    kinds = [kind for _, kind, _ in named]
    # No error in all objects is no error for sure: an interval of no width would say so.
    intervals = of_jackknife(found, kinds, confidence=levels.confidence, refuse_constant=True)
    for (name, kind, _), value, interval in zip(named, found.values, intervals, strict=True):
        # Two objects are always on a line.
        if len(rows) < FEWEST_PAIRS and kind in OF_PAIRS:
            value = np.nan
        yield _line(name, value, interval, len(rows), unit if kind in ("mean", "size") else 1.0)


def _line(name: str, value: float, interval: Interval, n: int, unit: float) -> Line:
    low, high = (None if bound is None else bound * unit for bound in (interval.low, interval.high))
    return Line(name, None if np.isnan(value) else float(value) * unit, interval._replace(low=low, high=high), n)


def _of_scores(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
    person, judge = rows.T
    away = differences(judge, person)
    return [
        ("Spearman", "spearman", spearman_of_counts(judge, person)),
        (message("Pearson"), "pearson", pearson_of_counts(judge, person)),
        (message("CCC"), "ccc", ccc_of_counts(judge, person)),
        (message("ICC(A,1)"), "ccc", icc_a1_of_counts(judge, person)),
        (message("mean absolute error"), "mean", lambda counts: means(counts, np.abs(away))),
        (message("root mean square error"), "size", lambda counts: np.sqrt(means(counts, away**2))),
        (message("judge - people"), "mean", lambda counts: means(counts, away)),
    ]


def _of_labels(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
    person, judge = rows.T
    same = (judge == person).astype(np.float64)
    return [
        (message("same label"), "share", lambda counts: means(counts, same)),
        ("kappa", "kappa", kappa_of_counts(judge, person)),
        (message("AC1"), "kappa", gwet_of_counts(judge, person)),
    ]


def _of_ordered_labels(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
    person, judge = rows.T
    return [
        *_of_labels(rows)[:2],
        (message("kappa, linear weights"), "kappa", kappa_of_counts(judge, person, ordered=True, power=1)),
        ("kappa, quadratic weights", "kappa", kappa_of_counts(judge, person, ordered=True)),
        (message("AC2, quadratic weights"), "kappa", gwet_of_counts(judge, person, ordered=True)),
        ("Spearman", "spearman", spearman_of_counts(judge, person)),
        (message("judge - people, in steps"), "mean", lambda counts: means(counts, judge - person)),
    ]


def _named(name: str, kind: Statistic, measure: Measure) -> Lines:
    return lambda rows: [(name, kind, measure_of_counts(rows[:, 1], rows[:, 0], measure))]


def _limits(rows: Floats, sources: NDArray[Any], levels: Levels, unit: float) -> list[Line]:
    """Bland and Altman's: about 19 of 20 differences are between them."""
    person, judge = rows.T
    try:
        found = bland_altman(judge, person, sources, resampling=Resampling(levels.seed, levels.confidence))
    except UndefinedStatistic:
        return []
    limits = (
        (message("lower limit of agreement"), found.lower_limit),
        (message("upper limit of agreement"), found.upper_limit),
    )
    return [_line(name, limit.value, limit.interval, found.n, unit) for name, limit in limits]


def _of_label(name: str, code: float, side: int) -> Lines:
    def lines(rows: Floats) -> list[tuple[str, Statistic, OfCounts]]:
        hits = (rows[:, side] == code).astype(np.float64)
        return [(name, "share", lambda counts: means(counts, hits))]

    return lines
