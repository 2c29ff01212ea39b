"""What a model has to offer to become a stage, and the ways in which its weights can be wrong."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analysis.messages import message
from resources.errors import UserError, listing
from resources.extras import install_command, missing_modules

if TYPE_CHECKING:
    import torch

Record = Mapping[str, Any]
SAFE: Final = ".safetensors"
# Zip archives (torch since 1.6, TorchScript) and bare pickles.
_PICKLES: Final = (b"PK\x03\x04", b"\x80")
_POINTER: Final = b"version https://git-lfs"
# A longer photo is cut to this many times its shorter side before its centre square is taken.
MOST_SIDES: Final = 4


NOT_INSTALLED = "{model}: not installed ({command})"


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

    def open(self) -> bool:
        """Load the model, before photos are prepared in threads; False where that was done already."""
        ...

    def prepare(self, photo: Image.Image) -> "torch.Tensor":
        """The photo as the model's own preprocessing makes it, one input without a batch axis."""
        ...

    def embed(self, batch: "torch.Tensor") -> NDArray[np.float32]:
        """One row of `width` numbers per input."""
        ...


def require_libraries(model: str) -> None:
    """Refuse a model where the libraries that models need are not installed.

    Raises:
        Unavailable: One of them is missing.
    """
    if missing_modules("models"):
        raise Unavailable(message(NOT_INSTALLED, model=model, command=install_command("models")))


def require_safetensors(path: Path, setting: str) -> None:
    """Refuse weights that could run code when they are read, and a file that is damaged.

    Raises:
        Unavailable: There is no such file.
        UserError: It is a pickle, no whole safetensors file, or holds no weights.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise Unavailable(f"{setting}: there is no file {path}. Put the weights there, or correct the path.")
    with path.open("rb") as file:
        beginning = file.read(len(_POINTER))
    if beginning.startswith(_PICKLES):
        raise UserError(
            f"{setting}: {path} is a pickle, which can run any code when it is read, and is refused. Convert it where "
            f"you trust it: {conversion(path)}"
        )
    if beginning == _POINTER:
        raise UserError(
            f"{setting}: {path} is the pointer that Git has in the place of the weights. Run `git lfs pull`."
        )
    try:
        with safe_open(path, framework="np") as weights:
            n_tensors = len(weights.keys())
    except SafetensorError as error:
        raise UserError(
            f"{setting}: {path} is no safetensors file, or is cut off or damaged ({error}). Fetch or copy the weights "
            "again."
        ) from error
    if not n_tensors:
        raise UserError(f"{setting}: {path} holds no weights at all. Fetch or copy them again.")
    if path.suffix != SAFE:
        raise UserError(f"{setting}: {path} holds weights, but its name does not say so. Let it end in '{SAFE}'.")


def conversion(path: Path) -> str:
    """The command that makes a safetensors file of a pickled state dict, and leaves that as it is."""
    made = path.with_suffix(SAFE)
    if made == path:
        made = path.with_name(f"{path.stem}_converted{SAFE}")
    program = f"import torch, safetensors.torch as s; s.save_file(torch.load('{path}', weights_only=True), '{made}')"
    return f'python -c "{program}"'


def misfit(setting: str, path: Path, architecture: str, error: object) -> UserError:
    """The error for weights of another architecture than the one that is configured."""
    reason = " ".join(str(error).split())[:300]
    return UserError(
        f"{setting}: the weights in {path} do not fit {architecture} ({reason}). Name the architecture that they "
        "belong to, or fetch its weights."
    )


def require_finite(module: "torch.nn.Module", setting: str, path: Path) -> None:
    """Refuse loaded weights that are no numbers: whatever the photo, the model would give none.

    Raises:
        UserError: Some are NaN or infinite.
    """
    import torch

    bad = [
        name
        for name, tensor in module.state_dict().items()
        if tensor.is_floating_point() and not torch.isfinite(tensor).all()
    ]
    if bad:
        raise UserError(
            f"{setting}: weights in {path} are NaN or infinite ({listing(bad, 3)}). Fetch or copy the weights again."
        )


def centre_of(photo: Image.Image) -> Image.Image:
    """What a model sees that takes a photo's centre square; photos of ordinary shape as they are.

    Resizing brings the shorter side to the model's before the square is cut out: a panorama of 65,000 x 16 px would be
    resized to 900,000 px. Several squares next to the centre keep the resizing there from seeing the edge.
    """
    shorter, longer = sorted(photo.size)
    kept = MOST_SIDES * shorter
    if longer <= kept:
        return photo
    # As odd or even as the longer side, so that the middle stays where it is.
    kept += (longer - kept) % 2
    start = (longer - kept) // 2
    if photo.width == longer:
        return photo.crop((start, 0, start + kept, shorter))
    return photo.crop((0, start, shorter, start + kept))
