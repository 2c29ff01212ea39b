"""Photos much longer than wide: a model that sees the centre is not given the rest, and sees the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from resources.gpu import GpuResource
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.model import centre_of
from resources.photos.features.vit import VitEmbedding
from tests.resources.photos.features.made_photos import write_clip, write_vit


def waves(width: int, height: int) -> Image.Image:
    """Smooth in both directions, and different everywhere."""
    down, right = np.mgrid[0:height, 0:width]
    red = 128 + 100 * np.sin(right / 9.0 + down / 31.0)
    green = 128 + 100 * np.sin(right / 23.0)
    blue = 255.0 * right / width
    return Image.fromarray(np.stack([red, green, blue], axis=2).astype(np.uint8))


@pytest.fixture
def clip(tmp_path: Path) -> ClipEmbedding:
    model = ClipEmbedding(write_clip(tmp_path / "clip"), GpuResource(device="cpu"))
    model.open()
    return model


@pytest.mark.parametrize("size", [(64, 64), (300, 100), (100, 400), (75, 53)])
def test_a_photo_of_ordinary_shape_is_left_as_it_is(clip: ClipEmbedding, size: tuple[int, int]) -> None:
    import torch

    photo = waves(*size)
    assert centre_of(photo) is photo
    assert torch.equal(clip.prepare(photo), clip._transform(photo))


@pytest.mark.parametrize("size", [(6001, 40), (6000, 40), (2000, 101), (40, 6001), (5000, 16)])
def test_a_panorama_gives_the_model_what_it_gave_before(clip: ClipEmbedding, size: tuple[int, int]) -> None:
    photo = waves(*size)
    assert max(centre_of(photo).size) <= 4 * min(size) + 1
    ours, whole = clip.prepare(photo), clip._transform(photo)
    # Up to half a pixel apart, as the whole photo's length is rounded to a pixel.
    apart = (ours - whole).abs().max()
    moved = (whole[:, 1:, 1:] - whole[:, :-1, :-1]).abs().max()
    assert apart <= 0.6 * moved


def test_the_middle_stays_the_middle() -> None:
    for longer in (1000, 1001):
        row = np.arange(longer) % 256
        photo = Image.fromarray(np.tile(row, (20, 1)).astype(np.uint8))
        kept = np.asarray(centre_of(photo))[0]
        start = (longer - kept.size) // 2
        assert (longer - kept.size) % 2 == 0
        assert np.array_equal(kept, row[start : start + kept.size])


@pytest.mark.parametrize(
    "processing",
    [
        {"size": {"height": 32, "width": 32}},
        {"size": {"height": 36, "width": 36}, "do_center_crop": True, "crop_size": {"height": 32, "width": 32}},
    ],
)
def test_a_model_that_squeezes_the_whole_photo_still_sees_all_of_it(tmp_path: Path, processing: dict[str, Any]) -> None:
    from transformers import ViTImageProcessor

    model = write_vit(tmp_path / "vit")
    ViTImageProcessor(**processing).save_pretrained(tmp_path / "vit")
    vit = VitEmbedding(model, GpuResource(device="cpu"))
    vit.open()
    # Black but for the last third: cut to the middle, nothing would be left of it.
    photo = Image.new("RGB", (900, 20))
    photo.paste((255, 255, 255), (600, 0, 900, 20))
    seen = vit.prepare(photo)
    assert seen[0, 0, -1] > seen[0, 0, 0]
