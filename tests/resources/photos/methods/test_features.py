"""What methods see of images: numbers, vectors, reasons and times, and names that are not there."""

import numpy as np
import pytest

from analysis.images.photo_rules import STEPS
from resources.errors import UserError
from tests.resources.photos.methods.made_features import features_of


def test_missing_measures_are_not_numbers() -> None:
    features = features_of(3, sharpness=[1.0, None, 3.0], clip=[[1.0, 2.0], None, np.array([3, 4], dtype=np.float32)])
    np.testing.assert_array_equal(features.numbers("sharpness"), [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(features.vectors("clip"), [[1.0, 2.0], [np.nan, np.nan], [3.0, 4.0]])


def test_a_stage_that_was_not_computed_has_no_values_and_vectors_no_length() -> None:
    assert np.isnan(features_of(2).numbers("contrast")).all()
    assert features_of(2).vectors("vit").shape == (2, 0)


def test_the_first_reason_of_the_stages_counts() -> None:
    features = features_of(3, undefined_rules=[None, "black", None], undefined_clip=["cut off", "cut off", None])
    assert features.reasons(("rules", "clip")) == ["cut off", "black", None]
    assert features.reasons(()) == [None, None, None]


def test_time_is_that_of_the_parts_asked_for() -> None:
    features = features_of(2, rules_ms=[3.0, np.nan])
    np.testing.assert_array_equal(features.times_ms(("decode", "clip")), [11.0, 11.0])
    np.testing.assert_array_equal(features.times_ms(()), [0.0, 0.0])
    # The stage's 3 ms less six steps of 0.125 are what it takes besides them.
    np.testing.assert_allclose(features.times_ms(("rules",)), [2.25, np.nan])
    np.testing.assert_allclose(features.times_ms(("rules", *STEPS)), [3.0, np.nan])


def test_a_measure_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no 'sharpnes' \(did you mean 'sharpness'\?\)"):
        features_of(1).numbers("sharpnes")
    with pytest.raises(UserError, match="known are clip, vit, efficientnet"):
        features_of(1).vectors("dino")
