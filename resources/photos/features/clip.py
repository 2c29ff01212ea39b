"""CLIP as a stage: photos and sentences as directions in one space, by open_clip and its own preprocessing."""

from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from resources.configuration.pairwise import ClipModel
from resources.errors import UserError, did_you_mean, listing
from resources.gpu import GpuResource
from resources.photos.features.model import (
    Record,
    Unavailable,
    centre_of,
    misfit,
    require_finite,
    require_libraries,
    require_safetensors,
)
from resources.photos.weights import CLIP_REPOSITORIES, clip_weights
from resources.runtime.file_hash import sha256_of_file

if TYPE_CHECKING:
    import torch

SETTING = "clip_model"


class ClipEmbedding:
    """A photo's and a sentence's unit vector; their scalar product is the cosine."""

    name = "clip"

    def __init__(self, model: ClipModel, gpu: GpuResource) -> None:
        """Find the weights and note what the numbers will depend on; nothing is loaded yet.

        Raises:
            Unavailable: The weights are not on this machine, or open_clip is not installed.
            UserError: The architecture is unknown or lacks QuickGELU, or the weights are a pickle, damaged or none.
        """
        require_libraries("CLIP")
        if (model.architecture, model.tag) in CLIP_REPOSITORIES:
            _weights_file(model)  # absent weights need no library to be said
        import open_clip
        from open_clip.transform import PreprocessCfg, merge_preprocess_dict

        self._gpu, self._architecture = gpu, model.architecture
        described = open_clip.get_model_config(model.architecture)
        if described is None:
            known = open_clip.list_models()
            raise UserError(
                f"{SETTING}.architecture: open_clip knows no '{model.architecture}'"
                f"{did_you_mean(model.architecture, known)}. It has {listing(known)}."
            )
        published = open_clip.get_pretrained_cfg(model.architecture, model.tag)
        if (model.tag == "openai" or published.get("quick_gelu")) and not described.get("quick_gelu"):
            raise UserError(
                f"{SETTING}.architecture: weights '{model.tag}' were trained with QuickGELU, which "
                f"'{model.architecture}' has not. Write '{model.architecture}-quickgelu'."
            )
        self._path = _weights_file(model)
        side = described["vision_cfg"]["image_size"]
        # What open_clip itself does for a tag; a weights file has none, so it is passed.
        self._preprocessing: dict[str, Any] = merge_preprocess_dict(asdict(PreprocessCfg()), published) | {"size": side}
        self._sees_centre = self._preprocessing["resize_mode"] == "shortest"
        self.side_px = int(max(side)) if isinstance(side, Sequence) else int(side)
        self.width = int(described["embed_dim"])
        self.record: Record = {
            "model": model.architecture,
            "tag": model.tag,
            "weights_sha256": sha256_of_file(self._path),
            "preprocessing": self._preprocessing,
            "feature": "image embedding, normalised",
            "precision": gpu.precision,
            "versions": {name: version(name) for name in ("open_clip_torch", "torch", "torchvision", "pillow")},
        }
        self._key = f"CLIP {model.architecture} {self.record['weights_sha256']}"

    def open(self) -> bool:
        """Load the model, before photos are prepared in threads; False where that was done already."""
        from open_clip.transform import PreprocessCfg, image_transform_v2

        loaded = self._gpu.holds(self._key)
        self._model = self._gpu.model(self._key, self._load)
        self._transform = image_transform_v2(PreprocessCfg(**self._preprocessing), is_train=False)
        return not loaded

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        """The photo as the model's own preprocessing makes it, one input without a batch axis."""
        return self._transform(centre_of(photo) if self._sees_centre else photo)

    def embed(self, batch: "torch.Tensor") -> NDArray[np.float32]:
        """One unit vector per input."""
        return _unit(self._gpu.infer(self._key, self._model.encode_image, batch))

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per sentence."""
        import open_clip

        self.open()
        tokens = open_clip.get_tokenizer(self._architecture)(list(texts))
        return _unit(self._gpu.infer(f"{self._key} text", self._model.encode_text, tokens))

    def _load(self) -> Any:
        import open_clip

        try:
            # Given a file and no tag, it asks no network.
            model = open_clip.create_model(self._architecture, pretrained=str(self._path), weights_only=True)
        except Exception as error:
            # Of weights of another form it raises whatever its reading runs into.
            raise misfit(SETTING, self._path, self._architecture, error) from error
        require_finite(model, SETTING, self._path)
        return model


def _weights_file(model: ClipModel) -> Path:
    if model.weights is not None:
        require_safetensors(model.weights, f"{SETTING}.weights")
        return model.weights
    found = clip_weights(model.architecture, model.tag)
    if found.path is None:
        raise Unavailable(found.lacking("open_clip_model.safetensors", f"{SETTING}.weights"))
    require_safetensors(Path(found.path), f"{SETTING}, from the hub's cache")
    return Path(found.path)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
