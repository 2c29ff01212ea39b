"""How often an alteration moves a score as expected, and how often an untouched copy is left alone."""

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from analysis.accuracy.accuracy import accuracy
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.pairs import paired
from analysis.ties import compare, differences

Expected = Literal["worse", "better", "same"]
SAME_TOLERANCE = 0.05


class HitRate(NamedTuple):
    """The share of hits (0-1) with its interval, counts of pairs, and means in the scores' unit."""

    value: float
    interval: Interval
    n_hits: int
    n_misses: int
    n_ties: int
    n_pairs: int
    n_clusters: int
    mean_original: float
    mean_altered: float
    mean_difference: float


def hit_rate(
    original: ArrayLike,
    altered: ArrayLike,
    expected: Expected,
    clusters: ArrayLike | None = None,
    *,
    resampling: Resampling,
    tolerance: float = SAME_TOLERANCE,
) -> HitRate:
    """How often the altered score lies where it should next to the original's.

    Args:
        original: Shape ``(n,)``, scores on 0-1.
        altered: Shape ``(n,)``, the same items, same order.
        expected: `worse` wants a lower altered score, `better` a higher one, `same` one within the tolerance.
        clusters: Shape ``(n,)``, the item of each pair; none: every pair is its own.
        resampling: Of the interval.
        tolerance: Scores nearer than this are the same, in the scores' unit.

    Returns:
        Equal scores are misses of `worse` and `better`; `n_ties` counts them whatever is expected. Differences are
        original - altered. With `same`, ``1 - value`` is the false-alarm rate. The interval is Wilson's where each
        item gives one pair, or where all pairs agree (one trial per item); else `accuracy`'s over items.

    Raises:
        ValueError: Shapes differ, a score is missing, an unknown direction, or a tolerance or confidence that is none.
        UndefinedStatistic: No pair.

    Source:
        Ribeiro et al. (2020), ACL 4902-4912 (directional and invariance tests).
    """
    if expected not in get_args(Expected):
        raise ValueError(f"expected is '{expected}'; it must be one of {', '.join(get_args(Expected))}")
    if not 0.0 < tolerance < np.inf:
        raise ValueError(f"tolerance is {tolerance}; it must be above 0")
    pairs = paired(original, altered, clusters, sides=("original", "altered"), fewest=1)
    drops = differences(pairs.judge, pairs.human)
    if expected == "same":
        hits = compare(np.abs(drops), tolerance, np.maximum(np.abs(pairs.judge), np.abs(pairs.human))) < 0
    else:
        hits = drops > 0.0 if expected == "worse" else drops < 0.0
    share = accuracy(hits, pairs.clusters, resampling=resampling)
    return HitRate(
        value=share.value,
        interval=share.interval,
        n_hits=share.n_correct,
        n_misses=pairs.n - share.n_correct,
        n_ties=int(np.count_nonzero(drops == 0.0)),
        n_pairs=pairs.n,
        n_clusters=pairs.n_clusters,
        mean_original=float(pairs.judge.mean()),
        mean_altered=float(pairs.human.mean()),
        mean_difference=float(drops.mean()),
    )
