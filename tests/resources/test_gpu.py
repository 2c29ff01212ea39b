"""The device for models: what there is, and a named error for what there is not."""

import time
import weakref
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from resources.errors import UserError
from resources.gpu import GpuResource, available_device

if TYPE_CHECKING:
    import torch

# Looked at when a test begins: every worker collects this file, and few of them need torch.
without_cuda = pytest.mark.skipif("has_cuda()", reason="this machine has a CUDA device")
with_cuda = pytest.mark.skipif("not has_cuda()", reason="this machine has no CUDA device")
without_mps = pytest.mark.skipif("has_mps()", reason="this machine has an Apple GPU")


def has_cuda() -> bool:
    return bool(pytest.importorskip("torch").cuda.is_available())


def has_mps() -> bool:
    return bool(pytest.importorskip("torch").backends.mps.is_available())


@pytest.fixture(autouse=True, scope="module")
def with_torch() -> None:
    pytest.importorskip("torch")


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Batches reach the function whole."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def three_threads() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_the_processor_is_always_there_and_says_its_threads() -> None:
    import torch

    device = available_device("cpu")
    assert device.name == "cpu"
    assert f"{torch.get_num_threads()} threads" in device.sentence
    assert torch.__version__ in device.sentence


@without_cuda
@without_mps
def test_auto_is_the_processor_where_there_is_nothing_else() -> None:
    assert available_device().name == "cpu"


@with_cuda
def test_auto_is_cuda_where_there_is_one_and_says_which() -> None:
    import torch

    device = available_device()
    assert device.name == "cuda"
    assert torch.cuda.get_device_name(0) in device.sentence


@with_cuda
def test_a_cuda_device_beyond_the_last_is_an_error_that_says_how_many_there_are() -> None:
    import torch

    with pytest.raises(UserError, match=rf"there are {torch.cuda.device_count()}, counted from 0"):
        available_device("cuda:99")


@without_cuda
@pytest.mark.parametrize("wanted", ["cuda", "cuda:1"])
def test_cuda_that_is_asked_for_and_absent_is_an_error_with_the_remedy(wanted: str) -> None:
    with pytest.raises(UserError, match=rf"device: '{wanted}' was asked for, but torch .* Install the NVIDIA driver"):
        available_device(wanted)


@without_mps
def test_an_apple_gpu_that_is_asked_for_and_absent_is_an_error() -> None:
    with pytest.raises(UserError, match="Set `device` to auto or cpu"):
        available_device("mps")


@pytest.mark.parametrize("wanted", ["gpu", "tpu", "", "cpu:7", "cudaa"])
def test_a_device_that_nobody_knows_is_an_error_that_lists_the_known(wanted: str) -> None:
    with pytest.raises(UserError, match="auto, cpu, cuda, cuda:N or mps"):
        available_device(wanted)


def test_the_resource_looks_once() -> None:
    resource = GpuResource(device="cpu")
    assert resource.opened() is resource.opened()


@without_cuda
def test_the_resource_refuses_an_absent_device_when_it_is_opened() -> None:
    resource = GpuResource(device="cuda")
    with pytest.raises(UserError, match="sees no CUDA device"):
        resource.opened()


@cache
def doubling() -> Any:
    """The class of models that double their input; made when torch is there."""
    import torch

    class Doubling(torch.nn.Module):
        """Doubles its input on a device whose memory holds so many rows; notes the batches that fitted."""

        def __init__(self, holds: int) -> None:
            super().__init__()
            self.factor = torch.nn.Parameter(torch.tensor([2.0]))
            self.holds = holds
            self.fitted: list[int] = []

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            assert torch.is_inference_mode_enabled()
            if len(batch) > self.holds:
                raise torch.OutOfMemoryError(f"tried to allocate {len(batch)} rows")
            self.fitted.append(len(batch))
            return batch * self.factor

    return Doubling


@pytest.mark.usefixtures("one_thread")
def test_the_batch_halves_until_it_fits_and_the_size_is_remembered() -> None:
    import torch

    # 20 rows at 16: 16 and 8 do not fit, 4 does, five times. Then 6 more rows: 4 and 2, with no failed try.
    gpu, model = GpuResource(device="cpu", batch_size=16), doubling()(holds=5)
    rows = torch.arange(40.0).reshape(20, 2)
    assert np.array_equal(gpu.infer("doubling", model, rows), 2 * rows.numpy())
    assert model.fitted == [4] * 5
    assert gpu.batch_size_of("doubling") == 4
    model.fitted.clear()
    gpu.infer("doubling", model, rows[:6])
    assert model.fitted == [4, 2]
    assert gpu.batch_size_of("another") == 16


@pytest.mark.usefixtures("one_thread")
def test_a_short_batch_that_does_not_fit_is_halved_itself() -> None:
    import torch

    # 3 rows at batch size 64: halving 64 would try the same 3 rows five times more.
    gpu, model = GpuResource(device="cpu", batch_size=64), doubling()(holds=1)
    assert len(gpu.infer("doubling", model, torch.ones(3, 2))) == 3
    assert gpu.batch_size_of("doubling") == 1


def test_one_input_that_does_not_fit_is_an_error_with_the_remedy() -> None:
    import torch

    with pytest.raises(UserError, match="not even with one input. Close other programs"):
        GpuResource(device="cpu", batch_size=4).infer("doubling", doubling()(holds=0), torch.ones(2, 2))


def test_another_error_of_the_model_is_not_taken_for_lack_of_memory() -> None:
    import torch

    def broken(batch: "torch.Tensor") -> "torch.Tensor":
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes do not match"):
        GpuResource(device="cpu").infer("broken", broken, torch.ones(2, 2))


@pytest.mark.parametrize("lack", ["CUDA out of memory. Tried", "MPS backend out of memory"])
def test_a_model_that_does_not_fit_while_it_is_loaded_is_a_clear_error(lack: str) -> None:
    import torch

    class TooLarge(doubling()):
        """A model of which the device holds none, or whose copying fails in another way."""

        def __init__(self, error: RuntimeError) -> None:
            super().__init__(holds=0)
            self.error = error

        def to(self, *args: Any, **named: Any) -> "TooLarge":
            raise self.error

    error = torch.OutOfMemoryError(lack) if lack.startswith("CUDA") else RuntimeError(lack)
    gpu = GpuResource(device="cpu")
    with pytest.raises(UserError, match="Model huge does not fit into the memory of cpu: .* a larger device"):
        gpu.model("huge", lambda: TooLarge(error))
    with pytest.raises(RuntimeError, match="illegal memory access"):
        gpu.model("huge", lambda: TooLarge(RuntimeError("CUDA error: an illegal memory access")))


def test_a_model_is_loaded_once_in_the_precision_asked_for_and_freed() -> None:
    import torch

    gpu = GpuResource(device="cpu", precision="bfloat16")
    loads: list[Any] = []

    def load() -> Any:
        loads.append(doubling()(holds=99))
        return loads[-1]

    model = gpu.model("doubling", load)
    assert gpu.model("doubling", load) is model
    assert len(loads) == 1
    assert not model.training
    assert model.factor.dtype == torch.bfloat16
    assert not model.factor.requires_grad
    # 1.01 in bfloat16 is 1.0078125: eight bits of mantissa, so steps of 1/128 above 1.
    assert gpu.infer("doubling", model, torch.tensor([[1.01]])).tolist() == [[2.015625]]
    gone = weakref.ref(model)
    del model, loads[:]
    gpu.free()
    assert gone() is None


@pytest.mark.usefixtures("one_thread")
def test_pictures_reach_the_model_channels_last_and_word_numbers_stay_whole() -> None:
    import torch

    seen: list[torch.Tensor] = []

    def keep(batch: "torch.Tensor") -> "torch.Tensor":
        seen.append(batch)
        return batch.flatten(1)

    gpu = GpuResource(device="cpu", precision="bfloat16")
    gpu.infer("pictures", keep, torch.ones(2, 3, 4, 5))
    gpu.infer("words", keep, torch.ones(2, 7, dtype=torch.int64))
    assert seen[0].is_contiguous(memory_format=torch.channels_last)
    assert seen[0].dtype == torch.bfloat16
    assert seen[1].dtype == torch.int64


def busy(batch: "torch.Tensor") -> "torch.Tensor":
    """Keeps one core at work for 20 ms of its own time an input."""
    until = time.thread_time() + 0.02 * len(batch)
    while time.thread_time() < until:
        pass
    return 2 * batch


def test_waiting_is_no_part_of_what_a_model_takes_on_a_processor() -> None:
    import torch

    def held_up(batch: "torch.Tensor") -> "torch.Tensor":
        # As when another program has the core.
        time.sleep(0.2)
        return busy(batch)

    gpu = GpuResource(device="cpu")
    gpu.infer("held up", held_up, torch.ones(1, 2))
    assert 0.02 <= gpu.compute_s < 0.1


@pytest.mark.usefixtures("three_threads")
def test_the_time_of_every_core_counts_once_and_rows_keep_their_order() -> None:
    import torch

    # 7 inputs of 20 ms in three threads: 140 ms of cores, whatever the clock says.
    gpu, rows = GpuResource(device="cpu", batch_size=4), torch.arange(14.0).reshape(7, 2)
    assert np.array_equal(gpu.infer("busy", busy, rows), 2 * rows.numpy())
    assert 0.14 <= gpu.compute_s < 0.2
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_a_part_runs_in_one_thread_of_torch_and_a_fault_in_it_is_raised() -> None:
    import torch

    seen: list[int] = []

    def faulty(batch: "torch.Tensor") -> "torch.Tensor":
        seen.append(torch.get_num_threads())
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes do not match"):
        GpuResource(device="cpu").infer("faulty", faulty, torch.ones(3, 2))
    assert set(seen) == {1}
    assert torch.get_num_threads() == 3
