"""What judging queries again did to kappa, query by query."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.kappa import COUNTS, ONE_LABEL, columns_of, headline_kappas, kappas
from analysis.intervals.headline import headline_intervals
from analysis.messages import message
from analysis.resampling.bootstrap import Interval, Resampling, no_interval

STATISTICS = ("kappa_macro", "kappa_micro")
NO_QUERY = message("no query of this part has documents that both judges scored before and after")


class KappaChange(NamedTuple):
    """Kappa of a part of the queries before and after, unitless, with the interval of the change."""

    part: str
    statistic: str
    before: float | None
    after: float | None
    change: float | None
    interval: Interval
    n_queries: int
    undefined: str | None


def recalibration_effect(
    before: ArrayLike, after: ArrayLike, parts: Mapping[str, ArrayLike], *, resampling: Resampling
) -> list[KappaChange]:
    """Macro and micro kappa of each part before and after, paired by query.

    Args:
        before: Shape ``(n_queries, 4)``, documents by `kappa.COUNTS`, under the first prompt.
        after: Shape ``(n_queries, 4)``, the same queries as they count now.
        parts: Name to mask of shape ``(n_queries,)``; parts may overlap.
        resampling: Of the intervals.

    Returns:
        Per part `kappa_macro` (mean over queries, 1 by convention where both judges give one label) and `kappa_micro`
        (all documents pooled). Queries without documents before or after count in neither. The interval is over
        queries, each with both its tables: it is of the change, not of either kappa.

    Raises:
        ValueError: Shapes differ, a negative count, or a bad confidence.

    Source:
        docs/statistics.md, Agreement of two judges and Intervals.
    """
    old, new = np.asarray(before), np.asarray(after)
    if old.ndim != 2 or old.shape != new.shape or old.shape[1] != len(COUNTS):
        raise ValueError(f"one row of {len(COUNTS)} counts per query is needed, got shapes {old.shape} and {new.shape}")
    columns_of(old), columns_of(new)
    both = (old.sum(axis=1) > 0) & (new.sum(axis=1) > 0)
    found = []
    for part, mask in parts.items():
        chosen = np.asarray(mask)
        if chosen.shape != both.shape or chosen.dtype.kind != "b":
            raise ValueError(f"part '{part}' must be true or false for each of {both.size} queries")
        rows = both & chosen
        found += _of_part(part, old[rows], new[rows], resampling=resampling)
    return found


def _of_part(part: str, old: NDArray[np.int64], new: NDArray[np.int64], *, resampling: Resampling) -> list[KappaChange]:
    n = len(old)
    if not n:
        none = no_interval(NO_QUERY, 0)
        return [KappaChange(part, name, None, None, None, none, 0, NO_QUERY) for name in STATISTICS]
    of_queries = np.column_stack([headline_kappas(old), headline_kappas(new), old, new]).astype(np.float64)

    def before_and_after(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        sums = counts.astype(np.float64) @ of_queries
        macro = sums[:, :2] / counts.sum(axis=1)[:, None]
        return np.column_stack([macro, kappas(sums[:, 2:6]), kappas(sums[:, 6:])])

    def changes(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        values = before_and_after(counts)
        return values[:, 1::2] - values[:, ::2]

    intervals = headline_intervals(
        changes,
        ("mean_of_clusters", "mean"),
        np.arange(n),
        resampling=resampling,
        sizes=(old.sum(axis=1) + new.sum(axis=1)) / 2.0,
    )
    [values] = before_and_after(np.ones((1, n), dtype=np.int64))
    known = [None if np.isnan(value) else float(value) for value in values]
    found = []
    for place, name in enumerate(STATISTICS):
        first, last = known[2 * place], known[2 * place + 1]
        if first is None or last is None:
            none = no_interval(ONE_LABEL, n)
            found.append(KappaChange(part, name, first, last, None, none, n, ONE_LABEL))
        else:
            found.append(KappaChange(part, name, first, last, last - first, intervals[place], n, None))
    return found
