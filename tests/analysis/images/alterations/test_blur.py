"""Blur: the background does not bleed in, the width follows the picture's size, and the rest is a Gaussian."""

import cv2
import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from analysis.images.alterations.blur import blurred_object
from analysis.images.alterations.surface import to_linear
from tests.analysis.images.alterations.plain_objects import FORMS, coloured, noisy, outline


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("transparent", [False, True])
@pytest.mark.parametrize("sigma", [1, 4, 16])
def test_an_object_of_one_colour_stays_of_that_colour_up_to_its_edge(
    form: str, transparent: bool, sigma: float
) -> None:
    mask = outline(form)
    image = coloured(mask, (200, 90, 40), transparent)
    np.testing.assert_array_equal(blurred_object(image, mask, sigma), image)


def test_deep_inside_it_is_the_gaussian_of_scipy() -> None:
    mask = np.ones((128, 128), np.bool_)
    image = noisy(mask)
    # 128 px a side: 8 px at 512 are 2 here.
    seen = to_linear(blurred_object(image, mask, 8)[..., :3])[30:-30, 30:-30]
    light = to_linear(image[..., :3]).astype(float)
    expected = np.dstack([gaussian_filter(light[..., channel], 2, truncate=3) for channel in range(3)])[30:-30, 30:-30]
    np.testing.assert_allclose(seen, expected, atol=0.005)


@pytest.mark.parametrize(("shape", "sigma"), [((512, 512), 2.0), ((256, 512), 2.0), ((512, 1024), 4.0)])
def test_the_width_grows_with_the_longer_side(shape: tuple[int, int], sigma: float) -> None:
    # A white line on grey of linear 0.05: its light spreads to a Gaussian whose standard deviation is the sigma.
    mask = np.ones(shape, np.bool_)
    image = coloured(mask, (63, 63, 63))
    middle = shape[1] // 2
    image[:, middle, :3] = 255
    profile = to_linear(blurred_object(image, mask, 2.0)[shape[0] // 2, :, 0]).astype(float)
    profile = profile[middle - 30 : middle + 31] - profile[0]
    places = np.arange(-30, 31)
    assert np.sqrt((profile * places**2).sum() / profile.sum()) == pytest.approx(sigma, rel=0.05)


def test_more_sigma_leaves_less_detail() -> None:
    mask = outline("square")
    image = noisy(mask)
    inner = cv2.erode(mask.astype(np.uint8), np.ones((9, 9))) > 0
    spread = [blurred_object(image, mask, sigma)[inner][:, 0].std() for sigma in (1, 2, 4)]
    assert image[inner][:, 0].std() > spread[0] > spread[1] > spread[2]


def test_a_dark_rim_where_black_is_mixed_in_does_not_spread_inwards() -> None:
    mask = outline("square")
    image = coloured(mask, (200, 200, 200))
    rim = mask & (cv2.erode(mask.astype(np.uint8), np.ones((3, 3))) == 0)
    image[rim, :3] = 60
    altered = blurred_object(image, mask, 8)
    np.testing.assert_array_equal(altered[mask][:, 0], 200)


def test_a_blur_without_width_is_refused() -> None:
    mask = outline("square")
    with pytest.raises(ValueError, match="sigma 0"):
        blurred_object(coloured(mask, (9, 9, 9)), mask, 0)
