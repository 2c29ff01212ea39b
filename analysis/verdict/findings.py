"""Everything that is said of the judges in one table of ratings: verdict, people as rows, statistics, differences."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from analysis.messages import Name, message
from analysis.undefined import UndefinedStatistic
from analysis.verdict.copies import copies_among_people, copy_of_people, nearly_people
from analysis.verdict.errors import Errors, Factor, errors
from analysis.verdict.judges import AgainstOne, Judges, against_one, judges_compared
from analysis.verdict.panel import EACH, Line, Shares, alphas, each_person, label_shares, on_steps, panel
from analysis.verdict.people import Floats, Measure, People, Standing, majority_of, mean_of, standing
from analysis.verdict.rule import DEFAULT, Policy, Verdict, decided
from analysis.verdict.stated import undefined_by
from analysis.verdict.unrated import Unrated, unrated
from analysis.words import bounded

# A judge whose scores leave the range of the people's by more than this share of it is on another scale.
BEYOND_RANGE = 0.25
# Or whose median is where fewer than this share of people's scores are.
OUTSIDE = 0.05
# Or, unless both sides are whole numbers, of whose range and people's together less than this share is common to both.
COMMON = 0.4
FEWEST_OF_A_PERSON = 30


@dataclass(frozen=True)
class OfJudge:
    """What is said of one judge.

    Attributes:
        name: The judge's.
        n: Objects that it and at least one person scored.
        verdict: Against two people or more; none with one.
        against_one: Against the only person; none with more.
        standing: What the verdict rests on, where it is defined.
        lines: Statistics against the mean or the majority of the people, or the only person; or what each says.
        each: Agreement with each person, where there are several.
        shares: Of labels: how they fall together with people's.
        unrated: What follows for the objects that only the judge rated, if there are any.
        errors: What its errors depend on, where the file has other columns.
        same_scale: Whether its scores have the unit of the people's.
        reversed: Why its sign looks turned; "" where it does not.
        copies: What is said first: people who are copies of each other, and that the judge is nearly people's.
    """

    name: str
    n: int
    verdict: Verdict | None
    against_one: AgainstOne | None
    standing: Standing | None
    lines: tuple[Line, ...]
    each: tuple[Line, ...]
    shares: Shares | None
    unrated: Unrated | None
    errors: Errors | None
    same_scale: bool
    reversed: str
    copies: tuple[str, ...] = ()


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


class _Asked(NamedTuple):
    """What every judge is held against, by which policy, and what its errors may depend on."""

    people: People
    reference: "_Reference"
    policy: Policy
    factors: Sequence[Factor]


class _Reference(NamedTuple):
    """What judges are held against in the statistics: answers ``(n, m)``, NaN where there is none."""

    name: str
    answers: Floats


def findings(
    judges: Mapping[str, Floats],
    people: People,
    *,
    lower_is_better: Collection[str] = (),
    units: Mapping[str, bool] | None = None,
    policy: Policy = DEFAULT,
    factors: Sequence[Factor] = (),
) -> Findings:
    """The verdict on each judge of a table of ratings, and what it rests on.

    Args:
        judges: By name, shape ``(n,)``, NaN where there is none; labels as numbers.
        people: At least one.
        lower_is_better: Judges whose scores fall where people's rise; their sign is turned.
        units: Of judges of which it is known: whether their scores have the unit of people's; of others the data say.
        policy: What is needed.
        factors: Other columns, on which errors may depend.

    Raises:
        ValueError: Shapes do not fit.
    """
    reference = _reference(people)
    asked = _Asked(people, reference, policy, factors)
    turned = {name: -scores if name in lower_is_better else scores for name, scores in judges.items()}
    known = units or {}
    of_scale = {
        name: name not in lower_is_better
        and (people.measure != "scores" or (known[name] if name in known else on_one_scale(scores, people.answers)))
        for name, scores in turned.items()
    }
    twins = copies_among_people(people)
    found = tuple(
        replace(
            _of_judge(name, scores, asked, same_scale=of_scale[name]),
            copies=(*twins, *filter(None, [nearly_people(people, scores)])),
        )
        for name, scores in turned.items()
    )
    comparison, why = None, ""
    flagged = [one.name for one in found if one.reversed]
    if len(turned) > 1 and flagged:
        why = message("the sign of {judges} looks reversed", judges=Name(", ".join(flagged)))
    elif len(turned) > 1:
        try:
            comparison = judges_compared(people, turned, policy.levels)
        except UndefinedStatistic as undefined:
            why = undefined.reason
    rated = ~np.isnan(people.answers).all(axis=1)
    return Findings(
        judges=found,
        people=tuple(map(Name, people.called)),
        n_objects=int(rated.sum()),
        n_clusters=len(np.unique(people.clusters[rated])),
        measure=people.measure,
        reference=reference.name,
        n_tied=int((rated & np.isnan(reference.answers).all(axis=1)).sum()),
        comparison=comparison,
        no_comparison=why,
    )


def _of_judge(name: str, scores: Floats, asked: _Asked, *, same_scale: bool) -> OfJudge:
    people, reference, policy, factors = asked
    of_scores = people.measure == "scores"
    of_people, undefined, against, verdict = None, "", None, None
    if people.answers.shape[1] == 1:
        against = against_one(people, scores, policy, same_scale=same_scale)
    else:
        try:
            of_people = standing(people, scores, policy.levels, same_scale=same_scale)
        except UndefinedStatistic as error:
            undefined = str(error)
        verdict = decided(of_people, policy=policy, undefined=undefined, can_rank=people.measure != "labels")
    if copied := copy_of_people(people, scores):
        verdict = None if verdict is None else undefined_by(verdict, copied)
        against = None if against is None else against._replace(word="cannot say", why=copied, n_needed=None)
    answers = reference.answers
    times = replace(people, answers=np.repeat(people.answers, answers.shape[1], axis=0),
                    clusters=np.repeat(people.clusters, answers.shape[1]))  # fmt: skip
    repeated = np.repeat(scores, answers.shape[1])
    lines = panel(times, answers.ravel(), repeated, policy.levels)
    if same_scale:
        lines += [*on_steps(people, scores, policy.levels), *alphas(people, scores, policy.levels)]
    else:
        lines = [line for line in lines if line.statistic in ("Spearman", "Pearson")]
    return OfJudge(
        name=name,
        n=int((~np.isnan(scores) & ~np.isnan(answers).all(axis=1)).sum()),
        verdict=verdict,
        against_one=against,
        standing=of_people,
        lines=tuple(lines),
        each=tuple(each_person(people, scores, policy.levels)) if len(people.called) > 1 else (),
        shares=label_shares(times, answers.ravel(), repeated),
        unrated=unrated(people, scores, policy.levels, same_scale=same_scale),
        errors=errors(people, scores, factors, policy.levels, name=name, same_scale=same_scale),
        same_scale=same_scale,
        reversed=_reversed(lines) if of_scores else "",
    )


def _reference(people: People) -> _Reference:
    """The mean of scores and the majority of labels; of labels that have none, each person in turn."""
    answers = people.answers
    if answers.shape[1] == 1:
        return _Reference(Name(people.called[0]), answers)
    if people.measure == "scores":
        return _Reference(message("the mean of the people"), mean_of(answers)[:, None])
    if people.measure == "labels" and answers.shape[1] > 2:
        return _Reference(message("the majority of the people"), majority_of(answers)[:, None])
    return _Reference(message(EACH), answers)


def on_another_scale(people: People) -> tuple[Hashable, str, str] | None:
    """The person whose scores have another unit than the other people's: the name, their range and the others'.

    A person is said to only where the ranges leave no doubt: scores further out than the others' whole range, or an
    eighth of their range and off where most of theirs are. A person with few ratings is not.
    """
    if people.measure != "scores":
        return None
    for place, name in enumerate(people.called):
        own = people.answers[:, place]
        own = own[~np.isnan(own)]
        others = np.delete(people.answers, place, axis=1)
        others = others[~np.isnan(others)]
        if len(own) < FEWEST_OF_A_PERSON or not len(others):
            continue
        low, least, most, high = np.quantile(others, [0.0, OUTSIDE, 1.0 - OUTSIDE, 1.0])
        beyond = own.max() > high + (high - low) or own.min() < low - (high - low)
        narrow = np.ptp(own) < (high - low) / 8.0 and not least <= np.median(own) <= most
        if high > low and (beyond or narrow):
            return name, f"{own.min():g} to {own.max():g}", f"{low:g} to {high:g}"
    return None


def on_the_same_steps(scores: Floats, persons: Floats) -> bool:
    """Whether a judge and people give whole numbers only, the judge's no further out than a quarter of their range."""
    given, own = persons[~np.isnan(persons)], scores[~np.isnan(scores)]
    are_whole = bool((given == np.round(given)).all() and (own == np.round(own)).all())
    return bool(own.size) and are_whole and _within(own, given)


def _within(own: Floats, given: Floats) -> bool:
    room = BEYOND_RANGE * np.ptp(given)
    return bool(own.min() >= given.min() - room and own.max() <= given.max() + room)


def on_one_scale(scores: Floats, persons: Floats) -> bool:
    """Whether a judge's scores are about where people's are: 0.83 among 1 to 5 or 32 dB among 0 to 100 is not."""
    given, own = persons[~np.isnan(persons)], scores[~np.isnan(scores)]
    if not own.size or not _within(own, given):
        return False
    # Scores of 0 to 1 are inside people's 0 to 100 as well, but not where people's scores are.
    least, most = np.quantile(given, [OUTSIDE, 1.0 - OUTSIDE])
    if not least <= np.median(own) <= most:
        return False
    common = min(own.max(), given.max()) - max(own.min(), given.min())
    whole = max(own.max(), given.max()) - min(own.min(), given.min())
    return bool(own.min() == own.max() or on_the_same_steps(scores, persons) or common >= COMMON * whole)


def _reversed(lines: Sequence[Line]) -> str:
    """A correlation whose whole interval is negative."""
    for line in lines:
        if line.statistic == "Spearman" and line.interval.high is not None and line.interval.high < 0.0:
            seen = bounded(line.value or 0.0, line.interval.low, line.interval.high)
            return message("Spearman is {seen}", seen=seen)
    return ""
