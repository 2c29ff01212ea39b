"""What a setting is chosen by: four measures of each setting, on the sample and on many resamples of its products."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.icc import icc
from analysis.agreement.icc_by_product import icc_of_counts
from analysis.agreement.mean_squares import score_matrix
from analysis.agreement.stability import stability
from analysis.intervals.headline import Jackknife, left_out
from analysis.resampling.bootstrap import cluster_index, resampled_values
from analysis.resampling.pairs import FEWEST_PAIRS
from analysis.resampling.weighted import Counts, Floats, OfCounts, spearman_of_counts
from analysis.ties import join_ties
from analysis.undefined import UndefinedStatistic

Aggregate = Literal["mean", "median"]


class Judged(NamedTuple):
    """What one setting gave for the objects that all settings share.

    Attributes:
        scores: Shape ``(n_objects, n_repeats)`` on 0-1, NaN where a score is missing.
        valid_first_answers: Shape ``(n_objects,)``, first answers that were valid.
        first_answers: Shape ``(n_objects,)``, first attempts that got any answer.
    """

    scores: Floats
    valid_first_answers: Floats
    first_answers: Floats


class Measures(NamedTuple):
    """The four measures of settings, unitless but `median_mad` (score units); NaN where undefined.

    Shape ``(n_settings,)`` on a sample, ``(resamples, n_settings)`` on resamples. `varies`: some object's repeats
    differ; where none do the setting is deterministic, and its ICC of 1 shows nothing.
    """

    icc: Floats
    json_validity: Floats
    spearman: Floats
    median_mad: Floats
    varies: NDArray[np.bool_]


@dataclass(frozen=True)
class Compared:
    """Settings on the same objects in the same order; made by `compared`.

    Attributes:
        settings: What each setting gave.
        human: Shape ``(n_objects,)`` on 0-1, NaN where no person scored.
        clusters: Shape ``(n_objects,)``, the product of each object.
        match_keys: Shape ``(n_objects,)``: objects of one key are averaged before they are set against people.
        planned_repeats: The k of ICC(1,k).
        aggregate: How repeats become the judge's score.
    """

    settings: tuple[Judged, ...]
    human: Floats
    clusters: NDArray[np.generic]
    match_keys: NDArray[np.generic]
    planned_repeats: int
    aggregate: Aggregate

    @property
    def n_objects(self) -> int:
        """Objects, scored by people or not."""
        return len(self.human)

    @property
    def n_clusters(self) -> int:
        """Products behind them."""
        return cluster_index(self.clusters)[1]

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which objects people scored."""
        return np.isfinite(self.human)

    @property
    def n_matched(self) -> int:
        """Keys that judge and people scored."""
        return len(np.unique(self.match_keys[self.scored]))

    @property
    def n_matched_clusters(self) -> int:
        """Products behind these."""
        return len(np.unique(self.clusters[self.scored]))

    def part(self, kept: NDArray[np.bool_]) -> "Compared":
        """The same settings on some of the objects."""
        settings = tuple(Judged(*(values[kept] for values in setting)) for setting in self.settings)
        human, clusters, keys = self.human[kept], self.clusters[kept], self.match_keys[kept]
        return replace(self, settings=settings, human=human, clusters=clusters, match_keys=keys)

    def only(self, setting: int) -> "Compared":
        """One of the settings."""
        return replace(self, settings=(self.settings[setting],))


class Evidence(NamedTuple):
    """Settings with their measures on the sample and on the same resamples of it; made by `evidence_of`."""

    given: Compared
    sample: Measures
    resampled: Measures


def compared(
    settings: Sequence[Judged],
    human: ArrayLike,
    clusters: ArrayLike,
    *,
    planned_repeats: int,
    aggregate: Aggregate = "mean",
    match_keys: ArrayLike | None = None,
) -> Compared:
    """Settings on common objects, checked.

    Args:
        settings: At least one; every object has a valid score in each.
        human: Shape ``(n_objects,)``, NaN where no person scored.
        clusters: Shape ``(n_objects,)``, the product of each object.
        planned_repeats: The k of ICC(1,k).
        aggregate: How repeats become the judge's score.
        match_keys: Shape ``(n_objects,)``, such as the item of each object; none: every object by itself.

    Raises:
        ValueError: Shapes differ, a setting lacks an object, counts do not fit, a human score is infinite, or a key
            spans several clusters.
    """
    people, products = np.asarray(human, dtype=np.float64), np.asarray(clusters)
    n_objects = people.size
    keys = np.arange(n_objects) if match_keys is None else np.asarray(match_keys)
    if not settings:
        raise ValueError("there is no setting to compare")
    if not (people.shape == products.shape == keys.shape == (n_objects,)) or np.isinf(people).any():
        raise ValueError(f"one human score (or NaN), cluster and key per object: {people.shape}, {products.shape}")
    index, _ = cluster_index(products)
    of_key = np.unique(keys, return_inverse=True)[1]
    if len(np.unique(of_key)) != len(np.unique(np.column_stack([of_key, index]), axis=0)):
        raise ValueError("a match key spans several clusters; objects that are averaged share a product")
    checked = tuple(_checked(setting, n_objects) for setting in settings)
    return Compared(checked, people, products, keys, planned_repeats, aggregate)


def _checked(setting: Judged, n_objects: int) -> Judged:
    scores = score_matrix(setting.scores)
    valid, first = (np.asarray(counts, dtype=np.float64) for counts in setting[1:])
    if not (len(scores) == n_objects and valid.shape == first.shape == (n_objects,)):
        raise ValueError(f"a setting has {len(scores)} objects and counts {valid.shape}, {first.shape} for {n_objects}")
    if np.isnan(scores).all(axis=1).any():
        raise ValueError("an object has no valid score in a setting; compare on the objects valid in all of them")
    if not bool(np.all((valid >= 0) & (valid <= first))):
        raise ValueError("valid first answers must lie between 0 and the first answers")
    return Judged(scores, valid, first)


def measured(given: Compared) -> Measures:
    """The measures of every setting on the sample itself, each of shape ``(n_settings,)``.

    A deterministic setting's ICC is 1 here, where its objects differ; its resamples have none.
    """
    once = np.ones((1, given.n_objects), dtype=np.int64)
    found = Measures(*(values[0] for values in _unpacked(_statistics(given)(once), len(given.settings))))
    for place in np.flatnonzero(~found.varies):
        found.icc[place] = _icc_by_construction(given.settings[place].scores, given.planned_repeats)
    return found


def or_none(value: float) -> float | None:
    """The number, or null where it is none."""
    return float(value) if np.isfinite(value) else None


def resampled(given: Compared, *, resamples: int, seed: int, workers: int = 1) -> Measures:
    """The measures of every setting on the same product-clustered resamples, of shape ``(resamples, n_settings)``.

    Args:
        given: The settings.
        resamples: How many times the products are drawn with replacement.
        seed: Of the resamples.
        workers: Processes; the values are the same for any number.

    Returns:
        Each equal to the measure of the resample written out, an object drawn twice standing twice.
    """
    values = resampled_values(_statistics(given), given.clusters, resamples=resamples, seed=seed, workers=workers)
    return _unpacked(values, len(given.settings))


def left_out_measures(given: Compared, *, seed: int) -> Jackknife:
    """The measures of one setting, columns as in `Measures`, on the sample and without each of its products.

    Args:
        given: One setting.
        seed: Of the groups of products that are left out together above 1,000 of them.
    """
    return left_out(_statistics(given), given.clusters, seed=seed)


def evidence_of(given: Compared, *, resamples: int, seed: int) -> Evidence:
    """The settings with `measured` and `resampled`."""
    return Evidence(given, measured(given), resampled(given, resamples=resamples, seed=seed))


def median_of_counts(values: Floats) -> OfCounts:
    """A function from counts ``(resamples, n)`` to the median of ``(n,)`` values in each resample.

    Of an even number of values it is the mean of the middle two, as numpy has it.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]

    def median(counts: Counts) -> Floats:
        up_to = np.cumsum(counts.take(order, axis=1), axis=1)
        total = up_to[:, -1:]
        below, above = ((up_to <= place).sum(axis=1) for place in ((total - 1) // 2, total // 2))
        return np.asarray((ordered[below] + ordered[above]) / 2)

    return median


def _statistics(given: Compared) -> OfCounts:
    """All measures of all settings side by side: counts ``(rows, n)`` to ``(rows, 5 n_settings)``."""
    columns = [column for setting in given.settings for column in _columns(setting, given)]
    return lambda counts: np.column_stack([column(counts) for column in columns])


def _unpacked(values: Floats, n_settings: int) -> Measures:
    apart = values.reshape(len(values), n_settings, len(Measures._fields))
    icc, json_validity, spearman, median_mad, differing = (apart[:, :, place] for place in range(apart.shape[2]))
    return Measures(icc, json_validity, spearman, median_mad, differing > 0)


def _columns(setting: Judged, given: Compared) -> list[OfCounts]:
    differ = (np.nanmax(setting.scores, axis=1) > np.nanmin(setting.scores, axis=1)).astype(np.float64)
    answers = np.column_stack([setting.valid_first_answers, setting.first_answers])

    def validity(counts: Counts) -> Floats:
        valid, first = (counts.astype(np.float64) @ answers).T
        return np.asarray(np.divide(valid, first, out=np.full(len(counts), np.nan), where=first > 0))

    return [
        icc_of_counts(setting.scores, given.planned_repeats),
        validity,
        _spearman(setting, given),
        median_of_counts(stability(setting.scores).mad),
        lambda counts: counts @ differ,
    ]


def _icc_by_construction(scores: Floats, planned_repeats: int) -> float:
    try:
        value = icc(scores, planned_repeats).icc_1k_planned.value
    except UndefinedStatistic:
        return float("nan")
    return float("nan") if value is None else value


def _spearman(setting: Judged, given: Compared) -> OfCounts:
    """Of the keys that people scored; all objects of a key are drawn together, so any one tells how often."""
    places = np.flatnonzero(given.scored)
    _, first, key = np.unique(given.match_keys[places], return_index=True, return_inverse=True)
    if len(first) < FEWEST_PAIRS:
        return lambda counts: np.full(len(counts), np.nan)
    combine = np.nanmean if given.aggregate == "mean" else np.nanmedian
    largest = np.zeros((2, len(first)))
    sides = []
    for side, scores in zip(largest, (setting.scores[places], given.human[places, None]), strict=True):
        np.fmax.at(side, key, np.nanmax(np.abs(scores), axis=1))
        sides.append(join_ties(np.bincount(key, weights=combine(scores, axis=1)) / np.bincount(key), side))
    of_counts = spearman_of_counts(*sides)
    return lambda counts: of_counts(counts.take(places[first], axis=1))
