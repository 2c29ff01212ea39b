"""Rule measures: hand-worked pictures, plain numpy as a second way, and what must hold for any picture."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import convolve

from analysis.images.photo_rules import (
    ALL_BLACK,
    COMPOSITES,
    MEASURES,
    colorfulness,
    composite,
    contrast,
    exposure,
    grey_of,
    histogram_of,
    photo_measures,
    sharpness,
)
from analysis.undefined import UndefinedStatistic


def noise(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_sharpness_of_one_bright_pixel() -> None:
    # 5 x 5 zeros with 10 in the middle: the Laplacian is -40 there, 10 at its 4 neighbours, 0 elsewhere.
    # Sum 0; squares 1600 + 4 * 100 = 2000; variance 2000 / 25 = 80.
    grey = np.zeros((5, 5), np.uint8)
    grey[2, 2] = 10
    assert sharpness(grey) == 80.0


def test_sharpness_mirrors_the_border_without_the_edge() -> None:
    # Columns 0, 0, 9: left of column 0 stands column 1, right of column 2 column 1.
    # Laplacian of each row: 0 + 0 - 0 = 0; 0 + 9 - 0 = 9; 0 + 0 - 18 = -18. Mean -3; variance 90 + ... :
    # squares 0 + 81 + 324 = 405; 405/3 - 9 = 126.
    grey = np.tile(np.array([0, 0, 9], np.uint8), (4, 1))
    assert sharpness(grey) == pytest.approx(126.0, rel=1e-12)


def test_contrast_of_two_levels() -> None:
    # Half 50, half 150: mean 100, standard deviation 50.
    grey = np.array([[50, 150], [150, 50]], np.uint8)
    assert contrast(histogram_of(grey)) == 0.5


def test_contrast_of_an_all_black_picture_is_undefined() -> None:
    with pytest.raises(UndefinedStatistic, match="every pixel is black"):
        contrast(histogram_of(np.zeros((4, 4), np.uint8)))


def test_a_flat_grey_picture_has_no_contrast() -> None:
    assert contrast(histogram_of(np.full((7, 3), 77, np.uint8))) == 0.0


def test_exposure_of_four_levels_with_one_cut_off() -> None:
    # 0, 10, 20, 30: a quarter is at 0, so 0.5 * 0.75; entropy ln 4 over ln 256 is 1/4, so 0.5 * 0.25.
    grey = np.array([[0, 10], [20, 30]], np.uint8)
    assert exposure(histogram_of(grey)) == pytest.approx(0.375 + 0.125, rel=1e-12)


def test_exposure_is_none_where_all_is_white_and_full_but_for_both_ends_where_every_level_occurs() -> None:
    assert exposure(histogram_of(np.full((3, 3), 255, np.uint8))) == 0.0
    # Entropy is ln 256; 2 of 256 pixels are at an end: 1 - 0.5 * 2/256.
    assert exposure(histogram_of(np.arange(256, dtype=np.uint8)[None, :])) == pytest.approx(1 - 1 / 256, rel=1e-12)


def test_colorfulness_of_red_beside_blue() -> None:
    # Red: rg 255, yb 127.5. Blue: rg 0, yb -255. Standard deviations 127.5 and 191.25, means 127.5 and -63.75.
    photo = np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8)
    expected = math.hypot(127.5, 191.25) + 0.3 * math.hypot(127.5, 63.75)
    assert colorfulness(photo) == pytest.approx(expected, rel=1e-12)


def test_grey_has_no_colour() -> None:
    assert colorfulness(np.repeat(noise(20, 30)[..., :1], 3, axis=2)) == 0.0


def test_composite_of_values_at_their_half_points_and_exposure_as_it_is() -> None:
    # Sharpness 1000, contrast 0.8, colourfulness 100 are 1/2 each; 0.3/2 + 0.2/2 + 0.3 * 0.9 + 0.2/2 = 0.62.
    values = {"sharpness": [1000.0], "contrast": [0.8], "exposure": [0.9], "colorfulness": [100.0]}
    assert composite(values, COMPOSITES["composite_balanced"]).tolist() == pytest.approx([0.62], rel=1e-12)
    # 0.25 + 0.075 + 0.225 + 0.05
    assert composite(values, COMPOSITES["composite_sharpness_focused"])[0] == pytest.approx(0.6, rel=1e-12)
    # 0.1 + 0.075 + 0.45 + 0.075
    assert composite(values, COMPOSITES["composite_exposure_focused"])[0] == pytest.approx(0.7, rel=1e-12)


def test_a_composite_never_saturates() -> None:
    scores = composite({"sharpness": [1e4, 1e5, 1e6, 1e9]}, {"sharpness": 1.0})
    assert np.all(np.diff(scores) > 0)
    assert scores[-1] < 1


def test_a_composite_is_undefined_where_a_measure_that_counts_is() -> None:
    values = {"contrast": [np.nan, 0.8], "exposure": [0.5, 0.5]}
    assert np.isnan(composite(values, {"contrast": 0.5, "exposure": 0.5})).tolist() == [True, False]
    assert composite(values, {"exposure": 1.0}).tolist() == [0.5, 0.5]


def test_only_the_proportions_of_the_weights_count() -> None:
    # (3 * 0.5 + 1 * 0.9) / 4 = 0.6
    values = {"sharpness": [1000.0], "exposure": [0.9]}
    assert composite(values, {"sharpness": 3.0, "exposure": 1.0}).tolist() == pytest.approx([0.6], rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "words"),
    [({}, "at least one"), ({"blur": 1.0}, "no such measure: blur"), ({"sharpness": 1.0}, "no values of sharpness")],
)
def test_a_composite_of_nothing_or_of_what_is_not_there_is_refused(weights: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        composite({"exposure": [0.5]}, weights)


def test_the_weights_of_each_composite_add_up_to_one() -> None:
    for weights in COMPOSITES.values():
        assert list(weights) == list(MEASURES)
        assert sum(weights.values()) == pytest.approx(1.0)


@settings(max_examples=25, deadline=None)
@given(height=st.integers(2, 80), width=st.integers(2, 40), seed=st.integers(0, 2**16))
def test_every_measure_agrees_with_plain_numpy(height: int, width: int, seed: int) -> None:
    photo = noise(height, width, seed)
    grey = grey_of(photo)
    kernel = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], dtype=float)
    red, green, blue = photo.astype(float).transpose(2, 0, 1)
    rg, yb = red - green, (red + green) / 2 - blue
    shares = np.bincount(grey.ravel(), minlength=256) / grey.size
    entropy = -sum(share * math.log(share) for share in shares if share)
    got = photo_measures(photo)
    assert got.sharpness == pytest.approx(convolve(grey.astype(float), kernel, mode="mirror").var(), rel=1e-9)
    assert got.contrast == pytest.approx(grey.std() / grey.mean(), rel=1e-9)
    assert got.exposure == pytest.approx(
        0.5 * (1 - np.isin(grey, (0, 255)).mean()) + 0.5 * entropy / math.log(256), rel=1e-9
    )
    assert got.colorfulness == pytest.approx(
        math.hypot(rg.std(), yb.std()) + 0.3 * math.hypot(rg.mean(), yb.mean()), rel=1e-9
    )
    assert got.undefined is None


def test_measures_of_a_black_photo_say_what_is_undefined() -> None:
    got = photo_measures(np.zeros((16, 16, 3), np.uint8))
    assert got == (0.0, None, 0.0, 0.0, ALL_BLACK)


def test_blur_lowers_sharpness_and_turning_a_photo_changes_no_measure() -> None:
    photo = noise(60, 90)
    blurred = convolve(photo.astype(float), np.full((3, 3, 1), 1 / 9)).astype(np.uint8)
    assert photo_measures(blurred).sharpness < photo_measures(photo).sharpness
    turned = np.ascontiguousarray(np.rot90(photo))
    assert photo_measures(turned)[:4] == pytest.approx(photo_measures(photo)[:4], rel=1e-12)


@pytest.mark.parametrize("wrong", [np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)])
def test_what_is_no_photo_is_refused(wrong: np.ndarray) -> None:
    with pytest.raises(ValueError, match="8-bit red, green, blue"):
        photo_measures(wrong)


def test_a_grey_picture_of_other_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="of 8 bits"):
        sharpness(np.zeros((4, 4)))
