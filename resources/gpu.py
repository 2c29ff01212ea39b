"""The accelerator: which device there is, and the resource `gpu` that hands it to assets."""

import re
from typing import NamedTuple

import dagster as dg
from pydantic import PrivateAttr

from resources.errors import UserError

KNOWN = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


class Device(NamedTuple):
    """A torch device and what a person calls it."""

    name: str
    sentence: str


def available_device(wanted: str = "auto") -> Device:
    """The device that `wanted` means here: `auto` is CUDA, then MPS, then CPU.

    Raises:
        UserError: The wanted device is not there, or no device is called that.
    """
    if not KNOWN.fullmatch(wanted):
        raise UserError(f"'{wanted}' is no device. Write auto, cpu, cuda, cuda:N or mps.")
    import torch

    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if wanted.startswith("cuda") and not cuda:
        raise UserError(
            f"Device '{wanted}' was asked for, but torch {torch.__version__} sees no CUDA device. "
            "Install the NVIDIA driver, or set the device to auto or cpu."
        )
    if wanted == "mps" and not mps:
        raise UserError("Device 'mps' was asked for, but this is no Apple GPU. Set the device to auto or cpu.")
    number = int(wanted.partition(":")[2] or 0)
    if wanted.startswith("cuda") and number >= torch.cuda.device_count():
        raise UserError(f"Device '{wanted}' was asked for, but there are {torch.cuda.device_count()}, counted from 0.")
    name = wanted if wanted != "auto" else "cuda" if cuda else "mps" if mps else "cpu"
    if name.startswith("cuda"):
        properties = torch.cuda.get_device_properties(name)
        memory_gib = properties.total_memory / 2**30
        return Device(name, f"{name}: {properties.name}, {memory_gib:.0f} GiB, torch {torch.__version__}")
    if name == "mps":
        return Device(name, f"mps: Apple GPU, torch {torch.__version__}")
    return Device("cpu", f"cpu: {torch.get_num_threads()} threads, torch {torch.__version__} (no CUDA device)")


class GpuResource(dg.ConfigurableResource):
    """One device for all models of a run; assets that use it take `pool="gpu"`, so that one runs at a time."""

    device: str = "auto"
    _device: Device | None = PrivateAttr(default=None)

    def opened(self) -> Device:
        """The device, looked for once.

        Raises:
            UserError: The configured device is not there.
        """
        if self._device is None:
            self._device = available_device(self.device)
        return self._device
