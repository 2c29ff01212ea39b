"""The methods by CLIP, with vectors of two numbers."""

import numpy as np
import pytest

from resources.photos.methods.registry import ClipContrast
from tests.resources.photos.methods.made_features import features_of

METHOD = ClipContrast("clip_made", "good", "bad")


def test_the_score_is_the_difference_of_two_cosines_whatever_the_lengths() -> None:
    # (3, 4): cosine with x 3/5, with y 4/5: -0.2. (5, 0): 1 - 0 = 1. No vector: none.
    scores = METHOD.score(features_of(3, clip=[np.array([3.0, 4.0]), [5.0, 0.0], None]))
    assert scores[:2] == pytest.approx([-0.2, 1.0])
    assert np.isnan(scores[2])


def test_a_vector_without_length_has_no_score() -> None:
    assert np.isnan(METHOD.score(features_of(2, clip=[[0.0, 0.0], [1.0, 0.0]]))[0])


def test_without_any_vector_nothing_is_asked_of_the_model() -> None:
    assert np.isnan(METHOD.score(features_of(2))).all()
