"""Rows of table `human_agreement`: every statistic of one group of objects, undefined ones with the reason."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.agreement.bland_altman import bland_altman, slope_on_mean
from analysis.agreement.concordance import concordance
from analysis.agreement.deviation import deviation
from analysis.agreement.icc import icc
from analysis.correlation.calibration import Method, calibration
from analysis.correlation.correlation import correlations
from analysis.messages import labelled, message, message_list
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.exact_permutation import Kind
from analysis.undefined import UndefinedStatistic
from assets.shared.intervals import interval_words
from resources.configuration.fidelity import FidelityStudy

UNITLESS, SCALE = "unitless", "0-1"
FITTED = message("least squares on all objects")
CORRELATIONS: dict[Kind, str] = {"pearson": "pearson_r", "spearman": "spearman_r", "kendall": "kendall_tau_b"}


# Everything else is unitless.
ON_SCALE = ("mae", "rmse", "bias", "sd_of_differences", "limit", "calibration_intercept")


def unit_of(statistic: str) -> str:
    """The unit of a statistic by its name: the scores' own, or none."""
    return SCALE if statistic.startswith(ON_SCALE) else UNITLESS


class Row(NamedTuple):
    """One statistic as the table shows it."""

    statistic: str
    value: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    method: str | None = None
    undefined: str | None = None


class Sides(NamedTuple):
    """Judge and people on the same objects, their products, the ratings behind, and how to resample."""

    judge: np.ndarray
    human: np.ndarray
    products: np.ndarray
    ratings: pd.DataFrame
    resampling: Resampling


def agreement_rows(matched: pd.DataFrame, ratings: pd.DataFrame, study: FidelityStudy) -> list[Row]:
    """Correlations, concordance, errors, limits of agreement, calibration and the human ceiling of one group."""
    sides = Sides(
        matched["judge_score"].to_numpy(dtype=float),
        matched["human_score"].to_numpy(dtype=float),
        matched["product_id"].to_numpy(dtype=str),
        ratings,
        study.resampling,
    )
    blocks: list[tuple[list[str], Callable[[Sides], Iterator[Row]]]] = [
        (list(CORRELATIONS.values()), _correlations),
        (["ccc", "ccc_accuracy", "scale_shift", "location_shift"], _concordance),
        (["mae", "rmse", "mae_by_product", "rmse_by_product", "bias_by_product"], _deviation),
        (["bias", "sd_of_differences", "limit_low", "limit_high"], _limits),
        (["difference_slope"], _slope),
        (["calibration_slope", "calibration_intercept", "mae_linear", "rmse_linear"], _calibrated("linear")),
        (["mae_isotonic", "rmse_isotonic"], _calibrated("isotonic")),
        (["human_icc_1_1", "human_icc_1_k"], _ceiling),
    ]
    return [row for names, make in blocks for row in _defined(names, make, sides)]


def _defined(names: list[str], make: Callable[[Sides], Iterator[Row]], sides: Sides) -> list[Row]:
    try:
        return list(make(sides))
    except UndefinedStatistic as undefined:
        return [Row(name, undefined=undefined.reason) for name in names]


def _row(name: str, value: float, interval: Interval, p: float | None = None, p_method: str | None = None) -> Row:
    method = interval_words(interval)
    return Row(
        name,
        value,
        interval.low,
        interval.high,
        p,
        message_list([method, labelled("p", p_method) if p_method else None]),
    )


def _correlations(sides: Sides) -> Iterator[Row]:
    for kind, found in correlations(sides.judge, sides.human, sides.products, resampling=sides.resampling).items():
        yield _row(CORRELATIONS[kind], found.value, found.interval, found.p, found.p_method)


def _concordance(sides: Sides) -> Iterator[Row]:
    found = concordance(sides.judge, sides.human, sides.products, resampling=sides.resampling)
    yield _row("ccc", found.ccc, found.interval)
    yield Row("ccc_accuracy", found.accuracy, method=message("C_b, no interval"))
    yield Row("scale_shift", found.scale_shift, method=message("judge's spread over people's, no interval"))
    yield Row(
        "location_shift", found.location_shift, method=message("bias over the geometric mean spread, no interval")
    )


def _deviation(sides: Sides) -> Iterator[Row]:
    found = deviation(sides.judge, sides.human, sides.products, resampling=sides.resampling)
    for name in ("mae", "rmse", "mae_by_product", "rmse_by_product", "bias_by_product"):
        estimate = getattr(found, name)
        yield _row(name, estimate.value, estimate.interval)


def _limits(sides: Sides) -> Iterator[Row]:
    found = bland_altman(sides.judge, sides.human, sides.products, resampling=sides.resampling)
    yield _row("bias", found.bias.value, found.bias.interval)
    yield Row("sd_of_differences", found.sd, method=message("ddof 1, no interval"))
    yield _row("limit_low", found.lower_limit.value, found.lower_limit.interval)
    yield _row("limit_high", found.upper_limit.value, found.upper_limit.interval)


def _slope(sides: Sides) -> Iterator[Row]:
    found = slope_on_mean(sides.judge, sides.human, sides.products, resampling=sides.resampling)
    yield _row("difference_slope", found.slope, found.interval, found.p, found.p_method)


def _calibrated(method: Method) -> Callable[[Sides], Iterator[Row]]:
    def rows(sides: Sides) -> Iterator[Row]:
        found = calibration(sides.judge, sides.human, sides.products, seed=sides.resampling.seed, method=method)
        if found.slope_fit_on_all is not None and found.intercept_fit_on_all is not None:
            yield Row("calibration_slope", found.slope_fit_on_all, method=FITTED)
            yield Row("calibration_intercept", found.intercept_fit_on_all, method=FITTED)
        yield Row(f"mae_{method}", found.mae_after, method=found.protocol)
        yield Row(f"rmse_{method}", found.rmse_after, method=found.protocol)

    return rows


def _ceiling(sides: Sides) -> Iterator[Row]:
    """Reliability of the human scores: no judge can be expected to agree with people better than people do."""
    if sides.ratings.empty:
        raise UndefinedStatistic("no object of the group was scored by people and the judge")
    rows, objects = sides.ratings["object"].factorize(sort=True)
    # One-way forms do not care whose rating stands in which column.
    columns = sides.ratings.groupby("object").cumcount().to_numpy()
    wide = np.full((len(objects), columns.max() + 1), np.nan)
    wide[rows, columns] = sides.ratings["score"]
    found = icc(wide, confidence=sides.resampling.confidence)
    for name, form in (("human_icc_1_1", found.icc_1_1), ("human_icc_1_k", found.icc_1_k)):
        if form.value is None:
            yield Row(name, undefined=form.reason)
        else:
            over = message("{name} over annotators", name=form.name)
            method = message_list([form.method or message("no interval"), over], ", ")
            yield Row(name, form.value, form.low, form.high, form.p, method)
