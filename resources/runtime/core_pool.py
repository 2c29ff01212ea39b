"""Work divided over the processor's cores, a thread each, so that its time can be measured whatever else runs there."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


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
