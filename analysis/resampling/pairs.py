"""Pairs of a judge's and people's scores of the same objects, checked before anything is computed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.bootstrap import cluster_index
from analysis.undefined import UndefinedStatistic

FEWEST_PAIRS = 3
SIDES = ("judge", "human")


class Pairs(NamedTuple):
    """Scores of the same objects in the same order, and the cluster (product) of each object."""

    judge: NDArray[np.float64]
    human: NDArray[np.float64]
    clusters: NDArray[np.intp]
    n: int
    n_clusters: int

    @property
    def clustered(self) -> bool:
        """Whether some objects share a cluster."""
        return self.n_clusters < self.n


def paired(
    judge: ArrayLike,
    human: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    sides: tuple[str, str] = SIDES,
    fewest: int = FEWEST_PAIRS,
) -> Pairs:
    """Two sides of equal length without gaps, as floats.

    Args:
        judge: Shape ``(n,)``, scores.
        human: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``, the product of each object; none: every object is its own.
        sides: What to call the two in an error.
        fewest: How many pairs the statistic needs.

    Returns:
        The checked sides; clusters are numbered from 0.

    Raises:
        ValueError: Shapes differ or are not one-dimensional, or a score or a cluster is missing or infinite.
        UndefinedStatistic: Fewer pairs than that.

    Source:
        docs/statistics.md, Conventions.
    """
    left, right = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if left.ndim != 1 or left.shape != right.shape:
        raise ValueError(f"both sides must hold one score per object, got shapes {left.shape} and {right.shape}")
    for side, values in zip(sides, (left, right), strict=True):
        missing = int(np.count_nonzero(~np.isfinite(values)))
        if missing:
            raise ValueError(f"{missing} of {values.size} {side} scores are missing or infinite; drop and count them")
    if clusters is not None and np.shape(clusters) != left.shape:
        raise ValueError(f"one cluster per object is needed, got shape {np.shape(clusters)} for {left.shape}")
    if left.size < fewest:
        raise UndefinedStatistic(
            "only {n} pair, at least {fewest} needed|only {n} pairs, at least {fewest} needed",
            n=left.size,
            fewest=fewest,
        )
    index, n_clusters = cluster_index(np.arange(left.size) if clusters is None else clusters)
    return Pairs(left, right, index, int(left.size), n_clusters)


def varying(values: NDArray[np.float64], side: str) -> NDArray[np.float64]:
    """The values of a side that is not constant.

    Args:
        values: Shape ``(n,)``, raw values, or results of arithmetic with their ties joined (`ties.join_ties`).
        side: What to call it in the reason.

    Returns:
        The same.

    Raises:
        UndefinedStatistic: All values are equal.
    """
    if bool(np.all(values == values[0])):
        raise UndefinedStatistic(f"all {{n}} {side} scores are equal", n=values.size)
    return values
