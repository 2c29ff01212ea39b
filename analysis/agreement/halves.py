"""One random half of the products against the other: to choose on one and to report from the other."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.bootstrap import cluster_index
from analysis.undefined import UndefinedStatistic


def halves(clusters: ArrayLike, seed: int) -> NDArray[np.bool_]:
    """Which observations belong to the half on which a choice is made; the others are there to report it.

    Args:
        clusters: Shape ``(n,)``, the cluster (product) of each observation, text or integers.
        seed: The same seed and the same set of labels give the same halves, whatever the order of the rows and however
            often a label occurs.

    Returns:
        Shape ``(n,)``: true in the half to choose on. Clusters stay whole. Of an odd number of clusters the half to
        report from gets one more: what is reported needs its interval.

    Raises:
        ValueError: Clusters that `cluster_index` refuses.
        UndefinedStatistic: Fewer than 2 clusters.

    Source:
        Cox (1975), Biometrika 62:441-444 (data splitting).
    """
    index, n_clusters = cluster_index(clusters)
    if n_clusters < 2:
        raise UndefinedStatistic("one product cannot be split into halves")
    chosen = np.zeros(n_clusters, dtype=np.bool_)
    chosen[np.random.default_rng(seed).permutation(n_clusters)[: n_clusters // 2]] = True
    return chosen[index]
