"""People who choose one of two and are not known one by one: each voter against the remaining votes, from counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.agreement.alternative_annotator import POOLED, AgainstAnnotator, AlternativeAnnotator
from analysis.intervals.headline import left_out_of_rows
from analysis.intervals.jackknife import FISHER, IDENTITY
from analysis.resampling.bootstrap import Statistics
from analysis.resampling.weighted import Counts
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import LEVELS, Floats, Levels, Quantity, Standing, quantity_of

CHANCE = 0.5


@dataclass(frozen=True)
class Votes:
    """How many people chose each of two, and what they share.

    Attributes:
        first: Shape ``(n,)``, votes for the first of a pair.
        second: Shape ``(n,)``, votes for the second.
        clusters: Shape ``(n,)``, the series of a pair.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    clusters: NDArray[Any]


def standing_of_votes(votes: Votes, picks: NDArray[np.int64], levels: Levels = LEVELS) -> Standing:
    """How a method and a voter agree with the remaining votes of the same pairs, exact from the counts.

    Every voter of a pair is left out in turn; agreement is the share of the remaining votes for what the voter chose,
    or the method, each vote of the same weight. Which of two is the first is arbitrary, so that chance agrees on a half
    and agreement beyond chance is 2 a - 1. A method's tie agrees with half of the votes.

    Args:
        votes: Of each pair.
        picks: Shape ``(n,)``: 1, 2, or 0 for a tie.
        levels: How sure is sure.

    Returns:
        As of people with labels; the test is of all votes together, its variance between clusters.

    Raises:
        UndefinedStatistic: No pair has two votes.

    Source:
        docs/verdict.md.
    """
    total = votes.first + votes.second
    kept = total >= 2
    if not kept.any():
        raise UndefinedStatistic("no pair has the votes of two people")
    one, two, n, pick = (part[kept].astype(np.float64) for part in (votes.first, votes.second, total, picks))
    people = (one * (one - 1.0) + two * (two - 1.0)) / (n * (n - 1.0))
    own = np.select([pick == 1, pick == 2], [one / n, two / n], CHANCE)
    nearer, judge_wins, person_wins = _nearer(one, two, n, pick)

    def of_rows(rows: Floats) -> Statistics:
        weights, parts = rows[:, 0], rows[:, 1:]

        def statistics(counts: Counts) -> Floats:
            weighted = counts * weights
            theirs, its, d, wins, loses = ((weighted @ parts) / weighted.sum(axis=1, keepdims=True)).T
            return np.column_stack([2.0 * theirs - 1.0, 2.0 * its - 1.0, 2.0 * (its - theirs), d, wins, loses])

        return statistics

    rows = np.column_stack([n, people, own, nearer, judge_wins, person_wins])
    found = left_out_of_rows(of_rows, rows, votes.clusters[kept], seed=levels.seed)
    theirs, its, order, d = (
        quantity_of(found, place, scale, levels.confidence)
        for place, scale in enumerate((FISHER, FISHER, IDENTITY, IDENTITY))
    )
    shares = float(found.values[4]), float(found.values[5])
    test = _tested(d, found.n_clusters, int(n.sum()), shares, levels)
    return Standing(
        n=int(kept.sum()),
        n_clusters=found.n_clusters,
        people=theirs,
        own=its,
        order=order,
        bias=None,
        test=test,
        rows=(),
        measure="labels",
        with_others=None,
    )


def _nearer(one: Floats, two: Floats, n: Floats, pick: Floats) -> tuple[Floats, Floats, Floats]:
    """Means over a pair's voters: person nearer less method nearer, method at least as near, person at least as near.

    In votes: of the others `one - 1` chose what a voter of the first did, and the method's pick has the votes for it
    without the voter's own; a tie of the method has half of the others.
    """
    with_first = np.select([pick == 1, pick == 2], [one - 1.0, two], (n - 1.0) / 2.0)
    with_second = np.select([pick == 1, pick == 2], [one, two - 1.0], (n - 1.0) / 2.0)
    of_first, of_second = np.sign(one - 1.0 - with_first), np.sign(two - 1.0 - with_second)

    def over_voters(first: Floats, second: Floats) -> Floats:
        return (one * first + two * second) / n

    return (
        over_voters(of_first, of_second),
        over_voters((of_first <= 0).astype(np.float64), (of_second <= 0).astype(np.float64)),
        over_voters((of_first >= 0).astype(np.float64), (of_second >= 0).astype(np.float64)),
    )


def _tested(
    nearer: Quantity, n_clusters: int, n_votes: int, shares: tuple[float, float], levels: Levels
) -> AlternativeAnnotator:
    """One test of all voters as one annotator, as of a crowd in which no one rated enough."""
    mean, error, t, p = nearer.value, nearer.error, None, 1.0
    if error == 0.0:
        p = 0.0 if compare(mean, levels.epsilon, 1.0) < 0 else 1.0
    elif np.isfinite(error):
        t = (mean - levels.epsilon) / error
        p = float(scipy.special.stdtr(n_clusters - 1, t))
    rejected = bool(compare(p, levels.q) <= 0)
    part = AgainstAnnotator(
        n_votes, False, *shares, t, p, p, rejected, mean, None if np.isnan(error) else error, n_clusters, None
    )
    return AlternativeAnnotator(
        winning_rate=float(rejected),
        advantage=shares[0],
        annotators={POOLED: part},
        n_tested=1,
        n_skipped=0,
        n_rejected=int(rejected),
        n_instances=n_votes,
        epsilon=levels.epsilon,
        q=levels.q,
        metric="accuracy",
        warning=None,
        method=f"one-sided t-test of mean d < {levels.epsilon:g} over all votes together, variance between clusters",
    )
