"""Objects that only the judge rated: the mean or share that people would give, and the judge's scores calibrated."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.accuracy.prediction_powered_share import BEYOND_THE_END, prediction_powered_share
from analysis.accuracy.rogan_gladen import rogan_gladen
from analysis.correlation.calibration import calibration, fitted, line
from analysis.intervals.headline import Statistic, headline_intervals
from analysis.messages import Name, labelled, message, message_list
from analysis.resampling.bootstrap import Estimate, Resampling, Statistics, no_interval
from analysis.resampling.weighted import Counts, means
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import LEVELS, Floats, Levels, People, majority_of, mean_of

# A difference of the judge's mean below this share of its spread is no shift to speak of.
SMALLEST_SHIFT = 0.1
# Rows on either side with fewer of which nothing is said of a shift: two of a label are no share.
FEWEST_OF_A_SHIFT = 30


class Corrected(NamedTuple):
    """What people would give on average, or the share of objects to which they would give `label`, and by which method.

    `people_alone` is of the rows that people rated, `judge_alone` the judge as it is, its errors not corrected.
    """

    method: str
    label: str | None
    estimate: Estimate
    people_alone: Estimate
    judge_alone: Estimate


class Shift(NamedTuple):
    """The judge's mean (of a label: its share) on rows that people did not rate less that on rows they did.

    `of` spread it is the mean distance of scores from the median of their group of rows (Brown and Forsythe's).
    `shifted` where its interval excludes 0 and it is more than a tenth of the judge's standard deviation; never with
    fewer than 30 rows on either side.
    """

    label: str | None
    of: Literal["mean", "spread", "share"]
    difference: Estimate
    shifted: bool


class Unrated(NamedTuple):
    """Objects that judge and people rated, those that only the judge did, and what follows.

    `why` nothing is corrected, or not every label.
    """

    n_rated: int
    n_unrated: int
    corrected: tuple[Corrected, ...]
    shifts: tuple[Shift, ...]
    why: str


class Calibrated(NamedTuple):
    """The judge's scores in people's unit ``(n,)``, NaN where it gave none, and the errors on objects not fitted on.

    Of two labels they are the share of people that would give the second one.
    """

    scores: Floats
    method: str
    mae_before: float
    mae_after: float
    protocol: str


def unrated(people: People, judge: Floats, levels: Levels = LEVELS, *, same_scale: bool = True) -> Unrated | None:
    """What the objects that people rated say about those that only the judge did, if they are a random part of all.

    Args:
        people: Whose answers are NaN where no one rated an object.
        judge: Shape ``(n,)``, NaN where there is none.
        levels: How sure is sure.
        same_scale: Whether the judge's scores have people's unit; else a line is fitted first.

    Returns:
        None where the judge rated nothing that people did not. PPI++ of scores and of each label; of two labels Rogan
        and Gladen's estimate comes first. Where objects share sources, every interval is the jackknife's over clusters.

    Source:
        docs/statistics.md.
    """
    seen = ~np.isnan(judge)
    alone = seen & np.isnan(people.answers).all(axis=1)
    rated = seen & ~alone
    if not alone.any() or not rated.any():
        return None
    kept = rated | alone
    people, judge, rated = people.of(kept), judge[kept], rated[kept]
    counted = int(rated.sum()), int((~rated).sum())
    enough = min(counted) >= FEWEST_OF_A_SHIFT
    shifts = tuple(one if enough else one._replace(shifted=False) for one in _shifts(people, judge, rated, levels))
    try:
        if people.measure == "scores":
            of_people = mean_of(people.answers)
            if not same_scale:
                slope, intercept = line(judge[rated], of_people[rated], message("of the rows that people rated"))
                judge = slope * judge + intercept
            found = [_mean(of_people, judge, rated, people.clusters, levels)]
        else:
            found, left_out = _shares(people, judge, rated, levels)
            if left_out and found:
                return Unrated(*counted, tuple(found), shifts, message_list(left_out))
            if left_out:
                raise UndefinedStatistic(message_list(left_out))
    except UndefinedStatistic as undefined:
        return Unrated(*counted, (), shifts, str(undefined))
    return Unrated(*counted, tuple(found), shifts, "")


def calibrated(people: People, judge: Floats) -> Calibrated:
    """The judge's scores in people's unit, by the line or the increasing steps that err less on held-out clusters.

    Args:
        people: Scores, or two labels.
        judge: Shape ``(n,)``, NaN where there is none.

    Returns:
        Of objects that people rated the held-out prediction, of the others that of the fit on all.

    Raises:
        UndefinedStatistic: Other labels, or too few objects.
    """
    if people.measure != "scores" and len(people.labels) != 2:
        raise UndefinedStatistic("calibrated scores are of scores and of two labels (`--positive` makes two)")
    answers, seen = mean_of(people.answers), ~np.isnan(judge)
    rated = seen & ~np.isnan(answers)
    parts = judge[rated], answers[rated], people.clusters[rated]
    noun: Literal["object", "cluster"] = "cluster" if _share_sources(people.clusters[rated]) else "object"
    both = [calibration(*parts, seed=LEVELS.seed, method=method, noun=noun) for method in ("linear", "isotonic")]
    best = min(both, key=lambda one: one.rmse_after)
    scores = np.full(len(judge), np.nan)
    scores[seen] = fitted(*parts[:2], best.method)(judge[seen])
    scores[rated] = best.held_out
    # Where nothing is clustered the protocol says how many objects there are.
    of_clusters = message("{n:,} object|{n:,} objects", n=best.n) if noun == "cluster" else ""
    protocol = message_list([best.protocol, of_clusters], ", ")
    return Calibrated(scores, best.method, best.mae_before, best.mae_after, protocol)


def _labels(people: People, judge: Floats) -> list[tuple[str, Floats]]:
    """Of each label whether the judge gave it; of two labels the second says it all."""
    codes = range(1, 2) if len(people.labels) == 2 else range(len(people.labels))
    return [(people.labels[code], (judge == code).astype(np.float64)) for code in codes]


def _shifts(people: People, judge: Floats, rated: NDArray[np.bool_], levels: Levels) -> list[Shift]:
    """Scores can have one mean and another spread; the level is shared by all that is asked."""
    asked = 2 if people.measure == "scores" else max(1, len(people.labels))
    resampling = Resampling(levels.seed, confidence=1.0 - (1.0 - levels.confidence) / asked)
    if people.measure == "scores":
        middle = np.where(rated, np.median(judge[rated]), np.median(judge[~rated]))
        mean, spread = (
            _difference(values, rated, people.clusters, resampling, float(judge.std()))
            for values in (judge, np.abs(judge - middle))
        )
        return [Shift(None, "mean", *mean), Shift(None, "spread", *spread)]
    return [
        Shift(label, "share", *_difference(values, rated, people.clusters, resampling, float(values.std())))
        for label, values in _labels(people, judge)
    ]


def _difference(
    values: Floats, rated: NDArray[np.bool_], clusters: NDArray[np.generic], resampling: Resampling, spread: float
) -> tuple[Estimate, bool]:
    def statistics(counts: Counts) -> Floats:
        return (means(counts * ~rated, values) - means(counts * rated, values))[:, None]

    value = float(statistics(np.ones((1, len(values)), dtype=np.int64))[0, 0])
    [interval] = headline_intervals(statistics, ("mean",), clusters, resampling=resampling)
    beyond = interval.low is not None and interval.high is not None and not interval.low <= 0.0 <= interval.high
    return Estimate(value, interval), beyond and abs(value) > SMALLEST_SHIFT * spread


def _mean(
    of_people: Floats, judge: Floats, rated: NDArray[np.bool_], clusters: NDArray[np.generic], levels: Levels
) -> Corrected:
    found = prediction_powered_mean(of_people[rated], judge[rated], judge[~rated], confidence=levels.confidence)
    one = Corrected("PPI++", None, found.mean, found.human_only, found.judge_only)
    if not _share_sources(clusters):
        return one
    return _clustered(one, _powered(of_people, judge, rated, rated, found.tuning), "mean", clusters, levels)


def _shares(
    people: People, judge: Floats, rated: NDArray[np.bool_], levels: Levels
) -> tuple[list[Corrected], list[str]]:
    """Of each label that people give what they would give; and of each other one why there is nothing."""
    found: list[Corrected] = []
    left_out = []
    for label, given in _labels(people, judge):
        if len(people.labels) > 2 and not (people.answers[rated] == people.labels.index(label)).any():
            left_out.append(message("no person gives '{label}'", label=Name(label)))
            continue
        try:
            found += _share(label, given, people, rated, levels)
        except UndefinedStatistic as undefined:
            left_out.append(undefined.reason if len(people.labels) == 2 else labelled(f"'{label}'", undefined.reason))
    return found, left_out


def _share(label: str, given: Floats, people: People, rated: NDArray[np.bool_], levels: Levels) -> list[Corrected]:
    """Rogan and Gladen's where there are two labels and people's majority is known, and PPI++."""
    code, clusters = float(people.labels.index(label)), people.clusters
    if people.answers.shape[1] == 2:
        # Two people have no majority: the share of people that give the label is between 0 and 1 where they differ.
        some = mean_of(np.where(np.isnan(people.answers), np.nan, people.answers == code))
        mean = prediction_powered_mean(some[rated], given[rated], given[~rated], confidence=levels.confidence)
        one = Corrected("PPI++", label, mean.mean, mean.human_only, mean.judge_only)
        return [_clustered(one, _powered(some, given, rated, rated, mean.tuning), "share", clusters, levels)]
    sure = majority_of(people.answers)
    known = rated & ~np.isnan(sure)
    passed, clustered = sure == code, _share_sources(clusters)
    parts = passed[known], given[known], given[~rated]
    found = []
    if len(people.labels) == 2:
        rate = rogan_gladen(*parts, confidence=levels.confidence)
        found.append(Corrected("Rogan-Gladen", label, rate.rate, rate.human_only, rate.judge_only))
        if clustered:
            found = [_clustered(found[0], _rate(passed, given, known, rated), "mean", clusters, levels)]
    share = prediction_powered_share(*parts, confidence=levels.confidence)
    one = Corrected("PPI++", label, share.share, share.human_only, share.judge_only)
    if clustered:
        one = _clustered(
            one, _powered(passed.astype(float), given, known, rated, share.tuning), "share", clusters, levels
        )
    return [*found, one]


def _powered(
    of_people: Floats, judge: Floats, known: NDArray[np.bool_], rated: NDArray[np.bool_], tuning: float
) -> Statistics:
    """The corrected mean, people's own and the judge's over their rows and all others."""
    errors, own = (np.where(known, values, 0.0) for values in (of_people - tuning * judge, of_people))
    everywhere = known | ~rated

    def statistics(counts: Counts) -> Floats:
        corrected = tuning * means(counts * ~rated, judge) + means(counts * known, errors)
        return np.stack([corrected, means(counts * known, own), means(counts * everywhere, judge)], axis=1)

    return statistics


def _rate(passed: NDArray[np.bool_], given: Floats, known: NDArray[np.bool_], rated: NDArray[np.bool_]) -> Statistics:
    """Rogan and Gladen's share, people's own and the judge's."""

    def statistics(counts: Counts) -> Floats:
        sensitivity = means(counts * (known & passed), given)
        specificity = 1.0 - means(counts * (known & ~passed), given)
        share = means(counts * ~rated, given)
        rate = (share + specificity - 1.0) / (sensitivity + specificity - 1.0)
        own = means(counts * known, passed.astype(np.float64))
        return np.stack([rate, own, means(counts * (known | ~rated), given)], axis=1)

    return statistics


def _clustered(
    one: Corrected,
    statistics: Statistics,
    kind: Literal["mean", "share"],
    clusters: NDArray[np.generic],
    levels: Levels,
) -> Corrected:
    """All three intervals over clusters. Shares stay inside 0-1; Rogan and Gladen's is not clamped, as its paper's."""
    alone: Statistic = "share" if one.label is not None else "mean"
    intervals = headline_intervals(
        statistics, (kind, alone, alone), clusters, resampling=Resampling(levels.seed, levels.confidence)
    )
    if kind == "share" and not 0.0 < one.estimate.value < 1.0:
        why = message(BEYOND_THE_END, share=one.estimate.value)
        intervals[0] = no_interval(why, intervals[0].n_clusters)
    parts = (one.estimate, one.people_alone, one.judge_alone)
    if one.method == "Rogan-Gladen" and one.estimate.interval.unreliable:
        # That no error of one kind was seen makes the interval too narrow over clusters too.
        intervals[0] = intervals[0]._replace(unreliable=True)
    estimate, people_alone, judge_alone = (
        seen._replace(interval=interval) for seen, interval in zip(parts, intervals, strict=True)
    )
    return one._replace(estimate=estimate, people_alone=people_alone, judge_alone=judge_alone)


def _share_sources(clusters: NDArray[np.generic]) -> bool:
    return len(np.unique(clusters)) < len(clusters)
