"""What choosing among settings does to the numbers of the chosen one, and how to report them all the same."""

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.halves import halves
from analysis.agreement.setting_choice import NONE, Rule, choose
from analysis.agreement.setting_measures import Compared, Evidence, Measures, left_out_measures, or_none
from analysis.intervals.headline import Statistic, headline_interval
from analysis.messages import message
from analysis.resampling.bootstrap import Interval, no_interval, percentile_interval
from analysis.resampling.simultaneous import differences_from
from analysis.ties import compare, join_ties
from analysis.undefined import UndefinedStatistic

MEASURED = ("icc", "json_validity", "spearman", "median_mad")
# The least and the most that a measure can be.
LIMITS = {"icc": (-inf, 1.0), "json_validity": (0.0, 1.0), "spearman": (-1.0, 1.0), "median_mad": (0.0, inf)}
BETTER_IF_LOWER = ("median_mad",)
# A median has no jackknife: its interval stays the percentile bootstrap's.
HEADLINE: dict[str, Statistic] = {"icc": "icc", "json_validity": "share", "spearman": "spearman"}
FEWEST_CHOICES = 30


class Reported(NamedTuple):
    """One measure as it may be reported: `value` and `interval` in its unit; `optimism` is what was taken off."""

    value: float | None
    interval: Interval
    optimism: float | None = None


class Optimism(NamedTuple):
    """The chosen setting's measures without what choosing adds to them.

    Attributes:
        reported: Each measure by its name in `Measures`.
        n_choices: Resamples in which some setting met every condition.
        method: How the correction was made, or why there is none.
    """

    reported: dict[str, Reported]
    n_choices: int
    method: str


def split(clusters: ArrayLike, scored: ArrayLike, seed: int) -> NDArray[np.bool_]:
    """Which objects choose; the others report: `halves` of the products that people scored, and of the others.

    Products without a human score say nothing about agreement, so each half gets its share of those with one.

    Args:
        clusters: Shape ``(n,)``, the product of each object.
        scored: Shape ``(n,)``, whether people scored the object.
        seed: As in `halves`.

    Returns:
        Shape ``(n,)``.

    Raises:
        ValueError: Shapes differ, or clusters that `cluster_index` refuses.
        UndefinedStatistic: Fewer than 2 products with a human score.
    """
    products, by_people = np.asarray(clusters), np.asarray(scored, dtype=np.bool_)
    if products.shape != by_people.shape:
        raise ValueError(f"{products.shape} clusters and {by_people.shape} marks do not fit")
    with_people = np.isin(products, products[by_people])
    if not with_people.any():
        raise UndefinedStatistic("people scored no object")
    chosen = np.zeros(products.shape, dtype=np.bool_)
    chosen[with_people] = halves(products[with_people], seed)
    others = products[~with_people]
    if len(np.unique(others)) > 1:
        chosen[~with_people] = halves(others, seed)
    return chosen


def behind_best(
    evidence: Evidence, best: int, candidates: NDArray[np.bool_], rule: Rule, *, confidence: float
) -> dict[int, Interval]:
    """Score of the best minus score of each candidate, with intervals that hold for all of them at once.

    Args:
        evidence: The settings and their measures.
        best: Place of the best one, itself a candidate.
        candidates: Shape ``(n_settings,)``, which settings are held against it, such as those that pass.
        rule: Gives the score.
        confidence: Of all intervals together.

    Returns:
        By place, an interval as in `simultaneous.differences_from`: a lower bound at or below 0 means that the setting
        cannot be distinguished from the best. Clusters are the products that people scored.

    Raises:
        ValueError: The best is no candidate, or a candidate's score is undefined.
    """
    places = np.flatnonzero(candidates)
    if best not in places:
        raise ValueError(f"setting {best} is held up as the best and is no candidate")
    intervals = differences_from(
        int(np.flatnonzero(places == best)[0]),
        rule.scores(evidence.sample)[places],
        rule.scores(evidence.resampled)[:, places],
        confidence=confidence,
        n_clusters=evidence.given.n_matched_clusters,
    )
    return {int(place): interval for place, interval in zip(places, intervals, strict=True)}


def reported(evidence: Evidence, setting: int, confidence: float, *, seed: int) -> dict[str, Reported]:
    """Every measure of one setting with its headline interval over products; the median MAD's is a percentile one.

    Args:
        evidence: The settings and their measures, on objects that took no part in choosing.
        setting: Place of the one that is reported.
        confidence: Of each interval.
        seed: Of the groups of products that are left out together above 1,000 of them.

    Returns:
        By the name of the measure. An undefined one has no value, and a deterministic setting's ICC no interval.
    """
    intervals = headline_bounds(evidence.given, setting, confidence=confidence, seed=seed)
    values, n_clusters = evidence.resampled.median_mad[:, setting], evidence.given.n_clusters
    intervals["median_mad"] = percentile_interval(
        values, confidence=confidence, n_clusters=n_clusters, refuse_constant=True
    )
    if not evidence.sample.varies[setting]:
        intervals["icc"] = no_interval("deterministic", evidence.given.n_clusters)
    return {name: Reported(or_none(getattr(evidence.sample, name)[setting]), intervals[name]) for name in MEASURED}


def without_optimism(evidence: Evidence, chosen: int, rule: Rule, *, confidence: float, seed: int) -> Optimism:
    """The chosen setting's measures less what the best of several looks better than it is.

    In each resample the rule chooses anew among all settings, conditions included. Optimism is the mean, over the
    resamples in which it chooses one, of that setting's measure there minus the mean of the same setting's measure over
    all resamples. (The sample's own value instead of that mean would mix in the bootstrap's bias, which lowers ICC and
    would often raise the number.) Only optimism that flatters is taken off: where the chosen setting's measure happened
    to be worse in the resamples that chose it, taking that off would make the number better. What is left
    stays within what is possible: a share does not fall below 0. Of ten settings that are equal in truth it takes off
    most of what the best one gained by chance, not all; only numbers from other products are free of it.

    Args:
        evidence: The settings and their measures.
        chosen: Place of the setting that the rule chose on the sample.
        rule: Of the choice.
        confidence: Of the intervals, which are shifted by the optimism.
        seed: As in `reported`.

    Returns:
        Each measure with the optimism that was taken off, 0 where it does not flatter; uncorrected where fewer than 30
        resamples choose any. `method` says which measures are not corrected or stand at their limit.

    Source:
        Efron (1983), J. Am. Stat. Assoc. 78:316-331; Harrell (2015), Regression Modeling Strategies, 5.3; intervals:
        Noma et al. (2021), Statistics in Medicine 40:5691-5701 (location-shifted).
    """
    plain = reported(evidence, chosen, confidence, seed=seed)
    picks = choose(evidence.resampled, rule)
    rows = np.flatnonzero(picks != NONE)
    resamples = len(picks)
    if len(rows) < FEWEST_CHOICES:
        why = message(
            "no correction: a setting meets every condition in {n} of {resamples} resamples only",
            n=len(rows),
            resamples=resamples,
        )
        return Optimism(plain, len(rows), why)
    corrected, left = {}, []
    for name, found in plain.items():
        values = getattr(evidence.resampled, name)
        means = np.full(values.shape[1], np.nan)
        for place in np.unique(picks[rows]):
            means[place] = np.nanmean(values[:, place])
        optimism = float(join_ties((values[rows, picks[rows]] - means[picks[rows]]).mean(), 1.0))
        if (optimism > 0.0) if name in BETTER_IF_LOWER else (optimism < 0.0):
            left.append(name)
            optimism = 0.0
        corrected[name] = _corrected(found, optimism, LIMITS[name])
    method = message(
        "less bootstrap optimism: the rule chose anew in {n} of {resamples} resamples", n=len(rows), resamples=resamples
    )
    if left:
        method = message(
            "{method}, which does not flatter {measures}: as measured", method=method, measures=", ".join(left)
        )
    held = [name for name in MEASURED if _beyond(plain[name], corrected[name].optimism or 0.0, LIMITS[name])]
    if held:
        method = message(
            "{method}, held at the limit of what is possible: {measures}", method=method, measures=", ".join(held)
        )
    return Optimism(corrected, len(rows), method)


def holm_bounds(given: Compared, setting: int, n_tried: int, *, confidence: float, seed: int) -> dict[str, Interval]:
    """How low ICC and Spearman of the recommended setting may be, given how many settings were tried.

    Args:
        given: The settings.
        setting: Place of the recommended one.
        n_tried: m, among how many it was chosen.
        confidence: Over all of them, 1 - alpha.
        seed: As in `reported`.

    Returns:
        `icc` and `spearman`: the headline interval over products at level 1 - alpha/m, the first and strictest
        step of Holm. Its lower end is the bound; with one setting it is the usual one.

    Raises:
        ValueError: Fewer than one setting, or a confidence outside 0-1.

    Source:
        Holm (1979), Scand. J. Stat. 6:65-70.
    """
    if n_tried < 1 or not 0.0 < confidence < 1.0:
        raise ValueError(f"{n_tried} settings tried at confidence {confidence}; at least 1, and between 0 and 1")
    level = 1.0 - (1.0 - confidence) / n_tried
    found = headline_bounds(given, setting, confidence=level, seed=seed)
    return {
        name: found[name]._replace(
            method=message(
                "{method} at {level:.4g} % (Holm's first step over {n} setting)"
                "|{method} at {level:.4g} % (Holm's first step over {n} settings)",
                method=found[name].method,
                level=100 * level,
                n=n_tried,
            )
        )
        for name in ("icc", "spearman")
    }


def headline_bounds(given: Compared, setting: int, *, confidence: float, seed: int) -> dict[str, Interval]:
    """The headline interval of ICC, answers that are valid at once and Spearman of one setting, over products.

    Those of Spearman are over the products that people scored.
    """
    one = given.only(setting)
    whole = left_out_measures(one, seed=seed)
    matched = whole if one.scored.all() else left_out_measures(one.part(one.scored), seed=seed)
    bounds = {}
    for name, kind in HEADLINE.items():
        found, place = matched if name == "spearman" else whole, Measures._fields.index(name)
        bounds[name] = headline_interval(found, place, kind, confidence=confidence, refuse_constant=True)
    return bounds


def _corrected(found: Reported, optimism: float, limits: tuple[float, float]) -> Reported:
    """The measure and its interval less the optimism, no further than the limits."""
    if not optimism:
        return found._replace(optimism=0.0)
    interval = found.interval
    if interval.low is not None and interval.high is not None:
        interval = interval._replace(
            low=_within(interval.low - optimism, limits),
            high=_within(interval.high - optimism, limits),
            method=message("{method}, shifted by the optimism", method=interval.method),
        )
    return Reported(None if found.value is None else _within(found.value - optimism, limits), interval, optimism)


def _beyond(found: Reported, optimism: float, limits: tuple[float, float]) -> bool:
    """Whether value or bounds less the optimism would be past what is possible."""
    numbers = (found.value, found.interval.low, found.interval.high)
    seen = [one - optimism for one in numbers if one is not None]
    return any(compare(one, limits[0], 1.0) < 0 or compare(one, limits[1], 1.0) > 0 for one in seen)


def _within(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])
