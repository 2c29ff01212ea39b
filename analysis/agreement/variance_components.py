"""Variance components by restricted likelihood (REML): what share of the spread each source has, gaps allowed."""

from collections.abc import Mapping
from math import isfinite, log
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.mean_squares import score_matrix
from analysis.resampling.bootstrap import FEWEST_CLUSTERS, RELIABLE_CLUSTERS, Interval, no_interval
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic

Floats = NDArray[np.float64]
RESIDUAL = "residual"
# A ratio of standard deviations beyond which the residual is nothing next to it.
WIDEST = 1e6
# One whose square times another's neither overflows nor says anything.
FURTHEST = 1e50
# How small a difference of two values of the criterion says nothing, as a share of them.
LAST_DIGITS = 1e-14
# Searches of a simplex, and the gain of one, in twice the log-likelihood, after which another looks on.
MOST_SIMPLEXES = 5
FOUND = 1e-6


class VarianceComponents(NamedTuple):
    """`variances` in squared score units by source, each at least 0, `residual` last; they add up to one score's.

    `criterion` is -2 times the restricted log-likelihood, as lme4 prints it.
    """

    variances: dict[str, float]
    criterion: float
    n_used: int
    n_total: int
    n_levels: dict[str, int]


class RemlIcc(NamedTuple):
    """ICC(1,1) and ICC(1,k) at the planned k by REML, with profile intervals; variances in squared score units."""

    icc_1_1: float
    icc_1_1_interval: Interval
    icc_1k_planned: float
    icc_1k_planned_interval: Interval
    between_variance: float
    within_variance: float
    n_objects: int
    n_used: int


class _Design(NamedTuple):
    """Means of cells (scores that share all factors), how many scores each has, and their spread inside cells.

    `codes` are the crossed factors' levels of each cell, the one with most levels first.
    """

    means: Floats
    sizes: Floats
    inside: float
    n: int
    codes: tuple[NDArray[np.intp], ...]
    levels: tuple[int, ...]


def variance_components(scores: ArrayLike, factors: Mapping[str, ArrayLike]) -> VarianceComponents:
    """How much of the spread of scores comes from each crossed source, from their interaction, and from repeats.

    Args:
        scores: Shape ``(n,)``, one score per row; NaN is a missing score.
        factors: Name of each source and its level in each row, shape ``(n,)``: ``{"object": ..., "setting": ...}``. All
            are random and crossed. Where some combination has several scores, two factors or more have a part of their
            own for the combination, named with ``:`` between them; else it is part of the residual.

    Returns:
        REML estimates: with complete designs those of the analysis of variance where these are not negative, with gaps
        still defined. Zero is the lower end of each.

    Raises:
        ValueError: Shapes differ, an infinite score, or no factor.
        UndefinedStatistic: A factor with fewer than 2 levels, no score left for the residual, or equal scores.

    Source:
        Patterson and Thompson (1971), Biometrika 58:545-554; Searle, Casella and McCulloch (1992), Variance Components,
        chapter 6; Bates, Mächler, Bolker and Walker (2015), J. Stat. Softw. 67(1) (the profiled criterion).
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not factors:
        raise ValueError(f"one score per row and a factor at least are needed, got shape {values.shape}")
    labels = {name: np.asarray(column) for name, column in factors.items()}
    if any(column.shape != values.shape for column in labels.values()):
        shapes = ", ".join(f"{name} {column.shape}" for name, column in labels.items())
        raise ValueError(f"each factor needs one level per score, got shape {values.shape} for {shapes}")
    if bool(np.isinf(values).any()):
        raise ValueError("a score is infinite; scores must be finite, missing ones NaN")
    there = ~np.isnan(values)
    codes = {name: np.unique(column[there], return_inverse=True) for name, column in labels.items()}
    few = [name for name, (found, _) in codes.items() if len(found) < 2]
    if few:
        raise UndefinedStatistic("{factor} has fewer than 2 levels with a score", factor=few[0])
    design = _design(values[there], [code for _, code in codes.values()])
    repeated = bool((design.sizes > 1).any())
    if len(codes) == 1 and not repeated:
        raise UndefinedStatistic("no level has 2 scores, so nothing is left for the residual")
    ordered = sorted(codes, key=lambda name: -len(codes[name][0]))
    crossed = [] if len(codes) == 1 else ordered
    names = [*crossed, ":".join(codes)] if repeated else crossed
    ratios, criterion, residual = _search(design, len(names), len(crossed))
    scale = float(np.abs(values[there]).max())
    if compare(np.sqrt(residual), 0.0, scale) == 0:
        raise UndefinedStatistic("no spread is left for the residual")
    found = dict(zip(names, (float(ratio) ** 2 * residual for ratio in ratios), strict=True))
    sources = [*codes, *(name for name in names if name not in codes)]
    return VarianceComponents(
        {name: found[name] for name in sources} | {RESIDUAL: residual},
        criterion,
        int(there.sum()),
        values.size,
        {name: len(levels) for name, (levels, _) in codes.items()},
    )


def reml_icc(scores: ArrayLike, planned_repeats: int | None = None, confidence: float = 0.95) -> RemlIcc:
    """Repeatability where objects have different numbers of repeats, next to the k0 of the analysis of variance.

    Args:
        scores: Shape ``(n_objects, n_repeats)``; NaN is a missing score.
        planned_repeats: Repeats whose mean is the judge's score; the number of columns when left out.
        confidence: Of the intervals.

    Returns:
        One-way random effects. REML weighs each object by what its repeats tell, k0 does not; both agree where no score
        is missing and the estimate is not negative. The interval is where the profile of the restricted likelihood
        stays within the chi-square quantile of its maximum; it is approximate with few objects.

    Raises:
        ValueError: Not a matrix, an infinite score, no planned repeat, or a confidence outside 0-1.
        UndefinedStatistic: Fewer than 2 objects, no object with 2 repeats, or no spread within objects.

    Source:
        As `variance_components`; profile intervals: Bates et al. (2015), section 5.1.
    """
    matrix = score_matrix(scores)
    planned = matrix.shape[1] if planned_repeats is None else planned_repeats
    if planned < 1:
        raise ValueError(f"planned_repeats is {planned}; at least 1 repeat must be planned")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must lie between 0 and 1")
    objects = np.repeat(np.arange(len(matrix)), matrix.shape[1])
    found = variance_components(matrix.ravel(), {"object": objects})
    there = ~np.isnan(matrix.ravel())
    design = _design(matrix.ravel()[there], [np.unique(objects[there], return_inverse=True)[1]])
    between, within = found.variances["object"], found.variances[RESIDUAL]
    low, high = _profile(design, np.sqrt(between / within), found.criterion, confidence)
    n = found.n_levels["object"]

    def of_mean(k: int) -> tuple[float, Interval]:
        point = k * between / (k * between + within)
        if n < FEWEST_CLUSTERS:
            return point, no_interval(f"{n} objects, fewer than {FEWEST_CLUSTERS}", n)
        bounds = [k * ratio**2 / (k * ratio**2 + 1.0) for ratio in (low, high)]
        method = f"profile restricted likelihood, {100 * confidence:g} %, {n} objects"
        return point, Interval(bounds[0], bounds[1], method, n, n < RELIABLE_CLUSTERS, 0)

    return RemlIcc(*of_mean(1), *of_mean(planned), between, within, n, found.n_used)


def _design(values: Floats, codes: list[NDArray[np.intp]]) -> _Design:
    table = np.column_stack(codes)
    cells, place = np.unique(table, axis=0, return_inverse=True)
    sizes = np.bincount(place).astype(np.float64)
    # Centred first, so that a small variance on a large mean keeps its digits.
    centred = values - values.mean()
    means = np.bincount(place, weights=centred) / sizes
    inside = float(((centred - means[place]) ** 2).sum())
    order = sorted(range(len(codes)), key=lambda factor: -int(cells[:, factor].max()))
    crossed = tuple(cells[:, factor] for factor in order) if len(codes) > 1 else ()
    return _Design(means, sizes, inside, values.size, crossed, tuple(int(code.max()) + 1 for code in crossed))


def _search(design: _Design, n_ratios: int, n_crossed: int) -> tuple[Floats, float, float]:
    """Ratios of standard deviations to the residual's that make the criterion least, it, and the residual variance."""
    if design.inside == 0.0 and not n_crossed:
        raise UndefinedStatistic("every object's scores are equal, so nothing is left for the residual")

    def criterion(ratios: Floats) -> float:
        # The simplex knows no bounds: without a residual it would run on for ever.
        apart = np.abs(ratios)
        return _criterion(design, apart, n_crossed)[0] if apart.max() < FURTHEST else np.inf

    best = None
    for start in (1.0, 0.1):
        rough = scipy.optimize.minimize(
            criterion, np.full(n_ratios, start), method="L-BFGS-B", bounds=[(0.0, WIDEST)] * n_ratios
        )
        if best is None or rough.fun < best.fun:
            best = rough
    assert best is not None
    # The search by slopes ends where the criterion is flat to seven digits; a simplex goes on, down to the last ones:
    # below those nothing falls any more, and it would go on to its limit.
    least = LAST_DIGITS * max(1.0, abs(best.fun)) if isfinite(best.fun) else LAST_DIGITS
    value, place = best.fun, best.x
    for _ in range(MOST_SIMPLEXES):
        # From 0, where the criterion is level, small steps lead nowhere: each simplex begins wide, where the one before
        # ended, until another finds nothing less.
        steps = np.diag(np.maximum(0.1, 0.1 * np.abs(place)))
        fine = scipy.optimize.minimize(
            criterion,
            place,
            method="Nelder-Mead",
            options={
                "xatol": 1e-9,
                "fatol": least,
                "maxiter": 2000,
                "maxfev": 4000,
                "initial_simplex": np.vstack([place, place + steps]),
            },
        )
        gained, value, place = value - fine.fun, min(value, fine.fun), fine.x if fine.fun <= value else place
        if not gained > FOUND:
            break
    ratios = np.abs(place)
    # At the end of its range a part is nothing, not a trace of it.
    ratios[ratios < 1e-6] = 0.0
    value, residual = _criterion(design, ratios, n_crossed)
    if not isfinite(value) or bool((ratios >= WIDEST * 0.99).any()):
        raise UndefinedStatistic("the residual has no spread next to the other sources")
    return ratios, value, residual


def _criterion(design: _Design, ratios: Floats, n_crossed: int) -> tuple[float, float]:
    """-2 restricted log-likelihood with the residual variance at its best, and that variance.

    V / residual = diag(own² + 1 / size) + sum of Z Z' ratio² over crossed factors. Only the largest factor has many
    levels; its block is diagonal and is eliminated first.
    """
    own = float(ratios[n_crossed]) ** 2 if ratios.size > n_crossed else 0.0
    diagonal = own + 1.0 / design.sizes
    both = np.column_stack([np.ones(design.means.size), design.means])
    gram = both.T @ (both / diagonal[:, None])
    log_determinant = float(np.log(diagonal).sum() + np.log(design.sizes).sum())
    if n_crossed:
        try:
            change, log_more = _crossed(design, ratios[:n_crossed], diagonal, both)
        except np.linalg.LinAlgError:
            return np.inf, 0.0
        gram, log_determinant = gram - change, log_determinant + log_more
    if gram[0, 0] <= 0.0:
        # Next to such ratios the residual is lost in the last digits.
        return np.inf, 0.0
    df = design.n - 1
    squares = float(gram[1, 1] - gram[0, 1] ** 2 / gram[0, 0]) + design.inside
    residual = squares / df
    if residual <= 0.0:
        return np.inf, 0.0
    return df * (log(2.0 * np.pi * residual) + 1.0) + log_determinant + log(float(gram[0, 0])), residual


def _crossed(design: _Design, ratios: Floats, diagonal: Floats, both: Floats) -> tuple[Floats, float]:
    """What crossed factors take off the Gram matrix of ones and means, and add to the log determinant."""
    weight = 1.0 / diagonal
    first, rest = design.codes[0], design.codes[1:]
    starts = np.concatenate([[0], np.cumsum(design.levels[1:])]).astype(int)
    n_first, n_rest = design.levels[0], int(starts[-1])
    own = 1.0 + ratios[0] ** 2 * np.bincount(first, weights=weight, minlength=n_first)
    mixed = np.zeros((n_first, n_rest))
    among = np.eye(n_rest)
    right = [ratios[0] * np.bincount(first, weights=weight * column, minlength=n_first) for column in both.T]
    below = [np.zeros(n_rest), np.zeros(n_rest)]
    for one, code in enumerate(rest):
        mixed += ratios[0] * ratios[one + 1] * _summed(first, starts[one] + code, weight, (n_first, n_rest))
        for column, into in zip(both.T, below, strict=True):
            into[starts[one] : starts[one + 1]] = ratios[one + 1] * np.bincount(
                code, weights=weight * column, minlength=design.levels[one + 1]
            )
        for two, other in enumerate(rest):
            both_in = _summed(starts[one] + code, starts[two] + other, weight, (n_rest, n_rest))
            among += ratios[one + 1] * ratios[two + 1] * both_in
    upper, lower = np.column_stack(right), np.column_stack(below)
    left = among - mixed.T @ (mixed / own[:, None])
    factor = scipy.linalg.cho_factor(left, lower=True)
    reduced = lower - mixed.T @ (upper / own[:, None])
    change = upper.T @ (upper / own[:, None]) + reduced.T @ scipy.linalg.cho_solve(factor, reduced)
    return change, float(np.log(own).sum() + 2.0 * np.log(np.diag(factor[0])).sum())


def _summed(rows: NDArray[np.intp], columns: NDArray[np.intp], weight: Floats, shape: tuple[int, int]) -> Floats:
    """Weights added up by row and column."""
    flat = np.bincount(rows * shape[1] + columns, weights=weight, minlength=shape[0] * shape[1])
    return np.asarray(flat.reshape(shape), dtype=np.float64)


def _profile(design: _Design, best: float, least: float, confidence: float) -> tuple[float, float]:
    """The ratios of standard deviations at which the criterion exceeds its least value by the chi-square quantile."""
    allowed = least + float(scipy.stats.chi2.ppf(confidence, 1))

    def above(ratio: float) -> float:
        return _criterion(design, np.array([ratio]), 0)[0] - allowed

    low = 0.0 if above(0.0) <= 0.0 else float(scipy.optimize.brentq(above, 0.0, best, xtol=1e-12))
    end = 2.0 * best + 1.0
    while above(end) < 0.0 and end < WIDEST:
        end *= 2.0
    return low, float(scipy.optimize.brentq(above, best, end, xtol=1e-12)) if end < WIDEST else WIDEST
