"""Hue, saturation, brightness: what changes, by how much, and what stays, held to another implementation of CIELAB."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from analysis.images.alterations.colour import scaled_brightness, scaled_saturation, shifted_hue, to_lab
from analysis.images.alterations.surface import to_linear, to_stored
from tests.analysis.images.alterations.plain_objects import coloured, lightness_chroma_hue, noisy, outline

MASK = outline("square")
# Colours of middling chroma, whose turned or paler relatives sRGB has too.
MUTED = [(170, 110, 100), (110, 140, 120), (100, 110, 150), (150, 130, 90), (200, 180, 190)]


def of_object(altered: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return altered[MASK][:1, :3]


@pytest.mark.parametrize("colour", MUTED)
@pytest.mark.parametrize("degrees", [5, 10, 20, 40, -40])
def test_hue_turns_by_the_degrees_and_lightness_and_chroma_stay(colour: tuple[int, int, int], degrees: float) -> None:
    before = lightness_chroma_hue(np.array([colour], np.uint8))[:, 0]
    after = lightness_chroma_hue(of_object(shifted_hue(coloured(MASK, colour), MASK, degrees)))[:, 0]
    assert after[0] == pytest.approx(before[0], abs=0.5)
    assert after[1] == pytest.approx(before[1], abs=0.7)
    turned = (after[2] - before[2] + 180) % 360 - 180
    # Half a level of 255 is about 0.4 units of a* or b*.
    assert turned == pytest.approx(degrees, abs=np.degrees(0.6 / before[1]))


@pytest.mark.parametrize("factor", [0.75, 0.5, 0.25])
@pytest.mark.parametrize("colour", [*MUTED, (255, 0, 0), (0, 0, 255)])
def test_saturation_scales_chroma_and_lightness_and_hue_stay(colour: tuple[int, int, int], factor: float) -> None:
    before = lightness_chroma_hue(np.array([colour], np.uint8))[:, 0]
    after = lightness_chroma_hue(of_object(scaled_saturation(coloured(MASK, colour), MASK, factor)))[:, 0]
    assert after[0] == pytest.approx(before[0], abs=0.5)
    assert after[1] == pytest.approx(factor * before[1], abs=0.8)
    turned = (after[2] - before[2] + 180) % 360 - 180
    assert abs(turned) < np.degrees(0.8 / after[1])


def test_where_srgb_has_no_such_colour_chroma_gives_way_and_lightness_and_hue_are_kept() -> None:
    # Pure blue, L* 32, C* 134 at 306 degrees: 40 degrees on, sRGB reaches far less chroma at that lightness.
    before = lightness_chroma_hue(np.array([(0, 0, 255)], np.uint8))[:, 0]
    after = lightness_chroma_hue(of_object(shifted_hue(coloured(MASK, (0, 0, 255)), MASK, 40)))[:, 0]
    assert after[0] == pytest.approx(before[0], abs=1)
    assert (after[2] - before[2]) % 360 == pytest.approx(40, abs=1.5)
    assert after[1] < 0.8 * before[1]


def test_greys_have_no_hue_to_turn() -> None:
    for level in (0, 20, 128, 255):
        image = coloured(MASK, (level, level, level))
        np.testing.assert_array_equal(shifted_hue(image, MASK, 40), image)


def test_turning_back_and_forth_returns_the_colours_but_for_rounding() -> None:
    image = noisy(MASK, low=90, high=150)
    back = shifted_hue(shifted_hue(image, MASK, 20), MASK, -20)
    assert np.abs(back.astype(int) - image).max() <= 2


def test_a_turn_of_nothing_and_a_factor_of_one_change_nothing() -> None:
    image = noisy(MASK, low=0, high=256)
    np.testing.assert_array_equal(shifted_hue(image, MASK, 0), image)
    np.testing.assert_array_equal(scaled_saturation(image, MASK, 1), image)
    np.testing.assert_array_equal(scaled_brightness(image, MASK, 1), image)


def test_no_saturation_is_grey_of_the_same_lightness() -> None:
    altered = of_object(scaled_saturation(coloured(MASK, (200, 60, 90)), MASK, 0))[0]
    assert np.ptp(altered.astype(int)) == 0


def test_brightness_multiplies_linear_light() -> None:
    # 200/255 is 0.5776 of the light; 0.6 of it, 0.3465, is stored as 1.055 * 0.3465^(1/2.4) - 0.055 = 0.6234: 159.
    # 100/255: 0.1274 -> 0.0765 -> 0.3066: 78. 50/255: 0.0319 -> 0.0191 -> 0.1473: 38.
    altered = of_object(scaled_brightness(coloured(MASK, (200, 100, 50)), MASK, 0.6))[0]
    assert altered.tolist() == [159, 78, 38]


@pytest.mark.parametrize("factor", [0.9, 0.75, 0.6])
def test_less_brightness_keeps_chromaticity(factor: float) -> None:
    image = coloured(MASK, (180, 120, 90))
    before = to_linear(image[MASK][0, :3])
    after = to_linear(of_object(scaled_brightness(image, MASK, factor))[0])
    np.testing.assert_allclose(after / before, factor, rtol=0.02)


def test_a_negative_factor_is_refused() -> None:
    image = coloured(MASK, (180, 120, 90))
    with pytest.raises(ValueError, match="chroma cannot"):
        scaled_saturation(image, MASK, -0.1)
    with pytest.raises(ValueError, match="light cannot"):
        scaled_brightness(image, MASK, -0.1)


@settings(max_examples=50, deadline=None)
@given(colours=st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=20))
def test_cielab_agrees_with_scikit_image(colours: list[tuple[int, int, int]]) -> None:
    from skimage.color import rgb2lab

    stored = np.array(colours, np.uint8)
    np.testing.assert_allclose(to_lab(stored).T, rgb2lab(stored[None] / 255.0)[0], atol=0.02)


def test_every_stored_value_survives_the_way_to_light_and_back() -> None:
    levels = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(to_stored(to_linear(levels)), levels)
    assert to_stored(np.array([-1.0, 2.0])).tolist() == [0, 255]
