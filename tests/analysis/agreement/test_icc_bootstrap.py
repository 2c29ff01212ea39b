"""The product-clustered interval of ICC: against `icc` on every resample written out, and its refusals."""

import numpy as np
import pytest

from analysis.agreement.icc import icc
from analysis.agreement.icc_bootstrap import icc_bootstrap
from analysis.resampling.bootstrap import resample_counts
from analysis.undefined import UndefinedStatistic


def judged(n_products: int, per_product: int, *, n_repeats: int = 5, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Objects that resemble the others of their product: product sd 0.1, object sd 0.03, repeat sd 0.05."""
    random = np.random.default_rng(seed)
    products = np.repeat(np.arange(n_products), per_product)
    objects = 0.1 * random.normal(size=n_products)[products] + 0.03 * random.normal(size=len(products))
    return 0.5 + objects[:, None] + 0.05 * random.normal(size=(len(products), n_repeats)), products


def written_out(scores: np.ndarray, products: np.ndarray, planned: int, resamples: int, seed: int) -> np.ndarray:
    """ICC(1,k) of each resample as a matrix in which an object drawn twice stands twice."""
    values = []
    for counts in resample_counts(products, resamples, seed):
        for row in counts:
            values.append(icc(np.repeat(scores, row, axis=0), planned).icc_1k_planned.value)
    return np.array(values, dtype=float)


@pytest.mark.parametrize("missing_share", [0.0, 0.3])
def test_bounds_are_those_of_every_resample_written_out(missing_share: float) -> None:
    scores, products = judged(12, 3)
    scores[np.random.default_rng(4).random(scores.shape) < missing_share] = np.nan
    ours = icc_bootstrap(scores, products, seed=7, resamples=150, planned_repeats=5)
    used = ~np.isnan(scores).all(axis=1)
    expected = np.quantile(written_out(scores[used], products[used], 5, 150, 7), [0.025, 0.975])
    assert (ours.low, ours.high) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_large_mean_costs_no_digits() -> None:
    scores, products = judged(12, 3)
    near, far = (icc_bootstrap(shifted, products, seed=7) for shifted in (scores, scores + 1e4))
    assert (far.low, far.high) == pytest.approx((near.low, near.high), abs=1e-9)


def test_products_drawn_whole_make_the_interval_wider_than_objects_drawn_alone() -> None:
    scores, products = judged(15, 8)
    clustered = icc_bootstrap(scores, products, seed=5)
    alone = icc_bootstrap(scores, np.arange(len(scores)), seed=5)
    assert clustered.high - clustered.low > 1.3 * (alone.high - alone.low)
    assert clustered.method == "percentile bootstrap, 1000 resamples, 15 clusters"


def test_the_same_seed_gives_the_same_interval_whatever_the_order_of_objects() -> None:
    scores, products = judged(12, 3)
    order = np.random.default_rng(1).permutation(len(scores))
    first, second = icc_bootstrap(scores, products, seed=9), icc_bootstrap(scores[order], products[order], seed=9)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)
    assert icc_bootstrap(scores, products, seed=10).low != first.low


def test_few_products_are_unreliable_and_fewer_give_no_interval() -> None:
    scores, products = judged(9, 2)
    assert icc_bootstrap(scores, products, seed=1).unreliable
    few = icc_bootstrap(*judged(4, 5), seed=1)
    assert (few.low, few.high, few.n_clusters) == (None, None, 4)


def test_a_product_without_a_valid_score_is_no_cluster() -> None:
    scores, products = judged(11, 2)
    scores[products == 4] = np.nan
    assert icc_bootstrap(scores, products, seed=1).n_clusters == 10


def test_resamples_of_equal_objects_are_dropped_and_counted() -> None:
    # Five products, four of them with the same mean: a resample that misses product 0 has MSB = 0, about
    # (4/5)^5 = 33 % of them, more than the 5 % allowed.
    scores = np.array([[0.9, 0.8]] + [[0.4, 0.6]] * 4)
    interval = icc_bootstrap(scores, np.arange(5), seed=1)
    assert (interval.low, interval.high) == (None, None)
    assert 250 < interval.n_dropped < 400


def test_resamples_in_which_no_object_varies_are_dropped_and_counted() -> None:
    # One of 12 products varies: (11/12)^12 = 35 % of the resamples miss it, and their ICC would be 1 by construction.
    scores = np.repeat(np.linspace(0.1, 0.9, 12)[:, None], 3, axis=1)
    scores[0] += [0.0, 0.1, 0.2]
    interval = icc_bootstrap(scores, np.arange(12), seed=1)
    assert (interval.low, interval.high) == (None, None)
    assert 310 < interval.n_dropped < 390
    # Three of 12: (9/12)^12 = 3 %, few enough to leave out.
    scores[1:3] += [0.0, 0.1, 0.2]
    some = icc_bootstrap(scores, np.arange(12), seed=1)
    assert 15 < some.n_dropped < 50
    assert f"{some.n_dropped} undefined resamples dropped" in some.method
    assert some.high < 1


def test_a_deterministic_setting_has_no_interval() -> None:
    with pytest.raises(UndefinedStatistic, match="deterministic"):
        icc_bootstrap(np.repeat([[0.8], [0.6], [0.9]], 5, axis=1), ["a", "b", "c"], seed=1)


def test_one_product_per_object_is_demanded() -> None:
    scores, products = judged(6, 2)
    with pytest.raises(ValueError, match="each of 12 objects"):
        icc_bootstrap(scores, products[:-1], seed=1)
