"""A linear head on image features, fitted on people's choices of two images and judged on clusters it never saw."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.preference.bradley_terry_newton import NotConverged
from analysis.resampling.bootstrap import cluster_index
from analysis.undefined import UndefinedStatistic

FOLDS = 5
# Before any vote is seen, a pair's log odds are taken to have this spread, whatever the number of features.
PRIOR_SD = 1.0
MOST_STEPS = 500
# Of the largest slope of the mean log loss, in coordinates in which it curves by 1 at most.
TOLERANCE = 1e-6
ROWS_AT_ONCE = 4096

Floats = NDArray[np.float64]
Images = NDArray[np.float32] | NDArray[np.float64]


class HeldOutScores(NamedTuple):
    """Scores of both images of each pair, log odds up to a constant, by a head that saw no pair of their cluster.

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
    clusters: ArrayLike,
    *,
    seed: int,
    folds: int = FOLDS,
) -> HeldOutScores:
    """What a linear head says of pairs whose cluster had no part in fitting it.

    Args:
        features: Shape ``(m, d)``, one row per image, any unit; NaN in a row: the image has no features.
        first: Shape ``(n,)``, rows of images 1.
        second: Shape ``(n,)``, rows of images 2.
        winner: Shape ``(n,)``, the winner by votes, 1 or 2.
        clusters: Shape ``(n,)``, the photo series of each pair or what several series share; folds keep it whole.
        seed: Of the folds.
        folds: How many.

    Returns:
        Per fold a logistic regression without intercept of the winner on feature differences, fitted on the other
        folds. Features are divided by the root mean square of their differences there; a constant feature has no
        weight. The penalty ``d / (2 PRIOR_SD^2) |w|^2`` is a normal prior under which a typical pair's log odds have
        spread `PRIOR_SD`.

    Raises:
        ValueError: Shapes differ, other winners, or fewer than 2 folds.
        UndefinedStatistic: Fewer clusters with features than folds, or features that never differ.
        NotConverged: A fit did not end.

    Source:
        Bradley and Terry (1952), Biometrika 39:324-345, with linear strengths; Stone (1974), J. R. Stat. Soc. B
        36:111-147 (cross-validation); Hoerl and Kennard (1970), Technometrics 12:55-67 (ridge penalty).
    """
    images, one, two, won, labels = _checked(features, first, second, winner, clusters)
    if folds < 2:
        raise ValueError(f"at least 2 folds are needed, got {folds}")
    there: NDArray[np.bool_] = np.concatenate([np.isfinite(part).all(axis=1) for part in _parts(images)])
    usable = there[one] & there[two]
    fold = np.full(one.size, -1, dtype=np.intp)
    if not usable.any():
        raise UndefinedStatistic("no pair has features of both images")
    fold[usable], n_clusters = folds_of(labels[usable], folds, seed)
    if not there.all():
        # A product with NaN is NaN even where its factor is 0.
        images = np.where(there[:, None], images, images.dtype.type(0.0))
    scores, weights = np.full((2, one.size), np.nan), np.empty((folds, images.shape[1]))
    winners, losers = np.where(won == 1, one, two), np.where(won == 1, two, one)
    moments = [_moments(images, winners[fold == part], losers[fold == part]) for part in range(folds)]
    for held in range(folds):
        fitted_on = usable & (fold != held)
        # Added up, not the held-out part taken from the whole: its rounding would leave a trace of what is held out.
        others = np.add.reduce([moments[part] for part in range(folds) if part != held])
        weights[held] = _fitted(images, winners[fitted_on], losers[fitted_on], others)
        strengths = _products(images, weights[held])
        for side, place in enumerate((one, two)):
            scores[side, fold == held] = strengths[place[fold == held]]
    protocol = f"logistic head on {images.shape[1]} features, {folds} folds over {n_clusters} clusters, held out"
    return HeldOutScores(scores[0], scores[1], fold, weights, protocol)


def folds_of(clusters: ArrayLike, folds: int, seed: int) -> tuple[NDArray[np.intp], int]:
    """The fold of each pair: clusters are shuffled and dealt out in turn, so that folds hold equally many.

    Args:
        clusters: Shape ``(n,)``.
        folds: How many.
        seed: Of the shuffle.

    Returns:
        Shape ``(n,)``, numbers from 0, and the number of clusters.

    Raises:
        UndefinedStatistic: No pair, or fewer clusters than folds.
    """
    if np.size(clusters) == 0:
        raise UndefinedStatistic("no pair to deal out to folds")
    index, n_clusters = cluster_index(clusters)
    if n_clusters < folds:
        raise UndefinedStatistic(
            "{n} cluster, fewer than the {folds} folds|{n} clusters, fewer than the {folds} folds",
            n=n_clusters,
            folds=folds,
        )
    of_cluster = np.empty(n_clusters, dtype=np.intp)
    of_cluster[np.random.default_rng(seed).permutation(n_clusters)] = np.arange(n_clusters) % folds
    return of_cluster[index], n_clusters


def linked_clusters(clusters: ArrayLike, first: ArrayLike, second: ArrayLike) -> NDArray[np.intp]:
    """Groups of clusters that share a picture: kept whole in a fold, they leave no picture on both sides of a fit.

    Args:
        clusters: Shape ``(n,)``, the photo series of each pair, or what several series share, such as a scene.
        first: Shape ``(n,)``, what tells the picture of image 1 from others, such as its content's hash.
        second: Shape ``(n,)``, of image 2.

    Returns:
        Shape ``(n,)``, numbers from 0; where no two clusters share a picture, each is a group of its own.
    """
    if np.size(clusters) == 0:
        return np.empty(0, dtype=np.intp)
    of_pair, n_clusters = cluster_index(clusters)
    # By a dictionary: as an array of text the hashes of 100,000 pictures would take 150 MB to sort.
    number_of: dict[object, int] = {}
    pictures = (one for side in (first, second) for one in np.asarray(side).tolist())
    picture = np.array([number_of.setdefault(one, len(number_of)) for one in pictures], dtype=np.intp)
    edges = (np.ones(2 * of_pair.size), (np.tile(of_pair, 2), n_clusters + picture))
    size = n_clusters + len(number_of)
    _, group = scipy.sparse.csgraph.connected_components(
        scipy.sparse.csr_array(edges, shape=(size, size)), directed=False
    )
    # Numbered in the order of the clusters' names, so that without shared pictures a group has its cluster's number.
    _, number = np.unique(group[:n_clusters], return_index=True)
    rank = np.empty(number.size, dtype=np.intp)
    rank[np.argsort(number)] = np.arange(number.size)
    return rank[np.unique(group[:n_clusters], return_inverse=True)[1]][of_pair]


def _fitted(images: Images, winner: NDArray[np.intp], loser: NDArray[np.intp], moments: Floats) -> Floats:
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
    root = scipy.linalg.cholesky(steepest_curve, lower=True, check_finite=False)

    def scaled_weights(at: Floats) -> Floats:
        return np.asarray(
            scipy.linalg.solve_triangular(root, at, lower=True, trans="T", check_finite=False), dtype=np.float64
        )

    def loss(at: Floats) -> tuple[float, Floats]:
        scaled = scaled_weights(at)
        strengths = _products(images, scaled * per_unit)
        margin = strengths[winner] - strengths[loser]
        pull = -scipy.special.expit(-margin) / n
        by_image: Floats = np.asarray(np.bincount(winner, pull, n_images) - np.bincount(loser, pull, n_images))
        slope = _sums(images, by_image) * per_unit + penalty * scaled
        value = -scipy.special.log_expit(margin).mean() + penalty / 2.0 * (scaled @ scaled)
        return float(value), scipy.linalg.solve_triangular(root, slope, lower=True, check_finite=False)

    options = {"maxiter": MOST_STEPS, "gtol": TOLERANCE, "ftol": 0.0}
    found = scipy.optimize.minimize(loss, np.zeros(d), jac=True, method="L-BFGS-B", options=options)
    if not found.success:
        raise NotConverged(f"the head's fit did not end after {found.nit} steps: {found.message}")
    return scaled_weights(found.x) * per_unit


def _moments(images: Images, winner: NDArray[np.intp], loser: NDArray[np.intp]) -> Floats:
    """Sums of products of feature differences, shape ``(d, d)``; few rows at once, so memory stays small."""
    total = np.zeros((images.shape[1], images.shape[1]))
    for start in range(0, winner.size, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        difference = images[winner[rows]].astype(np.float64) - images[loser[rows]]
        total += difference.T @ difference
    return total


def _parts(images: Images) -> Iterator[Floats]:
    """The rows in 64 bits, few at once: features of many images are kept in 32, and a whole copy would fill memory."""
    for start in range(0, max(len(images), 1), ROWS_AT_ONCE):
        yield np.asarray(images[start : start + ROWS_AT_ONCE], dtype=np.float64)


def _products(images: Images, weights: Floats) -> Floats:
    """``images @ weights``, shape ``(m,)``."""
    return np.concatenate([part @ weights for part in _parts(images)])


def _sums(images: Images, of_image: Floats) -> Floats:
    """``of_image @ images``, shape ``(d,)``."""
    starts = range(0, len(images), ROWS_AT_ONCE)
    return np.asarray(
        np.sum(
            [of_image[start : start + ROWS_AT_ONCE] @ part for start, part in zip(starts, _parts(images), strict=True)],
            axis=0,
        )
    )


def _checked(
    features: ArrayLike, first: ArrayLike, second: ArrayLike, winner: ArrayLike, clusters: ArrayLike
) -> tuple[Images, NDArray[np.intp], NDArray[np.intp], NDArray[np.int64], NDArray[np.generic]]:
    images = np.asarray(features)
    if images.dtype not in (np.float32, np.float64):
        images = images.astype(np.float64)
    one, two, won, labels = (np.asarray(column) for column in (first, second, winner, clusters))
    if images.ndim != 2 or one.ndim != 1 or len({one.shape, two.shape, won.shape, labels.shape}) > 1:
        raise ValueError(
            f"features need two dimensions, and pairs two images, a winner and a cluster each, got shapes "
            f"{images.shape}, {one.shape}, {two.shape}, {won.shape}, {labels.shape}"
        )
    if not np.isin(won, [1, 2]).all():
        raise ValueError("each winner must be 1 or 2; leave out pairs without a winner and count them")
    return images, one.astype(np.intp), two.astype(np.intp), won.astype(np.int64), labels
