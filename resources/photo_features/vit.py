"""ViT as a stage: the class token of a vision transformer, by transformers and the model's own processor."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from resources.configuration.pairwise import VitModel
from resources.errors import UserError
from resources.file_hash import sha256_of_file
from resources.gpu import GpuResource
from resources.photo_features.model import Record, Unavailable, conversion, misfit, require_safetensors
from resources.weights import vit_weights

if TYPE_CHECKING:
    import torch

SETTING = "vit_model"
WEIGHTS, ARCHITECTURE, PROCESSOR = "model.safetensors", "config.json", "preprocessor_config.json"


class VitEmbedding:
    """The last layer's class token, normalised by the layer norm that the model ends with."""

    name = "vit"

    def __init__(self, model: VitModel, gpu: GpuResource) -> None:
        """Find the weights and note what the numbers will depend on; nothing is loaded yet.

        Raises:
            Unavailable: The weights are not on this machine.
            UserError: The weights are a pickle or damaged, or a file beside them is missing or wrong.
        """
        self._gpu, self._repository = gpu, model.repository
        self._folder = _weights_folder(model)
        described, processing = (_json_of(self._folder / name) for name in (ARCHITECTURE, PROCESSOR))
        self.side_px, self.width = int(described["image_size"]), int(described["hidden_size"])
        self.record: Record = {
            "model": model.repository,
            "weights_sha256": sha256_of_file(self._folder / WEIGHTS),
            "architecture": described,
            "preprocessing": processing,
            "feature": "class token of the last layer",
            "precision": gpu.precision,
            "versions": {name: version(name) for name in ("transformers", "torch", "pillow")},
        }
        self._key = f"ViT {model.repository} {self.record['weights_sha256']}"

    def open(self) -> None:
        """Load the model; done once, before photos are prepared in threads."""
        from transformers import AutoImageProcessor

        self._model = self._gpu.model(self._key, self._load)
        # Pillow's resizing is the one the model was published with, and keeps to the thread that asks for it.
        self._processor = AutoImageProcessor.from_pretrained(self._folder, local_files_only=True, backend="pil")

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        """The photo as the model's own preprocessing makes it, one input without a batch axis."""
        prepared: torch.Tensor = self._processor(images=photo, return_tensors="pt")["pixel_values"][0]
        return prepared

    def embed(self, batch: "torch.Tensor") -> NDArray[np.float32]:
        """One row per input."""
        return self._gpu.infer(self._key, self._class_token, batch)

    def _class_token(self, batch: "torch.Tensor") -> "torch.Tensor":
        tokens: torch.Tensor = self._model(pixel_values=batch).last_hidden_state
        return tokens[:, 0]

    def _load(self) -> Any:
        from transformers import ViTModel

        try:
            model, report = ViTModel.from_pretrained(
                self._folder,
                local_files_only=True,
                use_safetensors=True,
                add_pooling_layer=False,
                output_loading_info=True,
            )
        except (RuntimeError, ValueError) as error:
            raise misfit(SETTING, self._folder, self._repository, error) from error
        # What the file lacks is filled with random numbers and a warning, which would pass for a result.
        if report["missing_keys"]:
            raise misfit(
                SETTING, self._folder, self._repository, f"missing: {', '.join(sorted(report['missing_keys']))}"
            )
        return model


def _weights_folder(model: VitModel) -> Path:
    folder = model.weights
    if folder is None:
        found = vit_weights(model.repository)
        if found.path is None:
            raise Unavailable(f"{found.sentence}; without one, copy its folder here and set `{SETTING}.weights`")
        folder = Path(found.path).parent
    elif not folder.is_dir():
        raise Unavailable(f"{SETTING}.weights: there is no folder {folder}. Put the model there, or correct the path.")
    pickled = folder / "pytorch_model.bin"
    if not (folder / WEIGHTS).is_file() and pickled.is_file():
        raise UserError(
            f"{SETTING}.weights: {folder} has its weights as a pickle only ({pickled.name}), which can run any code "
            f"when it is read, and is refused. Convert it where you trust it: {conversion(pickled)} and name it "
            f"{WEIGHTS}."
        )
    require_safetensors(folder / WEIGHTS, f"{SETTING}.weights")
    return folder


def _json_of(path: Path) -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{SETTING}: {path} is missing. Copy the model's whole folder.") from error
    except ValueError as error:
        raise UserError(f"{SETTING}: {path} is no JSON ({error}). Copy the model's folder again.") from error
    return read
