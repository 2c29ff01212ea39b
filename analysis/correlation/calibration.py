"""Calibration of a judge to people's scale, judged on products that it was not fitted on."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.messages import message
from analysis.resampling.bootstrap import cluster_index
from analysis.resampling.pairs import paired
from analysis.undefined import UndefinedStatistic

FOLDS = 5
LEAVE_ONE_OUT_BELOW = 10

Method = Literal["linear", "isotonic"]
Floats = NDArray[np.float64]
Prediction = Callable[[Floats], Floats]


class Calibration(NamedTuple):
    """Errors before and after calibration on held-out products, in the humans' unit.

    `slope_fit_on_all` and `intercept_fit_on_all` are the line that users apply (none for isotonic); no error of that
    fit is reported, because it has seen every object. `held_out` are the pooled predictions, in the order of the input.
    """

    method: Method
    slope_fit_on_all: float | None
    intercept_fit_on_all: float | None
    mae_before: float
    rmse_before: float
    mae_after: float
    rmse_after: float
    held_out: Floats
    protocol: str
    n: int
    n_products: int


def calibration(
    judge: ArrayLike,
    human: ArrayLike,
    products: ArrayLike | None = None,
    *,
    seed: int,
    method: Method = "linear",
    noun: Literal["product", "object", "cluster"] = "product",
) -> Calibration:
    """What a calibration of judge to human is worth on products that it has not seen.

    Args:
        judge: Shape ``(n,)``, scores, any unit.
        human: Shape ``(n,)``, same order, in the unit of the result.
        products: Shape ``(n,)``, the product of each object; none: every object is its own.
        seed: Of the assignment of products to folds.
        method: Least squares of human on judge; or the increasing (isotonic) fit, linear between the scores it was
            fitted at, with its end values held beyond them.
        noun: What `products` are, in the protocol and where nothing is fitted.

    Returns:
        ``mae_before`` and ``rmse_before`` of the judge as it is, ``*_after`` of held-out predictions from 5 folds over
        products, or from leaving one product out where there are fewer than 10.

    Raises:
        ValueError: Shapes differ, a score is missing, or the method is unknown.
        UndefinedStatistic: Fewer than 3 pairs, fewer than 2 products, or a part to be fitted on is constant.

    Source:
        Stone (1974), J. R. Stat. Soc. B 36:111-147 (cross-validation); Barlow, Bartholomew, Bremner and Brunk (1972),
        Statistical Inference under Order Restrictions.
    """
    if method not in ("linear", "isotonic"):
        raise ValueError(f"unknown calibration {method!r}, known are 'linear' and 'isotonic'")
    pairs = paired(judge, human, products)
    if pairs.n_clusters < 2:
        raise UndefinedStatistic(f"all objects are of one {noun}, at least 2 {noun}s needed")
    folds = product_folds(pairs.clusters, seed)
    n_folds = int(folds.max()) + 1
    fit = _fit_line if method == "linear" else _fit_isotonic
    held_out = np.empty(pairs.n)
    for fold in range(n_folds):
        inside = folds != fold
        held_out[~inside] = fit(
            pairs.judge[inside], pairs.human[inside], message("outside fold {fold}", fold=fold + 1)
        )(pairs.judge[~inside])
    slope, intercept = line(pairs.judge, pairs.human, message("of all objects")) if method == "linear" else (None, None)
    by = message(f"leave one {noun} out")
    if pairs.n_clusters >= LEAVE_ONE_OUT_BELOW:
        by = message(f"{{n}} folds over {noun}s", n=n_folds)
    before, after = pairs.judge - pairs.human, held_out - pairs.human
    return Calibration(
        method=method,
        slope_fit_on_all=slope,
        intercept_fit_on_all=intercept,
        mae_before=float(np.abs(before).mean()),
        rmse_before=float(np.sqrt((before**2).mean())),
        mae_after=float(np.abs(after).mean()),
        rmse_after=float(np.sqrt((after**2).mean())),
        held_out=held_out,
        protocol=message(f"{{by}}, {{n}} {noun}s, held-out predictions pooled", by=by, n=pairs.n_clusters),
        n=pairs.n,
        n_products=pairs.n_clusters,
    )


def fitted(judge: Floats, human: Floats, method: Method) -> Prediction:
    """The calibration fitted on all objects, as a function of the judge's scores.

    Args:
        judge: Shape ``(n,)``.
        human: Shape ``(n,)``.
        method: As in `calibration`.

    Raises:
        UndefinedStatistic: No two different scores of the judge.
    """
    return (_fit_line if method == "linear" else _fit_isotonic)(judge, human, "of all objects")


def product_folds(products: ArrayLike, seed: int) -> NDArray[np.intp]:
    """The fold of each object, all objects of a product in one.

    Args:
        products: Shape ``(n,)``, the product of each object.
        seed: The same seed gives the same folds, in whatever order the objects come.

    Returns:
        Shape ``(n,)``, from 0: 5 folds of nearly equal numbers of products, one per product where there are under 10.

    Raises:
        ValueError: A product is missing.
    """
    index, n_products = cluster_index(products)
    n_folds = n_products if n_products < LEAVE_ONE_OUT_BELOW else FOLDS
    fold_of_product = np.empty(n_products, dtype=np.intp)
    fold_of_product[np.random.default_rng(seed).permutation(n_products)] = np.arange(n_products) % n_folds
    return fold_of_product[index]


def line(judge: Floats, human: Floats, part: str) -> tuple[float, float]:
    """Slope and intercept of human on judge by least squares.

    Args:
        judge: Shape ``(n,)``.
        human: Shape ``(n,)``.
        part: Whose scores they are, for the reason.

    Raises:
        UndefinedStatistic: No two different scores of the judge.
    """
    _refuse_constant(judge, part)
    dx = judge - judge.mean()
    slope = float(dx @ (human - human.mean()) / (dx @ dx))
    return slope, float(human.mean() - slope * judge.mean())


def isotonic_steps(judge: Floats, human: Floats, part: str) -> tuple[Floats, Floats]:
    """Distinct judge scores in ascending order and the increasing human score fitted at each; else as `line`."""
    _refuse_constant(judge, part)
    at, group, sizes = np.unique(judge, return_inverse=True, return_counts=True)
    return at, scipy.optimize.isotonic_regression(np.bincount(group, weights=human) / sizes, weights=sizes).x


def _fit_line(judge: Floats, human: Floats, part: str) -> Prediction:
    slope, intercept = line(judge, human, part)
    return lambda scores: slope * scores + intercept


def _fit_isotonic(judge: Floats, human: Floats, part: str) -> Prediction:
    at, fitted = isotonic_steps(judge, human, part)
    return lambda scores: np.interp(scores, at, fitted)


def _refuse_constant(judge: Floats, part: str) -> None:
    if judge.size < 2 or bool(np.all(judge == judge[0])):
        raise UndefinedStatistic("the judge's scores {part} are all equal", part=part)
