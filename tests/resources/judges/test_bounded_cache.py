"""The cache that threads share: bounded, and every value made once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from resources.judges.bounded_cache import BoundedCache


def test_the_cache_forgets_what_was_used_longest_ago() -> None:
    cache: BoundedCache[str, str] = BoundedCache(2)
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    for key in ("a", "b", "a", "c", "a", "b"):
        assert cache.get(key, lambda key=key: make(key)) == key  # type: ignore[misc]
    assert made == ["a", "b", "c", "b"]
    assert len(cache) == 2


def test_threads_that_want_one_value_wait_for_the_one_that_makes_it() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    made: list[int] = []
    begun = threading.Event()

    def slowly() -> int:
        begun.set()
        made.append(1)
        return 7

    with ThreadPoolExecutor(8) as pool:
        values = [pool.submit(cache.get, "a", slowly) for _ in range(50)]
        assert begun.wait(20)
        assert {value.result() for value in values} == {7}
    assert made == [1]


def test_a_value_that_could_not_be_made_is_made_again() -> None:
    cache: BoundedCache[str, int] = BoundedCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert len(cache) == 0
    assert cache.get("a", lambda: 1) == 1
