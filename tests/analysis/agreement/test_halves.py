"""Halves of products: by the set of labels and the seed alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.halves import halves
from analysis.undefined import UndefinedStatistic

labels = st.lists(st.sampled_from("abcdefghij"), min_size=2, max_size=40).filter(lambda some: len(set(some)) > 1)


def chosen(clusters: list[str], seed: int) -> set[str]:
    return {label for label, inside in zip(clusters, halves(clusters, seed), strict=True) if inside}


@given(labels, st.randoms(use_true_random=False), st.integers(0, 9))
def test_neither_the_order_of_rows_nor_how_often_a_label_occurs_matters(clusters, random, seed):
    shuffled = [*clusters, *clusters[:3]]
    random.shuffle(shuffled)
    assert chosen(clusters, seed) == chosen(shuffled, seed) == chosen(sorted(set(clusters)), seed)


@given(labels, st.integers(0, 9))
def test_clusters_stay_whole_and_an_odd_one_out_reports(clusters, seed):
    inside = halves(clusters, seed)
    taken = {label for label, where in zip(clusters, inside, strict=True) if where}
    left = {label for label, where in zip(clusters, inside, strict=True) if not where}
    assert not taken & left
    assert len(taken) == len(set(clusters)) // 2


def test_of_nine_products_four_choose_and_five_report():
    assert halves(np.arange(9), 3).sum() == 4


def test_another_seed_gives_other_halves_and_each_product_is_in_either_half_as_often():
    drawn = np.array([halves(np.arange(10), seed) for seed in range(400)])
    # Of 400 draws about 200 each; the binomial's standard deviation is 10.
    assert np.all(np.abs(drawn.sum(axis=0) - 200) < 45)


def test_one_product_has_no_halves():
    with pytest.raises(UndefinedStatistic, match="one product"):
        halves(["a", "a"], 1)
