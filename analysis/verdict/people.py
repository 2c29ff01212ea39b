"""People and a judge by the same statistics: how well each agrees with the other people, on the same objects."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.alternative_annotator import FEWEST_INSTANCES, AlternativeAnnotator, alternative_annotator
from analysis.intervals.headline import JACKKNIFE, Jackknife, Statistic, are_at_end, counted_clusters, left_out_of_rows
from analysis.intervals.jackknife import (
    ARCSINE,
    FISHER,
    IDENTITY,
    Estimate,
    Scale,
    effective_freedom,
    jackknife_bounds,
    standard_errors,
)
from analysis.messages import message, message_list
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, Statistics, too_few
from analysis.resampling.weighted import Counts, OfCounts, kappa_of_counts, means, spearman_of_counts
from analysis.ties import TIE, differences, row_means
from analysis.undefined import UndefinedStatistic

Floats = NDArray[np.float64]
Measure = Literal["scores", "ordered_labels", "labels"]
# What agreement is, and which row of the measured intervals holds.
AGREEMENT: Final[dict[Measure, str]] = {
    "scores": message("Spearman"),
    "ordered_labels": message("kappa, quadratic weights"),
    "labels": message("kappa"),
}
# Of fewer objects no agreement is defined.
FEWEST_PAIRS: Final = 3
KINDS: Final[dict[Measure, Statistic]] = {"scores": "spearman", "ordered_labels": "kappa", "labels": "kappa"}


@dataclass(frozen=True)
class People:
    """What people answered.

    Attributes:
        answers: Shape ``(n, people)``, NaN where somebody did not answer; labels are numbers, in their order if any.
        clusters: Shape ``(n,)``, the source that an object shares with others.
        measure: What agreement is: Spearman of scores, quadratic kappa of ordered labels, kappa of labels.
        names: Shape ``(people,)``; none: 0, 1, 2 ...
        labels: What the numbers 0, 1, 2 ... stand for.
        steps: Whether scores are a few steps of a scale, such as 1 to 5.
        positive: Whether the second of two labels is the good one.
    """

    answers: Floats
    clusters: NDArray[Any]
    measure: Measure = "scores"
    names: tuple[Hashable, ...] = ()
    labels: tuple[str, ...] = ()
    steps: bool = False
    positive: bool = False

    def __post_init__(self) -> None:
        """Refuse shapes that do not fit.

        Raises:
            ValueError: They do not.
        """
        rows, columns = self.answers.shape if self.answers.ndim == 2 else (-1, -1)
        if self.clusters.shape != (rows,) or len(self.names) not in (0, columns):
            shapes = f"{self.answers.shape}, {self.clusters.shape} and {len(self.names)} names"
            raise ValueError(f"shapes do not fit: {shapes}")

    @property
    def called(self) -> list[Hashable]:
        """A name for each."""
        return list(self.names) or list(range(self.answers.shape[1]))

    @property
    def middle(self) -> Floats:
        """Each object's mean of scores, or its majority of labels."""
        return (mean_of if self.measure == "scores" else majority_of)(self.answers)

    def of(self, kept: NDArray[np.bool_]) -> "People":
        """The same people on some of the objects."""
        return replace(self, answers=self.answers[kept], clusters=self.clusters[kept])


@dataclass(frozen=True)
class Levels:
    """How sure is sure.

    Attributes:
        epsilon: What the alternative annotator test allows the judge.
        q: Its level.
        confidence: Of the intervals, between 0 and 1.
        seed: Of the groups of clusters that are left out together above 1,000 of them.
    """

    epsilon: float = 0.2
    q: float = 0.05
    confidence: float = 0.95
    seed: int = 0


LEVELS = Levels()


class Quantity(NamedTuple):
    """An estimate with its interval in the same unit; no bounds where the data carry none, and `method` says why.

    `error` and `freedom` are of the scale on which the interval was made, `at` is the estimate there.
    """

    value: float
    low: float | None
    high: float | None
    method: str
    at: float
    error: float
    freedom: float


class Person(NamedTuple):
    """One annotator next to the judge, both against the mean of the other annotators; unitless, 1 is perfect."""

    name: Hashable
    n: int
    person: float | None
    judge: float | None


class OtherPeople(NamedTuple):
    """Lower and upper bounds of `own` and `order` of a `Standing`, were other people of the same kind asked too."""

    own: tuple[float, float]
    order: tuple[float, float]


@dataclass(frozen=True)
class Standing:
    """What the verdict on a judge is read from.

    Attributes:
        n: Objects that the judge and at least two people scored.
        n_clusters: Their clusters.
        people: Mean agreement of a person with the others.
        own: Mean agreement of the judge with the same others; none where the judge gave one and the same answer.
        order: `own` less `people`; none likewise.
        bias: Judge less the mean of the people, in the unit of the scores; none for labels without an order, and on
            scales that cannot be compared.
        test: The alternative annotator test, with the variance between clusters; none likewise.
        rows: Each person.
        measure: What agreement is: Spearman of scores, quadratic kappa of ordered labels, kappa of labels.
        with_others: Bounds for other people of the same kind; none for fewer than three people, or a crowd.
    """

    n: int
    n_clusters: int
    people: Quantity
    own: Quantity | None
    order: Quantity | None
    bias: Quantity | None
    test: AlternativeAnnotator | None
    rows: tuple[Person, ...]
    measure: Measure
    with_others: OtherPeople | None


def standing(people: People, judge: ArrayLike, levels: Levels = LEVELS, *, same_scale: bool = True) -> Standing:
    """How a judge and each person agree with the other people.

    Args:
        people: At least two.
        judge: Shape ``(n,)``; NaN where the judge gave nothing.
        levels: How sure is sure.
        same_scale: Whether the judge's scores have the unit of the people's, so that they can be subtracted.

    Returns:
        All of it over the objects that the judge and at least two people scored.

    Raises:
        ValueError: Shapes do not fit.
        UndefinedStatistic: Too few objects or people for the test, or people whose agreement is not defined.

    Source:
        docs/verdict.md.
    """
    machine, measure = np.asarray(judge, dtype=np.float64), people.measure
    if machine.shape != people.clusters.shape:
        raise ValueError(f"shapes do not fit: {people.answers.shape} and {machine.shape}")
    used = ~np.isnan(machine) & ((~np.isnan(people.answers)).sum(axis=1) >= 2)
    people, machine = people.of(used), machine[used]
    answers, n_people = people.answers, people.answers.shape[1]
    if int((~np.isnan(answers)).any(axis=0).sum()) < 2:
        raise UndefinedStatistic("no object was scored by the judge and two people")
    if len(machine) < FEWEST_PAIRS:
        raise UndefinedStatistic(
            "the judge and two people scored {n} of the same objects, fewer than {fewest}",
            n=len(machine),
            fewest=FEWEST_PAIRS,
        )
    test = None
    if same_scale:
        test = alternative_annotator(
            answers,
            machine,
            people.called,
            metric="negative_rmse" if measure == "scores" else "accuracy",
            epsilon=levels.epsilon,
            q=levels.q,
            clusters=people.clusters,
            pool_small=True,
        )
    is_crowd = are_a_crowd((~np.isnan(answers)).sum(axis=0).tolist())

    few = _share_few(answers)

    def of_rows(rows: Floats) -> Statistics:
        # Equal rows are one, so that they do not say how many objects there are.
        each = [_compared(rows[:, 1:], rows[:, 0], column, measure, few[column]) for column in range(n_people)]
        whole = [[_together([one for part in each for one in part])]] if is_crowd else each
        return _agreement([part for part in whole if part], measure)

    found = left_out_of_rows(of_rows, np.column_stack([machine, answers]), people.clusters, seed=levels.seed)
    if not np.isfinite(found.values[0]):
        raise UndefinedStatistic("people's agreement is not defined: somebody gave one and the same answer to all")
    theirs, own, order = (
        quantity_of(found, place, scale, levels.confidence) for place, scale in enumerate((FISHER, FISHER, IDENTITY))
    )
    is_constant = bool((machine == machine[0]).all())
    return Standing(
        n=len(machine),
        n_clusters=found.n_clusters,
        people=theirs,
        own=None if is_constant else own,
        order=None if is_constant else order,
        bias=bias_of(people, machine, levels) if same_scale else None,
        test=test,
        rows=tuple(_rows(people, machine)),
        measure=measure,
        with_others=None if is_constant or is_crowd else _with_others(people, machine, own, order, levels),
    )


def are_a_crowd(rated: Sequence[int]) -> bool:
    """Whether no person rated enough objects to count one by one, so that all ratings together are one person's."""
    return bool(rated) and max(rated) < FEWEST_INSTANCES


class _Compared(NamedTuple):
    """A person's and the judge's answers on the same objects, and what both are held against; ``(m,)`` each."""

    rows: NDArray[np.intp]
    person: Floats
    judge: Floats
    others: Floats


def _compared(people: Floats, judge: Floats, column: int, measure: Measure, few: NDArray[np.bool_]) -> list[_Compared]:
    """One person against the mean of the others' scores, or the labels of each other, of few objects together."""
    mine = np.flatnonzero(~np.isnan(people[:, column]))
    if measure == "scores":
        if not mine.size:
            return []
        return [_Compared(mine, people[mine, column], judge[mine], row_means(np.delete(people[mine], column, axis=1)))]
    shared = ~np.isnan(people[mine])
    shared[:, column] = False

    def against(others: NDArray[np.intp]) -> _Compared:
        which, at = np.nonzero(shared[:, others].T)
        rows = mine[at]
        return _Compared(rows, people[rows, column], judge[rows], people[rows, others[which]])

    # Kappa on a few objects is often undefined: everybody gave one label.
    seen = shared.any(axis=0)
    together = np.flatnonzero(seen & few)
    return [against(np.array([other])) for other in np.flatnonzero(seen & ~few)] + (
        [against(together)] if together.size else []
    )


def _share_few(people: Floats) -> NDArray[np.bool_]:
    """Whether two people rated few of the same objects, shape ``(people, people)``."""
    given = (~np.isnan(people)).astype(np.float64)
    return np.asarray(given.T @ given < FEWEST_INSTANCES)


def _together(parts: list[_Compared]) -> _Compared:
    """All ratings as those of one person: in a crowd no one rated enough objects to be a row of their own."""
    return _Compared(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _agreement(compared: list[list[_Compared]], measure: Measure) -> Statistics:
    """From counts ``(resamples, n)`` to people's agreement, the judge's, and their difference ``(resamples, 3)``."""

    def sides(one: _Compared) -> tuple[NDArray[np.intp], OfCounts, OfCounts]:
        return (
            one.rows,
            measure_of_counts(one.person, one.others, measure),
            measure_of_counts(one.judge, one.others, measure),
        )

    functions = [[sides(one) for one in each] for each in compared]

    def agreement(counts: Counts) -> Floats:
        found = [
            np.mean([[person(counts[:, rows]), judge(counts[:, rows])] for rows, person, judge in each], axis=0)
            for each in functions
        ]
        people, own = np.mean(found, axis=0)
        return np.column_stack([people, own, own - people])

    return agreement


def mean_of(persons: Floats) -> Floats:
    """The mean of the people's answers to each object, NaN where no one answered."""
    result = np.full(len(persons), np.nan)
    given = ~np.isnan(persons).all(axis=1)
    result[given] = row_means(persons[given])
    return result


def majority_of(persons: Floats) -> Floats:
    """The label that most people gave, NaN where two labels tie or no one answered."""
    labels = np.unique(persons[~np.isnan(persons)])
    votes = np.array([(persons == label).sum(axis=1) for label in labels])
    most = votes.max(axis=0)
    decided_ = (most > 0) & ((votes == most).sum(axis=0) == 1)
    return np.where(decided_, labels[votes.argmax(axis=0)], np.nan)


def measure_of_counts(x: Floats, y: Floats, measure: Measure) -> OfCounts:
    """Agreement of two columns ``(n,)`` in resamples given by their counts: Spearman, or kappa of labels."""
    return spearman_of_counts(x, y) if measure == "scores" else kappa_of_counts(x, y, measure == "ordered_labels")


def _rows(people: People, judge: Floats) -> Iterator[Person]:
    ones, few = np.ones((1, len(judge)), dtype=np.int64), _share_few(people.answers)
    for column, name in enumerate(people.called):
        compared = _compared(people.answers, judge, column, people.measure, few[column])
        if compared:
            person, own, _ = _agreement([compared], people.measure)(ones)[0].tolist()
            seen = len(np.unique(np.concatenate([one.rows for one in compared])))
            yield Person(name, seen, *(None if value != value else value for value in (person, own)))


def quantity_of(found: Jackknife, column: int, scale: Scale, confidence: float) -> Quantity:
    """One column of statistics with Student's t on a scale, from its values without each cluster."""
    value, deleted = float(found.values[column]), found.deleted[:, column]
    freedom = float(effective_freedom(found.sizes)) if len(deleted) > 1 else 0.0
    over = counted_clusters(found)
    if scale is FISHER and are_at_end([value, *deleted]):
        # Fisher's z of perfect agreement is infinite.
        scale = ARCSINE
        value, deleted = float(np.clip(value, -1.0, 1.0)), np.clip(deleted, -1.0, 1.0)
    at, without = float(scale.there(np.asarray(value))), scale.there(deleted)
    why = message("without one of {over} it is undefined", over=over)
    if len(deleted) < FEWEST_CLUSTERS:
        why = too_few(found.n_clusters, FEWEST_CLUSTERS)
    if len(deleted) < FEWEST_CLUSTERS or not np.isfinite(without).all() or not np.isfinite(at):
        return Quantity(value, None, None, why, at, np.nan, freedom)
    error = float(standard_errors(without))
    if np.ptp(deleted) <= TIE:
        alike = message("the same whichever of {over} is left out", over=over)
        return Quantity(value, value, value, alike, at, 0.0, freedom)
    bounds = jackknife_bounds(Estimate(np.asarray(value), deleted), freedom, scale, confidence=confidence)
    method = message_list([JACKKNIFE, scale.name, over], ", ")
    return Quantity(value, float(bounds.low), float(bounds.high), method, at, error, freedom)


def _with_others(people: People, judge: Floats, own: Quantity, order: Quantity, levels: Levels) -> OtherPeople | None:
    """The variance between objects and that between people, each by leaving one out, with Student's t.

    Degrees of freedom by Satterthwaite (1946), Biometrics Bulletin 2:110-114. What an object and a person have in
    common is in both variances, so the interval is rather too wide.
    """
    n_people, few = people.answers.shape[1], _share_few(people.answers)
    without = []
    for column in range(n_people):
        left = np.delete(people.answers, column, axis=1)
        kept = (~np.isnan(left)).sum(axis=1) >= 2
        left, rated = left[kept], judge[kept]
        others = np.delete(np.arange(n_people), column)
        parts = [
            _compared(left, rated, place, people.measure, few[other, others]) for place, other in enumerate(others)
        ]
        if not any(parts):
            return None
        agreement = _agreement([part for part in parts if part], people.measure)
        without.append(agreement(np.ones((1, len(rated)), dtype=np.int64))[0])
    bounds = []
    for seen, deleted, scale in zip((own, order), np.array(without)[:, 1:].T, (FISHER, IDENTITY), strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            between = float(standard_errors(scale.there(deleted))) ** 2
            same_place = float(scale.there(np.array(seen.value))) == seen.at
        total = seen.error**2 + between
        if not same_place or not np.isfinite(total) or not total:
            return None
        freedom = total**2 / (seen.error**4 / seen.freedom + between**2 / (n_people - 1.0))
        half = float(scipy.special.stdtrit(freedom, 0.5 + levels.confidence / 2.0)) * total**0.5
        low, high = scale.back(np.array([seen.at - half, seen.at + half])).tolist()
        bounds.append((low, high))
    return OtherPeople(*bounds)


def bias_of(people: People, judge: Floats, levels: Levels) -> Quantity | None:
    """A judge's scores less the mean of the people's, in their unit; none for labels without an order.

    Args:
        people: Who all rated something of each object.
        judge: Shape ``(n,)`` without gaps, on people's scale.
        levels: How sure is sure.
    """
    if people.measure == "labels":
        return None
    away = differences(judge, row_means(people.answers))
    unit = power_of_two(away)

    def of_rows(rows: Floats) -> Statistics:
        return lambda counts: means(counts, rows[:, 0])[:, None]

    found = left_out_of_rows(of_rows, away[:, None] / unit, people.clusters, seed=levels.seed)
    return times(quantity_of(found, 0, IDENTITY, levels.confidence), unit)


def power_of_two(values: Floats) -> float:
    """About the largest absolute value: divided by it, which loses no digit, squares neither vanish nor overflow."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest else 1.0


def times(seen: Quantity, unit: float) -> Quantity:
    """A quantity in a unit that is so much smaller."""
    low, high = (None if bound is None else bound * unit for bound in (seen.low, seen.high))
    return seen._replace(value=seen.value * unit, low=low, high=high, at=seen.at * unit, error=seen.error * unit)


def objects_needed(n: int, estimate: float, needed: float, error: float, quantile: float) -> int | None:
    """How many objects would prove that the estimate is beyond what is needed, if it held.

    Args:
        n: Objects there are.
        estimate: On the scale of the error.
        needed: On the same scale.
        error: Standard error from `n` objects.
        quantile: Of Student's t.

    Returns:
        n (t error / (estimate - needed))^2, rounded up to tens; none where the estimate is not beyond what is needed.
    """
    if estimate <= needed:
        return None
    return ceil(n * (quantile * error / (estimate - needed)) ** 2 / 10.0) * 10
