"""A linear head on image features, fitted on people's choices between two images and judged on series it never saw."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit

from analysis.bootstrap import cluster_index
from analysis.bradley_terry_newton import NotConverged
from analysis.undefined import UndefinedStatistic

FOLDS = 5
# Before any vote is seen, a pair's log odds are taken to have this spread, whatever the number of features.
PRIOR_SD = 1.0
MOST_STEPS = 500
# Of the largest slope of the mean log loss, in coordinates in which it curves by 1 at most.
TOLERANCE = 1e-6
ROWS_AT_ONCE = 4096

Floats = NDArray[np.float64]


class HeldOutScores(NamedTuple):
    """Scores of both images of each pair, log odds up to a constant, by a head that saw no pair of their series.

    Shape ``(n,)`` each; NaN where an image has no features. `fold` is the fold that was held out, -1 where there is no
    score; `weights` has a row per fold, in 1 / the feature's unit.
    """

    score_1: Floats
    score_2: Floats
    fold: NDArray[np.intp]
    weights: Floats
    protocol: str


def held_out_scores(
    features: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    winner: ArrayLike,
    series: ArrayLike,
    *,
    seed: int,
    folds: int = FOLDS,
) -> HeldOutScores:
    """What a linear head says of pairs whose series had no part in fitting it.

    Args:
        features: Shape ``(m, d)``, one row per image, any unit; NaN in a row: the image has no features.
        first: Shape ``(n,)``, rows of images 1.
        second: Shape ``(n,)``, rows of images 2.
        winner: Shape ``(n,)``, the winner by votes, 1 or 2.
        series: Shape ``(n,)``, the photo series of each pair; a series lies in one fold as a whole.
        seed: Of the folds.
        folds: How many.

    Returns:
        Per fold a logistic regression without intercept of the winner on feature differences, fitted on the other
        folds. Features are divided by the root mean square of their differences there; a constant feature has no
        weight. The penalty ``d / (2 PRIOR_SD^2) |w|^2`` is a normal prior under which a typical pair's log odds have
        spread `PRIOR_SD`.

    Raises:
        ValueError: Shapes differ, other winners, or fewer than 2 folds.
        UndefinedStatistic: Fewer series with features than folds, or features that never differ.
        NotConverged: A fit did not end.

    Source:
        Bradley and Terry (1952), Biometrika 39:324-345, with linear strengths; Stone (1974), J. R. Stat. Soc. B
        36:111-147 (cross-validation); Hoerl and Kennard (1970), Technometrics 12:55-67 (ridge penalty).
    """
    images, one, two, won, labels = _checked(features, first, second, winner, series, folds)
    there: NDArray[np.bool_] = np.asarray(np.isfinite(images).all(axis=1), dtype=np.bool_)
    usable = there[one] & there[two]
    fold = np.full(one.size, -1, dtype=np.intp)
    fold[usable], n_series = folds_of(labels[usable], folds, seed)
    if not there.all():
        # A product with NaN is NaN even where its factor is 0.
        images = np.where(there[:, None], images, 0.0)
    scores, weights = np.full((2, one.size), np.nan), np.empty((folds, images.shape[1]))
    winners, losers = np.where(won == 1, one, two), np.where(won == 1, two, one)
    moments = [_moments(images, winners[fold == part], losers[fold == part]) for part in range(folds)]
    for held in range(folds):
        fitted_on = usable & (fold != held)
        # Added up, not the held-out part taken from the whole: its rounding would leave a trace of what is held out.
        others = np.add.reduce([moments[part] for part in range(folds) if part != held])
        weights[held] = _fitted(images, winners[fitted_on], losers[fitted_on], others)
        strengths = images @ weights[held]
        for side, place in enumerate((one, two)):
            scores[side, fold == held] = strengths[place[fold == held]]
    protocol = f"logistic head on {images.shape[1]} features, {folds} folds over {n_series} series, held out"
    return HeldOutScores(scores[0], scores[1], fold, weights, protocol)


def folds_of(series: ArrayLike, folds: int, seed: int) -> tuple[NDArray[np.intp], int]:
    """The fold of each pair: series are shuffled and dealt out in turn, so that folds hold equally many.

    Args:
        series: Shape ``(n,)``.
        folds: How many.
        seed: Of the shuffle.

    Returns:
        Shape ``(n,)``, numbers from 0, and the number of series.

    Raises:
        UndefinedStatistic: Fewer series than folds.
    """
    if np.size(series) == 0:
        raise UndefinedStatistic("no pair has features of both images")
    index, n_series = cluster_index(series)
    if n_series < folds:
        raise UndefinedStatistic(f"{n_series} series, fewer than the {folds} folds")
    of_series = np.empty(n_series, dtype=np.intp)
    of_series[np.random.default_rng(seed).permutation(n_series)] = np.arange(n_series) % folds
    return of_series[index], n_series


def linked_series(series: ArrayLike, first: ArrayLike, second: ArrayLike) -> NDArray[np.intp]:
    """Groups of series that share a picture: kept whole in a fold, they leave no picture on both sides of a fit.

    Args:
        series: Shape ``(n,)``, the series of each pair.
        first: Shape ``(n,)``, what tells the picture of image 1 from others, such as its content's hash.
        second: Shape ``(n,)``, of image 2.

    Returns:
        Shape ``(n,)``, numbers from 0; where no two series share a picture, each is a group of its own.
    """
    if np.size(series) == 0:
        return np.empty(0, dtype=np.intp)
    of_pair, n_series = cluster_index(series)
    pictures = np.concatenate([np.asarray(first), np.asarray(second)])
    _, picture = np.unique(pictures.astype(np.str_), return_inverse=True)
    edges = (np.ones(2 * of_pair.size), (np.tile(of_pair, 2), n_series + picture))
    size = n_series + int(picture.max()) + 1
    _, group = connected_components(sparse.csr_array(edges, shape=(size, size)), directed=False)
    # Numbered in the order of the series' names, so that without shared pictures a group has its series' number.
    _, number = np.unique(group[:n_series], return_index=True)
    rank = np.empty(number.size, dtype=np.intp)
    rank[np.argsort(number)] = np.arange(number.size)
    return rank[np.unique(group[:n_series], return_inverse=True)[1]][of_pair]


def _fitted(images: Floats, winner: NDArray[np.intp], loser: NDArray[np.intp], moments: Floats) -> Floats:
    """Weights per feature under which the winners are most likely, with the prior.

    Args:
        images: Shape ``(m, d)``.
        winner: Shape ``(n,)``, rows.
        loser: Shape ``(n,)``, rows.
        moments: Shape ``(d, d)``, `_moments` of these pairs.
    """
    n_images, n, d = len(images), winner.size, images.shape[1]
    scale = np.sqrt(np.diag(moments) / n)
    varies = scale > 0.0
    if not varies.any():
        raise UndefinedStatistic("the two images of each pair have the same features")
    per_unit = np.where(varies, 1.0 / np.where(varies, scale, 1.0), 0.0)
    penalty = d / PRIOR_SD**2 / n
    # The loss curves nowhere more than this; in its root's coordinates few steps lead to the minimum.
    steepest_curve = moments / (4.0 * n) * np.outer(per_unit, per_unit)
    steepest_curve[np.diag_indices(d)] += penalty
    root = cholesky(steepest_curve, lower=True, check_finite=False)

    def scaled_weights(at: Floats) -> Floats:
        return np.asarray(solve_triangular(root, at, lower=True, trans="T", check_finite=False), dtype=np.float64)

    def loss(at: Floats) -> tuple[float, Floats]:
        scaled = scaled_weights(at)
        strengths = images @ (scaled * per_unit)
        margin = strengths[winner] - strengths[loser]
        pull = -expit(-margin) / n
        by_image = np.bincount(winner, pull, n_images) - np.bincount(loser, pull, n_images)
        slope = (by_image @ images) * per_unit + penalty * scaled
        value = -log_expit(margin).mean() + penalty / 2.0 * (scaled @ scaled)
        return float(value), solve_triangular(root, slope, lower=True, check_finite=False)

    options = {"maxiter": MOST_STEPS, "gtol": TOLERANCE, "ftol": 0.0}
    found = minimize(loss, np.zeros(d), jac=True, method="L-BFGS-B", options=options)
    if not found.success:
        raise NotConverged(f"the head's fit did not end after {found.nit} steps: {found.message}")
    return scaled_weights(found.x) * per_unit


def _moments(images: Floats, winner: NDArray[np.intp], loser: NDArray[np.intp]) -> Floats:
    """Sums of products of feature differences, shape ``(d, d)``; few rows at once, so memory stays small."""
    total = np.zeros((images.shape[1], images.shape[1]))
    for start in range(0, winner.size, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        difference = images[winner[rows]] - images[loser[rows]]
        total += difference.T @ difference
    return total


def _checked(
    features: ArrayLike, first: ArrayLike, second: ArrayLike, winner: ArrayLike, series: ArrayLike, folds: int
) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], NDArray[np.generic]]:
    images = np.asarray(features, dtype=np.float64)
    one, two, won, labels = (np.asarray(column) for column in (first, second, winner, series))
    if images.ndim != 2 or one.ndim != 1 or len({one.shape, two.shape, won.shape, labels.shape}) > 1:
        raise ValueError(
            f"features need two dimensions, and pairs two images, a winner and a series each, got shapes "
            f"{images.shape}, {one.shape}, {two.shape}, {won.shape}, {labels.shape}"
        )
    if folds < 2:
        raise ValueError(f"at least 2 folds are needed, got {folds}")
    if not np.isin(won, [1, 2]).all():
        raise ValueError("each winner must be 1 or 2; leave out pairs without a winner and count them")
    return images, one.astype(np.intp), two.astype(np.intp), won.astype(np.int64), labels
