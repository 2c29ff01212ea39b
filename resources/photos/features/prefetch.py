"""Work done in threads ahead of its use: results in order, and never more of them waiting than asked for."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import cv2

Item = TypeVar("Item")
Result = TypeVar("Result")


def prefetched(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int, most_waiting: int
) -> Iterator[Result]:
    """What `work` gives for each item, in the items' order.

    Args:
        work: May run in several threads at once.
        items: Taken only as far as there is room.
        threads: How many.
        most_waiting: Results, begun or done, that wait for the one who uses them.

    Raises:
        Exception: What `work` raised, when its item's turn comes; what was not begun is not begun any more.
    """
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="ahead") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) >= most_waiting:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def one_thread_a_picture() -> Iterator[None]:
    """OpenCV works on one picture in one thread: there are as many pictures as cores, and times are a thread's own."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)
