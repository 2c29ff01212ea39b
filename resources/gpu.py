"""The accelerator: which device there is, and the resource `gpu` that loads models on it and runs them in batches."""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import dagster as dg
import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from resources.configuration.pairwise import DEVICES
from resources.errors import UserError
from resources.extras import require_extra

if TYPE_CHECKING:
    import torch

Precision = Literal["float32", "bfloat16", "float16"]
POOL: Final = "gpu"


class Divided(NamedTuple):
    """What a function gave for each part, in order, and the processor time of all its threads, in s."""

    results: "list[torch.Tensor]"
    processor_s: float


def divided(function: "Callable[[torch.Tensor], torch.Tensor]", batch: "torch.Tensor") -> Divided:
    """Run a function on parts of a batch, as many at once as torch has threads.

    A function that spread over several threads would have them wait for each other, busily, and longer where other
    programs take their cores: neither the clock nor the process's time tells the work then. A thread's own time does.

    Args:
        function: Sees a part of the batch; runs in several threads at once, in torch's inference mode.
        batch: The first axis counts inputs, at least one.
    """
    import torch

    threads = torch.get_num_threads()
    parts = batch.split(-(-len(batch) // threads))

    def timed(part: "torch.Tensor") -> "tuple[torch.Tensor, float]":
        started = time.thread_time()
        with torch.inference_mode():
            result = function(part)
        return result, time.thread_time() - started

    with one_thread_a_part(threads), ThreadPoolExecutor(len(parts), thread_name_prefix="part") as pool:
        done = list(pool.map(timed, parts))
    return Divided([result for result, _ in done], sum(taken for _, taken in done))


@contextmanager
def one_thread_a_part(threads: int) -> Iterator[None]:
    """Threads that begin meanwhile find torch set to one thread; `threads` is what it is set back to."""
    import torch

    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class Device(NamedTuple):
    """A torch device and what a person calls it."""

    name: str
    sentence: str


def available_device(wanted: str = "auto") -> Device:
    """The device that `wanted` means here: `auto` is CUDA, then MPS, then CPU.

    Raises:
        UserError: The wanted device is not there, no device is called that, or torch is not installed.
    """
    if not re.fullmatch(DEVICES, wanted):
        raise UserError(f"device: '{wanted}' is no device. Write auto, cpu, cuda, cuda:N or mps.")
    require_extra("models", f"device: '{wanted}'")
    import torch

    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if wanted.startswith("cuda") and not cuda:
        raise UserError(
            f"device: '{wanted}' was asked for, but torch {torch.__version__} sees no CUDA device. "
            "Install the NVIDIA driver, or set `device` to auto or cpu."
        )
    if wanted == "mps" and not mps:
        raise UserError("device: 'mps' was asked for, but this is no Apple GPU. Set `device` to auto or cpu.")
    number = int(wanted.partition(":")[2] or 0)
    if wanted.startswith("cuda") and number >= torch.cuda.device_count():
        raise UserError(f"device: '{wanted}' was asked for, but there are {torch.cuda.device_count()}, counted from 0.")
    name = wanted if wanted != "auto" else "cuda" if cuda else "mps" if mps else "cpu"
    if name.startswith("cuda"):
        properties = torch.cuda.get_device_properties(name)
        memory_gib = properties.total_memory / 2**30
        return Device(name, f"{name}: {properties.name}, {memory_gib:.0f} GiB, torch {torch.__version__}")
    if name == "mps":
        return Device(name, f"mps: Apple GPU, torch {torch.__version__}")
    return Device("cpu", f"cpu: {torch.get_num_threads()} threads, torch {torch.__version__} (no CUDA device)")


class GpuResource(dg.ConfigurableResource):
    """One device for all models of a run; assets that use it take `pool="gpu"`, so that one runs at a time.

    `precision` is that of weights and activations; `batch_size` is where a model begins, and halves when the device's
    memory does not hold a batch.
    """

    device: str = "auto"
    precision: Precision = "float32"
    batch_size: int = Field(default=32, ge=1)
    _device: Device | None = PrivateAttr(default=None)
    _models: dict[str, Any] = PrivateAttr(default_factory=dict)
    _batch_sizes: dict[str, int] = PrivateAttr(default_factory=dict)
    _compute_s: float = PrivateAttr(default=0.0)

    @property
    def compute_s(self) -> float:
        """What all forward passes so far took: time of processor cores, added up, or of a GPU by the clock.

        A processor's cores are shared with other programs, so there only the time that they gave counts; a GPU is had
        alone, and the clock is read when it has nothing left to do.
        """
        return self._compute_s

    def opened(self) -> Device:
        """The device, looked for once.

        Raises:
            UserError: The configured device is not there.
        """
        if self._device is None:
            self._device = available_device(self.device)
        return self._device

    def model(self, name: str, load: Callable[[], Any]) -> Any:
        """The model of this name on the device, ready to infer: loaded by the first who asks, kept until `free`.

        Args:
            name: Of the model, with all that tells its weights from another's.
            load: Gives the torch module, on the processor in 32 bits.

        Raises:
            UserError: The memory does not hold the model.
        """
        if name not in self._models:
            import torch

            # Convolutions of channels-last weights spare a reordering in every layer.
            module = load().eval().requires_grad_(False)
            try:
                self._models[name] = module.to(
                    self.opened().name, getattr(torch, self.precision), memory_format=torch.channels_last
                )
            except RuntimeError as error:
                if not _is_out_of_memory(error):
                    raise
                raise self._too_large(name, "") from error
        return self._models[name]

    def holds(self, name: str) -> bool:
        """Whether the model of this name is loaded."""
        return name in self._models

    def batch_size_of(self, name: str) -> int:
        """How many inputs at a time the device's memory was found to hold for this model, at most `batch_size`."""
        return self._batch_sizes.get(name, self.batch_size)

    def infer(
        self, name: str, function: "Callable[[torch.Tensor], torch.Tensor]", inputs: "torch.Tensor"
    ) -> NDArray[np.float32]:
        """What a model gives for these inputs; when memory runs out, the batch halves and stays so.

        Args:
            name: Of the model, for which the batch size is remembered.
            function: The forward pass: a batch on the device, in `precision` where it holds real numbers.
            inputs: On the processor; the first axis counts inputs.

        Returns:
            One row per input, in 32 bits.

        Raises:
            UserError: The memory does not hold a single input.
        """
        done: list[NDArray[np.float32]] = []
        start = 0
        while start < len(inputs):
            size = self.batch_size_of(name)
            result = self._inferred(function, inputs[start : start + size])
            if result is not None:
                done.append(result)
                start += size
            elif size == 1:
                raise self._too_large(name, ", not even with one input")
            else:
                # What was tried may have been shorter than a full batch.
                self._batch_sizes[name] = max(1, min(size, len(inputs) - start) // 2)
                self._release()
        return np.concatenate(done) if done else np.empty((0, 0), np.float32)

    def free(self) -> None:
        """Drop every model and give the memory back."""
        self._models.clear()
        self._release()

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """Free the models when the run ends."""
        self.free()

    def _inferred(
        self, function: "Callable[[torch.Tensor], torch.Tensor]", batch: "torch.Tensor"
    ) -> NDArray[np.float32] | None:
        """One batch; null where memory ran out, so that the failed pass is let go before the next one begins."""
        import torch

        name = self.opened().name
        if batch.is_floating_point():
            batch = batch.to(getattr(torch, self.precision))
        if batch.ndim == 4:
            batch = batch.contiguous(memory_format=torch.channels_last)
        try:
            if name == "cpu":
                done = divided(function, batch)
                self._compute_s += done.processor_s
                return np.concatenate([result.float().numpy() for result in done.results])
            if name.startswith("cuda"):
                # From pinned memory the copy runs next to the processor's work.
                batch = batch.pin_memory()
                torch.cuda.synchronize(name)
            started = time.perf_counter()
            with torch.inference_mode():
                # Copied back, so all that was asked of the device is done.
                rows = np.asarray(function(batch.to(name, non_blocking=True)).float().cpu().numpy())
            self._compute_s += time.perf_counter() - started
            return rows
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
            return None

    def _too_large(self, name: str, with_what: str) -> UserError:
        return UserError(
            f"Model {name} does not fit into the memory of {self.opened().sentence}{with_what}. "
            "Close other programs that use it, take a lower precision or a larger device."
        )

    def _release(self) -> None:
        import gc

        if self._device is None:
            return
        import torch

        gc.collect()
        if self._device.name.startswith("cuda"):
            torch.cuda.empty_cache()
        elif self._device.name == "mps":
            torch.mps.empty_cache()


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch

    # Apple's backend has no class of its own for this.
    return isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error)
