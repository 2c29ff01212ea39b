"""Tests of `analysis/agreement/concordance.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.concordance import concordance, icc_a1_of_counts
from analysis.agreement.icc import icc
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed


def plain_ccc(x, y):
    covariance = np.cov(x, y, ddof=0)
    return 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + (np.mean(x) - np.mean(y)) ** 2)


def test_a_constant_shift_by_hand():
    # judge = human + 0.1; human 0.1 0.2 0.3 0.4: mean 0.25, variance (0.0225 + 0.0025) * 2 / 4 = 0.0125 on both sides.
    # ccc = 2 * 0.0125 / (0.0125 + 0.0125 + 0.01) = 5/7; precision 1; location shift 0.1 / sqrt(0.0125).
    result = concordance([0.2, 0.3, 0.4, 0.5], [0.1, 0.2, 0.3, 0.4], resampling=Resampling(1))
    assert result.ccc == pytest.approx(5 / 7, abs=1e-14)
    assert result.precision == pytest.approx(1, abs=1e-14)
    assert result.accuracy == pytest.approx(5 / 7, abs=1e-14)
    assert result.scale_shift == pytest.approx(1, abs=1e-14)
    assert result.location_shift == pytest.approx(0.1 / np.sqrt(0.0125), abs=1e-13)


def test_a_doubled_spread_by_hand():
    # judge 0 0.4 0.8 against human 0.2 0.4 0.6: same mean, scale shift 2, r 1; C_b = 2 / (2 + 1/2 + 0) = 0.8.
    result = concordance([0.0, 0.4, 0.8], [0.2, 0.4, 0.6], resampling=Resampling(1))
    assert (result.ccc, result.accuracy, result.scale_shift, result.location_shift) == pytest.approx((0.8, 0.8, 2, 0))


def test_identical_scores_agree_perfectly():
    assert concordance([0.1, 0.5, 0.7], [0.1, 0.5, 0.7], resampling=Resampling(1))[:3] == pytest.approx((1, 1, 1))


def test_the_interval_is_that_of_a_plain_loop():
    rng = np.random.default_rng(3)
    clusters, x = rng.integers(0, 12, 40), rng.random(40)
    y = 0.5 * x + 0.5 * rng.random(40)
    expected = jackknifed(lambda rows: plain_ccc(x[rows], y[rows]), clusters, "arcsine", freedom=2 / 3)
    result = concordance(x, y, clusters, resampling=Resampling(5))
    assert result.interval[:2] == pytest.approx(expected, abs=1e-10)
    assert result.interval.method.startswith("delete-one jackknife, arcsine, t(")


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=3, max_size=30))
def test_the_coefficient_is_precision_times_accuracy(pairs):
    x, y = np.array(pairs).T / 100
    if len(set(x)) == 1 or len(set(y)) == 1:
        with pytest.raises(UndefinedStatistic, match="are equal"):
            concordance(x, y, resampling=Resampling(1))
        return
    result = concordance(x, y, resampling=Resampling(1))
    assert result.ccc == pytest.approx(plain_ccc(x, y), abs=1e-12)
    assert result.ccc == pytest.approx(result.precision * result.accuracy, abs=1e-12)
    assert 0 < result.accuracy <= 1 + 1e-12


def test_icc_a1_of_counts_is_that_of_the_repeated_pairs():
    random = np.random.default_rng(5)
    pairs = random.standard_normal((12, 1)) + 0.5 * random.standard_normal((12, 2)) + [0.0, 0.4]
    times = random.integers(0, 4, (3, 12))
    found = icc_a1_of_counts(*pairs.T)(times)
    assert found == pytest.approx([icc(np.repeat(pairs, row, axis=0)).icc_a_1.value for row in times])


def test_a_constant_side_has_no_icc_a1_as_it_has_no_ccc():
    # One answer to all makes between and error mean squares equal: it was 0 to the last digit, of either sign.
    person = np.array([1.0, 2.0, 2.0, 4.0, 5.0, 3.0])
    assert np.isnan(icc_a1_of_counts(np.full(6, 3.0), person)(np.ones((1, 6), dtype=np.int64))).all()
