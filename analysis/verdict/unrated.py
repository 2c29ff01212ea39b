"""Objects that only the judge rated: the mean or share that people would give, and the judge's scores calibrated."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.accuracy.prediction_powered_share import prediction_powered_share
from analysis.accuracy.rogan_gladen import rogan_gladen
from analysis.correlation.calibration import calibration, fitted, line
from analysis.intervals.headline import headline_intervals
from analysis.messages import labelled, message, message_list
from analysis.resampling.bootstrap import Estimate, Resampling, Statistics
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

    `shifted` where its interval excludes 0 and it is more than a tenth of the judge's spread; never with fewer than 30
    rows on either side.
    """

    label: str | None
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
    n: int


def unrated(people: People, judge: Floats, levels: Levels = LEVELS, *, same_scale: bool = True) -> Unrated | None:
    """What the objects that people rated say about those that only the judge did, if they are a random part of all.

    Args:
        people: Whose answers are NaN where no one rated an object.
        judge: Shape ``(n,)``, NaN where there is none.
        levels: How sure is sure.
        same_scale: Whether the judge's scores have people's unit; else a line is fitted first.

    Returns:
        None where the judge rated nothing that people did not. PPI++ of scores and of each label; of two labels Rogan
        and Gladen's estimate comes first. Where objects share sources, intervals are the jackknife's over clusters.

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
    shifts = tuple(
        shift if enough else shift._replace(shifted=False)
        for shift in (_shift(label, values, rated, people, levels) for label, values in _measured(people, judge))
    )
    try:
        if people.measure == "scores":
            of_people = mean_of(people.answers)
            if not same_scale:
                slope, intercept = line(judge[rated], of_people[rated], "of the rows that people rated")
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
    both = [calibration(*parts, seed=LEVELS.seed, method=method) for method in ("linear", "isotonic")]
    best = min(both, key=lambda one: one.rmse_after)
    scores = np.full(len(judge), np.nan)
    scores[seen] = fitted(*parts[:2], best.method)(judge[seen])
    scores[rated] = best.held_out
    return Calibrated(scores, best.method, best.mae_before, best.mae_after, best.protocol, best.n)


def _measured(people: People, judge: Floats) -> list[tuple[str | None, Floats]]:
    """The judge's scores, or of each label whether it gave it; of two labels the second says it all."""
    if people.measure == "scores":
        return [(None, judge)]
    codes = range(1, 2) if len(people.labels) == 2 else range(len(people.labels))
    return [(people.labels[code], (judge == code).astype(np.float64)) for code in codes]


def _shift(label: str | None, values: Floats, rated: NDArray[np.bool_], people: People, levels: Levels) -> Shift:
    def statistics(counts: Counts) -> Floats:
        return (means(counts * ~rated, values) - means(counts * rated, values))[:, None]

    value = float(statistics(np.ones((1, len(values)), dtype=np.int64))[0, 0])
    many = 1.0 - (1.0 - levels.confidence) / max(1, len(people.labels) if people.measure != "scores" else 1)
    [interval] = headline_intervals(
        statistics, ("mean",), people.clusters, resampling=Resampling(levels.seed, confidence=many)
    )
    beyond = interval.low is not None and interval.high is not None and not interval.low <= 0.0 <= interval.high
    return Shift(label, Estimate(value, interval), beyond and abs(value) > SMALLEST_SHIFT * float(values.std()))


def _mean(
    of_people: Floats, judge: Floats, rated: NDArray[np.bool_], clusters: NDArray[np.generic], levels: Levels
) -> Corrected:
    found = prediction_powered_mean(of_people[rated], judge[rated], judge[~rated], confidence=levels.confidence)
    estimate = found.mean
    if _share_sources(clusters):
        estimate = _clustered(_powered(of_people, judge, rated, found.tuning), estimate, clusters, levels)
    return Corrected("PPI++", None, estimate, found.human_only, found.judge_only)


def _shares(
    people: People, judge: Floats, rated: NDArray[np.bool_], levels: Levels
) -> tuple[list[Corrected], list[str]]:
    """Of each label that people give what they would give; and of each other one why there is nothing."""
    found: list[Corrected] = []
    left_out = []
    for label, given in _measured(people, judge):
        if len(people.labels) > 2 and not (people.answers[rated] == people.labels.index(str(label))).any():
            left_out.append(message("no person gives '{label}'", label=str(label)))
            continue
        try:
            found += _share(str(label), given, people, rated, levels)
        except UndefinedStatistic as undefined:
            left_out.append(undefined.reason if len(people.labels) == 2 else labelled(f"'{label}'", undefined.reason))
    return found, left_out


def _share(label: str, given: Floats, people: People, rated: NDArray[np.bool_], levels: Levels) -> list[Corrected]:
    """Rogan and Gladen's where there are two labels and people's majority is known, and PPI++."""
    found, clustered = [], _share_sources(people.clusters)
    sure, code = majority_of(people.answers), float(people.labels.index(label))
    known = rated & ~np.isnan(sure)
    if len(people.labels) == 2 and people.answers.shape[1] != 2:
        parts = (sure[known] == code), given[known], given[~rated]
        one = rogan_gladen(*parts, confidence=levels.confidence)
        rate = one.rate
        if clustered:
            rate = _clustered(_rate(sure == code, given, known, rated), rate, people.clusters, levels)
        found.append(Corrected("Rogan-Gladen", label, rate, one.human_only, one.judge_only))
    if people.answers.shape[1] != 2:
        parts = (sure[known] == code), given[known], given[~rated]
        share = prediction_powered_share(*parts, confidence=levels.confidence)
        estimate = share.share
        if clustered:
            powered = _powered((sure == code).astype(np.float64), given, rated, share.tuning, known)
            estimate = _clustered(powered, estimate, people.clusters, levels)
        return [*found, Corrected("PPI++", label, estimate, share.human_only, share.judge_only)]
    # Two people have no majority: the share of people that give the label is between 0 and 1 where they differ.
    some = np.where(np.isnan(people.answers), np.nan, people.answers == code)
    return [_mean(mean_of(some), given, rated, people.clusters, levels)._replace(label=label)]


def _powered(
    of_people: Floats,
    judge: Floats,
    rated: NDArray[np.bool_],
    tuning: float,
    known: NDArray[np.bool_] | None = None,
) -> Statistics:
    labelled = rated if known is None else known
    errors = np.where(labelled, of_people - tuning * judge, 0.0)
    return lambda counts: (tuning * means(counts * ~rated, judge) + means(counts * labelled, errors))[:, None]


def _rate(passed: NDArray[np.bool_], given: Floats, known: NDArray[np.bool_], rated: NDArray[np.bool_]) -> Statistics:
    def statistics(counts: Counts) -> Floats:
        sensitivity = means(counts * (known & passed), given)
        specificity = 1.0 - means(counts * (known & ~passed), given)
        share = means(counts * ~rated, given)
        return ((share + specificity - 1.0) / (sensitivity + specificity - 1.0))[:, None]

    return statistics


def _clustered(statistics: Statistics, found: Estimate, clusters: NDArray[np.generic], levels: Levels) -> Estimate:
    [interval] = headline_intervals(
        statistics, ("mean",), clusters, resampling=Resampling(levels.seed, levels.confidence)
    )
    return found._replace(interval=interval)


def _share_sources(clusters: NDArray[np.generic]) -> bool:
    return len(np.unique(clusters)) < len(clusters)
