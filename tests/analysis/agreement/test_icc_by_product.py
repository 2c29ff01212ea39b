"""The interval of ICC over products: against `icc` without each product written out, and its refusals."""

import numpy as np
import pytest

from analysis.agreement.icc import icc
from analysis.agreement.icc_by_product import icc_by_product
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.jackknifed import jackknifed


def judged(n_products: int, per_product: int, *, n_repeats: int = 5, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Objects that resemble the others of their product: product sd 0.1, object sd 0.03, repeat sd 0.05."""
    random = np.random.default_rng(seed)
    products = np.repeat(np.arange(n_products), per_product)
    objects = 0.1 * random.normal(size=n_products)[products] + 0.03 * random.normal(size=len(products))
    return 0.5 + objects[:, None] + 0.05 * random.normal(size=(len(products), n_repeats)), products


@pytest.mark.parametrize("missing_share", [0.0, 0.3])
def test_bounds_are_those_of_every_product_left_out_in_turn(missing_share: float) -> None:
    scores, products = judged(12, 3)
    scores[np.random.default_rng(4).random(scores.shape) < missing_share] = np.nan
    ours = icc_by_product(scores, products, resampling=Resampling(7), planned_repeats=5)
    used = ~np.isnan(scores).all(axis=1)
    kept, clusters = scores[used], products[used]
    expected = jackknifed(lambda rows: icc(kept[rows], 5).icc_1k_planned.value, clusters, "log F", corrected=1.0)
    assert (ours.low, ours.high) == pytest.approx(expected, abs=1e-10)


def test_a_large_mean_costs_no_digits() -> None:
    scores, products = judged(12, 3)
    near, far = (icc_by_product(shifted, products, resampling=Resampling(7)) for shifted in (scores, scores + 1e4))
    assert (far.low, far.high) == pytest.approx((near.low, near.high), abs=1e-9)


def test_products_left_out_whole_make_the_interval_wider_than_objects_left_out_alone() -> None:
    scores, products = judged(15, 8)
    clustered = icc_by_product(scores, products, resampling=Resampling(5))
    alone = icc_by_product(scores, np.arange(len(scores)), resampling=Resampling(5))
    assert clustered.high - clustered.low > 1.3 * (alone.high - alone.low)
    assert clustered.method == "delete-one jackknife, log F, t(14), 15 clusters"


def test_neither_the_seed_nor_the_order_of_objects_changes_the_interval() -> None:
    scores, products = judged(12, 3)
    order = np.random.default_rng(1).permutation(len(scores))
    first, second = (
        icc_by_product(scores, products, resampling=Resampling(9)),
        icc_by_product(scores[order], products[order], resampling=Resampling(9)),
    )
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)
    assert icc_by_product(scores, products, resampling=Resampling(10)) == first


def test_under_five_products_there_is_no_interval() -> None:
    assert icc_by_product(*judged(5, 2), resampling=Resampling(1)).low is not None
    few = icc_by_product(*judged(4, 5), resampling=Resampling(1))
    assert (few.low, few.high, few.n_clusters) == (None, None, 4)


def test_a_product_without_a_valid_score_is_no_cluster() -> None:
    scores, products = judged(11, 2)
    scores[products == 4] = np.nan
    assert icc_by_product(scores, products, resampling=Resampling(1)).n_clusters == 10


def test_where_one_product_alone_differs_there_is_no_interval() -> None:
    # Five products, four of them with the same mean: without product 0 MSB is 0.
    scores = np.array([[0.9, 0.8]] + [[0.4, 0.6]] * 4)
    interval = icc_by_product(scores, np.arange(5), resampling=Resampling(1))
    assert (interval.low, interval.high) == (None, None)


def test_where_repeats_of_one_product_alone_differ_there_is_no_interval() -> None:
    # One of 12 products varies: without it the ICC would be 1 by construction.
    scores = np.repeat(np.linspace(0.1, 0.9, 12)[:, None], 3, axis=1)
    scores[0] += [0.0, 0.1, 0.2]
    interval = icc_by_product(scores, np.arange(12), resampling=Resampling(1))
    assert (interval.low, interval.high) == (None, None)
    assert interval.method == "none: without one of the clusters the statistic is undefined"
    scores[1:3] += [0.0, 0.1, 0.2]
    assert icc_by_product(scores, np.arange(12), resampling=Resampling(1)).high < 1


def test_a_deterministic_setting_has_no_interval() -> None:
    with pytest.raises(UndefinedStatistic, match="deterministic"):
        icc_by_product(np.repeat([[0.8], [0.6], [0.9]], 5, axis=1), ["a", "b", "c"], resampling=Resampling(1))


def test_one_product_per_object_is_demanded() -> None:
    scores, products = judged(6, 2)
    with pytest.raises(ValueError, match="each of 12 objects"):
        icc_by_product(scores, products[:-1], resampling=Resampling(1))
