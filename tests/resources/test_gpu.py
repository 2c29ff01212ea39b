"""The device for models: what there is, and a named error for what there is not."""

import pytest

from resources.errors import UserError
from resources.gpu import GpuResource, available_device

torch = pytest.importorskip("torch")
without_cuda = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
with_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")
without_mps = pytest.mark.skipif(torch.backends.mps.is_available(), reason="this machine has an Apple GPU")


def test_the_processor_is_always_there_and_says_its_threads() -> None:
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
    device = available_device()
    assert device.name == "cuda"
    assert torch.cuda.get_device_name(0) in device.sentence


@with_cuda
def test_a_cuda_device_beyond_the_last_is_an_error_that_says_how_many_there_are() -> None:
    with pytest.raises(UserError, match=rf"there are {torch.cuda.device_count()}, counted from 0"):
        available_device("cuda:99")


@without_cuda
@pytest.mark.parametrize("wanted", ["cuda", "cuda:1"])
def test_cuda_that_is_asked_for_and_absent_is_an_error_with_the_remedy(wanted: str) -> None:
    with pytest.raises(UserError, match=rf"Device '{wanted}' was asked for, but torch .* Install the NVIDIA driver"):
        available_device(wanted)


@without_mps
def test_an_apple_gpu_that_is_asked_for_and_absent_is_an_error() -> None:
    with pytest.raises(UserError, match="Set the device to auto or cpu"):
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
