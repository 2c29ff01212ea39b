"""Predictions mapped to the scale of opinion scores: the fit, its diagnostics, and PLCC and RMSE after it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.correlation.correlation import of_counts
from analysis.correlation.mapping_functions import CURVES, Floats, MappingFunction, cubic_coefficients, rising_cubic
from analysis.correlation.score_correlation import SIDES
from analysis.intervals.headline import headline_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.pairs import paired, varying
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

# Of the curve, numerical derivatives included; an optimum at infinity (a straight tail, say) never converges.
MOST_EVALUATIONS = 1000
FIRST_LOOK = 200
TOLERANCE = 1e-10
# Cubes of spreads, which the cubic's parameters hold, are finite up to here.
LARGEST = 1e100
FLAT = 1e-3
# Starts are compared on this many samples, evenly spread over the sorted predictions.
MOST_FOR_STARTS = 500
IN_EARNEST = 3
CLOSE = 1e6  # 1e-12 times this is as near as R squared of two searches come to each other


@dataclass(frozen=True)
class Mapping:
    """A fitted curve; `parameters` belong to `formula`, in the units of prediction and truth.

    `r_squared` is the share of the truth's variance that the curve explains, `starts_r_squared` the lowest and the
    highest share that the searches from its `n_starts` starts came to.
    """

    function: MappingFunction
    formula: str
    parameters: dict[str, float]
    n_parameters: int
    converged: bool
    fitted_on: str
    n_fitted: int
    r_squared: float
    n_starts: int
    starts_r_squared: tuple[float, float]
    centre: tuple[float, float]
    spread: tuple[float, float]
    standardised: tuple[float, ...]

    def apply(self, prediction: ArrayLike) -> NDArray[np.float64]:
        """The mapped values of predictions of the fitted direction, in the truth's unit; any shape."""
        z = (np.asarray(prediction, dtype=np.float64) - self.centre[0]) / self.spread[0]
        value = CURVES[self.function].value(z, np.array(self.standardised))
        return np.asarray(self.centre[1] + self.spread[1] * value)


class MappedFit(NamedTuple):
    """How well mapped predictions meet the truth; `rmse` in the truth's unit, the correlations unitless.

    `monotone` is false where the mapping changes SRCC: then `plcc` credits the metric with an order it did not give.
    """

    plcc: float
    interval: Interval
    rmse: float
    srcc_before: float
    srcc_after: float
    monotone: bool
    note: str
    n: int
    n_clusters: int


def fit_mapping(
    prediction: ArrayLike, truth: ArrayLike, function: MappingFunction, *, fitted_on: str = "the evaluated samples"
) -> Mapping:
    """The curve of one family that leaves the least squares.

    Args:
        prediction: Shape ``(n,)``, already in the direction in which higher is better.
        truth: Shape ``(n,)``, same order.
        function: `logistic_4` (VQEG), `logistic_5` (Sheikh), or `cubic` (not falling on the data's range).
        fitted_on: The data in words.

    Returns:
        The best of several starts; not `converged` when the search for it ended without meeting a tolerance.

    Raises:
        ValueError: Shapes differ, or a value is missing.
        UndefinedStatistic: No more samples than parameters, one side is constant, or values are beyond 1e100.

    Source:
        `mapping_functions.CURVES` names the publication of each family.
    """
    pairs = paired(prediction, truth, sides=SIDES)
    varying(pairs.judge, SIDES[0]), varying(pairs.human, SIDES[1])
    curve = CURVES[function]
    _enough(pairs.n, curve.n_parameters)
    _within_reach(pairs.judge, pairs.human)
    middle_of_range = float(pairs.judge.max() + pairs.judge.min()) / 2.0
    centre_x = middle_of_range if function == "cubic" else float(pairs.judge.mean())
    centre, spread = (centre_x, float(pairs.human.mean())), (float(pairs.judge.std()), float(pairs.human.std()))
    z, y = (pairs.judge - centre[0]) / spread[0], (pairs.human - centre[1]) / spread[1]
    found, converged, ends = _cubic_fit(z, y) if function == "cubic" else _fit(curve.value, curve.starts(z, y), z, y)
    r_squared = _r_squared(curve.value(z, found), y)
    ends = ends or [r_squared]
    return Mapping(
        function,
        curve.formula,
        curve.published(found, centre[0], spread[0], centre[1], spread[1]),
        curve.n_parameters,
        converged,
        fitted_on,
        pairs.n,
        r_squared,
        len(ends),
        (min(ends), max(ends)),
        centre,
        spread,
        tuple(float(value) for value in found),
    )


def mapped_fit(
    mapping: Mapping,
    prediction: ArrayLike,
    truth: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    resampling: Resampling,
) -> MappedFit:
    """PLCC and RMSE of mapped predictions.

    Args:
        mapping: Of `fit_mapping`, on these samples or on others.
        prediction: Shape ``(n,)``, in the direction of the fit.
        truth: Shape ``(n,)``, same order.
        clusters: Shape ``(n,)``; none: every sample is its own.
        resampling: Of the interval.

    Returns:
        The interval holds the mapping fixed and says so. `rmse` divides by n less the fitted parameters.

    Raises:
        ValueError: Shapes differ, or a value is missing.
        UndefinedStatistic: No more samples than parameters, a side (mapped or not) is constant, or values are beyond
            1e100.

    Source:
        docs/statistics.md, Score-level evaluation.
    """
    pairs = paired(prediction, truth, clusters, sides=SIDES)
    _within_reach(pairs.judge, pairs.human)
    mapped = mapping.apply(pairs.judge)
    x, y = varying(pairs.judge, SIDES[0]), varying(pairs.human, SIDES[1])
    x_mapped = varying(mapped, "mapped prediction")
    plcc = of_counts("pearson", x_mapped, y)
    [interval] = headline_intervals(
        lambda counts: plcc(counts)[:, None], ("pearson",), pairs.clusters, resampling=resampling
    )
    once = np.ones((1, pairs.n), dtype=np.int64)
    before, after = (float(of_counts("spearman", side, y)(once)[0]) for side in (x, x_mapped))
    monotone = bool(compare(after, before, 1.0) == 0)
    return MappedFit(
        float(plcc(once)[0]),
        interval._replace(method=f"{interval.method}, mapping held fixed"),
        rmse(mapped - pairs.human, mapping.n_parameters),
        before,
        after,
        monotone,
        "" if monotone else f"not monotone: the mapping changes SRCC from {before:.6g} to {after:.6g}",
        pairs.n,
        pairs.n_clusters,
    )


def nearer_curves(mapping: Mapping, prediction: ArrayLike, truth: ArrayLike) -> dict[MappingFunction, float]:
    """Curves of fewer parameters that meet the truth better than a five-parameter one: its search missed the best.

    Args:
        mapping: Of `fit_mapping`.
        prediction: Shape ``(n,)``, those that it was fitted on.
        truth: Shape ``(n,)``, likewise.

    Returns:
        The R squared of each such family; empty for a mapping of four parameters.
    """
    if mapping.function != "logistic_5":
        return {}
    others = [fit_mapping(prediction, truth, function) for function in ("logistic_4", "cubic")]
    return {one.function: one.r_squared for one in others if compare(one.r_squared, mapping.r_squared, CLOSE) > 0}


def rmse(errors: ArrayLike, n_parameters: int = 0) -> float:
    """The typical error, in the errors' unit; only where both sides share a scale, or after a mapping.

    Args:
        errors: Shape ``(n,)``, prediction less truth.
        n_parameters: How many parameters of a mapping were fitted.

    Returns:
        ``sqrt(SSE / (n - n_parameters))``.

    Raises:
        ValueError: Not one-dimensional, or an error is missing.
        UndefinedStatistic: No more errors than parameters.

    Source:
        ITU-T P.1401 (2020), 7.5.1.
    """
    array = np.asarray(errors, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"errors must be one finite number per sample, got shape {array.shape}")
    _enough(array.size, n_parameters)
    return float(np.sqrt((array**2).sum() / (array.size - n_parameters)))


def _enough(n: int, n_parameters: int) -> None:
    if n <= n_parameters:
        raise UndefinedStatistic(
            "{n} samples cannot carry {n_parameters} fitted parameters", n=n, n_parameters=n_parameters
        )


def _within_reach(*sides: Floats) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        spreads = [float(side.std()) for side in sides]
    if not np.isfinite(spreads).all() or any(float(np.abs(side).max()) > LARGEST for side in sides):
        raise UndefinedStatistic("the scores are too far apart to fit a curve")


def _fit(
    value: Callable[[Floats, Floats], Floats], starts: Iterator[Floats], z: Floats, y: Floats
) -> tuple[Floats, bool, list[float]]:
    """The best parameters, whether their search met a tolerance, and the R squared at which each start ended."""
    few = np.argsort(z, kind="stable")[np.linspace(0, z.size - 1, min(z.size, MOST_FOR_STARTS)).astype(int)]
    # A start that leads to infinity would use up every evaluation: first a look at all, then the best in earnest.
    looks = sorted((_search(value, start, z[few], y[few], FIRST_LOOK) for start in starts), key=lambda look: look.cost)
    tries = [_search(value, look.x, z, y, MOST_EVALUATIONS) for look in looks[:IN_EARNEST]]
    best = min(tries, key=lambda each: each.cost)
    ends = [_r_squared(value(z, end.x), y) for end in (*tries, *looks[IN_EARNEST:])]
    return np.asarray(best.x), bool(best.status > 0), ends


def _r_squared(curve: Floats, y: Floats) -> float:
    return 1.0 - float(((curve - y) ** 2).mean())  # of a standardised truth, whose variance is 1


def _search(value: Callable[[Floats, Floats], Floats], start: Floats, z: Floats, y: Floats, most: int) -> Any:
    close = dict.fromkeys(("xtol", "ftol", "gtol"), TOLERANCE)
    return scipy.optimize.least_squares(lambda p: value(z, p) - y, start, method="lm", max_nfev=most, **close)


def _cubic_fit(z: Floats, y: Floats) -> tuple[Floats, bool, list[float]]:
    """The plain cubic where it does not fall, else the best of those that cannot."""
    half_width = float(z.max())
    plain = np.polyfit(z / half_width, y, 3) if np.unique(z).size > 3 else None
    powers = half_width ** np.array([3.0, 2.0, 1.0, 0.0])
    if plain is not None and _lowest_slope(plain) >= 0.0:
        return plain / powers, True, []
    slope = max(float(np.polyfit(z / half_width, y, 1)[0]), 0.01)
    starts = iter(
        np.array([0.0, level, tilt, bulge])
        for level, tilt, bulge in (
            (slope**0.5, 0.01, 0.1),
            (0.5 * slope**0.5, slope**0.5, 0.1),
            (0.5 * slope**0.5, -(slope**0.5), 0.1),
            (0.1, 0.1, slope**0.5),
            (0.1, slope**0.5, 0.01),
        )
    )
    found, converged, ends = _fit(rising_cubic(half_width), starts, z, y)
    if bool(np.all(np.abs(found[1:]) < FLAT)):
        # The truth falls: the best cubic that does not is constant, and what is left of a slope is the search's noise.
        found = np.array([found[0], 0.0, 0.0, 0.0])
    return cubic_coefficients(found) / powers, converged, ends


def _lowest_slope(coefficients: Floats) -> float:
    """The smallest derivative of a cubic on -1 to 1."""
    derivative = np.polyder(coefficients)
    turning = -derivative[1] / (2.0 * derivative[0]) if derivative[0] else 0.0
    return float(np.polyval(derivative, [-1.0, 1.0, np.clip(turning, -1.0, 1.0)]).min())
