"""How often each observation occurs in each resample."""

import numpy as np

from analysis.resampling.bootstrap import resampled_values


def resample_counts(clusters: object, resamples: int, seed: int) -> np.ndarray:
    return resampled_values(lambda counts: counts, clusters, resamples=resamples, seed=seed)
