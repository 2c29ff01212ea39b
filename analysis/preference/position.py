"""The position coefficient: the log odds that an image gains from being shown first."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.preference.bradley_terry import PRIOR_STRENGTH
from analysis.preference.bradley_terry_components import connected
from analysis.preference.bradley_terry_counts import labels_of, win_counts
from analysis.preference.bradley_terry_errors import Spread, voter_scores
from analysis.preference.bradley_terry_newton import NotConverged, Prior, maximise
from analysis.preference.bradley_terry_ties import POSITION
from analysis.resampling.bootstrap import RELIABLE_CLUSTERS, Interval, no_interval
from analysis.significance.mantel_haenszel import common_odds_ratio
from analysis.undefined import UndefinedStatistic

CONFIDENCE = 0.95  # of the interval of a coefficient that is fitted together with strengths


class PositionCoefficient(NamedTuple):
    """`log_odds` of the image shown first against one as strong; `share` of votes for it then, 0.5 for no effect.

    `information_error` takes votes for independent (none within pairs), `error` and the interval clusters.
    """

    log_odds: float
    share: float
    error: float | None
    information_error: float | None
    interval: Interval
    n_votes: float
    n_used: int


def position_with_strengths(
    first: ArrayLike,
    second: ArrayLike,
    wins_first: ArrayLike,
    wins_second: ArrayLike,
    clusters: ArrayLike,
) -> PositionCoefficient:
    """The coefficient fitted together with the images' strengths: for many votes an image, as in a league.

    Args:
        first: Shape ``(n,)``, labels of the images shown first, or of the home teams.
        second: Shape ``(n,)``, of the others.
        wins_first: Shape ``(n,)``, votes for the first.
        wins_second: Shape ``(n,)``, votes for the second.
        clusters: Shape ``(n,)``, what rows share, such as the series.

    Returns:
        ``P(first wins) = 1 / (1 + exp(-(strength first - strength second + log_odds)))`` by maximum likelihood, with
        the sandwich clustered by `clusters`. With few votes an image it is too large (by 10 % at 3 votes a row, by 40 %
        at one): `position_within_pairs` is not.

    Raises:
        ValueError: As `bradley_terry`.
        UndefinedStatistic: No vote, no cycle or pair in both orders to tell place and strength apart, or every vote
            goes one way.

    Source:
        Davidson and Beaver (1977), Biometrics 33:693-702; Agresti (2002), Categorical Data Analysis, section 10.6.
    """
    counted = win_counts(first, second, wins_first, wins_second, None)
    rows = counted.counts
    if not rows.wins_first.any() or not rows.wins_second.any():
        raise UndefinedStatistic("every vote goes to the same place, so the coefficient has no finite value")
    components = connected(rows)
    separated = ~components.strong[components.of_image]
    try:
        best = maximise(rows, components, POSITION, Prior(separated, PRIOR_STRENGTH))
    except NotConverged as unfinished:
        raise UndefinedStatistic(
            "the coefficient has no finite value: {unfinished}", unfinished=str(unfinished)
        ) from unfinished
    assert best.log_parameter is not None
    plain = Spread(best, components, separated, None).of_log_parameter()
    scores, method = voter_scores(clusters, counted, best, components, POSITION)
    votes = float((rows.wins_first + rows.wins_second).sum())
    n_rows = rows.first.size
    value, share = best.log_parameter, float(scipy.special.expit(best.log_parameter))
    if scores is None:
        why = no_interval(method.removeprefix("none: ").replace("voters", "clusters"), np.unique(clusters).size)
        return PositionCoefficient(value, share, None, plain, why, votes, n_rows)
    error, n = Spread(best, components, separated, scores).of_log_parameter(), scores.by_parameter.size
    half = float(scipy.stats.t.ppf(0.5 + CONFIDENCE / 2.0, n - 1)) * error
    described = f"t, {method}".replace("voters", "clusters")
    interval = Interval(value - half, value + half, described, n, n < RELIABLE_CLUSTERS, 0)
    return PositionCoefficient(value, share, error, plain, interval, votes, n_rows)


def position_within_pairs(
    first: ArrayLike,
    second: ArrayLike,
    wins_first: ArrayLike,
    wins_second: ArrayLike,
    clusters: ArrayLike,
    *,
    confidence: float = 0.95,
) -> PositionCoefficient:
    """The coefficient from pairs that were shown in both orders: right however few votes a pair has.

    Args:
        first: Shape ``(n,)``, labels of the images shown first; each ordered pair in one row.
        second: Shape ``(n,)``, of the others.
        wins_first: Shape ``(n,)``, votes for the first.
        wins_second: Shape ``(n,)``, votes for the second.
        clusters: Shape ``(n,)``, what pairs share, such as the series.
        confidence: Of the interval.

    Returns:
        Half of Mantel and Haenszel's log odds ratio over pairs: within a pair strengths cancel. `n_used` pairs in both
        orders say something about it.

    Raises:
        ValueError: Shapes differ, or votes that are negative or missing.
        UndefinedStatistic: No pair in both orders with votes that differ.

    Source:
        As `common_odds_ratio`; Bradley and Terry's odds in the two orders have the ratio exp(2 log_odds).
    """
    one, two = labels_of(first), labels_of(second)
    won, lost = np.asarray(wins_first, dtype=np.float64), np.asarray(wins_second, dtype=np.float64)
    if len({one.shape, two.shape, won.shape, lost.shape, np.shape(clusters)}) > 1 or one.ndim != 1:
        raise ValueError(f"images, votes and clusters need one entry per row, got shapes {one.shape} to {won.shape}")
    turned = one > two
    low, high = np.where(turned, two, one), np.where(turned, one, two)
    _, number = np.unique(np.concatenate([low, high]), return_inverse=True)
    low, high = number[: one.size], number[one.size :]
    _, row, pair = np.unique(low * (number.max(initial=0) + 1) + high, return_index=True, return_inverse=True)
    tables = np.zeros((row.size, 2, 2))
    # A row per order, a column per image of the pair; the odds that the image shown first wins lie on the diagonal.
    for order in (0, 1):
        here = turned == bool(order)
        tables[:, order, order] = np.bincount(pair[here], weights=won[here], minlength=row.size)
        tables[:, order, 1 - order] = np.bincount(pair[here], weights=lost[here], minlength=row.size)
    found = common_odds_ratio(tables, np.asarray(clusters)[row], confidence=confidence)
    interval = found.interval
    if interval.low is not None and interval.high is not None:
        interval = interval._replace(low=interval.low / 2.0, high=interval.high / 2.0)
    value = found.log_odds_ratio / 2.0
    both = tables.sum(axis=2).min(axis=1) > 0
    return PositionCoefficient(
        value,
        float(scipy.special.expit(value)),
        found.error / 2.0,
        None,
        interval,
        float(tables[both].sum()),
        found.n_used,
    )
