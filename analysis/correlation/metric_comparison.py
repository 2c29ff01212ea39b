"""Which of two metrics predicts the same opinion scores better: an interval over clusters, and tests next to it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.correlation.correlation import KINDS, excludes_zero, of_counts
from analysis.correlation.score_correlation import KEYS, oriented
from analysis.intervals.headline import difference_intervals, left_out
from analysis.resampling.bca import resampled_intervals
from analysis.resampling.bootstrap import Interval, Resampling
from analysis.resampling.exact_permutation import Kind
from analysis.resampling.pairs import paired, varying
from analysis.significance.dependent_correlations import DependentTest, steiger, williams
from analysis.undefined import UndefinedStatistic


class Difference(NamedTuple):
    """First less second, of one coefficient: above 0 where the first metric is better.

    `significant` says whether the headline interval leaves out 0; none without an interval.
    """

    first: float
    second: float
    difference: float
    interval: Interval
    interval_bca: Interval | None
    significant: bool | None


class MetricComparison(NamedTuple):
    """Differences by key (`srcc`, `plcc`, `krcc`), and two tests of PLCC that take the samples for independent."""

    differences: dict[str, Difference]
    williams: DependentTest
    steiger: DependentTest
    n: int
    n_clusters: int


def compare_metrics(
    first: ArrayLike,
    second: ArrayLike,
    truth: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    first_higher_is_better: bool,
    second_higher_is_better: bool,
    resampling: Resampling,
    kinds: tuple[Kind, ...] = KINDS,
) -> MetricComparison:
    """Two metrics on the samples that both have a value for.

    Args:
        first: Shape ``(n,)``, in the metric's own unit.
        second: Shape ``(n,)``, same order.
        truth: Shape ``(n,)``, mean opinion scores.
        clusters: Shape ``(n,)``, e.g. the reference image; none: every sample is its own.
        first_higher_is_better: False turns the sign of the first metric before anything is compared.
        second_higher_is_better: The same for the second.
        resampling: Of the intervals.
        kinds: Which coefficients.

    Returns:
        An interval that includes 0 does not show that the metrics are equally good.

    Raises:
        ValueError: Shapes differ, or a value is missing.
        UndefinedStatistic: Fewer than 3 samples, or a side is constant.

    Source:
        docs/statistics.md, Score-level evaluation.
    """
    a, b = oriented(first, first_higher_is_better), oriented(second, second_higher_is_better)
    pairs = paired(a, truth, clusters, sides=("first metric's", "truth"))
    paired(b, truth, clusters, sides=("second metric's", "truth"))
    x_first, x_second = varying(a, "first metric's"), varying(b, "second metric's")
    y = varying(pairs.human, "truth")
    sides = [(of_counts(kind, x_first, y), of_counts(kind, x_second, y)) for kind in kinds]

    def both_sides(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.column_stack([side[place](counts) for place in (0, 1) for side in sides])

    def differences(counts: NDArray[np.int64]) -> NDArray[np.float64]:
        found = both_sides(counts)
        return found[:, : len(sides)] - found[:, len(sides) :]

    once = np.ones((1, pairs.n), dtype=np.int64)
    values = [(float(one(once)[0]), float(other(once)[0])) for one, other in sides]
    found_sides = left_out(both_sides, pairs.clusters, seed=resampling.seed, workers=resampling.workers)
    headline = difference_intervals(found_sides, "correlation_difference", confidence=resampling.confidence)
    _, bca = resampled_intervals(
        differences, [one - other for one, other in values], pairs.clusters, resampling=resampling
    )
    found = {
        KEYS[kind]: Difference(one, other, one - other, interval, interval_bca, excludes_zero(interval))
        for kind, (one, other), interval, interval_bca in zip(kinds, values, headline, bca, strict=True)
    }
    r_first, r_second, r_between = (
        float(of_counts("pearson", *columns)(once)[0]) for columns in ((x_first, y), (x_second, y), (x_first, x_second))
    )
    tests = [_tested(test, r_first, r_second, r_between, pairs.n) for test in (williams, steiger)]
    return MetricComparison(found, tests[0], tests[1], pairs.n, pairs.n_clusters)


def _tested(
    test: Callable[[float, float, float, int], DependentTest], first: float, second: float, between: float, n: int
) -> DependentTest:
    try:
        return test(first, second, between, n)
    except UndefinedStatistic as undefined:
        return DependentTest(None, None, None, f"none: {undefined.reason}")
