"""One list of all statistics; every test here runs over it."""

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.agreement.bland_altman import bland_altman, slope_on_mean
from analysis.agreement.concordance import concordance
from analysis.agreement.convergence import convergence
from analysis.agreement.deviation import deviation
from analysis.agreement.icc import icc
from analysis.agreement.icc_by_product import icc_by_product
from analysis.agreement.stability import stability
from analysis.correlation.calibration import calibration
from analysis.correlation.correlation import correlation
from analysis.undefined import UndefinedStatistic
from tests.analysis.altered_statistics import OF_ALTERED_SCORES
from tests.analysis.annotator_statistics import OF_ANNOTATORS
from tests.analysis.statistics_list import OF_SCORED_SAMPLES, QUICK, Statistic, of_pairs

PLACES = ("mean", "median", "low", "high")
SPREADS = ("mad", "sd", "half_width")
REPEATS_NEEDED = ("first_n", "stable_n", "projected_n", "first_n_all_looks")
ERRORS = ("mae", "rmse", "bias", "mae_by_product", "rmse_by_product", "bias_by_product")
CALIBRATED = ("intercept_fit_on_all", "mae_before", "rmse_before", "mae_after", "rmse_after", "held_out")
STATISTICS = [
    *[
        of_pairs(kind, lambda x, y, c, kind=kind: correlation(x, y, kind, c, **QUICK))
        for kind in ("pearson", "spearman", "kendall")
    ],
    of_pairs("concordance", lambda x, y, c: concordance(x, y, c, **QUICK)),
    of_pairs(
        "bland_altman",
        lambda x, y, c: bland_altman(x, y, c, **QUICK),
        units={"bias": 1, "sd": 1, "lower_limit": 1, "upper_limit": 1},
        constant_is_defined=True,
    ),
    of_pairs(
        "slope_on_mean",
        lambda x, y, c: slope_on_mean(x, y, c, **QUICK),
        units={"intercept": 1},
        unshifted=("intercept",),
    ),
    of_pairs(
        "deviation",
        lambda x, y, c: deviation(x, y, c, **QUICK),
        units=dict.fromkeys(ERRORS, 1),
        constant_is_defined=True,
    ),
    *[
        of_pairs(
            f"calibration_{method}",
            lambda x, y, c, method=method: calibration(x, y, c, seed=1, method=method),
            units=dict.fromkeys(CALIBRATED, 1),
            moves=("held_out",),
            unshifted=("intercept_fit_on_all",),
            by_row=("held_out",),
        )
        for method in ("linear", "isotonic")
    ],
    Statistic(
        "icc",
        lambda scores, products: icc(scores),
        lambda: icc([0.1, 0.2, 0.3]),
        units={"between_variance": 2, "within_variance": 2}
        | dict.fromkeys(("standard_error_of_measurement", "repeatability_limit"), 1),
        gaps={"n_missing_cells": 1},
        fewest_rows=2,
    ),
    Statistic(
        "icc_by_product",
        lambda scores, products: icc_by_product(scores, products, **QUICK),
        lambda: icc_by_product([0.1, 0.2, 0.3], ["a", "b", "c"], **QUICK),
        fewest_rows=2,
        gaps={"n_clusters": 4},
    ),
    Statistic(
        "stability",
        lambda scores, products: stability(scores),
        lambda: stability([0.1, 0.2, 0.3]),
        units=dict.fromkeys((*PLACES, *SPREADS), 1),
        moves=PLACES,
        by_row=(*PLACES, *SPREADS, "n_valid", "n_outliers", "outlier", "reasons"),
        constant_is_defined=True,
        gaps={"n_valid": [3, 3, 3, 2]},
        fewest_rows=None,
    ),
    Statistic(
        "convergence",
        # A threshold in the scores' unit, so that a change of unit leaves the numbers of repeats alone.
        lambda scores, products: dataclasses.replace(
            convergence(scores, float(np.nanmax(scores) - np.nanmin(scores)) / 3 or 1.0), threshold=0.0
        ),
        lambda: convergence([0.1, 0.2, 0.3]),
        units=dict.fromkeys((*PLACES, *SPREADS, "half_width_all_looks"), 1),
        moves=PLACES,
        by_row=(*PLACES, *SPREADS, *REPEATS_NEEDED, "half_width_all_looks", "n_valid"),
        constant_is_defined=True,
        gaps={"n_valid": [3, 3, 3, 2]},
        fewest_rows=None,
        curves=True,
    ),
    *OF_SCORED_SAMPLES,
    *OF_ALTERED_SCORES,
    *OF_ANNOTATORS,
]
every_statistic = pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.name)
few_examples = settings(max_examples=min(15, settings.default.max_examples))


@st.composite
def scores_and_products(draw: st.DrawFn) -> tuple[np.ndarray, list[str]]:
    """6 to 14 objects of up to 8 products, four columns of scores on a grid of 0.05 so that ties occur."""
    n = draw(st.integers(6, 14))
    cells = draw(st.lists(st.integers(0, 20), min_size=4 * n, max_size=4 * n))
    products = draw(st.lists(st.sampled_from("abcdefgh"), min_size=n, max_size=n))
    return np.array(cells).reshape(n, 4) / 20, products


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every plain value of a result with its dotted name."""
    if dataclasses.is_dataclass(value):
        value = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def outcome(statistic: Statistic, scores: np.ndarray, products: list[str]) -> dict[str, object] | None:
    """The leaves, or none where the data do not define the statistic."""
    try:
        return dict(leaves(statistic.compute(scores, products)))
    except UndefinedStatistic:
        return None


def assert_same(
    seen: dict[str, object] | None,
    first: dict[str, object] | None,
    expected: Callable[[str, object], object] = lambda name, value: value,
) -> None:
    """Equal leaf by leaf once `expected` has said what becomes of a field (none: not compared)."""
    assert (seen is None) == (first is None)
    assert (seen or {}).keys() == (first or {}).keys()
    for path, value in (first or {}).items():
        wanted = expected(path.split(".")[0], value)
        if value is None or isinstance(value, int | tuple):
            assert seen[path] == wanted, path
        elif wanted is not None and not isinstance(value, str):
            assert seen[path] == pytest.approx(wanted, rel=1e-6, abs=1e-8, nan_ok=True), path


def has_unit(value: object) -> bool:
    """Counts, verdicts, words and gaps have neither unit nor place on the scale."""
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


@every_statistic
@few_examples
@given(data=scores_and_products(), shift=st.integers(-20, 60).map(lambda steps: steps / 20))
def test_a_shift_of_all_scores_moves_only_what_has_a_place_on_the_scale(statistic, data, shift):
    scores, products = data

    def expected(name, value):
        if name in statistic.unshifted:
            return None
        return value + shift if name in statistic.moves and has_unit(value) else value

    assert_same(outcome(statistic, scores + shift, products), outcome(statistic, scores, products), expected)


@every_statistic
@few_examples
@given(data=scores_and_products(), factor=st.sampled_from([1e-12, 0.3, 3.0, 1e9]))
def test_a_change_of_unit_scales_each_number_by_its_unit(statistic, data, factor):
    scores, products = data
    seen = outcome(statistic, scores * factor, products)
    units = {path: factor ** statistic.units.get(path.split(".")[0], 0) for path in seen or {}}
    in_first_unit = seen and {path: value / units[path] if has_unit(value) else value for path, value in seen.items()}
    assert_same(in_first_unit, outcome(statistic, scores, products))


@every_statistic
@few_examples
@given(data=scores_and_products(), seed=st.integers(0, 1000))
def test_the_order_of_objects_does_not_matter(statistic, data, seed):
    scores, products = data

    def expected(name, value):
        if name not in statistic.by_row or value is None:
            return value
        return value[order] if isinstance(value, np.ndarray) else tuple(value[i] for i in order)

    order = np.random.default_rng(seed).permutation(len(scores))
    assert_same(
        outcome(statistic, scores[order], [products[i] for i in order]),
        outcome(statistic, scores, products),
        expected,
    )


@every_statistic
@few_examples
@given(data=scores_and_products())
def test_results_are_plain_values_and_never_nan(statistic, data):
    for path, value in (outcome(statistic, *data) or {}).items():
        if isinstance(value, np.ndarray):
            assert statistic.curves or np.isfinite(value).all(), path
            continue
        for part in value if isinstance(value, tuple) else (value,):
            assert type(part) in (float, int, bool, str, type(None)), path
            assert not isinstance(part, float) or math.isfinite(part), path


@every_statistic
@few_examples
@given(data=scores_and_products())
def test_the_same_seed_gives_the_same_result(statistic, data):
    assert_same(outcome(statistic, *data), outcome(statistic, *data))


@every_statistic
def test_equal_scores_are_undefined_or_have_an_error_that_is_defined(statistic):
    scores, products = np.full((6, 2), 0.5), list("abcdef")
    if statistic.constant_is_defined:
        assert statistic.compute(scores, products) is not None
    else:
        with pytest.raises(UndefinedStatistic):
            statistic.compute(scores, products)


@pytest.mark.parametrize("statistic", [s for s in STATISTICS if s.fewest_rows], ids=lambda statistic: statistic.name)
def test_too_few_objects_are_undefined(statistic):
    scores = np.array([[0.1, 0.2], [0.3, 0.5], [0.4, 0.4]])[: statistic.fewest_rows - 1]
    with pytest.raises(UndefinedStatistic):
        statistic.compute(scores, list("abc")[: len(scores)])


@every_statistic
def test_a_missing_score_is_refused_or_counted(statistic):
    scores = np.array([[0.1, 0.2, 0.1], [0.3, 0.5, 0.4], [0.4, 0.4, 0.5], [0.9, np.nan, 0.8]])
    if statistic.gaps is not None:
        counted = statistic.compute(scores, list("abcd"))
        assert {name: np.asarray(getattr(counted, name)).tolist() for name in statistic.gaps} == statistic.gaps
    else:
        with pytest.raises(ValueError, match=statistic.missing):
            statistic.compute(scores, list("abcd"))


@every_statistic
def test_an_infinite_score_is_refused(statistic):
    scores = np.array([[0.1, 0.2], [0.3, 0.5], [0.4, 0.4], [0.9, np.inf]])
    with pytest.raises(ValueError, match="finite"):
        statistic.compute(scores, list("abcd"))


@every_statistic
def test_shapes_that_do_not_fit_are_refused(statistic):
    with pytest.raises(ValueError, match="shape"):
        statistic.misshapen()
