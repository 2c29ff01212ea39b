"""The linear head on choices: against scikit-learn, and that nothing of a held-out series reaches its scores."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from analysis.preference.accuracy import predicted_winners, preference_accuracy
from analysis.preference.head import folds_of, held_out_scores, linked_clusters
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic


class Choices(NamedTuple):
    features: NDArray[np.float64]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    winner: NDArray[np.int64]
    series: NDArray[np.intp]


def made_choices(n_series: int = 200, d: int = 6, seed: int = 1, pull: float = 1.5) -> Choices:
    """Three photos a series, all three pairs; votes follow a linear strength."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(3 * n_series, d)) * np.geomspace(0.1, 10, d)
    strength = pull * (features / np.geomspace(0.1, 10, d)) @ np.linspace(1, -1, d)
    start = 3 * np.arange(n_series)
    first, second = np.concatenate([start, start, start + 1]), np.concatenate([start + 1, start + 2, start + 2])
    wins = random.random(first.size) < expit(strength[first] - strength[second])
    return Choices(features, first, second, np.where(wins, 1, 2), np.tile(np.arange(n_series), 3))


def accuracy_of(made: Choices, seed: int = 7) -> tuple[float, float, float]:
    found = held_out_scores(*made, seed=seed)
    picked = predicted_winners(found.score_1, found.score_2)
    seen = preference_accuracy(made.winner, picked, made.series, resampling=Resampling(seed))
    assert seen.interval.low is not None
    assert seen.interval.high is not None
    return seen.accuracy, seen.interval.low, seen.interval.high


def test_one_feature_solves_the_equation_of_its_weight() -> None:
    # All differences are 1, so the scale is 1; of n training pairs image 1 wins a. The slope of
    # log-loss and prior is zero where a - n sigma(w) = w, the penalty d / n being 1 / n.
    won = np.array([1] * 7 + [2] * 3)
    series = np.arange(10)
    features = np.tile([[1.0], [0.0]], (10, 1))
    found = held_out_scores(features, 2 * series, 2 * series + 1, won, series, seed=3, folds=2)
    for held in (0, 1):
        training = found.fold != held
        a, n = int((won[training] == 1).sum()), int(training.sum())
        expected = brentq(lambda w, a=a, n=n: a - n * expit(w) - w, -10, 10)
        assert found.weights[held, 0] == pytest.approx(expected, abs=1e-6)
        assert found.score_1[found.fold == held] == pytest.approx(expected, abs=1e-6)
        assert found.score_2[found.fold == held] == pytest.approx(0.0, abs=1e-12)


def test_each_fold_agrees_with_scikit_learn() -> None:
    made = made_choices()
    found = held_out_scores(*made, seed=5)
    difference = made.features[made.first] - made.features[made.second]
    for held in range(5):
        training = found.fold != held
        scale = np.sqrt((difference[training] ** 2).mean(axis=0))
        theirs = LogisticRegression(C=1 / difference.shape[1], fit_intercept=False, tol=1e-10, max_iter=10_000)
        theirs.fit(difference[training] / scale, made.winner[training] == 1)
        assert found.weights[held] * scale == pytest.approx(theirs.coef_[0], abs=1e-5)


def test_a_linear_preference_is_found_on_series_that_were_held_out() -> None:
    accuracy, low, _ = accuracy_of(made_choices())
    assert low > 0.75
    assert accuracy > 0.8


def test_shuffled_votes_are_predicted_by_half() -> None:
    made = made_choices()
    shuffles = [made._replace(winner=np.random.default_rng(seed).permutation(made.winner)) for seed in range(20)]
    found = [accuracy_of(shuffled) for shuffled in shuffles]
    # One shuffle of 600 pairs spreads by sqrt(0.25 / 600) = 0.02, the mean of 20 by 0.0046; 0.015 is over 3 times that.
    assert np.mean([accuracy for accuracy, _, _ in found]) == pytest.approx(0.5, abs=0.015)
    # Of 20 intervals of 95 % fewer than 16 hold 0.5 once in 400 times.
    assert sum(low <= 0.5 <= high for _, low, high in found) >= 16


def test_votes_of_a_series_do_not_move_its_own_scores_by_a_bit() -> None:
    made = made_choices(60)
    before = held_out_scores(*made, seed=2)
    for held in range(5):
        turned = np.where(before.fold == held, 3 - made.winner, made.winner)
        after = held_out_scores(*made._replace(winner=turned), seed=2)
        inside = before.fold == held
        np.testing.assert_array_equal(after.score_1[inside], before.score_1[inside])
        np.testing.assert_array_equal(after.weights[held], before.weights[held])
        assert not np.array_equal(after.score_1[~inside], before.score_1[~inside])


def test_features_of_a_series_do_not_reach_the_weights_that_score_it() -> None:
    made = made_choices(60)
    before = held_out_scores(*made, seed=2)
    inside = np.zeros(len(made.features), dtype=bool)
    inside[made.first[before.fold == 0]] = inside[made.second[before.fold == 0]] = True
    changed = np.where(inside[:, None], 1e6 * made.features + 5.0, made.features)
    after = held_out_scores(*made._replace(features=changed), seed=2)
    np.testing.assert_array_equal(after.weights[0], before.weights[0])


def test_what_can_only_be_learnt_by_heart_is_worth_nothing() -> None:
    # A feature of its own for every photo tells all votes of the training series and none of another series.
    made = made_choices(30)
    by_heart = made._replace(features=np.eye(len(made.features)))
    found = held_out_scores(*by_heart, seed=1)
    assert not found.score_1.any()
    assert not found.score_2.any()
    assert not predicted_winners(found.score_1, found.score_2).any()


def test_a_series_lies_in_one_fold_and_folds_hold_equally_many() -> None:
    series = np.repeat(np.arange(23), 3)
    fold, n_series = folds_of(series, 5, seed=4)
    assert n_series == 23
    assert all(len(set(fold[series == one])) == 1 for one in range(23))
    assert sorted(np.bincount(fold[::3])) == [4, 4, 5, 5, 5]


def test_units_of_features_and_the_place_of_images_do_not_matter() -> None:
    made = made_choices(60)
    found = held_out_scores(*made, seed=2)
    in_other_units = held_out_scores(*made._replace(features=1000.0 * made.features), seed=2)
    assert in_other_units.score_1 == pytest.approx(found.score_1, abs=1e-6)
    turned = held_out_scores(made.features, made.second, made.first, 3 - made.winner, made.series, seed=2)
    assert turned.score_1 == pytest.approx(found.score_2, abs=1e-9)


def test_pairs_without_features_count_neither_for_fitting_nor_as_a_prediction() -> None:
    made = made_choices(40)
    features = made.features.copy()
    features[0] = np.nan
    found = held_out_scores(*made._replace(features=features), seed=2)
    lost = (made.first == 0) | (made.second == 0)
    np.testing.assert_array_equal(np.isnan(found.score_1), lost)
    np.testing.assert_array_equal(found.fold == -1, lost)
    without = held_out_scores(made.features, *(column[~lost] for column in made[1:]), seed=2)
    assert found.score_1[~lost] == pytest.approx(without.score_1, abs=1e-9)


def test_too_few_series_and_equal_images_are_undefined() -> None:
    made = made_choices(4)
    with pytest.raises(UndefinedStatistic, match="4 clusters, fewer than the 5 folds"):
        held_out_scores(*made, seed=1)
    alike = made_choices(10)
    with pytest.raises(UndefinedStatistic, match="same features"):
        held_out_scores(*alike._replace(features=np.ones_like(alike.features)), seed=1)
    with pytest.raises(UndefinedStatistic, match="no pair has features"):
        held_out_scores(*alike._replace(features=np.full_like(alike.features, np.nan)), seed=1)


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"winner": np.zeros(30, dtype=int)}, "1 or 2"), ({"series": np.arange(3)}, "got shapes")],
)
def test_wrong_choices_are_refused(changed: dict[str, NDArray[np.int64]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        held_out_scores(*made_choices(10)._replace(**changed), seed=1)
    with pytest.raises(ValueError, match="at least 2 folds"):
        held_out_scores(*made_choices(10), seed=1, folds=1)


def test_series_that_share_a_picture_are_one_group() -> None:
    # b and d show picture q, d and a picture r: one group with b; c stands alone.
    series = np.array(["a", "b", "c", "d", "d"])
    groups = linked_clusters(series, ["r", "q", "s", "q", "t"], ["u", "v", "w", "x", "r"])
    assert groups.tolist() == [0, 0, 1, 0, 0]


def test_series_without_a_common_picture_keep_their_numbers() -> None:
    series = np.array(["b", "a", "c", "a"])
    assert linked_clusters(series, ["1", "2", "3", "4"], ["5", "6", "7", "2"]).tolist() == [1, 0, 2, 0]
    assert linked_clusters([], [], []).size == 0
