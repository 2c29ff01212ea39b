"""Judges next to each other, and a judge against one person: agreement with its interval, and paired differences."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import Jackknife, headline_interval, left_out_of_rows
from analysis.intervals.jackknife import ARCSINE, FISHER, IDENTITY
from analysis.messages import Name, message, message_list
from analysis.preference.letter_display import letter_display
from analysis.resampling.bootstrap import Statistics
from analysis.significance.holm import holm
from analysis.ties import row_means
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import (
    AGREEMENT,
    KINDS,
    LEVELS,
    Floats,
    Levels,
    Measure,
    People,
    Quantity,
    bias_of,
    measure_of_counts,
    objects_needed,
    quantity_of,
)
from analysis.verdict.rule import CONSTANT, DEFAULT, Policy
from analysis.words import bounded

PersonWord = Literal["agrees", "agrees in order only", "does not agree", "not proven", "cannot say"]
# What agreement with one person has to reach, by its bound: Spearman of scores, kappa of labels.
NEEDED: dict[Measure, float] = {"scores": 0.7, "ordered_labels": 0.6, "labels": 0.6}
OFF = "more than {share:.0f} % of the range of {low:g} to {high:g}, so that only the order agrees"
# A bias whose whole interval is beyond this share of the scores' range leaves their order only: Spearman does not see
# it, and without several people no test asks whether values are as near as a person's.
MOST_OFF = 0.1


class AgainstOne(NamedTuple):
    """A judge against one person, or against means of people who are not known one by one.

    `n_needed` objects would make it `good` if the estimate held; none where it is not above what is needed. `bias` is
    the judge less the person, none without a common unit, and `scale` the lowest and highest score of either.
    """

    word: PersonWord
    n: int
    n_clusters: int
    agreement: Quantity | None
    needed: float
    why: str
    n_needed: int | None = None
    measure: Measure = "scores"
    bias: Quantity | None = None
    scale: tuple[float, float] = (0.0, 0.0)

    @property
    def good(self) -> PersonWord:
        """The word where the agreement is proven."""
        return "agrees in order only" if self.is_off else "agrees"

    @property
    def is_off(self) -> bool:
        """Whether the bias is beyond a tenth of the scores' range, with its whole interval; not of labels."""
        bias, most = self.bias, MOST_OFF * (self.scale[1] - self.scale[0])
        if bias is None or bias.low is None or bias.high is None or self.measure != "scores":
            return False
        return bias.low > most or bias.high < -most

    @property
    def off(self) -> str:
        """What such a bias means; "" where there is none."""
        low, high = self.scale
        return message(OFF, share=100 * MOST_OFF, low=low, high=high) if self.is_off else ""

    def level(self, whom: str) -> str:
        """By how much the judge is above or below whom it is held against, as a reason; "" without a common unit."""
        if self.bias is None:
            return ""
        bias = bounded(self.bias.value, self.bias.low, self.bias.high, sign=True)
        return message_list([message("it scores {bias} against {whom}", bias=bias, whom=whom), self.off], ": ")

    def reasons(self, whom: str) -> list[str]:
        """Why the word is what it is, and the level."""
        if self.agreement is None or self.word == "cannot say":
            return [self.why]
        seen = bounded(self.agreement.value, self.agreement.low, self.agreement.high)
        why = message("{measure} is {seen}: {why}", measure=AGREEMENT[self.measure], seen=seen, why=self.why)
        return [why, *filter(None, [self.level(whom)])]


class Pair(NamedTuple):
    """Two judges on the same objects: agreement of the first less that of the second."""

    first: str
    second: str
    difference: Quantity
    p: float | None
    p_holm: float | None


class Judges(NamedTuple):
    """Several judges on the objects that all of them and a person scored, best first."""

    n: int
    n_clusters: int
    agreement: dict[str, Quantity]
    letters: dict[str, str]
    pairs: tuple[Pair, ...]


def against_one(
    people: People,
    judge: ArrayLike,
    policy: Policy = DEFAULT,
    *,
    needed: float | None = None,
    same_scale: bool = True,
) -> AgainstOne:
    """Whether a judge agrees with one person as well as is needed: a bound decides, not the estimate.

    Args:
        people: One column: a person, or means of people who are not known one by one.
        judge: Shape ``(n,)``, NaN where there is none.
        policy: How sure is sure, and with how few objects there is nothing to say.
        needed: At least so much; none: 0.7 for Spearman, 0.6 for kappa.
        same_scale: Whether the judge's scores have the person's unit, so that they can be subtracted.

    Returns:
        `agrees` where the lower bound reaches what is needed (`agrees in order only` where the bias, with its whole
        interval, is beyond a tenth of the scores' range), `does not agree` where the upper bound does not or the judge
        is constant, `cannot say` with too few objects or a constant person, else `not proven`.

    Source:
        docs/verdict.md.
    """
    measure = people.measure
    people, machine = _given(people, np.asarray(judge, dtype=np.float64))
    one, sources = people.answers, people.clusters
    limit = NEEDED[measure] if needed is None else needed
    n = len(machine)
    n_clusters = len(np.unique(sources)) if n else 0
    levels, fewest_objects = policy.levels, policy.fewest_objects

    def word(said: PersonWord, why: str, agreement: Quantity | None = None) -> AgainstOne:
        return AgainstOne(said, n, n_clusters, agreement, limit, why, None, measure)

    if n < fewest_objects:
        return word(
            "cannot say",
            message("both scored {n} of the same objects, fewer than {fewest}", n=n, fewest=fewest_objects),
        )
    if bool((one == one[0]).all()):
        return word("cannot say", message("the person gave one and the same answer to everything"))
    if bool((machine == machine[0]).all()):
        return word("does not agree", message(CONSTANT))

    def of_rows(rows: Floats) -> Statistics:
        of_counts = measure_of_counts(rows[:, 0], rows[:, 1], measure)
        return lambda counts: of_counts(counts)[:, None]

    found = left_out_of_rows(of_rows, np.column_stack([machine, one[:, 0]]), sources, seed=levels.seed)
    seen = _headline(found, 0, measure, levels.confidence)
    of_both = np.concatenate([one[:, 0], machine])
    open_ = AgainstOne(
        "not proven",
        n,
        n_clusters,
        seen,
        limit,
        message("the interval holds {limit:g}", limit=limit),
        measure=measure,
        bias=bias_of(people, machine, levels) if same_scale else None,
        scale=(float(of_both.min()), float(of_both.max())),
    )
    if seen.low is None or seen.high is None:
        return word("cannot say", seen.method, seen)
    if seen.low >= limit:
        return open_._replace(word=open_.good, why=message("the interval is above {limit:g}", limit=limit))
    if seen.high < limit:
        return open_._replace(word="does not agree", why=message("the interval is below {limit:g}", limit=limit))
    quantile = float(scipy.special.stdtrit(seen.freedom, 0.5 + levels.confidence / 2.0))
    # Next to perfect agreement Fisher's z is infinite, and the estimate is on another scale.
    with np.errstate(divide="ignore"):
        scale = FISHER if float(FISHER.there(np.asarray(seen.value))) == seen.at else ARCSINE
    to_agree = objects_needed(n, seen.at, float(scale.there(np.asarray(limit))), seen.error, quantile)
    return open_._replace(n_needed=to_agree)


def judges_compared(people: People, judges: Mapping[str, Floats], levels: Levels = LEVELS) -> Judges:
    """Each judge's agreement with people, the paired differences, and the groups that Holm's tests do not separate.

    Args:
        people: At least one; agreement is Spearman with their mean, or the mean over them of kappa.
        judges: By name, shape ``(n,)``, NaN where a judge gave nothing.
        levels: How sure is sure.

    Raises:
        UndefinedStatistic: No object was scored by all, or a judge or the people give one answer only.
    """
    names, measure, confidence = list(judges), people.measure, levels.confidence
    machines = np.column_stack(list(judges.values()))
    whole = ~np.isnan(machines).any(axis=1) & ~np.isnan(people.answers).all(axis=1)
    machines, persons, sources = machines[whole], people.answers[whole], people.clusters[whole]
    if not len(machines):
        raise UndefinedStatistic("no object was scored by all judges and a person")
    m = len(names)
    couples = [(a, b) for a in range(m) for b in range(a + 1, m)]

    def of_rows(rows: Floats) -> Statistics:
        of = _agreement_of(rows[:, :m], rows[:, m:], measure)

        def statistics(counts: NDArray[np.int64]) -> Floats:
            own = of(counts)
            return np.column_stack([own, *(own[:, a] - own[:, b] for a, b in couples)])

        return statistics

    found = left_out_of_rows(of_rows, np.column_stack([machines, persons]), sources, seed=levels.seed)
    undefined = [names[place] for place in range(m) if not np.isfinite(found.values[place])]
    if undefined:
        raise UndefinedStatistic(
            "agreement is not defined for {judges}: one answer only", judges=Name(", ".join(undefined))
        )
    agreement = [_headline(found, place, measure, confidence) for place in range(m)]
    differences = [quantity_of(found, m + place, IDENTITY, confidence) for place in range(len(couples))]
    p_values = [p_of(one) for one in differences]
    tested = [place for place, p in enumerate(p_values) if p is not None]
    adjusted = dict(zip(tested, holm([p for p in p_values if p is not None]), strict=True)) if tested else {}
    order = sorted(range(m), key=lambda place: -agreement[place].value)
    separated = [couple for place, couple in enumerate(couples) if adjusted.get(place, 1.0) < 1.0 - confidence]
    letters = rank_groups(order, separated)
    return Judges(
        n=len(machines),
        n_clusters=found.n_clusters,
        agreement={names[place]: agreement[place] for place in order},
        letters={names[place]: letters[place] for place in order},
        pairs=tuple(
            Pair(names[a], names[b], differences[place], p_values[place], adjusted.get(place))
            for place, (a, b) in enumerate(couples)
        ),
    )


def rank_groups(order: Sequence[int], separated: Iterable[tuple[int, int]]) -> dict[int, str]:
    """The letters of each judge: two share one exactly where they are not separated."""
    apart = np.zeros((len(order), len(order)), dtype=bool)
    for one, two in separated:
        places = order.index(one), order.index(two)
        apart[places] = apart[places[::-1]] = True
    return {number: "".join(letters) for number, letters in zip(order, letter_display(apart), strict=True)}


def _agreement_of(machines: Floats, persons: Floats, measure: Measure) -> Statistics:
    """Each judge's agreement with the mean of the people, or the mean of its kappa with each of them."""
    references = [row_means(persons)] if measure == "scores" else list(persons.T)
    rows = [np.flatnonzero(~np.isnan(reference)) for reference in references]
    pairs = [(of, reference[of]) for of, reference in zip(rows, references, strict=True) if of.size]
    functions = [
        [(of, measure_of_counts(machine[of], reference, measure)) for of, reference in pairs] for machine in machines.T
    ]
    return lambda counts: np.column_stack([np.mean([f(counts[:, of]) for of, f in each], axis=0) for each in functions])


def _given(people: People, judge: Floats) -> tuple[People, Floats]:
    """The rows that the judge and at least one person scored."""
    used = ~np.isnan(judge) & ~np.isnan(people.answers).all(axis=1)
    return people.of(used), judge[used]


def _headline(found: Jackknife, column: int, measure: Measure, confidence: float) -> Quantity:
    """An agreement with the interval that every other table gives it."""
    interval = headline_interval(found, column, KINDS[measure], confidence=confidence)
    seen = quantity_of(found, column, FISHER, confidence)
    return seen._replace(low=interval.low, high=interval.high, method=interval.method)


def p_of(seen: Quantity) -> float | None:
    """Two-sided p of a difference of 0; none where nothing varies."""
    if seen.low is None:
        return None
    if seen.error == 0.0:
        return 1.0 if seen.value == 0.0 else 0.0
    return float(2.0 * scipy.special.stdtr(seen.freedom, -abs(seen.at) / seen.error))
