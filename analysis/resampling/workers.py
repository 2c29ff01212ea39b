"""The same function over many items on several cores, results in the order of the items."""

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

# What a forked child works on: closures cannot be sent to it, but it inherits them.
_inherited: tuple[Callable[[Any], Any], Sequence[Any]] | None = None


def mapped(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """What a function gives for each item.

    Args:
        function: Free of side effects; it may run in another process or thread.
        items: In the order of the results.
        workers: How many processes. Where forking is not safe (not Linux, or other threads run, which a child would
            find with their locks held) they are threads, with the same results.

    Returns:
        One result per item.

    Raises:
        ValueError: Fewer than one worker.
    """
    if workers < 1:
        raise ValueError(f"at least 1 worker is needed, got {workers}")
    if workers == 1 or len(items) < 2:
        return [function(item) for item in items]
    if not forking_is_safe():
        with ThreadPoolExecutor(workers) as threads:
            return list(threads.map(function, items))
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(
        min(workers, len(items)), mp_context=fork, initializer=_inherit, initargs=(function, items)
    ) as processes:
        with ctrl_c_waits():
            results = processes.map(_in_child, range(len(items)))
        return list(results)


def forking_is_safe() -> bool:
    """Whether a forked child would find no lock that another thread of this process holds."""
    alone = threading.active_count() == 1 and not multiprocessing.current_process().daemon
    return sys.platform == "linux" and alone


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """A process that is forked inside does not see Ctrl+C until it unblocks it: who started it ends it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _inherit(function: Callable[[Any], Any], items: Sequence[Any]) -> None:
    global _inherited
    _inherited = (function, items)


def _in_child(number: int) -> Any:
    if _inherited is None:
        raise RuntimeError("this process was not started by `mapped`")
    function, items = _inherited
    return function(items[number])
