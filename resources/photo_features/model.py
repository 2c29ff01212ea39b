"""What a model has to offer to become a stage, and the two ways in which its weights can be wrong."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from resources.errors import UserError

if TYPE_CHECKING:
    import torch

Record = Mapping[str, Any]
SAFE: Final = ".safetensors"
# Zip archives (torch since 1.6, TorchScript) and bare pickles.
_PICKLES: Final = (b"PK\x03\x04", b"\x80")


class Unavailable(UserError):
    """A stage cannot be computed here; the message says why and how to provide what it lacks."""


class EmbeddingModel(Protocol):
    """A model that turns a photo into a row of numbers.

    `record` is all that the numbers depend on (name, weights' hash, preprocessing, precision, versions) and is known
    before the model is loaded; `width` is how many numbers a photo gets, `side_px` the side of the model's input.
    """

    name: str
    record: Record
    width: int
    side_px: int

    def open(self) -> None:
        """Load the model; done once, before photos are prepared in threads."""
        ...

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        """The photo as the model's own preprocessing makes it, one input without a batch axis."""
        ...

    def embed(self, batch: "torch.Tensor") -> NDArray[np.float32]:
        """One row of `width` numbers per input."""
        ...


def digest_of(record: Any) -> str:
    """A short text that differs where a record does."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]


def require_safetensors(path: Path, setting: str) -> None:
    """Refuse weights that could run code when they are read, and a file that is damaged.

    Args:
        path: Of the weights.
        setting: Where the path comes from, named in the message.

    Raises:
        Unavailable: There is no such file.
        UserError: It is a pickle, or no whole safetensors file.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise Unavailable(f"{setting}: there is no file {path}. Put the weights there, or correct the path.")
    with path.open("rb") as file:
        beginning = file.read(4)
    if path.suffix != SAFE or beginning.startswith(_PICKLES):
        raise UserError(
            f"{setting}: {path} is a pickle, which can run any code when it is read, and is refused. Convert it where "
            f"you trust it: {conversion(path)}"
        )
    try:
        with safe_open(path, framework="np") as weights:
            weights.keys()
    except SafetensorError as error:
        raise UserError(
            f"{setting}: {path} is cut off or damaged ({error}). Fetch or copy the weights again."
        ) from error


def conversion(path: Path) -> str:
    """The command that makes a safetensors file of a pickled state dict."""
    program = (
        "import torch, safetensors.torch as s; "
        f"s.save_file(torch.load('{path}', weights_only=True), '{path.with_suffix(SAFE)}')"
    )
    return f'python -c "{program}"'


def misfit(setting: str, path: Path, architecture: str, error: object) -> UserError:
    """The error for weights of another architecture than the one that is configured."""
    reason = " ".join(str(error).split())[:300]
    return UserError(
        f"{setting}: the weights in {path} do not fit {architecture} ({reason}). Name the architecture that they "
        "belong to, or fetch its weights."
    )
