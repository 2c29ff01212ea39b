"""An independent headline interval: each cluster left out in a plain loop, and the bounds by their formula."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

SCALES: dict[str, tuple[Callable, Callable]] = {
    "as it is": (lambda x: x, lambda y: y),
    "z": (np.arctanh, np.tanh),
    "log F": (lambda x: -np.log(1 - x), lambda y: 1 - np.exp(-y)),
    "log": (np.log, np.exp),
    "arcsine": (np.arcsin, np.sin),
    "arsinh": (lambda x: np.arcsinh(x / 2), lambda y: 2 * np.sinh(y)),
}


def left_out(statistic: Callable[[np.ndarray], float], clusters: Sequence) -> tuple[float, np.ndarray]:
    """A statistic of all rows, and of the rows without each cluster."""
    labels = np.asarray(clusters)
    rows = np.arange(len(labels))
    return statistic(rows), np.array([statistic(rows[labels != label]) for label in np.unique(labels)])


def freedom_of(sizes: Sequence[float]) -> float:
    """Satterthwaite's degrees of freedom, from the matrix written out."""
    size = np.asarray(sizes, dtype=float)
    weight = size / size.sum()
    residual = np.diag(1 / (1 - weight)) @ (np.eye(len(size)) - np.outer(weight, np.ones(len(size))))
    matrix = residual @ np.diag(size * (1 + 0.3 * (size - 1))) @ residual.T
    return float(np.trace(matrix) ** 2 / np.trace(matrix @ matrix))


def jackknifed(
    statistic: Callable[[np.ndarray], float],
    clusters: Sequence,
    scale: str = "as it is",
    *,
    corrected: float = 0.0,
    freedom: float = 1.0,
    confidence: float = 0.95,
    equal: bool = False,
) -> tuple[float, float]:
    """Student's t around the statistic on a scale; `equal`: every cluster weighs the same."""
    there, back = SCALES[scale]
    value, deleted = left_out(statistic, clusters)
    at, without = there(value), there(deleted)
    n = len(deleted)
    error = np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2))
    centre = at + corrected * (n - 1) * (at - without.mean())
    sizes = np.unique(np.asarray(clusters), return_counts=True)[1]
    half = error * stats.t.ppf(0.5 + confidence / 2, freedom * (n - 1 if equal else freedom_of(sizes)))
    return float(back(centre - half)), float(back(centre + half))


def scored(
    statistic: Callable[[np.ndarray], float],
    clusters: Sequence,
    lowest: float = 0.0,
    *,
    confidence: float = 0.95,
    equal: bool = False,
) -> tuple[float, float]:
    """Wilson's interval of an effective sample, of a share or a coefficient between `lowest` and 1."""
    value, deleted = left_out(statistic, clusters)
    share, without = (value - lowest) / (1 - lowest), (deleted - lowest) / (1 - lowest)
    n = len(without)
    sample = share * (1 - share) / ((n - 1) / n * np.sum((without - without.mean()) ** 2))
    sizes = np.unique(np.asarray(clusters), return_counts=True)[1]
    t = stats.t.ppf(0.5 + confidence / 2, n - 1 if equal else freedom_of(sizes))
    # Wilson's bounds are the roots of (share - p)^2 = t^2 p (1 - p) / sample.
    low, high = sorted(np.roots([1 + t * t / sample, -2 * share - t * t / sample, share * share]).real)
    return float(lowest + (1 - lowest) * low), float(lowest + (1 - lowest) * high)
