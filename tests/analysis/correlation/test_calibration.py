"""Tests of `analysis/correlation/calibration.py`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.correlation.calibration import calibration, isotonic_steps, product_folds
from analysis.undefined import UndefinedStatistic


def sample(n=60, n_products=15, seed=1):
    rng = np.random.default_rng(seed)
    judge = np.round(rng.random(n), 2)
    return judge, np.clip(0.2 + 0.5 * judge + 0.1 * rng.normal(size=n), 0, 1), rng.permutation(n) % n_products


def test_a_judge_off_by_a_line_is_put_right_on_products_it_has_not_seen():
    # human = 2 judge + 0.1 exactly, so every training part gives that line and held-out errors vanish.
    # Before: errors judge - human = -judge - 0.1: -0.2 -0.3 -0.4 -0.5, MAE 0.35, RMSE sqrt(0.54 / 4).
    result = calibration([0.1, 0.2, 0.3, 0.4], [0.3, 0.5, 0.7, 0.9], ["a", "a", "b", "b"], seed=1)
    assert (result.slope_fit_on_all, result.intercept_fit_on_all) == pytest.approx((2, 0.1), abs=1e-12)
    assert (result.mae_before, result.rmse_before) == pytest.approx((0.35, np.sqrt(0.135)), abs=1e-12)
    assert (result.mae_after, result.rmse_after) == pytest.approx((0, 0), abs=1e-12)
    assert result.protocol == "leave one product out, 2 products, held-out predictions pooled"


def test_held_out_isotonic_predictions_by_hand():
    # Leave one out of 0.1 0.2 0.3 -> 0.2 0.6 0.4.
    # Without the 1st: 0.6, 0.4 pool to 0.5; 0.1 lies below the range, its end value holds: 0.5.
    # Without the 2nd: 0.2, 0.4; 0.2 lies half-way: 0.3. Without the 3rd: 0.2, 0.6; the end value holds: 0.6.
    result = calibration([0.1, 0.2, 0.3], [0.2, 0.6, 0.4], seed=1, method="isotonic")
    assert result.held_out == pytest.approx([0.5, 0.3, 0.6], abs=1e-12)
    assert result.slope_fit_on_all is None


@pytest.mark.parametrize("method", ["linear", "isotonic"])
def test_scikit_learn_on_the_same_folds_gives_the_same_predictions(method):
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import LinearRegression

    judge, human, products = sample()
    folds = product_folds(products, seed=7)
    expected = np.empty(len(judge))
    for fold in range(5):
        inside, outside = folds != fold, folds == fold
        if method == "linear":
            model = LinearRegression().fit(judge[inside, None], human[inside])
            expected[outside] = model.predict(judge[outside, None])
        else:
            model = IsotonicRegression(out_of_bounds="clip").fit(judge[inside], human[inside])
            expected[outside] = model.predict(judge[outside])
    result = calibration(judge, human, products, seed=7, method=method)
    assert result.held_out == pytest.approx(expected, abs=1e-10)
    assert result.mae_after == pytest.approx(np.abs(expected - human).mean(), abs=1e-10)
    assert result.protocol == "5 folds over products, 15 products, held-out predictions pooled"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 20)), min_size=3, max_size=25))
def test_the_isotonic_fit_equals_scikit_learns_and_never_falls(pairs):
    from sklearn.isotonic import IsotonicRegression

    judge, human = np.array(pairs).T / 20
    if len(set(judge)) == 1:
        with pytest.raises(UndefinedStatistic, match="all equal"):
            isotonic_steps(judge, human, "of all objects")
        return
    at, fitted = isotonic_steps(judge, human, "of all objects")
    assert fitted == pytest.approx(IsotonicRegression().fit(judge, human).predict(at), abs=1e-10)
    assert (np.diff(fitted) >= -1e-12).all()


def test_all_objects_of_a_product_share_a_fold_and_folds_are_nearly_equal():
    products = np.repeat([f"p{i}" for i in range(13)], 3)
    folds = product_folds(products, seed=3)
    assert all(len(set(folds[products == name])) == 1 for name in set(products))
    assert sorted(np.bincount(folds[::3])) == [2, 2, 3, 3, 3]


def test_below_ten_products_each_is_left_out_alone():
    assert sorted(product_folds(list("abcdefghi"), seed=3)) == list(range(9))
    assert max(product_folds(list("abcdefghij"), seed=3)) == 4


def test_the_order_of_objects_does_not_change_the_folds():
    judge, human, products = sample()
    order = np.random.default_rng(0).permutation(len(judge))
    shuffled = calibration(judge[order], human[order], products[order], seed=2)
    assert shuffled.held_out == pytest.approx(calibration(judge, human, products, seed=2).held_out[order], abs=1e-12)


def test_an_error_after_calibration_is_never_the_in_sample_one():
    # Isotonic regression on its own data fits noise; held out, it must not look as good.
    rng = np.random.default_rng(8)
    judge, human = rng.random(30), rng.random(30)
    at, fitted = isotonic_steps(judge, human, "of all objects")
    in_sample = np.abs(np.interp(judge, at, fitted) - human).mean()
    assert calibration(judge, human, seed=1, method="isotonic").mae_after > in_sample


def test_one_product_is_too_few():
    with pytest.raises(UndefinedStatistic, match="at least 2 products"):
        calibration([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], ["a"] * 3, seed=1)


@pytest.mark.parametrize("method", ["linear", "isotonic"])
def test_a_part_with_equal_scores_is_named(method):
    # Without product c the judge gave 0.5 only.
    with pytest.raises(UndefinedStatistic, match=r"outside fold \d are all equal"):
        calibration([0.5, 0.5, 0.5, 0.9], [0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "c"], seed=1, method=method)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="known are 'linear' and 'isotonic'"):
        calibration([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], seed=1, method="cubic")
