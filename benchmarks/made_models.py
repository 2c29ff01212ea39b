"""What benchmarks run on without weights: the true architectures with random ones, and photos of any size."""

import json
import logging
from pathlib import Path

import cv2
import numpy as np
import torch
from skimage import data

from resources.configuration.pairwise import ClipModel, VitModel


def write_clip(folder: Path) -> ClipModel:
    """CLIP ViT-B-32 with QuickGELU; only the numbers that it gives are not those of the trained model."""
    import open_clip
    from safetensors.torch import save_file

    # That the weights are random is what is wanted here.
    logging.getLogger().setLevel(logging.ERROR)
    torch.manual_seed(0)
    model = open_clip.create_model("ViT-B-32-quickgelu", pretrained=None)
    weights = folder / "clip.safetensors"
    save_file(model.state_dict(), weights)
    return ClipModel(weights=weights)


def write_vit(folder: Path) -> VitModel:
    """ViT-base, patches of 16 px at 224 px."""
    from transformers import ViTConfig, ViTImageProcessor, ViTModel
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    torch.manual_seed(0)
    ViTModel(ViTConfig(), add_pooling_layer=False).save_pretrained(folder / "vit")
    ViTImageProcessor().save_pretrained(folder / "vit")
    described = json.loads((folder / "vit" / "config.json").read_text())
    assert (described["hidden_size"], described["image_size"]) == (768, 224)
    return VitModel(weights=folder / "vit")


def write_photos(folder: Path, n: int, size_px: tuple[int, int]) -> list[str]:
    """Real photographs enlarged to width and height with a sensor's noise, each another part; their paths."""
    random, paths = np.random.default_rng(0), []
    folder.mkdir(parents=True)
    for number in range(n):
        photo = (data.astronaut, data.coffee, data.chelsea)[number % 3]()
        large = cv2.resize(np.roll(photo, 17 * number, axis=1), size_px, interpolation=cv2.INTER_CUBIC)
        noisy = np.clip(large + random.normal(0.0, 4.0, large.shape).astype(np.float32), 0, 255).astype(np.uint8)
        path = folder / f"{number:06d}.jpg"
        assert cv2.imwrite(str(path), cv2.cvtColor(noisy, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 90])
        paths.append(str(path))
    return paths
