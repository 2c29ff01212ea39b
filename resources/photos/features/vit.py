"""ViT as a stage: the class token of a vision transformer, by transformers and the model's own processor."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from resources.configuration.pairwise import VitModel
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.photos.features.model import (
    Record,
    Unavailable,
    centre_of,
    conversion,
    misfit,
    require_finite,
    require_libraries,
    require_safetensors,
)
from resources.photos.weights import vit_weights
from resources.runtime.file_hash import sha256_of_file

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
            Unavailable: The weights are not on this machine, or transformers is not installed.
            UserError: The weights are a pickle or damaged, or a file next to them is missing or wrong.
        """
        require_libraries("ViT")
        self._gpu, self._described = gpu, f"{model.repository} as {ARCHITECTURE} describes it"
        self._folder = _weights_folder(model)
        described, processing = (_json_of(self._folder / name) for name in (ARCHITECTURE, PROCESSOR))
        self.side_px, self.width = (_number_in(described, key, self._folder) for key in ("image_size", "hidden_size"))
        _require_width(self.width, self._folder)
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

    def open(self) -> bool:
        """Load the model, before photos are prepared in threads; False where that was done already."""
        from transformers import AutoImageProcessor

        try:
            # Pillow's resizing is the one the model was published with, and keeps to the thread that asks for it.
            self._processor = AutoImageProcessor.from_pretrained(self._folder, local_files_only=True, backend="pil")
            made = tuple(self.prepare(Image.new("RGB", (self.side_px, self.side_px))).shape)
        except Exception as error:
            # Of a file that is wrong it raises whatever its reading runs into.
            reason = " ".join(str(error).split())[:300]
            raise _file_fault(self._folder / PROCESSOR, f"cannot be used ({reason}).") from error
        if made != (3, self.side_px, self.side_px):
            raise _file_fault(
                self._folder / PROCESSOR,
                f"makes inputs of shape {made} of photos ('size', 'crop_size'), and {ARCHITECTURE} says that the model "
                f"takes (3, {self.side_px}, {self.side_px}) ('image_size').",
            )
        loaded = self._gpu.holds(self._key)
        self._model = self._gpu.model(self._key, self._load)
        return not loaded

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        """The photo as the model's own preprocessing makes it, one input without a batch axis."""
        size, resample = (getattr(self._processor, name, None) for name in ("size", "resample"))
        width, height, shorter = (getattr(size, name, None) for name in ("width", "height", "shortest_edge"))
        # One that squeezes the photo into a square first sees all of it.
        if shorter is not None and getattr(self._processor, "do_center_crop", False):
            photo = centre_of(photo)
        if (
            shorter is None
            and width
            and height
            and resample is not None
            and getattr(self._processor, "do_resize", False)
        ):
            # As the processor does next, which copies a large photo several times before and leaves one of this size.
            photo = photo.resize((width, height), resample)
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
            with _silent_about_spare_layers():
                model, report = ViTModel.from_pretrained(
                    self._folder,
                    local_files_only=True,
                    use_safetensors=True,
                    add_pooling_layer=False,
                    output_loading_info=True,
                )
        except Exception as error:
            # Of weights of another form it raises whatever its reading runs into.
            raise misfit(SETTING, self._folder, self._described, error) from error
        # What the file lacks is filled with random numbers and a warning, which would pass for a result.
        if report["missing_keys"]:
            raise misfit(
                SETTING, self._folder, self._described, f"missing: {', '.join(sorted(report['missing_keys']))}"
            )
        require_finite(model, SETTING, self._folder / WEIGHTS)
        return model


@contextmanager
def _silent_about_spare_layers() -> Iterator[None]:
    """Load without transformers' bar, and without its report where the file merely has layers that are not used.

    The published model is a classifier, whose last layer is such a one. What else the report finds wrong is shown.
    """
    from transformers.utils import logging as of_transformers

    reporting, bar = logging.getLogger("transformers.modeling_utils"), of_transformers.is_progress_bar_enabled()

    def worth_telling(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        return " LOAD REPORT" not in text or re.search("MISSING|MISMATCH|CONVERSION", text) is not None

    of_transformers.disable_progress_bar()
    reporting.addFilter(worth_telling)
    try:
        yield
    finally:
        reporting.removeFilter(worth_telling)
        if bar:
            of_transformers.enable_progress_bar()


def _weights_folder(model: VitModel) -> Path:
    folder = model.weights
    if folder is None:
        found = vit_weights(model.repository)
        if found.path is None:
            raise Unavailable(found.lacking("folder", f"{SETTING}.weights"))
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
        read: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{SETTING}: {path} is missing. Copy the model's whole folder.") from error
    except ValueError as error:
        raise _file_fault(path, f"is no JSON ({error}).") from error
    if not isinstance(read, dict):
        raise _file_fault(path, f"holds a {type(read).__name__} where names and values belong.")
    return read


def _number_in(described: dict[str, Any], key: str, folder: Path) -> int:
    value = described.get(key)
    if not isinstance(value, int) or value < 1:
        has = f"has '{key}': {json.dumps(value)}" if key in described else f"has no '{key}'"
        raise _file_fault(folder / ARCHITECTURE, f"{has}, where a whole number belongs.")
    return value


def _require_width(width: int, folder: Path) -> None:
    """Compare the width that is described with that of the weights' class token, where they call one so."""
    from safetensors import safe_open

    with safe_open(folder / WEIGHTS, framework="np") as weights:
        tokens = [name for name in weights.keys() if name.endswith("embeddings.cls_token")]  # noqa: SIM118
        widths = {weights.get_slice(name).get_shape()[-1] for name in tokens}
    if widths and width not in widths:
        found = ", ".join(str(one) for one in sorted(widths))
        raise _file_fault(
            folder / ARCHITECTURE, f"has 'hidden_size': {width}, and the weights next to it have {found}."
        )


def _file_fault(path: Path, problem: str) -> UserError:
    return UserError(f"{SETTING}: {path} {problem} Copy the model's folder again.")
