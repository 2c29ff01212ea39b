"""Texture scale: threads as much wider as asked, about the object's centre, and never any background."""

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.images.alterations.texture_scale import scaled_texture
from tests.analysis.images.alterations.plain_objects import FORMS, SIDE_PX, coloured, outline


def corduroy(mask: NDArray[np.bool_], wavelength_px: float) -> NDArray[np.uint8]:
    """Upright ribs, light at the middle of the frame; levels 80 to 200."""
    rib = 140 + 60 * np.cos(2 * np.pi * (np.arange(SIDE_PX) - 127.5) / wavelength_px)
    image = coloured(mask, (0, 0, 0))
    image[mask, :3] = np.broadcast_to(rib[None, :, None], (SIDE_PX, SIDE_PX, 3))[mask].round()
    return image


@pytest.mark.parametrize("factor", [1.25, 1.5, 2, 0.8])
def test_ribs_are_as_much_wider_as_the_factor_says(factor: float) -> None:
    mask = outline("square")
    row = scaled_texture(corduroy(mask, 16), mask, factor)[128, 60:196, 0].astype(float)
    power = np.abs(np.fft.rfft(row - row.mean(), 4096))
    assert 4096 / power.argmax() == pytest.approx(16 * factor, rel=0.03)


def test_the_middle_of_the_object_stays_where_it_is() -> None:
    # The square spans 48 to 207, so that its centre 127.5 lies on a light rib: there it is as light as before.
    mask = outline("square")
    image = corduroy(mask, 40)
    altered = scaled_texture(image, mask, 2)
    np.testing.assert_allclose(altered[128, 126:130, 0].astype(int), image[128, 126:130, 0], atol=2)
    # What was a dark rib 20 px to the right now stands 40 px to the right.
    assert image[128, 147, 0] < 85
    assert altered[128, 167, 0] < 85


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("factor", [1.25, 2, 3, 0.4])
def test_no_background_is_drawn_in_whatever_gaps_the_object_has(form: str, factor: float) -> None:
    mask = outline(form)
    for transparent in (False, True):
        image = coloured(mask, (190, 120, 150), transparent)
        np.testing.assert_array_equal(scaled_texture(image, mask, factor), image)


def test_the_dark_rim_of_a_render_on_black_is_not_drawn_into_the_surface() -> None:
    mask = outline("square")
    image = coloured(mask, (190, 120, 150))
    image[mask & ~np.pad(mask[50:206, 50:206], 50), :3] = 30
    np.testing.assert_array_equal(
        scaled_texture(image, mask, 2)[mask], np.uint8([[190, 120, 150, 255]]).repeat(mask.sum(), 0)
    )


def test_a_factor_of_one_changes_nothing_and_none_is_refused() -> None:
    mask = outline("ring")
    image = corduroy(mask, 12)
    np.testing.assert_array_equal(scaled_texture(image, mask, 1), image)
    with pytest.raises(ValueError, match="cannot be scaled by 0"):
        scaled_texture(image, mask, 0)
