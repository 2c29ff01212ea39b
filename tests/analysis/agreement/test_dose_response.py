"""Tests of `analysis/agreement/dose_response.py`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import linregress

from analysis.agreement.dose_response import dose_response
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed

DOSES = [0.3, 0.5, 0.7]
NAN = float("nan")


def test_a_line_by_hand():
    # Item a: drops 0.1 0.2 0.3 about 0.2, item b: 0.4 0.4 0.7 about 0.5; doses about 0.5: -0.2 0 0.2.
    # Products: a 0.02 + 0.02, b 0.02 + 0.04, sum 0.10; squares of dose 2 x 0.08 = 0.16: slope 0.625.
    # Squares of drops: a 0.02, b 0.01 + 0.01 + 0.04 = 0.06, sum 0.08: R2 = 0.10^2 / (0.16 x 0.08) = 0.78125.
    # Intercept: mean drop 0.35 - 0.625 x 0.5 = 0.0375.
    found = dose_response([[0.1, 0.2, 0.3], [0.4, 0.4, 0.7]], DOSES, resampling=Resampling(1))
    assert (found.slope, found.r2, found.intercept) == pytest.approx((0.625, 0.78125, 0.0375))
    assert found.pearson == pytest.approx(np.sqrt(0.78125))
    assert (found.n_items, found.n_used, found.n_cells, found.n_missing_cells) == (2, 2, 6, 0)


def test_differences_between_items_do_not_blur_the_line():
    # Each item follows 0.5 x dose from a level of its own.
    drops = [[level + 0.5 * dose for dose in DOSES] for level in (0.0, 0.1, 0.4, -0.2)]
    found = dose_response(drops, DOSES, resampling=Resampling(1))
    assert (found.r2, found.slope) == pytest.approx((1.0, 0.5))


def test_a_judge_that_is_milder_on_more_has_a_negative_slope_beside_its_r2():
    found = dose_response([[0.3, 0.2, 0.1], [0.5, 0.4, 0.3]], DOSES, resampling=Resampling(1))
    assert (found.r2, found.pearson) == pytest.approx((1.0, -1.0))
    assert found.slope == pytest.approx(-0.5)


@given(
    st.lists(st.lists(st.integers(0, 20) | st.none(), min_size=4, max_size=4), min_size=3, max_size=8),
)
@settings(deadline=None)
def test_scipys_regression_on_centred_values_gives_the_same_line(cells):
    drops = np.array(cells, dtype=float) / 20
    doses = np.array([1.0, 2.0, 4.0, 7.0])
    used = drops[(~np.isnan(drops)).sum(axis=1) >= 2]
    try:
        found = dose_response(drops, doses, resampling=Resampling(1))
    except UndefinedStatistic:
        assert (~np.isnan(used)).any(axis=0).sum() < 3
        return
    x, y = np.where(np.isnan(used), np.nan, doses), used
    theirs = linregress(
        *(side[~np.isnan(side)] for side in (x - np.nanmean(x, 1)[:, None], y - np.nanmean(y, 1)[:, None]))
    )
    assert found.slope == pytest.approx(theirs.slope, abs=1e-10)
    if found.r2 is not None:
        assert found.r2 == pytest.approx(theirs.rvalue**2, abs=1e-10)
    assert found.n_missing_cells == np.isnan(drops).sum()


def test_items_are_left_out_in_turn():
    random = np.random.default_rng(8)
    drops = (random.random((7, 3)) * 0.2 + np.array(DOSES)).round(3)

    def slope(rows):
        centred = drops[rows] - drops[rows].mean(axis=1, keepdims=True)
        return linregress(np.tile(np.array(DOSES) - 0.5, len(rows)), centred.ravel()).slope

    interval = dose_response(drops, DOSES, resampling=Resampling(3)).slope_interval
    assert interval[:2] == pytest.approx(jackknifed(slope, np.arange(7)), abs=1e-10)


def test_an_item_with_one_pair_is_left_out_and_counted():
    found = dose_response([[0.1, 0.2, 0.3], [0.4, NAN, NAN], [NAN, NAN, NAN]], DOSES, resampling=Resampling(1))
    assert (found.n_items, found.n_used, found.n_missing_cells) == (3, 1, 5)
    assert found.intercept == pytest.approx(-0.05)


def test_equal_drops_have_slope_0_and_no_r2():
    found = dose_response([[0.1, 0.1, 0.1], [0.3, 0.3, 0.3]], DOSES, resampling=Resampling(1))
    assert found.slope == 0
    assert found.r2 is None
    assert found.pearson is None
    assert found.reason == "no item's drops change with the dose"


def test_the_same_slope_in_every_item_has_no_interval_of_width_0():
    for by_dose in (0.0, 0.5):
        drops = [[level + by_dose * dose for dose in DOSES] for level in np.linspace(0.0, 0.4, 12)]
        found = dose_response(drops, DOSES, resampling=Resampling(1))
        assert found.slope == pytest.approx(by_dose)
        assert found.slope_interval.low is None
        assert found.slope_interval.method == "none: the same whichever cluster is left out"


def test_two_magnitudes_are_no_dose_response():
    with pytest.raises(UndefinedStatistic, match="2 magnitudes"):
        dose_response([[0.1, 0.2, NAN], [0.2, 0.3, NAN]], DOSES, resampling=Resampling(1))


def test_a_magnitude_that_occurs_twice_is_refused():
    with pytest.raises(ValueError, match="a magnitude occurs twice"):
        dose_response([[0.1, 0.2, 0.3]], [0.3, 0.1 + 0.2, 0.5], resampling=Resampling(1))


def test_clusters_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one cluster per item, got shape"):
        dose_response([[0.1, 0.2, 0.3]] * 3, DOSES, ["a", "b"], resampling=Resampling(1))
