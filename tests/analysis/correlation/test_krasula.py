"""Krasula's areas: by hand, and against scikit-learn over pairs written out."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from analysis.correlation.krasula import krasula, standard_errors


def test_four_samples_by_hand():
    # se 1 each, so a pair is different from |difference| 1.645 sqrt(2) = 2.326 on.
    # mos 1 2 5 6: different 1-5, 1-6, 2-5, 2-6 (differences 4, 5, 3, 4); similar 1-2, 5-6.
    # prediction 1 4 3 6: |difference| of the different ones 2, 5, 1, 2, of the similar ones 3, 3.
    # Different above similar: 5 beats both, the others none: 2 of 8.
    # Better - worse: 2, 5, -1, 2 in one order, -2, -5, 1, -2 in the other. Of 16 cross pairs 2, 5 and 2 beat all four,
    # and -1 beats -2, -5, -2: 15.
    found = krasula([1, 4, 3, 6], [1, 2, 5, 6], [1, 1, 1, 1], seed=1)
    assert found.different_similar == pytest.approx(2 / 8, abs=1e-15)
    assert found.better_worse == pytest.approx(15 / 16, abs=1e-15)
    assert found.correct_at_zero == 0.75
    assert (found.n_different, found.n_similar, found.n_pairs, found.n_pairs_in_all) == (4, 2, 6, 6)


def test_areas_equal_scikit_learns_over_pairs_written_out():
    rng = np.random.default_rng(7)
    mos = rng.normal(size=40)
    prediction, error = np.round(mos + 0.8 * rng.normal(size=40), 1), 0.2 + 0.3 * rng.random(40)
    different, size, better, signed = [], [], [], []
    for i in range(40):
        for j in range(i):
            # ITU-T J.149: one-sided at 95 %.
            z = abs(mos[i] - mos[j]) / np.sqrt(error[i] ** 2 + error[j] ** 2)
            different.append(z >= 1.6448536269514722)
            size.append(round(abs(prediction[i] - prediction[j]), 9))
            if different[-1]:
                up = round((prediction[i] - prediction[j]) * np.sign(mos[i] - mos[j]), 9)
                better += [1, 0]
                signed += [up, -up]
    found = krasula(prediction, mos, error, seed=1)
    assert found.different_similar == pytest.approx(roc_auc_score(different, size), abs=1e-12)
    assert found.better_worse == pytest.approx(roc_auc_score(better, signed), abs=1e-12)
    assert found.correct_at_zero == np.mean(np.array(signed)[::2] > 0)


def test_drawn_pairs_come_near_all_pairs():
    rng = np.random.default_rng(7)
    mos = rng.normal(size=400)
    prediction = mos + rng.normal(size=400)
    every = krasula(prediction, mos, np.full(400, 0.3), seed=1)
    drawn = krasula(prediction, mos, np.full(400, 0.3), seed=1, most_pairs=40_000)
    assert drawn.n_pairs == 40_000
    assert drawn.n_pairs_in_all == 79_800
    assert drawn.different_similar == pytest.approx(every.different_similar, abs=0.01)
    assert drawn.better_worse == pytest.approx(every.better_worse, abs=0.01)
    assert drawn == krasula(prediction, mos, np.full(400, 0.3), seed=1, most_pairs=40_000)


def test_without_noise_unequal_opinions_are_different_and_equal_ones_similar():
    found = krasula([1.0, 2.0, 3.0], [1.0, 1.0, 2.0], [0.0, 0.0, 0.0], seed=1)
    assert (found.n_different, found.n_similar) == (2, 1)


def test_where_one_class_is_empty_its_area_is_none_and_the_reason_is_given():
    alike = krasula([1.0, 2.0, 3.0], [3.0, 3.1, 3.2], [5.0, 5.0, 5.0], seed=1)
    assert (alike.different_similar, alike.better_worse, alike.correct_at_zero) == (None, None, None)
    assert alike.reason == "no pair is different"
    apart = krasula([1.0, 2.0, 3.0], [1.0, 3.0, 5.0], [0.1, 0.1, 0.1], seed=1)
    assert (apart.different_similar, apart.better_worse, apart.reason) == (None, 1.0, "no pair is similar")


def test_standard_errors_are_deviations_over_the_root_of_votes():
    assert standard_errors([2.0, 3.0], [4, 9]).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="votes"):
        standard_errors([2.0], [0])


def test_standard_errors_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="shape"):
        krasula([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.1, 0.1], seed=1)
    with pytest.raises(ValueError, match="not negative"):
        krasula([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.1, -0.1, 0.1], seed=1)
