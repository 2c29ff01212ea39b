"""Photos that tests write, tiny models with weights that tests write, and features made of both."""

import json
import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from upath import UPath

from resources.configuration.pairwise import ClipModel, PairwiseStudy, VitModel
from resources.gpu import GpuResource
from resources.photos.features.run import FeaturesMade, Work, make_features
from resources.photos.features.stages import stages_of
from resources.runtime.progress import Advance

TINY_CLIP = "tiny-clip-quickgelu"
LOG = logging.getLogger("tests.photo_features")
CPU = GpuResource(device="cpu", batch_size=4)


class Counted:
    """Progress that notes how many of what there were."""

    def __init__(self) -> None:
        self.totals: dict[str, int] = {}
        self.done = 0

    def track(self, what: str, total: int, log: logging.Logger) -> AbstractContextManager[Advance]:
        self.totals[what] = total
        return nullcontext(self._advance)

    def _advance(self, done: int = 1) -> None:
        self.done += done


def write_photo(path: Path, seed: int, height: int = 48, width: int = 64) -> Path:
    """A picture with coarse structure, different for each seed."""
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC))
    return path


def write_photos(folder: Path, n: int) -> dict[str, str]:
    """Names p0, p1, ... and paths of as many photos."""
    return {f"p{number}": str(write_photo(folder / f"p{number}.png", number)) for number in range(n)}


def write_clip(folder: Path, seed: int = 0, **changed: Any) -> ClipModel:
    """A CLIP of two narrow layers, known to open_clip by its own configuration file, with random weights."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    described = {
        "embed_dim": 8,
        "quick_gelu": True,
        "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
        # The sentences' own vocabulary, which the tokenizer gives numbers of.
        "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 2},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{TINY_CLIP}.json").write_text(json.dumps(described | changed))
    open_clip.add_model_config(folder / f"{TINY_CLIP}.json")
    torch.manual_seed(seed)
    weights = folder / "clip.safetensors"
    save_file(open_clip.create_model(TINY_CLIP, pretrained=None).state_dict(), weights)
    return ClipModel(architecture=TINY_CLIP, tag="openai", weights=weights)


def write_vit(folder: Path, seed: int = 0, head: bool = True) -> VitModel:
    """A ViT of two narrow layers with random weights, saved as transformers saves one."""
    import torch
    from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessor, ViTModel

    torch.manual_seed(seed)
    config = ViTConfig(
        image_size=32, patch_size=16, hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24
    )
    # The published model is a classifier, whose last layer is not used.
    (ViTForImageClassification(config) if head else ViTModel(config)).save_pretrained(folder)
    ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return VitModel(repository="tiny/vit", weights=folder)


def study_of(folder: Path, **changed: Any) -> PairwiseStudy:
    """A study whose models are not on this machine, unless it is told of some."""
    plan: dict[str, Any] = {
        "pairs_csv": folder / "pairs.csv",
        "image_root": folder / "photos",
        "decoding_threads": 2,
        "shard_size": 4,
        "clip_attributes": [{"name": "sharpness", "positive": "a sharp photograph", "negative": "a blurry photograph"}],
    }
    return PairwiseStudy(**plan | changed)


def make(
    folder: Path,
    paths: dict[str, str],
    study: PairwiseStudy,
    stages: Sequence[str] = ("rules",),
    progress: Counted | None = None,
    gpu: GpuResource = CPU,
) -> FeaturesMade:
    """The features of these photos below the folder, by what the study names."""
    chosen = stages_of(study, gpu, stages)
    return make_features(Work(UPath(folder / "features"), chosen, study, gpu), paths, progress or Counted(), LOG)
