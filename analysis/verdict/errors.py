"""What a judge's errors depend on: its ratings less people's by every other column, and the worst slices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.correlation.calibration import line
from analysis.intervals.headline import METHODS, Jackknife, freedoms, headline_interval, left_out_of_sums
from analysis.messages import Name, message
from analysis.resampling.bootstrap import Estimate, cluster_index
from analysis.significance.holm import holm
from analysis.ties import differences
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import LEVELS, Floats, Levels, People, power_of_two

Kind = Literal["number", "length", "group"]
FEWEST_OBJECTS: Final = 10
FEWEST_CLUSTERS: Final = 2
MOST_GROUPS: Final = 12
WORST: Final = 3
OTHER: Final = message("(other)")
SIGNED: Final = "judge - people"
FITTED: Final = "mean absolute error after a fitted line"
# Noise of people's mean is taken off its variance as long as so much of it is left.
LEAST_LEFT: Final = 0.2
# A word of its own: no part of another, such as of graphics.
FAMILY: Final = re.compile(
    r"(?<![a-z])(?:chat)?(gpt|claude|gemini|llama|mistral|qwen|deepseek|grok|palm|command|gemma|phi)(?![a-z])",
    re.IGNORECASE,
)
_LENGTH: Final = re.compile(r"length|tokens?\b|(^|_)(n_)?(words?|chars?|characters)\b", re.IGNORECASE)
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Factor:
    """Another column of the file: a number of each object, or the name of its group.

    Attributes:
        name: The column.
        values: Shape ``(n,)``, numbers with NaN, or names with "" where there is none.
        kind: Numbers, lengths of a text in characters, or groups.
    """

    name: str
    values: NDArray[Any]
    kind: Kind


class Effect(NamedTuple):
    """By how much the error of a group is above the average error, or the error for one step more of a number."""

    name: str
    n: int
    estimate: Estimate


class Dependence(NamedTuple):
    """Whether the judge's error goes with a column, people's answer held fixed.

    `step` is one standard deviation of a number; `bias` names a known kind. No p where it cannot be tested: `why`.
    """

    column: str
    kind: Kind
    n: int
    n_clusters: int
    effects: tuple[Effect, ...]
    step: float | None
    p: float | None
    p_holm: float | None
    bias: str
    why: str = ""


class Slice(NamedTuple):
    """A part of the objects in which the judge errs most; `value` is the group, or a third of the numbers."""

    column: str
    value: str
    n: int
    n_clusters: int
    estimate: Estimate


class Errors(NamedTuple):
    """Every column tried, the worst slices of all, and how the judge does on all objects.

    `error` says what `tried` is of: `judge - people`, or `another label` (1 where it differs). `sizes` are of the same
    columns where errors have a sign: by how much they are larger, `size_of` says of what. Slices and `overall` are of
    `measure`: `mean absolute error`, after a fitted line where the judge has another unit, or `same label`.
    """

    error: str
    measure: str
    overall: float
    tried: tuple[Dependence, ...]
    worst: tuple[Slice, ...]
    n_slices: int
    sizes: tuple[Dependence, ...] = ()
    size_of: str = ""


class _Rated(NamedTuple):
    """Objects that judge and people rated: errors, what is held fixed ``(n, b)``, people's noise, how near they are."""

    error: Floats
    fixed: Floats
    noise: Floats
    near: Floats
    clusters: Index
    kept: NDArray[np.bool_]
    names: tuple[str, str]
    unit: float = 1.0

    def in_unit(self, estimate: Estimate) -> Estimate:
        """An estimate in the unit of the ratings, in which squares would vanish or overflow."""
        low, high = (None if bound is None else bound * self.unit for bound in estimate.interval[:2])
        return Estimate(estimate.value * self.unit, estimate.interval._replace(low=low, high=high))


def errors(
    people: People,
    judge: Floats,
    factors: Sequence[Factor],
    levels: Levels = LEVELS,
    *,
    name: str = "",
    same_scale: bool = True,
) -> Errors | None:
    """What a judge's errors depend on.

    Args:
        people: Their mean is held fixed, with its noise taken off where several people rated an object; of labels,
            their majority.
        judge: Shape ``(n,)``, NaN where there is none.
        factors: The other columns.
        levels: How sure is sure.
        name: The judge's, for its preference of its own family of models.
        same_scale: Whether its scores have people's unit; else a line is fitted first.

    Returns:
        None without columns or with too few objects. Tests are Wald's with the jackknife's variance over clusters, of
        the error and of its size, all together under Holm: a judge that is too high as often as too low in one group
        has no larger error there, but a larger size of it. Slices are the worst of all, so that they look worse than
        they are.

    Source:
        docs/verdict.md; errors in variables: Fuller (1987), Measurement Error Models, section 1.2.
    """
    rated = _rated(people, judge, same_scale)
    if not factors or rated is None:
        return None
    # Labels without a good one have no side on which they prefer anything.
    prefers = name if people.measure != "labels" or people.positive else ""
    every = [_dependence(rated, factor, levels, prefers) for factor in factors]
    sized = _sized(rated)
    if sized is not None:
        every += [_dependence(sized, factor, levels, "")._replace(bias="") for factor in factors]
    tested = [place for place, one in enumerate(every) if one.p is not None]
    adjusted = holm([one.p for one in every if one.p is not None]) if tested else []
    for place, p in zip(tested, adjusted, strict=True):
        one = every[place]._replace(p_holm=p)
        every[place] = one if p < 1.0 - levels.confidence else one._replace(bias="")
    tried, sizes = (
        tuple(sorted(part, key=lambda one: 2.0 if one.p is None else one.p))
        for part in (every[: len(factors)], every[len(factors) :])
    )
    lowest = rated.names[1] == "same label"
    parts = [part for factor in factors for part in _slices(factor, rated)]
    parts.sort(key=lambda part: float(rated.near[part[2]].mean()) * (1.0 if lowest else -1.0))
    return Errors(
        error=rated.names[0],
        measure=rated.names[1],
        overall=float(rated.near.mean()) * rated.unit,
        tried=tried,
        worst=tuple(_measured(part, rated, levels, "share" if lowest else "mean") for part in parts[:WORST]),
        n_slices=len(parts),
        sizes=sizes,
        size_of="" if sized is None else sized.names[0],
    )


def _rated(people: People, judge: Floats, same_scale: bool) -> _Rated | None:
    of_scores = people.measure == "scores"
    answers = people.middle
    kept = ~np.isnan(judge) & ~np.isnan(answers)
    if kept.sum() < 2 * FEWEST_OBJECTS:
        return None
    one, machine, persons = answers[kept], judge[kept], people.answers[kept]
    clusters = cluster_index(people.clusters[kept])[0]
    if not of_scores:
        near = (machine == one).astype(np.float64)
        fixed = (one[:, None] == np.unique(one)).astype(np.float64)
        directed = people.measure == "ordered_labels" or len(people.labels) == 2
        error = machine - one if directed else 1.0 - near
        names = (SIGNED if directed else "another label", "same label")
        return _Rated(error, fixed, np.zeros(len(one)), near, clusters, kept, names)
    unit = power_of_two(np.column_stack([one, machine]))
    one, machine, persons = one / unit, machine / unit, persons / unit
    if not same_scale:
        try:
            slope, intercept = line(machine, one, "of all objects")
        except UndefinedStatistic:
            return None
        machine = slope * machine + intercept
    error = differences(machine, one)
    centred = one - one.mean()
    fixed = np.column_stack([np.ones(len(one)), centred]) if np.ptp(one) > 0.0 else np.ones((len(one), 1))
    return _Rated(
        error=error,
        fixed=fixed,
        noise=_noise(persons),
        near=np.abs(error),
        clusters=clusters,
        kept=kept,
        names=(SIGNED, message("mean absolute error") if same_scale else message(FITTED)),
        unit=unit,
    )


def _sized(rated: _Rated) -> _Rated | None:
    """The same objects with the size of the error; none where the error is without a sign already.

    People's answer is held fixed with its square: near the ends of a scale there is room for smaller errors only.
    """
    if rated.names[0] != SIGNED:
        return None
    if rated.names[1] == "same label":
        return rated._replace(error=1.0 - rated.near, names=("another label", rated.names[1]))
    fixed = np.column_stack([rated.fixed, rated.fixed[:, 1:] ** 2])
    size = "absolute error"
    return rated._replace(error=rated.near, fixed=fixed, noise=np.zeros(len(fixed)), names=(size, rated.names[1]))


def _noise(persons: Floats) -> Floats:
    """The variance of each object's mean of people; where one person rated it, the mean variance of one rating."""
    given = (~np.isnan(persons)).sum(axis=1)
    several = given >= 2
    if not several.any():
        return np.zeros(len(persons))
    squares = np.nansum((persons - np.nanmean(persons, axis=1, keepdims=True)) ** 2, axis=1)
    one = float(squares[several].sum() / (given[several] - 1).sum())
    return np.asarray(one / given)


def _dependence(rated: _Rated, factor: Factor, levels: Levels, judge: str) -> Dependence:
    values = factor.values[rated.kept]
    if factor.kind == "group":
        return _of_groups(rated, factor, values, levels, judge)
    there = np.isfinite(values)
    numbers = values[there].astype(np.float64)
    n, n_clusters = int(there.sum()), len(np.unique(rated.clusters[there]))
    blank = Dependence(factor.name, factor.kind, n, n_clusters, (), None, None, None, "")
    step = float(numbers.std()) if n else 0.0
    if n < 2 * FEWEST_OBJECTS or step == 0.0:
        return blank._replace(why=message("too few objects") if n < 2 * FEWEST_OBJECTS else message("one value only"))
    found = _fitted(rated, there, ((numbers - numbers.mean()) / step)[:, None], levels)
    p, estimate = _p(found, 1), _estimate(found, 0, levels)
    if p is None:
        return blank._replace(step=step, why=estimate.interval.method)
    is_length = factor.kind == "length" or bool(_LENGTH.search(factor.name))
    effect = Effect("one standard deviation more", n, rated.in_unit(estimate))
    return blank._replace(effects=(effect,), step=step, p=p, bias=message("length bias") if is_length else "")


def _of_groups(rated: _Rated, factor: Factor, values: NDArray[Any], levels: Levels, judge: str) -> Dependence:
    there = values != ""
    n, n_clusters = int(there.sum()), len(np.unique(rated.clusters[there]))
    why = message("fewer than two groups of {fewest} objects", fewest=FEWEST_OBJECTS)
    blank = Dependence(factor.name, "group", n, n_clusters, (), None, None, None, "", why)
    if not n:
        return blank
    named = _merged(values[there], rated.clusters[there])
    groups, codes, sizes = np.unique(named, return_inverse=True, return_counts=True)
    if len(groups) < 2:
        return blank
    dummies = (codes[:, None] == np.arange(1, len(groups))).astype(np.float64)
    found = _fitted(rated, there, dummies, levels)
    p = _p(found, len(groups) - 1)
    if p is None:
        return blank._replace(why=message("too few clusters for so many groups"))
    shares = sizes / sizes.sum()

    def above(values: Floats) -> Floats:
        every = np.concatenate([np.zeros((*values.shape[:-1], 1)), values], axis=-1)
        return np.asarray(every - (every @ shares)[..., None], dtype=np.float64)

    effects = found._replace(values=above(found.values), deleted=above(found.deleted))
    found_each = [rated.in_unit(_estimate(effects, place, levels)) for place in range(len(groups))]
    each = [
        Effect(Name(name) if name in values else OTHER, int(n), one)
        for name, n, one in zip(groups, sizes, found_each, strict=True)
    ]
    each.sort(key=lambda one: -one.estimate.value)
    return blank._replace(effects=tuple(each), p=p, bias=_self_preference(each, judge), why="")


def _merged(values: NDArray[Any], clusters: Index) -> NDArray[Any]:
    """Groups that are too small, or beyond the largest ones, become one; if that is too small, part of the largest."""
    names, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    pairs = np.unique(codes * (int(clusters.max()) + 1) + clusters) // (int(clusters.max()) + 1)
    n_clusters = np.bincount(pairs, minlength=len(names))
    large = (sizes >= FEWEST_OBJECTS) & (n_clusters >= FEWEST_CLUSTERS)
    rank = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
    large &= rank < MOST_GROUPS
    merged = np.where(large[codes], values, OTHER)
    if 0 < (merged == OTHER).sum() < FEWEST_OBJECTS and large.any():
        merged[merged == OTHER] = names[np.argmax(sizes)]
    return merged


def _self_preference(each: Sequence[Effect], judge: str) -> str:
    families = {name.casefold() for name in FAMILY.findall(judge)}
    own = [one for one in each if families & {name.casefold() for name in FAMILY.findall(one.name)}]
    if not own:
        return ""
    value, interval = own[0].estimate
    return message("self-preference") if (value if interval.low is None else interval.low) > 0.0 else ""


def _fitted(rated: _Rated, there: NDArray[np.bool_], columns: Floats, levels: Levels) -> Jackknife:
    """Least squares of the error on what is held fixed and on columns: their coefficients, and without each cluster."""
    fixed = rated.fixed[there][:, rated.fixed[there].any(axis=0)]
    design, error, noise = np.column_stack([fixed, columns]), rated.error[there], rated.noise[there]
    index, n_clusters = cluster_index(rated.clusters[there])
    d, b = design.shape[1], fixed.shape[1]
    pairs = [(one, two) for one in range(d) for two in range(one, d)]
    sums = [np.bincount(index, design[:, one] * design[:, two], n_clusters) for one, two in pairs]
    sums += [np.bincount(index, design[:, one] * error, n_clusters) for one in range(d)]
    sums += [np.bincount(index, noise, n_clusters)]
    upper = np.array(pairs)

    def coefficients(totals: Floats) -> Floats:
        matrix = np.zeros((len(totals), d, d))
        matrix[:, upper[:, 0], upper[:, 1]] = matrix[:, upper[:, 1], upper[:, 0]] = totals[:, : len(pairs)]
        right = totals[:, len(pairs) : -1].copy()
        if b == 2 and bool(noise.any()):
            off = totals[:, -1]
            left = matrix[:, 1, 1] - off > LEAST_LEFT * matrix[:, 1, 1]
            off = np.where(left, off, 0.0)
            matrix[:, 1, 1] -= off
            right[:, 1] += off
        return np.asarray((np.linalg.pinv(matrix, hermitian=True) @ right[..., None])[:, b:, 0])

    return left_out_of_sums(
        coefficients, np.column_stack(sums), np.bincount(index, minlength=n_clusters), seed=levels.seed
    )


def _estimate(found: Jackknife, place: int, levels: Levels) -> Estimate:
    # Errors that are the same in all objects of a group say nothing of how they vary: 0 would be no width.
    interval = headline_interval(found, place, "mean", confidence=levels.confidence, refuse_constant=True)
    return Estimate(float(found.values[place]), interval)


def _p(found: Jackknife, n: int) -> float | None:
    """Wald's test that the first coefficients are all 0, as Hotelling's F with the jackknife's variance."""
    groups = len(found.deleted)
    freedom = float(freedoms(METHODS["mean"], found.sizes)) if groups > 1 else 0.0
    below = freedom - n + 1.0
    if below < 2.0 or not np.isfinite(found.deleted).all():
        return None
    away = found.deleted[:, :n] - found.deleted[:, :n].mean(axis=0)
    variance = (groups - 1.0) / groups * away.T @ away
    if not bool((np.diag(variance) > 0.0).all()):
        return None
    statistic = float(found.values[:n] @ np.linalg.pinv(variance, hermitian=True) @ found.values[:n])
    return float(scipy.stats.f.sf(statistic * below / (freedom * n), n, below))


Part = tuple[str, str, Index]


def _slices(factor: Factor, rated: _Rated) -> list[Part]:
    """The groups of a column, or the thirds of its numbers, that hold enough objects, and not all of them."""
    values = factor.values[rated.kept]
    if factor.kind == "group":
        parts: list[tuple[str, Index]] = [
            (Name(one), np.flatnonzero(values == one)) for one in np.unique(values[values != ""])[:200]
        ]
    else:
        there = np.isfinite(values)
        if not there.any():
            return []
        low, high = np.quantile(values[there], [1.0 / 3.0, 2.0 / 3.0])
        parts = [
            (message("up to {low:.3g}", low=float(low)), np.flatnonzero(values <= low)),
            (
                message("above {low:.3g} to {high:.3g}", low=float(low), high=float(high)),
                np.flatnonzero((values > low) & (values <= high)),
            ),
            (message("above {high:.3g}", high=float(high)), np.flatnonzero(values > high)),
        ]
    return [(factor.name, name, rows) for name, rows in parts if FEWEST_OBJECTS <= len(rows) < len(rated.near)]


def _measured(part: Part, rated: _Rated, levels: Levels, kind: Literal["share", "mean"]) -> Slice:
    column, value, rows = part
    index, n_clusters = cluster_index(rated.clusters[rows])
    sizes = np.bincount(index, minlength=n_clusters).astype(np.float64)
    sums = np.column_stack([np.bincount(index, rated.near[rows], n_clusters), sizes])
    found = left_out_of_sums(lambda totals: (totals[:, 0] / totals[:, 1])[:, None], sums, sizes, seed=levels.seed)
    interval = headline_interval(found, 0, kind, confidence=levels.confidence, refuse_constant=True)
    estimate = rated.in_unit(Estimate(float(found.values[0]), interval))
    return Slice(column, value, len(rows), n_clusters, estimate)
