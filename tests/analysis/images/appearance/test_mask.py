"""The object is found whatever its background, and cut out at one size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.images.appearance.mask import LEAST_SHARE, has_background, isolated, object_mask, shows_nothing
from tests.analysis.images.appearance.surfaces import SIDE_PX, cloth, cut_out, silhouette


def test_transparency_decides_where_there_is_any():
    disc = silhouette("disc")
    picture = cut_out(cloth(20), disc, transparent=True)
    picture[~disc, :3] = 200  # colours hidden behind transparency
    np.testing.assert_array_equal(object_mask(picture), disc)


def test_black_that_touches_the_border_is_background():
    disc = silhouette("disc")
    np.testing.assert_array_equal(object_mask(cut_out(cloth(20), disc)), disc)


def test_black_inside_the_object_belongs_to_it():
    disc = silhouette("disc")
    picture = cut_out(cloth(20), disc)
    picture[150:170, 150:170, :3] = 0
    np.testing.assert_array_equal(object_mask(picture), disc)


def test_noise_of_a_saved_jpeg_is_still_background():
    disc = silhouette("disc")
    picture = cut_out(cloth(20), disc)
    noise = np.random.default_rng(1).integers(0, 8, size=(SIDE_PX, SIDE_PX, 3), dtype=np.uint8)
    picture[~disc, :3] = noise[~disc]
    np.testing.assert_array_equal(object_mask(picture), disc)


@pytest.mark.parametrize("alpha", [0, 255])
def test_a_frame_without_an_object_is_judged_as_the_frame_it_is(alpha):
    picture = np.zeros((40, 40, 4), np.uint8)
    picture[..., 3] = alpha
    assert object_mask(picture).all()


@pytest.mark.parametrize("reads", [object_mask, shows_nothing])
def test_an_image_that_is_not_rgba_is_refused(reads):
    with pytest.raises(ValueError, match="RGBA image of 8 bits"):
        reads(np.zeros((40, 40, 3), np.uint8))


def opaque(level):
    picture = np.full((100, 100, 4), level, np.uint8)
    picture[..., 3] = 255
    return picture


def test_a_frame_all_black_or_all_transparent_shows_nothing():
    assert shows_nothing(opaque(0))
    assert shows_nothing(opaque(8))  # noise of a saved JPEG
    clear = opaque(200)
    clear[..., 3] = 127
    assert shows_nothing(clear)


def test_an_object_however_dark_or_small_is_seen():
    assert not shows_nothing(opaque(9))
    black_on_clear = opaque(0)
    black_on_clear[:50, :, 3] = 0
    assert not shows_nothing(black_on_clear)
    # A thousandth of 100 x 100 pixels is 10 pixels; none of row 1 lies on the rows that are looked at first.
    for width, nothing in ((9, True), (10, False)):
        speck = opaque(0)
        speck[1, :width, :3] = 200
        assert shows_nothing(speck) is nothing
    ring = opaque(0)  # black that a thin line encloses is part of the object
    ring[[1, 2], 1:3, :3] = 200
    ring[1:7:5, 1:7, :3] = 200
    ring[1:7, 1:7:5, :3] = 200
    assert not shows_nothing(ring)


@given(arrays(np.uint8, (12, 12, 4), elements=st.sampled_from([0, 8, 9, 127, 128, 255])))
def test_what_shows_nothing_is_what_the_mask_gives_up_on(picture):
    whole = bool(object_mask(picture).all())
    assert whole or not shows_nothing(picture)
    if shows_nothing(picture):
        assert ((picture[..., 3] >= 128) & (picture[..., :3].max(axis=2) > 8)).mean() < LEAST_SHARE


def test_the_object_covers_the_same_area_whatever_its_size_in_the_frame():
    areas = [isolated(cut_out(cloth(20), silhouette("disc", size)), 100, 2, 400).mask.sum() for size in (120, 260)]
    # A disc of 10,000 px has radius 56.4. A square brush of 2 px takes off 2 * 4 / pi = 2.55 px on average over the
    # directions, the mixed edge half a pixel: pi * 53.4^2 = 8950.
    assert areas == pytest.approx([8950, 8950], rel=0.01)


def test_no_black_bleeds_into_the_object():
    flat = np.full((SIDE_PX, SIDE_PX, 3), 180, np.uint8)
    for transparent in (False, True):
        alone = isolated(cut_out(flat, silhouette("ellipse"), transparent), 100, 2, 400)
        np.testing.assert_allclose(alone.rgb, 180 / 255, atol=1e-5)


def test_an_object_of_thin_bars_keeps_some_pixels():
    bars = np.zeros((SIDE_PX, SIDE_PX), bool)
    bars[40:280, 60:64] = bars[40:280, 200:204] = True
    assert isolated(cut_out(cloth(20), bars), 208, 3, 640).mask.any()


def test_a_background_is_what_fills_most_of_the_border():
    assert has_background(opaque(250))
    assert not has_background(opaque(8))
    framed = opaque(250)
    framed[:, :, 3] = 255
    framed[0], framed[-1], framed[:, 0], framed[:, -1] = 0, 0, 0, 0
    assert not has_background(framed)
