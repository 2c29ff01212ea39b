"""How likely people's votes are under a method's scores, and how well a method's picks fit people's strengths."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.intervals.headline import headline_intervals
from analysis.preference.accuracy import predicted_winners
from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.head import FOLDS, folds_of
from analysis.preference.truth import NO_WINNER, vote_counts
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.undefined import UndefinedStatistic

CHANCE_PER_VOTE = float(np.log(0.5))

Floats = NDArray[np.float64]


class HeldOutLikelihood(NamedTuple):
    """Log-likelihood (natural log) of votes on clusters that the slope was not fitted on.

    `total` is over all votes, `per_vote` their mean with its interval over clusters; above `chance_per_vote` (log 0.5)
    a score difference tells something.
    """

    total: float
    per_vote: float
    interval: Interval
    chance_per_vote: float
    n_votes: int
    n: int
    n_clusters: int


def bt_agreement(fit: BradleyTerry, first: ArrayLike, second: ArrayLike, predicted: ArrayLike) -> float:
    """The mean log chance, by people's own strengths, of the images that a method picks; in-sample.

    Args:
        fit: Strengths fitted on all votes, those of the pairs here among them.
        first: Shape ``(n,)``, labels of images 1.
        second: Shape ``(n,)``, labels of images 2.
        predicted: Shape ``(n,)``, 1, 2 or 0 (tie).

    Returns:
        Natural log, at most 0; log 0.5 where strengths say nothing. A tie contributes the mean of both logs. It orders
        methods by their picks alone and is no likelihood of votes: that is `held_out_likelihood`.

    Raises:
        ValueError: Shapes differ, other predictions, or an image that was not fitted.
        UndefinedStatistic: No pair, or images of different components.

    Source:
        docs/statistics.md, Pairwise preference.
    """
    difference = fit.strength_differences(first, second)
    taken = np.asarray(predicted)
    if taken.shape != difference.shape:
        raise ValueError(f"one prediction per pair is needed, got shape {taken.shape} for {difference.shape}")
    if not np.isin(taken, [1, 2, NO_WINNER]).all():
        raise ValueError("each predicted winner must be 1, 2 or 0 (tie)")
    if difference.size == 0:
        raise UndefinedStatistic("no pair, so there is no agreement")
    one, two = scipy.special.log_expit(difference), scipy.special.log_expit(-difference)
    return float(np.where(taken == 1, one, np.where(taken == 2, two, (one + two) / 2.0)).mean())


def held_out_likelihood(
    score_1: ArrayLike,
    score_2: ArrayLike,
    votes_1: ArrayLike,
    votes_2: ArrayLike,
    clusters: ArrayLike,
    *,
    resampling: Resampling,
    groups: ArrayLike | None = None,
    folds: int = FOLDS,
) -> HeldOutLikelihood:
    """How likely a method's score differences make the votes: ``P(1) = 1 / (1 + exp(-b (score 1 - score 2)))``.

    Args:
        score_1: Shape ``(n,)``, raw scores of images 1, higher is better, any unit.
        score_2: Shape ``(n,)``, of images 2.
        votes_1: Shape ``(n,)``, votes for images 1; tied pairs count as well.
        votes_2: Shape ``(n,)``, votes for images 2.
        clusters: Shape ``(n,)``, the photo series of each pair, or what several series share; left out whole.
        resampling: Of the interval; its seed is of the folds too.
        groups: Shape ``(n,)``, what folds keep whole, such as `preference_head.linked_clusters`; none: the clusters.
        folds: How many.

    Returns:
        One b >= 0 per fold, fitted by maximum likelihood on the other folds, whose votes alone it saw. Of a method that
        learned with the same groups, folds and seed, each score is by a head that saw no pair of its fold; but those
        heads whose scores the slope is fitted on did see the fold held out, so the one number b is not wholly blind to
        it. The interval takes the slopes as given, and has no bounds where it is the same without any of the
        clusters.

    Raises:
        ValueError: Shapes differ, a score is missing, or votes that `preference_truth.winners` refuses.
        UndefinedStatistic: Fewer groups than folds, or no vote against the method in a part to fit on: its slope has
            no bound.

    Source:
        Stone (1974), J. R. Stat. Soc. B 36:111-147 (cross-validation).
    """
    one, two = vote_counts(votes_1, votes_2)
    winner = predicted_winners(score_1, score_2)
    grouped = clusters if groups is None else groups
    if not winner.shape == one.shape == np.shape(clusters) == np.shape(grouped):
        raise ValueError(
            f"one prediction, vote, cluster and group per pair, got shapes {winner.shape}, {one.shape}, "
            f"{np.shape(clusters)} and {np.shape(grouped)}"
        )
    if one.size == 0:
        raise UndefinedStatistic("no pair, so there is no vote")
    index, n_clusters = cluster_index(clusters)
    fold, _ = folds_of(grouped, folds, resampling.seed)
    difference = np.asarray(score_1, dtype=np.float64) - np.asarray(score_2, dtype=np.float64)
    # A tie that only the last bit breaks is a tie.
    difference = np.where(winner == NO_WINNER, 0.0, difference)
    slopes = [slope(difference[fold != held], one[fold != held], two[fold != held]) for held in range(folds)]
    steepness = np.array(slopes)[fold] * difference
    logs = one * scipy.special.log_expit(steepness) + two * scipy.special.log_expit(-steepness)
    sums = np.column_stack([np.bincount(index, weights=column) for column in (logs, one + two)])
    [interval] = headline_intervals(
        lambda counts: _means((counts @ sums).astype(np.float64)),
        ("mean",),
        np.arange(n_clusters),
        resampling=resampling,
        refuse_constant=True,
        sizes=sums[:, 1],
    )
    total, n_votes = float(logs.sum()), int((one + two).sum())
    return HeldOutLikelihood(
        total,
        total / n_votes,
        interval,
        CHANCE_PER_VOTE,
        n_votes,
        one.size,
        n_clusters,
    )


def slope(difference: ArrayLike, votes_1: ArrayLike, votes_2: ArrayLike) -> float:
    """The b >= 0 under which votes are most likely, ``P(1) = 1 / (1 + exp(-b difference))``.

    Args:
        difference: Shape ``(n,)``, score 1 - score 2.
        votes_1: Shape ``(n,)``.
        votes_2: Shape ``(n,)``.

    Returns:
        In 1 / the score's unit; 0 where votes run against the differences, or all differences are 0.

    Raises:
        UndefinedStatistic: No vote goes against its difference, so that the likelihood grows without end.
    """
    x = np.asarray(difference, dtype=np.float64)
    one, two = np.asarray(votes_1, dtype=np.float64), np.asarray(votes_2, dtype=np.float64)
    largest = float(np.abs(x).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    scaled = x / largest

    def rising(b: float) -> float:
        return float(scaled @ (one * scipy.special.expit(-b * scaled) - two * scipy.special.expit(b * scaled)))

    if rising(0.0) <= 0.0:
        return 0.0
    if not one[x < 0].any() and not two[x > 0].any():
        raise UndefinedStatistic("no vote goes against the method in a part to fit on, so its slope has no bound")
    high = 1.0
    while rising(high) > 0.0:
        high *= 2.0
    return float(scipy.optimize.brentq(rising, 0.0, high, xtol=1e-12, rtol=1e-12)) / largest


def _means(sums: Floats) -> Floats:
    return (sums[:, 0] / sums[:, 1])[:, None]
