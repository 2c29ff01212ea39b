"""Rogan and Gladen's correction: the pass rate that people would give, from a judge whose errors are known."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.accuracy.accuracy import truths
from analysis.resampling.bootstrap import RELIABLE_CLUSTERS, Estimate, Interval, no_interval
from analysis.significance.wilson import wilson
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic


class RoganGladen(NamedTuple):
    """The share of objects that people would pass (0-1), corrected, and by labels or judge alone.

    `rate` is not clamped: a value or bound outside 0-1 says that the error rates and the judge's pass rate hardly fit
    together. `judge_rate` is the uncorrected share among the unlabelled, `judge_only` that among all.
    """

    rate: Estimate
    sensitivity: float
    specificity: float
    judge_rate: float
    human_only: Estimate
    judge_only: Estimate
    n_passed: int
    n_failed: int
    n_unlabelled: int


def rogan_gladen(
    labels: ArrayLike, judge_labelled: ArrayLike, judge_unlabelled: ArrayLike, *, confidence: float = 0.95
) -> RoganGladen:
    """A judge's pass rate corrected for the objects that it wrongly passes and wrongly fails.

    Args:
        labels: Shape ``(n,)``, whether people pass each object of a random subset (true or false, 1 or 0).
        judge_labelled: Shape ``(n,)``, whether the judge passes the same objects.
        judge_unlabelled: Shape ``(N,)``, whether the judge passes each of all other objects.
        confidence: Between 0 and 1.

    Returns:
        ``(p + sp - 1) / (se + sp - 1)`` with p the judge's pass rate of the unlabelled, se and sp from the labelled.
        The three are independent, and the interval is normal by the delta method with the error of each: ``var =
        (p(1-p)/N + r^2 se(1-se)/n_passed + (1-r)^2 sp(1-sp)/n_failed) / (se+sp-1)^2``. It is marked unreliable where
        fewer than 10 labelled objects are behind se or sp, and where an error rate is seen as exactly 0, which the
        formula takes for known, so that the interval is too narrow. Where the variance is 0 (no error seen, and all or
        none passed) there is none. Human-only and judge-only have Wilson's interval.

    Raises:
        ValueError: Shapes do not fit, a verdict that is neither true nor false, or `confidence` outside 0-1.
        UndefinedStatistic: Nothing labelled or unlabelled, people passed all or none, or ``se + sp <= 1``.

    Source:
        Rogan and Gladen (1978), Am. J. Epidemiology 107:71-76.
    """
    if not np.size(labels) or not np.size(judge_unlabelled):
        raise UndefinedStatistic("no object is labelled" if not np.size(labels) else "no object is left unlabelled")
    human, seen, unseen = truths(labels), truths(judge_labelled), truths(judge_unlabelled)
    if human.shape != seen.shape:
        raise ValueError(f"labels and judge must be of the same objects, got shapes {human.shape} and {seen.shape}")
    n, rest = human.size, unseen.size
    n_passed = int(human.sum())
    n_failed = n - n_passed
    n_judge_passed = int(seen.sum() + unseen.sum())
    human_only = Estimate(n_passed / n, wilson(n_passed, n, confidence))
    judge_only = Estimate(n_judge_passed / (n + rest), wilson(n_judge_passed, n + rest, confidence))
    if not n_passed or not n_failed:
        missing = "specificity" if not n_failed else "sensitivity"
        raise UndefinedStatistic(
            "people pass {n_passed} of the {n} labelled: the judge's {missing} is unknown",
            n_passed=n_passed,
            n=n,
            missing=missing,
        )
    sensitivity, specificity = float(seen[human == 1].mean()), float(1.0 - seen[human == 0].mean())
    above_chance = sensitivity + specificity - 1.0
    if compare(above_chance, 0.0, 1.0) <= 0:
        raise UndefinedStatistic(
            "sensitivity {sensitivity:.3f} and specificity {specificity:.3f} sum to 1 or less: the judge is no "
            "better than chance, which no correction fixes",
            sensitivity=sensitivity,
            specificity=specificity,
        )
    p = float(unseen.mean())
    rate = (p + specificity - 1.0) / above_chance
    variance = (
        p * (1.0 - p) / rest
        + rate**2 * sensitivity * (1.0 - sensitivity) / n_passed
        + (1.0 - rate) ** 2 * specificity * (1.0 - specificity) / n_failed
    ) / above_chance**2
    method = f"Rogan-Gladen, delta method, {n_passed} passed and {n_failed} failed labels, {rest} unlabelled"
    if variance > 0.0:
        half = float(scipy.stats.norm.ppf(0.5 + confidence / 2.0)) * float(np.sqrt(variance))
        flawless = " and ".join(
            name for name, seen_as in (("sensitivity", sensitivity), ("specificity", specificity)) if seen_as == 1.0
        )
        if flawless:
            method += f", {flawless} seen as 1 and taken for known"
        unreliable = min(n_passed, n_failed) < RELIABLE_CLUSTERS or bool(flawless)
        interval = Interval(rate - half, rate + half, method, n, unreliable, 0)
    else:
        interval = no_interval(f"no error of the judge among the labels, and it passes {'all' if p else 'none'}", n)
    return RoganGladen(
        rate=Estimate(rate, interval),
        sensitivity=sensitivity,
        specificity=specificity,
        judge_rate=p,
        human_only=human_only,
        judge_only=judge_only,
        n_passed=n_passed,
        n_failed=n_failed,
        n_unlabelled=rest,
    )
