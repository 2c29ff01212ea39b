"""Scores of both images of each pair, of methods of both kinds, and the reasons where there are none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from analysis.undefined import UndefinedStatistic
from resources.errors import UserError
from resources.photos.methods.features import Features
from resources.photos.methods.registry import PreferenceProbe
from resources.photos.methods.rules import RULES_BY_NAME
from resources.photos.methods.scoring import NO_REASON, Folds, pair_scores_of, why_unavailable
from tests.resources.photos.methods.made_features import features_of, side_by_side


@dataclass
class Says:
    """A method that says what it is told to."""

    answer: Callable[[Features], Any]
    name: str = "says"
    needs: tuple[str, ...] = ("rules",)

    def score(self, features: Features) -> Any:
        return self.answer(features)


def scored(method: Any, features: Features, n_pairs: int) -> Any:
    series = np.array([f"s{number}" for number in range(n_pairs)], dtype=object)
    return pair_scores_of(method, features, side_by_side(n_pairs), Folds(series, 5, 1))


def test_both_images_of_a_pair_have_the_methods_own_scores() -> None:
    found = scored(RULES_BY_NAME["sharpness_only"], features_of(4, sharpness=[5.0, 7.0, 9.0, 9.0]), 2)
    assert (list(found.score_1), list(found.score_2)) == ([5.0, 9.0], [7.0, 9.0])
    assert list(found.undefined) == [None, None]


def test_a_pair_with_an_image_without_a_score_has_none_and_says_why() -> None:
    contrast = [np.nan, 1.0, 2.0, np.inf, 1.0, 2.0]
    features = features_of(6, contrast=contrast, undefined_rules=["black", None, None, None, None, None])
    found = scored(RULES_BY_NAME["contrast_only"], features, 3)
    assert list(found.undefined) == ["black", NO_REASON, None]
    np.testing.assert_array_equal(np.isnan(found.score_1), [True, True, False])
    np.testing.assert_array_equal(np.isnan(found.score_2), [True, True, False])


def test_a_method_that_is_undefined_as_a_whole_gives_its_reason_to_every_pair() -> None:
    def nothing(features: Features) -> Any:
        raise UndefinedStatistic("nothing to see")

    assert set(scored(Says(nothing), features_of(4), 2).undefined) == {"nothing to see"}
    few = scored(PreferenceProbe("vit_base", "vit"), features_of(4, vit=[[1.0], [2.0], [3.0], [5.0]]), 2)
    assert set(few.undefined) == {"2 clusters, fewer than the 5 folds"}
    without = scored(PreferenceProbe("vit_base", "vit"), features_of(4), 2)
    assert set(without.undefined) == {"no image has features of vit"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda features: [1.0], r"shape \(1,\); it must give one per image, shape \(4,\)"),
        (lambda features: ["a"] * 4, "no numbers"),
        (lambda features: None, r"shape \(\)"),
        (lambda features: [1j] * 4, "they are complex"),
    ],
)
def test_scores_of_another_form_are_refused(answer: Callable[[Features], Any], words: str) -> None:
    with pytest.raises(UserError, match=f"Method 'says' gives scores.*{words}"):
        scored(Says(answer), features_of(4), 2)


@pytest.mark.parametrize("answer", [None, np.ones(4), [np.ones(2)], np.ones((2, 3))])
def test_a_method_that_learns_and_gives_no_two_arrays_is_refused(answer: Any) -> None:
    class Learns:
        name, needs = "learns", ()

        def pair_scores(self, *asked: Any) -> Any:
            return answer

    with pytest.raises(UserError, match="Method 'learns' gives .* for pairs; it must give two arrays"):
        scored(Learns(), features_of(4), 2)


def test_a_method_is_unavailable_where_one_of_its_stages_is() -> None:
    method = Says(lambda features: [], needs=("rules", "clip"))
    assert why_unavailable(method, {"clip": "no weights; fetch them", "vit": "no weights"}) == "no weights; fetch them"
    assert why_unavailable(method, {"vit": "no weights"}) is None
