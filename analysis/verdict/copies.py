"""Columns of ratings that are another column, or a summary of others: people would be judged by themselves."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from analysis.messages import Name, message
from analysis.ties import TIE
from analysis.verdict.people import Floats, People, majority_of, mean_of

# So few objects may be alike by chance.
FEWEST: Final = 20
# A rounded mean of a scale of fewer steps is near to every careful rater.
FEWEST_STEPS: Final = 8
MOST_DECIMALS: Final = 6
# So many half steps of its decimals a column's range has, for these to be taken for rounding.
FINE: Final = 100
# Of a crowd the first.
MOST_PEOPLE: Final = 50
# Where people differ so little that a rater like them would equal one on all objects more often, it is no copy.
BY_CHANCE: Final = 0.01

OF_A_PERSON: Final = (
    "it equals {name} on all {n:,} objects that both have, so that people would be compared with themselves: leave "
    "{person} out of the people, or name the judge's own ratings"
)
OF_ALL: Final = (
    "it equals {name} on all {n:,} objects that both have, so that people would be compared with themselves: name the "
    "judge's own ratings"
)
ONLY_ONE: Final = (
    "it equals {name} on all {n:,} objects that both have, so that {name} would be compared with itself: name the "
    "judge's own ratings, or another person's"
)


class _Alike(NamedTuple):
    """What a column equals, on how many objects, and which person that is; "" for a summary of several."""

    name: str
    n: int
    person: str = ""


def copy_of_people(people: People, judge: Floats) -> str:
    """That a judge's ratings are people's own, so that people would be compared with themselves, and the way out.

    Args:
        people: At least one.
        judge: Shape ``(n,)``, NaN where there is none.

    Returns:
        A sentence without its full stop; "" where the judge's ratings are its own, or people differ so little that
        any of them could equal another.
    """
    raters = _raters(people)
    found = _like_a_person(people, judge, raters) or _like_people(people, judge) or _in_another_unit(people, judge)
    if found is None or _alike(people, raters) ** found.n > BY_CHANCE:
        return ""
    if len(people.called) == 1:
        return message(ONLY_ONE, name=found.name, n=found.n)
    if found.person:
        return message(OF_A_PERSON, name=found.name, n=found.n, person=found.person)
    return message(OF_ALL, name=found.name, n=found.n)


def _alike(people: People, raters: Sequence[int]) -> float:
    """Share of the objects that two people rated to which both gave the same; 0 for one person."""
    same = both = 0
    for place, one in enumerate(raters):
        for other in raters[place + 1 :]:
            given = ~np.isnan(people.answers[:, [one, other]]).any(axis=1)
            both += int(given.sum())
            same += int((people.answers[given, one] == people.answers[given, other]).sum())
    return same / both if both else 0.0


def copies_among_people(people: People) -> list[str]:
    """People who are a copy of another person, or the mean of the others: they are no people of their own.

    Returns:
        A sentence for each without its full stop.
    """
    sentences, raters = [], _raters(people)
    for place in raters:
        own = people.answers[:, place]
        found = _like_a_person(people, own, [other for other in raters if other < place])
        if found is None and len(people.called) > 2 and people.measure == "scores":
            means = _means(np.delete(people.answers, place, axis=1))
            n = _equal(own, means, _room(own))
            found = _Alike(message("the mean of the other people"), n) if n else None
        if found is not None:
            sentences.append(
                message(
                    "person {person} equals {name} on all {n:,} objects that both have: if it is a copy, leave it out",
                    person=Name(people.called[place]),
                    name=found.name,
                    n=found.n,
                )
            )
    return sentences


def _raters(people: People) -> list[int]:
    """The columns with enough ratings."""
    counts = (~np.isnan(people.answers)).sum(axis=0)
    return [int(place) for place in np.flatnonzero(counts >= FEWEST)[:MOST_PEOPLE]]


def _like_a_person(people: People, own: Floats, places: Sequence[int]) -> _Alike | None:
    for place in places:
        if n := _equal(own, people.answers[:, place], 0.0):
            return _Alike(name := Name(people.called[place]), n, name)
    return None


def _like_people(people: People, own: Floats) -> _Alike | None:
    """A summary of several people that a judge equals."""
    answers = people.answers
    if answers.shape[1] < 2:
        return None
    if people.measure != "scores":
        n = _equal(own, majority_of(answers), 0.0) if answers.shape[1] > 2 else 0
        return _Alike(message("the majority of the people"), n) if n else None
    means = _means(answers)
    if n := _equal(own, means, _room(own)):
        return _Alike(message("the mean of the people"), n)
    medians = np.full(len(own), np.nan)
    several = ~np.isnan(means)
    medians[several] = np.nanmedian(answers[several], axis=1)
    if n := _equal(own, medians, 0.0):
        return _Alike(message("the median of the people"), n)
    are_near = bool((np.nan_to_num(np.abs(answers - means[:, None])) <= 0.5).all())
    if _decimals(own) == 0 and not are_near and (n := _equal(own, means, 0.5)):
        return _Alike(message("the rounded mean of the people"), n)
    return None


def _in_another_unit(people: People, own: Floats) -> _Alike | None:
    """A person's scores or people's mean that a judge gives in another unit: all pairs are on one line."""
    if people.measure != "scores":
        return None
    columns: list[tuple[str, Floats]] = [
        (Name(people.called[place]), people.answers[:, place]) for place in _raters(people)
    ]
    if people.answers.shape[1] > 1:
        columns.append((message("the mean of the people"), _means(people.answers)))
    for name, column in columns:
        both = ~np.isnan(own) & ~np.isnan(column)
        x, y = column[both], own[both]
        if len(x) < FEWEST:
            continue
        # Any two values are on a line.
        if len(np.unique(x)) > 2 and len(np.unique(y)) > 2 and _on_a_line(x, y):
            person = name if isinstance(name, Name) else ""
            return _Alike(message("{name} in another unit", name=name), len(x), person)
    return None


def _on_a_line(x: Floats, y: Floats) -> bool:
    """Whether all pairs are on a line as far as the second side's decimals tell."""
    decimals = _decimals(y)
    half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    room = 1.1 * half if half * FINE <= np.ptp(y) else 0.0
    # The same whatever the units are.
    x_unit, y_unit = x - x.mean(), y - y.mean()
    with np.errstate(all="ignore"):
        slope = float((x_unit / np.ptp(x) * (y_unit / np.ptp(y))).sum() / ((x_unit / np.ptp(x)) ** 2).sum())
        away = np.abs(y_unit - slope * np.ptp(y) * (x_unit / np.ptp(x)))
    return bool((away <= room + 1e-9 * np.abs(y).max()).all())


def _means(answers: Floats) -> Floats:
    """The mean of each object that at least two people rated, NaN of any other."""
    return np.where((~np.isnan(answers)).sum(axis=1) >= 2, mean_of(answers), np.nan)


def _equal(one: Floats, other: Floats, room: float) -> int:
    """On how many objects both are given, where they are equal on all of these; 0 where not, or where too few are."""
    both = ~np.isnan(one) & ~np.isnan(other)
    first, second = one[both], other[both]
    near = room + TIE * np.maximum(np.abs(first), np.abs(second))
    is_alike = len(first) >= FEWEST and bool((np.abs(first - second) <= near).all())
    return len(first) if is_alike and bool((first != first[0]).any()) else 0


def _room(own: Floats) -> float:
    """How far a mean written with this column's decimals may be from the mean itself; 0 on a few whole steps."""
    decimals = _decimals(own)
    given = own[~np.isnan(own)]
    if decimals is None or (decimals == 0 and len(np.unique(given)) < FEWEST_STEPS):
        return 0.0
    half = 0.5 * 10.0**-decimals
    return half if half * FEWEST_STEPS <= np.ptp(given) else 0.0


def _decimals(own: Floats) -> int | None:
    """With how many decimals numbers are written, at most 6; none where these do not do."""
    given = own[~np.isnan(own)]
    for decimals in range(MOST_DECIMALS + 1):
        if bool((np.abs(given - np.round(given, decimals)) <= TIE * np.maximum(np.abs(given), 1.0)).all()):
            return decimals
    return None
