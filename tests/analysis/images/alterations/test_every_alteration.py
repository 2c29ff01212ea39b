"""What holds for every alteration: the object only, alpha as it was, and clear words for what cannot be altered."""

import hashlib
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from analysis.images.alterations.blur import blurred_object
from analysis.images.alterations.colour import scaled_brightness, scaled_saturation, shifted_hue
from analysis.images.alterations.logo import logo_patch
from analysis.images.alterations.reencoding import reencoded
from analysis.images.alterations.stripes import Relief, stripes
from analysis.images.alterations.surface import CannotAlter, changed_share
from analysis.images.alterations.texture_scale import scaled_texture
from tests.analysis.images.alterations.plain_objects import FORMS, noisy, outline

Alter = Callable[[NDArray[np.uint8], NDArray[np.bool_]], NDArray[np.uint8]]
ALTERATIONS: dict[str, Alter] = {
    **{f"stripes_{blend}": lambda i, m, b=blend: stripes(i, m, 0.5, blend=b) for blend in ("multiply", "overlay")},
    "stripes_normal": lambda i, m: stripes(i, m, 0.7, blend="normal"),
    "stripes_shaded": lambda i, m: stripes(i, m, 0.7, relief=Relief()),
    "hue": lambda i, m: shifted_hue(i, m, 40),
    "saturation": lambda i, m: scaled_saturation(i, m, 0.5),
    "brightness": lambda i, m: scaled_brightness(i, m, 0.75),
    "blur": lambda i, m: blurred_object(i, m, 4),
    "texture_larger": lambda i, m: scaled_texture(i, m, 2),
    "texture_smaller": lambda i, m: scaled_texture(i, m, 0.5),
    "logo": lambda i, m: logo_patch(i, m, 0.2),
    "reencoded": reencoded,
}
every_alteration = pytest.mark.parametrize("alter", ALTERATIONS.values(), ids=ALTERATIONS)


def assert_only_the_object_changed(
    image: NDArray[np.uint8], mask: NDArray[np.bool_], altered: NDArray[np.uint8]
) -> None:
    assert altered.shape == image.shape
    assert altered.dtype == np.uint8
    np.testing.assert_array_equal(altered[~mask], image[~mask])
    np.testing.assert_array_equal(altered[..., 3:], image[..., 3:])


@every_alteration
@pytest.mark.parametrize("form", FORMS)
def test_an_alteration_changes_the_object_and_not_one_bit_of_its_surroundings_or_alpha(alter: Alter, form: str) -> None:
    mask = outline(form)
    rng = np.random.default_rng(7)
    image = rng.integers(0, 256, (*mask.shape, 4), dtype=np.uint8)
    before = image.copy()
    altered = alter(image, mask)
    assert_only_the_object_changed(image, mask, altered)
    np.testing.assert_array_equal(image, before)
    assert changed_share(image, altered, mask) > 0.1


@every_alteration
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(3, 70),
    width=st.integers(3, 70),
    channels=st.sampled_from([3, 4]),
)
def test_any_picture_and_mask_is_altered_inside_the_mask_or_refused(
    alter: Alter, seed: int, height: int, width: int, channels: int
) -> None:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 256, (height, width, channels), dtype=np.uint8)
    mask = rng.uniform(size=(height, width)) < rng.uniform()
    with suppress(CannotAlter):
        assert_only_the_object_changed(image, mask, alter(image, mask))


@every_alteration
def test_the_same_picture_is_altered_in_the_same_way(alter: Alter) -> None:
    mask = outline("ellipse")
    np.testing.assert_array_equal(alter(noisy(mask), mask), alter(noisy(mask), mask))


def test_every_machine_makes_the_same_bytes() -> None:
    # As made on an x86 processor with AVX-512 and again with all of it switched off; NumPy's PCG64 draws the picture.
    digest = hashlib.sha256()
    for form in FORMS:
        mask = outline(form)
        image = np.random.default_rng(7).integers(0, 256, (*mask.shape, 4), dtype=np.uint8)
        for alter in ALTERATIONS.values():
            digest.update(alter(image, mask).tobytes())
    assert digest.hexdigest() == "ee9c284700f8b9405ab5ce740c2b621787f569ca94895f03cda56663a860b264"


@every_alteration
def test_a_picture_without_an_object_is_refused(alter: Alter) -> None:
    image = np.zeros((32, 32, 4), np.uint8)
    with pytest.raises(CannotAlter, match="shows no object"):
        alter(image, np.zeros((32, 32), np.bool_))


@every_alteration
def test_what_is_no_8_bit_picture_or_has_a_mask_of_another_size_is_refused(alter: Alter) -> None:
    mask = np.ones((32, 32), np.bool_)
    with pytest.raises(ValueError, match="RGB or RGBA image of 8 bits"):
        alter(np.zeros((32, 32, 4), np.float32), mask)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the mask has shape"):
        alter(np.zeros((32, 31, 4), np.uint8), mask)


def test_the_share_that_changed_counts_pixels_of_the_object() -> None:
    # The object has 4 pixels; 1 of them differs, and so does one next to the object: 1/4.
    image = np.zeros((2, 3, 4), np.uint8)
    mask = np.array([[True, True, False], [True, True, False]])
    altered = image.copy()
    altered[0, 0, 2] = altered[1, 2, 0] = 9
    assert changed_share(image, altered, mask) == 0.25
