"""The sentinel that was saved once more: other bits, the same picture to any eye."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from analysis.images.alterations.reencoding import reencoded
from analysis.images.alterations.surface import CannotAlter
from analysis.images.appearance.mask import object_mask
from resources.photos.images import load_image
from tests.analysis.images.alterations.plain_objects import coloured, noisy, outline

if TYPE_CHECKING:
    from pipeline.samples.fidelity import FidelitySamples


@pytest.mark.slow
def test_real_renders_differ_by_a_few_levels_at_most_and_by_less_than_one_on_the_whole(
    fidelity_samples: "FidelitySamples",
) -> None:
    for path in sorted(fidelity_samples.candidates.rglob("*.webp"))[::12]:
        image = load_image(path)
        mask = object_mask(image)
        difference = np.abs(reencoded(image, mask).astype(int) - image)[mask]
        assert 0 < difference.max() <= 10
        assert difference.mean() < 1


def test_colours_keep_their_full_resolution() -> None:
    # Columns of red and blue in turn: halved colour resolution would turn them all purple.
    mask = outline("square")
    image = coloured(mask, (200, 30, 30))
    image[:, ::2][mask[:, ::2]] = (30, 30, 200, 255)
    assert np.abs(reencoded(image, mask).astype(int) - image).max() <= 10


def test_less_quality_loses_more() -> None:
    mask = outline("ellipse")
    image = noisy(mask)
    loss = [np.abs(reencoded(image, mask, quality=quality).astype(int) - image).mean() for quality in (100, 90, 50)]
    assert loss[0] < loss[1] < loss[2]


def test_a_picture_larger_than_a_jpeg_may_be_is_left_out_with_the_reason() -> None:
    image = np.full((4, 65_600, 4), 255, np.uint8)
    with pytest.raises(CannotAlter, match="65600 x 4 px cannot be encoded as JPEG"):
        reencoded(image, np.ones((4, 65_600), dtype=np.bool_))


@pytest.mark.parametrize("quality", [0, 101])
def test_a_quality_that_does_not_exist_is_refused(quality: int) -> None:
    mask = outline("square")
    with pytest.raises(ValueError, match="within 1-100"):
        reencoded(noisy(mask), mask, quality=quality)
