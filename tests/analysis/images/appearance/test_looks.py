"""Temperature and top_p decide how much of an object is in view."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.images.appearance.comparison import patches_in_view, share_in_view
from analysis.images.appearance.descriptors import Patches

PIXELS = np.array([100, 50, 100, 100, 100, 50, 100, 100, 100, 100])
TEXTURE = np.array([5, 1, 9, 3, 7, 2, 8, 4, 6, 10], dtype=np.float32)
SEEN = Patches(PIXELS, np.zeros((10, 1), np.uint16), np.zeros((10, 1), np.float32), TEXTURE)


def test_at_temperature_0_everything_is_in_view():
    chosen = patches_in_view(SEEN, 0.0, 1.0, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen, np.arange(10))


def test_top_p_keeps_the_most_textured_share():
    # By texture: patches 9, 2, 6, 4, 8, 0, ... of 100 px each; half of 900 px is 450, reached with the fifth.
    chosen = patches_in_view(SEEN, 0.0, 0.5, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen, [2, 4, 6, 8, 9])


def test_the_same_seed_sees_the_same_patches():
    first, second = (patches_in_view(SEEN, 0.2, 1.0, np.random.default_rng(8)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@given(temperature=st.floats(0, 2), top_p=st.floats(0.01, 1), seed=st.integers(0, 2**32 - 1))
def test_a_look_holds_its_share_and_no_patch_more(temperature, top_p, seed):
    chosen = patches_in_view(SEEN, temperature, top_p, np.random.default_rng(seed))
    kept = patches_in_view(SEEN, 0.0, top_p, np.random.default_rng(0))
    assert set(chosen) <= set(kept)
    assert len(chosen) == len(set(chosen)) >= 1
    wanted = share_in_view(temperature) * PIXELS[kept].sum()
    assert wanted <= PIXELS[chosen].sum() + 1e-9
    assert PIXELS[chosen].sum() < wanted + PIXELS.max() + 1e-9


@pytest.mark.parametrize(("temperature", "top_p"), [(-0.1, 1.0), (0.2, 0.0), (0.2, 1.1)])
def test_settings_out_of_range_are_refused(temperature, top_p):
    with pytest.raises(ValueError, match="must be at least 0"):
        patches_in_view(SEEN, temperature, top_p, np.random.default_rng(0))
