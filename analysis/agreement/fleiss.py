"""Fleiss' kappa: agreement of three or more raters on labels, without gaps."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.kappa_intervals import of_sums
from analysis.resampling.bootstrap import Interval, Resampling, cluster_index
from analysis.undefined import UndefinedStatistic

ASSUMES = "assumes independence of units"


class FleissKappa(NamedTuple):
    """`kappa` is at most 1; `z` and two-sided `p` test it against 0 and hold for independent units alone."""

    kappa: float
    z: float
    p: float
    method: str
    n_units: int
    n_raters: int


def category_counts(ratings: ArrayLike, n_categories: int) -> NDArray[np.int64]:
    """How many raters put each unit into each category.

    Args:
        ratings: Shape ``(n_units, n_raters)``, whole numbers from 0 to ``n_categories - 1``, or true / false.
        n_categories: How many categories there are, 2 for labels.

    Returns:
        Shape ``(n_units, n_categories)``.

    Raises:
        ValueError: Not two-dimensional, or a rating is missing or no such number.
    """
    values = np.asarray(ratings)
    if values.ndim != 2:
        raise ValueError(f"one row per unit and one column per rater are needed, got shape {values.shape}")
    if not np.isin(values, range(n_categories)).all():
        raise ValueError(f"a rating is missing or no whole number from 0 to {n_categories - 1}; leave such units out")
    n_units = len(values)
    cells = np.arange(n_units)[:, None] * n_categories + values.astype(np.int64)
    return np.bincount(cells.ravel(), minlength=n_units * n_categories).astype(np.int64).reshape(n_units, n_categories)


def fleiss_kappa(counts: ArrayLike) -> FleissKappa:
    """How far raters agree beyond chance on categories without order.

    Args:
        counts: Shape ``(n_units, n_categories)``, raters per category, of `category_counts`.

    Returns:
        Kappa with a test against 0.

    Raises:
        ValueError: Another shape, negative counts, fewer than 2 raters, or not as many for each unit.
        UndefinedStatistic: No unit, or all ratings in one category.

    Source:
        Fleiss (1971), Psychol. Bull. 76:378-382; variance under no agreement of Fleiss, Nee and Landis (1979),
        Psychol. Bull. 86:974-977.
    """
    table, n_raters = _checked(counts)
    n_units = len(table)
    kappa = float(_kappas(_unit_columns(table, n_raters).sum(axis=0, keepdims=True))[0, 0])
    if np.isnan(kappa):
        raise UndefinedStatistic("all ratings are in one category, so kappa is 0/0")
    p = table.sum(axis=0) / (n_units * n_raters)
    spread = float((p * (1.0 - p)).sum())
    skew = float((p * (1.0 - p) * (1.0 - 2.0 * p)).sum())
    error = np.sqrt(2.0 * (spread**2 - skew) / (n_units * n_raters * (n_raters - 1))) / spread
    z = kappa / float(error)
    return FleissKappa(kappa, z, float(2.0 * scipy.stats.norm.sf(abs(z))), ASSUMES, n_units, n_raters)


def fleiss_interval(counts: ArrayLike, clusters: ArrayLike, *, resampling: Resampling) -> Interval:
    """The interval of Fleiss' kappa over clusters.

    Args:
        counts: Shape ``(n_units, n_categories)``, of `category_counts`.
        clusters: Shape ``(n_units,)``, the query of each unit.
        resampling: Of the interval.

    Returns:
        Bounds of clusters, or none and why.

    Raises:
        ValueError: As `fleiss_kappa`, or another number of clusters.
        UndefinedStatistic: No unit.
    """
    table, n_raters = _checked(counts)
    if np.shape(clusters) != (len(table),):
        raise ValueError(f"one cluster per unit is needed, got shape {np.shape(clusters)} for {len(table)} units")
    index, n_clusters = cluster_index(clusters)
    columns = _unit_columns(table, n_raters)
    sums = [np.bincount(index, column, n_clusters).astype(np.float64) for column in columns.T]
    per_query = np.column_stack(sums)
    _, [interval] = of_sums(per_query, _kappas, ("kappa",), per_query[:, 0], resampling=resampling)
    return interval


def _checked(counts: ArrayLike) -> tuple[NDArray[np.float64], int]:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"one row per unit and one column per category are needed, got shape {table.shape}")
    if not bool(np.all(table >= 0)):
        raise ValueError("a count of raters is negative or missing")
    if not len(table):
        raise UndefinedStatistic("no unit that all raters rated")
    raters = table.sum(axis=1)
    if bool(np.any(raters != raters[0])):
        raise ValueError(f"each unit needs as many ratings, got {raters.min():g} to {raters.max():g}")
    if raters[0] < 2:
        raise ValueError(f"at least 2 raters are needed, got {raters[0]:g}")
    return table, int(raters[0])


def _unit_columns(table: NDArray[np.float64], n_raters: int) -> NDArray[np.float64]:
    """Of each unit: itself, the share of pairs of raters that agree, the share of raters in each category."""
    agreed = (table * (table - 1.0)).sum(axis=1) / (n_raters * (n_raters - 1.0))
    return np.column_stack([np.ones(len(table)), agreed, table / n_raters])


def _kappas(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Kappa of each row of sums, shape ``(rows, 1)``; NaN where all ratings are in one category."""
    n, agreed, in_category = sums[:, 0], sums[:, 1], sums[:, 2:]
    # Compared before anything is divided: shares of a single category add up to the units but for the last digits.
    one_category = in_category.max(axis=1) >= n * (1.0 - 1e-13)
    chance = ((in_category / n[:, None]) ** 2).sum(axis=1)
    found = np.full((len(sums), 1), np.nan)
    np.divide(agreed / n - chance, 1.0 - chance, out=found[:, 0], where=~one_category)
    return found
