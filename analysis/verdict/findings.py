"""Everything that is said of the judges in one table of ratings: verdict, people as rows, statistics, differences."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.ties import row_means
from analysis.undefined import UndefinedStatistic
from analysis.verdict.judges import AgainstOne, Judges, against_one, judges_compared
from analysis.verdict.panel import Line, panel
from analysis.verdict.people import Floats, Measure, Standing, standing
from analysis.verdict.rule import DEFAULT, Policy, Verdict, decided

# A judge whose scores leave the range of the people's by more than this share of it is on another scale.
BEYOND_RANGE = 0.25
# Or whose median is where fewer than this share of people's scores are.
OUTSIDE = 0.05
Reference = Literal["mean of the people", "majority of the people"]


@dataclass(frozen=True)
class OfJudge:
    """What is said of one judge.

    Attributes:
        name: The judge's.
        n: Objects that it and at least one person scored.
        verdict: Against two people or more; none with one.
        against_one: Against the only person; none with more.
        standing: What the verdict rests on, where it is defined.
        lines: Statistics against the mean or the majority of the people, or the only person.
        same_scale: Whether its scores have the unit of the people's.
        reversed: Why its sign looks turned; "" where it does not.
    """

    name: str
    n: int
    verdict: Verdict | None
    against_one: AgainstOne | None
    standing: Standing | None
    lines: tuple[Line, ...]
    same_scale: bool
    reversed: str


@dataclass(frozen=True)
class Findings:
    """Judges in the order given, the comparison of several, and why there is none.

    `n_tied` objects have no majority of people's labels.
    """

    judges: tuple[OfJudge, ...]
    people: tuple[str, ...]
    n_objects: int
    n_clusters: int
    measure: Measure
    reference: str
    n_tied: int
    comparison: Judges | None
    no_comparison: str


def findings(
    judges: Mapping[str, Floats],
    people: Mapping[str, Floats],
    clusters: NDArray[Any],
    *,
    measure: Measure = "scores",
    labels: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    epsilon: float = 0.2,
    policy: Policy = DEFAULT,
    seed: int = 0,
) -> Findings:
    """The verdict on each judge of a table of ratings, and what it rests on.

    Args:
        judges: By name, shape ``(n,)``, NaN where there is none; labels as numbers.
        people: By name, likewise; at least one.
        clusters: Shape ``(n,)``, the source that an object shares with others.
        measure: What agreement is.
        labels: What the numbers of labels stand for.
        lower_is_better: Judges whose scores fall where people's rise; their sign is turned.
        epsilon: What the alternative annotator test allows.
        policy: What is needed.
        seed: Of the groups of clusters above 1,000 of them.

    Raises:
        ValueError: Shapes do not fit, or there is no person.
    """
    persons = np.column_stack(list(people.values()))
    reference = _majority(persons) if measure == "labels" else row_means_or_nan(persons)
    turned = {name: -scores if name in lower_is_better else scores for name, scores in judges.items()}
    found = tuple(
        _of_judge(name, scores, persons, list(people), clusters, reference, measure, labels, epsilon, policy, seed,
                  turned=name in lower_is_better)
        for name, scores in turned.items()
    )  # fmt: skip
    comparison, why = None, ""
    flagged = [one.name for one in found if one.reversed]
    if len(turned) > 1 and flagged:
        why = f"the sign of {', '.join(flagged)} looks reversed"
    elif len(turned) > 1:
        try:
            comparison = judges_compared(
                persons, np.column_stack(list(turned.values())), clusters, list(turned), measure=measure,
                confidence=policy.confidence, seed=seed,
            )  # fmt: skip
        except UndefinedStatistic as undefined:
            why = str(undefined)
    rated = ~np.isnan(persons).all(axis=1)
    return Findings(
        judges=found,
        people=tuple(people),
        n_objects=int(rated.sum()),
        n_clusters=len(np.unique(clusters[rated])),
        measure=measure,
        reference=_reference(list(people), measure),
        n_tied=int((rated & np.isnan(reference)).sum()),
        comparison=comparison,
        no_comparison=why,
    )


def _of_judge(
    name: str,
    scores: Floats,
    persons: Floats,
    names: list[str],
    clusters: NDArray[Any],
    reference: Floats,
    measure: Measure,
    labels: Sequence[str],
    epsilon: float,
    policy: Policy,
    seed: int,
    *,
    turned: bool,
) -> OfJudge:
    same_scale = measure != "scores" or (not turned and _same_scale(scores, persons))
    of_people, undefined, against, verdict = None, "", None, None
    confidence = policy.confidence
    if persons.shape[1] == 1:
        against = against_one(
            persons[:, 0], scores, clusters, measure=measure, fewest_objects=policy.fewest_objects,
            confidence=confidence, seed=seed,
        )  # fmt: skip
    else:
        try:
            of_people = standing(
                persons, scores, clusters, measure=measure, epsilon=epsilon, confidence=confidence, names=names,
                same_scale=same_scale, seed=seed,
            )  # fmt: skip
        except UndefinedStatistic as error:
            undefined = str(error)
        verdict = decided(of_people, policy=policy, undefined=undefined, can_rank=measure != "labels")
    lines = panel(reference, scores, clusters, measure=measure, labels=labels, confidence=confidence, seed=seed)
    if not same_scale:
        lines = [line for line in lines if line.statistic in ("Spearman", "Pearson")]
    return OfJudge(
        name=name,
        n=int((~np.isnan(scores) & ~np.isnan(reference)).sum()),
        verdict=verdict,
        against_one=against,
        standing=of_people,
        lines=tuple(lines),
        same_scale=same_scale,
        reversed=_reversed(lines, measure),
    )


def row_means_or_nan(persons: Floats) -> Floats:
    """The mean of the people's answers to each object, NaN where nobody answered."""
    result = np.full(len(persons), np.nan)
    given = ~np.isnan(persons).all(axis=1)
    result[given] = row_means(persons[given])
    return result


def _majority(persons: Floats) -> Floats:
    """The label that most people gave, NaN where two labels tie or nobody answered."""
    labels = np.unique(persons[~np.isnan(persons)])
    votes = np.array([(persons == label).sum(axis=1) for label in labels])
    most = votes.max(axis=0)
    decided_ = (most > 0) & ((votes == most).sum(axis=0) == 1)
    return np.where(decided_, labels[votes.argmax(axis=0)], np.nan)


def _reference(people: list[str], measure: Measure) -> str:
    if len(people) == 1:
        return people[0]
    return "majority of the people" if measure == "labels" else "mean of the people"


def _same_scale(scores: Floats, persons: Floats) -> bool:
    """Whether a judge's scores stay about where people's are: a 0.83 among 1 to 5 has another unit."""
    low, least, most, high = np.nanquantile(persons, [0.0, OUTSIDE, 1.0 - OUTSIDE, 1.0])
    room = BEYOND_RANGE * (high - low)
    own = scores[~np.isnan(scores)]
    if not own.size or own.min() < low - room or own.max() > high + room:
        return False
    # Scores of 0 to 1 are inside people's 0 to 100 as well, but not where people's scores are.
    return bool(least <= np.median(own) <= most)


def _reversed(lines: Sequence[Line], measure: Measure) -> str:
    """A correlation that is surely negative."""
    if measure != "scores":
        return ""
    for line in lines:
        if line.statistic == "Spearman" and line.interval.high is not None and line.interval.high < 0.0:
            return f"Spearman is {line.value:.3f} [{line.interval.low:.3f}, {line.interval.high:.3f}]"
    return ""
