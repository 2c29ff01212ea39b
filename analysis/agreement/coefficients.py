"""What stands next to Cohen's kappa: agreement without chance, prevalence, bias, Gwet's AC1, weighted kappa."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.kappa import columns_of
from analysis.ties import snap

ANCHORS = (0.0, 0.3, 0.5, 0.7, 1.0)
# Half-way between anchors; a score on a cut belongs below it.
CUTS = (0.15, 0.4, 0.6, 0.85)
Weights = Literal["linear", "quadratic"]


def percent_agreements(counts: ArrayLike) -> NDArray[np.float64]:
    """The share of documents with the same label.

    Args:
        counts: Shape ``(..., 4)``, documents by `kappa.COUNTS`.

    Returns:
        Shape ``(...)``, shares of 1; NaN without a document.
    """
    both, first, second, neither = columns_of(counts)
    return _over(both + neither, both + first + second + neither)


def pabaks(counts: ArrayLike) -> NDArray[np.float64]:
    """Kappa as it were if both labels were equally frequent and the judges unbiased: 2 p_o - 1.

    Shapes as in `percent_agreements`; -1 to 1.

    Source:
        Byrt, Bishop and Carlin (1993), J. Clin. Epidemiol. 46:423-429.
    """
    return 2.0 * percent_agreements(counts) - 1.0


def prevalence_indices(counts: ArrayLike) -> NDArray[np.float64]:
    """How unequally frequent the labels are: (n_11 - n_00) / n.

    Shapes as in `percent_agreements`; -1 (nothing is relevant) to 1 (all is); kappa falls as it leaves 0.

    Source:
        Byrt, Bishop and Carlin (1993), J. Clin. Epidemiol. 46:423-429.
    """
    both, first, second, neither = columns_of(counts)
    return _over(both - neither, both + first + second + neither)


def bias_indices(counts: ArrayLike) -> NDArray[np.float64]:
    """How much more often the first judge says relevant than the second: (n_10 - n_01) / n.

    Shapes as in `percent_agreements`; -1 to 1.

    Source:
        Byrt, Bishop and Carlin (1993), J. Clin. Epidemiol. 46:423-429.
    """
    both, first, second, neither = columns_of(counts)
    return _over(first - second, both + first + second + neither)


def ac1s(counts: ArrayLike) -> NDArray[np.float64]:
    """Gwet's AC1 of each 2 x 2 table, which rare labels do not pull down.

    Shapes as in `percent_agreements`; at most 1, and defined wherever there is a document.

    Source:
        Gwet (2008), Br. J. Math. Stat. Psychol. 61:29-48: p_e = 2 q (1 - q), q = mean share of relevant.
    """
    both, first, second, neither = columns_of(counts)
    share = _over(2.0 * both + first + second, 2.0 * (both + first + second + neither))
    chance = 2.0 * share * (1.0 - share)
    return (percent_agreements(counts) - chance) / (1.0 - chance)


def grades_on(n: int) -> tuple[float, ...]:
    """Where n grades lie on 0-1: equally far from each other, the lowest at 0."""
    return tuple(float(place) for place in np.linspace(0.0, 1.0, n))


def bins_of(scores: ArrayLike, anchors: tuple[float, ...] = ANCHORS) -> NDArray[np.int64]:
    """The number of the nearest anchor (0, 0.3, 0.5, 0.7, 1 if no others are given) of each score, from 0.

    Args:
        scores: Any shape, on 0-1.
        anchors: In rising order.

    Returns:
        The same shape; a score half-way between two anchors belongs to the lower one.

    Raises:
        ValueError: A score is missing or outside 0-1.
    """
    cuts = CUTS if anchors == ANCHORS else tuple((np.array(anchors[:-1]) + np.array(anchors[1:])) / 2.0)
    values = snap(scores, [0.0, *cuts, 1.0], 1.0)
    if not bool(np.all((values >= 0.0) & (values <= 1.0))):
        raise ValueError("each score must be a number from 0 to 1; drop missing ones and count them")
    return np.searchsorted(np.array(cuts), values, side="left").astype(np.int64)


def weighted_kappas(tables: ArrayLike, weights: Weights) -> NDArray[np.float64]:
    """Kappa of each k x k table in which a disagreement weighs as its distance.

    Args:
        tables: Shape ``(..., k, k)``, documents by the bin of the first and of the second judge, in order.
        weights: A disagreement weighs as the distance of the bins (linear) or its square (quadratic).

    Returns:
        Shape ``(...)``, at most 1; NaN where all documents lie in one bin for both judges, or there is none.

    Raises:
        ValueError: Tables that are not square, or other weights.

    Source:
        Cohen (1968), Psychol. Bull. 70:213-220.
    """
    table = np.asarray(tables, dtype=np.float64)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise ValueError(f"tables must be square, got shape {table.shape}")
    if weights not in ("linear", "quadratic"):
        raise ValueError(f"weights must be linear or quadratic, got '{weights}'")
    bins = np.arange(table.shape[-1], dtype=np.float64)
    distances = np.abs(bins[:, None] - bins) ** (1 if weights == "linear" else 2)
    observed = (table * distances).sum(axis=(-2, -1)) * table.sum(axis=(-2, -1))
    by_chance = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
    return 1.0 - _over(observed, (by_chance * distances).sum(axis=(-2, -1)))


def _over(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found
