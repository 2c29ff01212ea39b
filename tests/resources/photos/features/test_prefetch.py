"""Work in threads ahead of its user: in order, never too far ahead, and stopped by an error."""

import threading
import time
from collections.abc import Iterator

import cv2
import pytest

from resources.photos.features.prefetch import one_thread_a_picture, prefetched


def test_results_come_in_the_order_of_the_items_whatever_finishes_first() -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0.0)
        return number * number

    assert list(prefetched(slow_first, range(20), 4, 8)) == [number * number for number in range(20)]


def test_no_more_items_are_taken_than_may_wait() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = prefetched(lambda number: number, items(), 2, 5)
    assert next(results) == 0
    assert len(taken) == 5
    assert next(results) == 1
    assert len(taken) == 6
    results.close()
    assert len(taken) == 6


def test_work_goes_on_while_the_user_is_busy() -> None:
    done = threading.Event()

    def work(number: int) -> int:
        if number == 3:
            done.set()
        return number

    results = prefetched(work, range(10), 1, 4)
    next(results)
    assert done.wait(5.0)


def test_an_error_comes_at_its_items_turn_and_what_was_not_begun_is_not() -> None:
    begun: list[int] = []

    def fails_at_two(number: int) -> int:
        begun.append(number)
        if number == 2:
            raise OSError("no such photo")
        return number

    results = prefetched(fails_at_two, range(1000), 1, 4)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(OSError, match="no such photo"):
        next(results)
    assert len(begun) < 10


def test_opencv_has_one_thread_inside_and_its_own_number_after() -> None:
    before = cv2.getNumThreads()
    with one_thread_a_picture():
        assert cv2.getNumThreads() == 1
    assert cv2.getNumThreads() == before
