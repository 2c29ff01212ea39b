"""Columns of ratings that are another column, or a summary of others: people would be judged by themselves."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import scipy

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

# A near copy differs on at most this share of the objects. What may be an excellent judge too is named where it differs
# on at most a tenth of those on which the two people that are most alike do.
MOST_OTHER: Final = 0.05
SHARE_OF_PEOPLES: Final = 0.1

OF_A_PERSON: Final = (
    "it equals {name} on {of_objects}, so that people would be compared with themselves: leave {person} out of the "
    "people, or name the judge's own ratings"
)
OF_ALL: Final = (
    "it equals {name} on {of_objects}, so that people would be compared with themselves: name the judge's own ratings"
)
ONLY_ONE: Final = (
    "it equals {name} on {of_objects}, so that {name} would be compared with itself: name the judge's own ratings, or "
    "another person's"
)
NEARLY: Final = (
    "it equals {name} on {of_objects}, and may be an excellent judge: if its ratings were made from people's, this "
    "verdict says nothing"
)


class _Alike(NamedTuple):
    """What a column equals, on how many objects but for how many, and which person that is; "" for a summary.

    `chance` is that a judge without errors would differ from it on so few.
    """

    name: str
    n: int
    person: str = ""
    n_other: int = 0
    chance: float = 0.0

    @property
    def of_objects(self) -> str:
        """On how many."""
        if not self.n_other:
            return message("all {n:,} objects that both have", n=self.n)
        return message("{same:,} of the {n:,} objects that both have", same=self.n - self.n_other, n=self.n)


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
    if found is not None and _alike(people, raters) ** found.n > BY_CHANCE:
        return ""
    if found is None:
        near = _near(people, judge, raters, _apart(people, raters))
        found = next((one for one in near if one.chance <= BY_CHANCE), None)
    if found is None:
        return ""
    if len(people.called) == 1:
        return message(ONLY_ONE, name=found.name, of_objects=found.of_objects)
    if found.person:
        return message(OF_A_PERSON, name=found.name, of_objects=found.of_objects, person=found.person)
    return message(OF_ALL, name=found.name, of_objects=found.of_objects)


def nearly_people(people: People, judge: Floats) -> str:
    """That a judge differs from people on so few objects that it may be made of their ratings, or be an excellent one.

    Args:
        people: At least one.
        judge: Shape ``(n,)``, NaN where there is none.

    Returns:
        A sentence without its full stop; "" where it is neither, or a copy.
    """
    raters = _raters(people)
    apart = _apart(people, raters)
    few = SHARE_OF_PEOPLES * min(apart.values(), default=0.0)
    near = [one for one in _near(people, judge, raters, apart) if one.n_other <= few * one.n]
    if not near or copy_of_people(people, judge):
        return ""
    found = min(near, key=lambda one: one.n_other / one.n)
    return message(NEARLY, name=found.name, of_objects=found.of_objects)


def _near(
    people: People, own: Floats, raters: Sequence[int], apart: Mapping[tuple[int, int], float]
) -> Iterator[_Alike]:
    """Each person, then each summary of several, from which a column differs on few objects but some.

    A judge without errors differs from a person where that person errs, at least half as often as the person differs
    from the most similar other one; from a summary of several where more than half of them err, in one direction where
    there are two. Both are counted as if errors fell on objects evenly: where they do not, it differs more often.
    """
    if not apart:
        return
    for place in raters:
        person = Name(people.called[place])
        if slips := [share / 2.0 for pair, share in apart.items() if place in pair]:
            yield from _few(own, people.answers[:, place], 0.0, _Alike(person, 0, person), min(slips))
    n_people = int((~np.isnan(people.answers)).sum(axis=1).max())
    sides = 1 if len(people.labels) == 2 else 2
    slip = min(apart.values()) / 2.0 / sides
    wrong = sides * float(scipy.special.bdtrc(n_people // 2, n_people, slip))
    for summary, column, room in _summaries(people, own):
        yield from _few(own, column, room, _Alike(summary, 0), wrong)


def _few(own: Floats, column: Floats, room: float, alike: _Alike, wrong: float) -> Iterator[_Alike]:
    both, n_other = _other(own, column, room)
    if both >= FEWEST and 0 < n_other <= MOST_OTHER * both:
        yield alike._replace(n=both, n_other=n_other, chance=float(scipy.special.bdtr(n_other, both, wrong)))


def _apart(people: People, raters: Sequence[int]) -> dict[tuple[int, int], float]:
    """Of two people each who rated enough of the same objects: the share on which they differ."""
    found = {}
    for pair in combinations(raters, 2):
        n, n_other = _other(people.answers[:, pair[0]], people.answers[:, pair[1]], 0.0)
        if n >= FEWEST:
            found[pair] = n_other / n
    return found


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
    for name, column, room in _summaries(people, own):
        if n := _equal(own, column, room):
            return _Alike(name, n)
    return None


def _summaries(people: People, own: Floats) -> Iterator[tuple[str, Floats, float]]:
    """What several people say together, and how far from it a column may be that is written as this one."""
    answers = people.answers
    if answers.shape[1] < 2:
        return
    if people.measure != "scores":
        if answers.shape[1] > 2:
            yield message("the majority of the people"), majority_of(answers), 0.0
        return
    means = _means(answers)
    yield message("the mean of the people"), means, _room(own)
    medians = np.full(len(own), np.nan)
    several = ~np.isnan(means)
    medians[several] = np.nanmedian(answers[several], axis=1)
    yield message("the median of the people"), medians, 0.0
    are_near = bool((np.nan_to_num(np.abs(answers - means[:, None])) <= 0.5).all())
    if _decimals(own) == 0 and not are_near:
        yield message("the rounded mean of the people"), means, 0.5


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
    n, n_other = _other(one, other, room)
    return n if n >= FEWEST and not n_other else 0


def _other(one: Floats, other: Floats, room: float) -> tuple[int, int]:
    """On how many objects both are given, and on how many of these they differ; none where the first is constant."""
    both = ~np.isnan(one) & ~np.isnan(other)
    first, second = one[both], other[both]
    near = room + TIE * np.maximum(np.abs(first), np.abs(second))
    if not len(first) or bool((first == first[0]).all()):
        return 0, 0
    return len(first), int((np.abs(first - second) > near).sum())


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
