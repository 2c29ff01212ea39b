"""Several judges on the same objects: how each agrees, repeats and costs, and the paired difference of every two."""

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alternative_annotator import FEWEST_ANNOTATORS, winning_rate_of_counts
from analysis.agreement.icc_by_product import icc_of_counts
from analysis.intervals.headline import Jackknife, Statistic, left_out, of_jackknife
from analysis.intervals.jackknife import IDENTITY
from analysis.messages import message
from analysis.resampling.bootstrap import percentile_interval, resampled_values
from analysis.resampling.weighted import Counts, Floats, OfCounts, means, spearman_of_counts
from analysis.significance.holm import holm
from analysis.verdict.judges import p_of, rank_groups
from analysis.verdict.people import Levels, quantity_of

Compared = Literal["spearman", "mae", "icc", "omega", "cost_per_object_usd", "cost_per_point_usd"]
COMPARED: Final[tuple[Compared, ...]] = get_args(Compared)
# Which row of the measured intervals holds for a judge by itself; omega, a share of a few people, has none.
KINDS: Final[Mapping[Compared, Statistic]] = {
    "spearman": "spearman",
    "mae": "size",
    "icc": "icc",
    "cost_per_object_usd": "mean",
    "cost_per_point_usd": "mean",
}
LESS_IS_BETTER: Final = ("mae", "cost_per_object_usd", "cost_per_point_usd")
# A point of reliability is a hundredth of ICC(1,k).
POINTS: Final = 100.0
WHY_UNDEFINED: Final[Mapping[Compared, str]] = {
    "spearman": message("fewer than 3 objects, or one score only"),
    "mae": message("no object was scored by people"),
    "icc": message("the repeats of every object are the same, or the objects are"),
    "omega": message("fewer than two people, or none with enough objects"),
    "cost_per_object_usd": message("the cost is not known"),
    "cost_per_point_usd": message("the cost is not known, or the ICC is not above 0"),
}


class OneJudge(NamedTuple):
    """What one judge gave at one setting.

    Attributes:
        repeats: Shape ``(n_objects, n_repeats)`` on 0-1, NaN where a score is missing; each object has one.
        scores: Shape ``(n_objects,)``, its score of each object.
        matched: Shape ``(n_keys,)``, its score of each key that people scored too: an object, or an item.
        costs_usd: Shape ``(n_objects,)``, of all attempts at an object; NaN where it is not known.
    """

    repeats: Floats
    scores: Floats
    matched: Floats
    costs_usd: Floats


class Objects(NamedTuple):
    """What all judges were asked about, and what people said.

    Attributes:
        clusters: Shape ``(n_objects,)``, the product of each object.
        ratings: Shape ``(n_objects, n_people)``, NaN where somebody did not score.
        people: Shape ``(n_keys,)``, the mean human score of each key.
        clusters_of_keys: Shape ``(n_keys,)``, each one of `clusters`.
    """

    clusters: NDArray[np.generic]
    ratings: Floats
    people: Floats
    clusters_of_keys: NDArray[np.generic]


class Row(NamedTuple):
    """One statistic of a judge, or of a judge less another one; null where it is undefined, and `undefined` says why.

    `letters` of a judge: two share one exactly where Holm's test over all pairs does not separate them.
    """

    judge: str
    other: str | None
    statistic: Compared
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    letters: str | None
    n: int
    n_clusters: int
    method: str
    undefined: str | None


def judge_differences(
    judges: Mapping[str, OneJudge],
    objects: Objects,
    *,
    planned_repeats: int,
    resamples: int,
    levels: Levels,
) -> list[Row]:
    """Each judge by every statistic, then every two of them by their difference, all on the same objects.

    Args:
        judges: By name, each with every object.
        objects: The objects, at least one.
        planned_repeats: The k of ICC(1,k).
        resamples: Of the clusters, for omega.
        levels: Confidence, seed, and epsilon and level of the alternative annotator test.

    Returns:
        Differences with the delete-one-cluster jackknife of both judges together, Student's t of clusters - 1, and p
        after Holm over the pairs of a statistic; omega, which jumps, with the percentile bootstrap and without p.

    Raises:
        ValueError: No objects, or shapes do not fit.

    Source:
        Miller (1974), Biometrika 61:1-15 (jackknife); Holm (1979), Scand. J. Statist. 6:65-70.
    """
    labels, of_object = np.unique(objects.clusters, return_inverse=True)
    of_key = np.searchsorted(labels, objects.clusters_of_keys)
    sizes, everything = np.bincount(of_object), np.arange(len(labels))
    names, couples = list(judges), _couples(judges)
    n_of = {one: len(objects.people) if one in ("spearman", "mae") else len(objects.clusters) for one in COMPARED}
    rows: list[Row] = []
    parts = [_columns(one, objects, of_object, of_key, planned_repeats) for one in judges.values()]
    for statistic in COMPARED:
        if statistic == "omega":
            rows += _omega(judges, objects, of_object, resamples, levels)
            continue
        columns = [part[statistic] for part in parts]

        def both(counts: Counts, columns: list[OfCounts] = columns) -> Floats:
            own = np.column_stack([column(counts) for column in columns])
            return np.column_stack([own, *(own[:, a] - own[:, b] for a, b in couples)])

        found = left_out(both, everything, seed=levels.seed, sizes=sizes)
        rows += _of_statistic(statistic, names, found, n_of[statistic], levels)
    return sorted(rows, key=lambda row: row.other is not None)


def _couples(judges: Collection[str]) -> list[tuple[int, int]]:
    return list(combinations(range(len(judges)), 2))


def _columns(
    judge: OneJudge, objects: Objects, of_object: NDArray[np.intp], of_key: NDArray[np.intp], planned_repeats: int
) -> dict[Compared, OfCounts]:
    """Functions from counts of clusters ``(rows, n_clusters)`` to each statistic of one judge."""
    errors = np.abs(judge.matched - objects.people)
    enough = len(errors) > 2
    of_spearman = spearman_of_counts(judge.matched, objects.people) if enough else None
    of_icc = icc_of_counts(judge.repeats, planned_repeats)

    def nothing(counts: Counts) -> Floats:
        return np.full(len(counts), np.nan)

    def icc(counts: Counts) -> Floats:
        return of_icc(counts[:, of_object])

    def cost(counts: Counts) -> Floats:
        return means(counts[:, of_object], judge.costs_usd)

    def cost_per_point(counts: Counts) -> Floats:
        points = POINTS * icc(counts)
        return np.asarray(np.divide(cost(counts), points, out=np.full(len(counts), np.nan), where=points > 0))

    return {
        "spearman": (lambda counts: of_spearman(counts[:, of_key])) if of_spearman else nothing,
        "mae": (lambda counts: means(counts[:, of_key], errors)) if len(errors) else nothing,
        "icc": icc,
        "cost_per_object_usd": cost,
        "cost_per_point_usd": cost_per_point,
    }


def _of_statistic(
    statistic: Compared,
    names: list[str],
    found: Jackknife,
    n: int,
    levels: Levels,
) -> list[Row]:
    couples = _couples(names)
    confidence, m, rest = levels.confidence, len(names), (n, found.n_clusters)
    defined = [place for place in range(m) if np.isfinite(found.values[place])]
    differences = {
        couple: quantity_of(found, m + place, IDENTITY, confidence)
        for place, couple in enumerate(couples)
        if set(couple) <= set(defined)
    }
    tested = {couple: p for couple, seen in differences.items() if (p := p_of(seen)) is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True)) if tested else {}
    sign = 1.0 if statistic in LESS_IS_BETTER else -1.0
    order = sorted(defined, key=lambda place: sign * float(found.values[place]))
    letters = rank_groups(order, [couple for couple, p in adjusted.items() if p < 1.0 - confidence])
    rows = []
    for place, interval in enumerate(of_jackknife(found, [KINDS[statistic]] * m, confidence=confidence)):
        if place not in defined:
            rows.append(_undefined(names[place], None, statistic, WHY_UNDEFINED[statistic], rest))
            continue
        value = float(found.values[place])
        rows.append(
            Row(names[place], None, statistic, value, interval.low, interval.high, None, None, letters[place], *rest,
                interval.method, None)
        )  # fmt: skip
    for couple in couples:
        first, second = (names[place] for place in couple)
        if (seen := differences.get(couple)) is None:
            rows.append(_undefined(first, second, statistic, WHY_UNDEFINED[statistic], rest))
            continue
        rows.append(
            Row(first, second, statistic, seen.value, seen.low, seen.high, tested.get(couple), adjusted.get(couple),
                None, *rest, seen.method, None)
        )  # fmt: skip
    return rows


def _omega(
    judges: Mapping[str, OneJudge],
    objects: Objects,
    of_object: NDArray[np.intp],
    resamples: int,
    levels: Levels,
) -> list[Row]:
    names, couples, n_clusters = list(judges), _couples(judges), int(of_object.max()) + 1
    rest = (len(objects.clusters), n_clusters)
    everything = [(name, None) for name in names] + [(names[a], names[b]) for a, b in couples]
    several = (~np.isnan(objects.ratings)).any(axis=0).sum() >= FEWEST_ANNOTATORS
    rates = [
        winning_rate_of_counts(objects.ratings, one.scores, of_object, epsilon=levels.epsilon, q=levels.q)
        for one in judges.values()
        if several
    ]

    def both(counts: Counts) -> Floats:
        own = np.column_stack([rate(counts) for rate in rates])
        return np.column_stack([own, *(own[:, a] - own[:, b] for a, b in couples)])

    values = both(np.ones((1, n_clusters), dtype=np.int64))[0] if several else np.full(len(everything), np.nan)
    if not np.isfinite(values).any():
        return [_undefined(judge, other, "omega", WHY_UNDEFINED["omega"], rest) for judge, other in everything]
    drawn = resampled_values(both, np.arange(n_clusters), resamples=resamples, seed=levels.seed)
    rows = []
    for (judge, other), value, column in zip(everything, values, drawn.T, strict=True):
        if not np.isfinite(value):
            rows.append(_undefined(judge, other, "omega", WHY_UNDEFINED["omega"], rest))
            continue
        interval = percentile_interval(column, confidence=levels.confidence, n_clusters=n_clusters)
        rows.append(
            Row(judge, other, "omega", float(value), interval.low, interval.high, None, None, None, *rest,
                interval.method, None)
        )  # fmt: skip
    return rows


def _undefined(judge: str, other: str | None, statistic: Compared, why: str, rest: tuple[int, int]) -> Row:
    return Row(judge, other, statistic, None, None, None, None, None, None, *rest, "", why)
