"""Tests of `analysis/agreement/deviation.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.deviation import deviation
from analysis.resampling.bootstrap import Resampling
from tests.analysis.jackknifed import jackknifed


def test_errors_by_hand_with_objects_and_with_products_of_equal_weight():
    # Errors 0.1 0.1 0.1 (product a), -0.3 (product b).
    # Objects: MAE 0.6/4 = 0.15, MSE 0.12/4 = 0.03, bias 0. Products: MAE 0.2, MSE (0.01 + 0.09)/2 = 0.05, bias -0.1.
    result = deviation([0.5, 0.5, 0.5, 0.5], [0.4, 0.4, 0.4, 0.8], ["a", "a", "a", "b"], resampling=Resampling(1))
    values = [estimate.value for estimate in result[:6]]
    assert values == pytest.approx([0.15, np.sqrt(0.03), 0, 0.2, np.sqrt(0.05), -0.1], abs=1e-12)
    assert (result.n, result.n_clusters) == (4, 2)


def test_each_interval_is_that_of_a_plain_loop():
    rng = np.random.default_rng(6)
    clusters, x, y = rng.integers(0, 12, 40), rng.random(40), rng.random(40)
    e = x - y

    def by_product(rows):
        return np.mean([np.abs(e[rows][clusters[rows] == name]).mean() for name in set(clusters[rows])])

    expected = {
        "mae": jackknifed(lambda rows: np.abs(e[rows]).mean(), clusters, "log", corrected=1.0),
        "rmse": jackknifed(lambda rows: np.sqrt((e[rows] ** 2).mean()), clusters, "log", corrected=1.0),
        "bias": jackknifed(lambda rows: e[rows].mean(), clusters),
        "mae_by_product": jackknifed(by_product, clusters, "log", corrected=1.0, equal=True),
    }
    result = deviation(x, y, clusters, resampling=Resampling(2))
    for name, bounds in expected.items():
        assert getattr(result, name).interval[:2] == pytest.approx(bounds, abs=1e-12), name


def test_scikit_learn_gives_the_same_errors():
    from sklearn.metrics import mean_absolute_error, root_mean_squared_error

    rng = np.random.default_rng(7)
    x, y = rng.random(30), rng.random(30)
    result = deviation(x, y, resampling=Resampling(1))
    assert result.mae.value == pytest.approx(mean_absolute_error(y, x), abs=1e-12)
    assert result.rmse.value == pytest.approx(root_mean_squared_error(y, x), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=3, max_size=20))
def test_bias_is_at_most_mae_and_mae_at_most_rmse(pairs):
    x, y = np.array(pairs).T / 100
    result = deviation(x, y, resampling=Resampling(1))
    assert abs(result.bias.value) <= result.mae.value + 1e-12
    assert result.mae.value <= result.rmse.value + 1e-12


def test_products_of_one_object_each_weigh_like_objects():
    result = deviation([0.1, 0.5, 0.9], [0.3, 0.2, 0.4], resampling=Resampling(1))
    assert [e.value for e in result[:3]] == pytest.approx([e.value for e in result[3:6]], abs=1e-14)
