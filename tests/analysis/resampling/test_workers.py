"""Several workers: order, errors, threads next to threads."""

import subprocess
import sys
import threading

import pytest

from analysis.resampling.workers import mapped
from analysis.undefined import UndefinedStatistic


def test_results_come_in_the_order_of_the_items_whatever_the_number_of_workers():
    offset = 7
    squares = [number * number + offset for number in range(20)]
    for workers in (1, 2, 3, 50):
        assert mapped(lambda number: number * number + offset, range(20), workers) == squares


def test_beside_other_threads_the_work_is_done_in_threads():
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        # Only a thread can leave its name here: a forked child would change its own copy.
        names: list[str] = []
        assert mapped(lambda number: names.append(str(number)) or number, range(5), 2) == list(range(5))
        assert sorted(names) == list("01234")
    finally:
        done.set()
        other.join()


def test_an_error_in_a_worker_reaches_the_caller_with_its_reason():
    def refuse(number: int) -> int:
        raise UndefinedStatistic(f"item {number} defines nothing")

    with pytest.raises(UndefinedStatistic, match="item 0 defines nothing"):
        mapped(refuse, range(4), 2)


def test_no_items_give_no_results():
    assert mapped(abs, [], 2) == []


def test_no_workers_are_refused():
    with pytest.raises(ValueError, match="at least 1 worker"):
        mapped(abs, [1, 2], 0)


def test_ctrl_c_is_for_the_process_that_workers_work_for():
    # In a program of its own: next to threads of other tests the work would be done in threads of theirs.
    done = subprocess.run([sys.executable, "-c", PRESSED_IN_WORKERS], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[0, 1, 2, 3]\n", "")


PRESSED_IN_WORKERS = """
import os, signal
from analysis.resampling.workers import forking_is_safe, mapped

def interrupted(number):
    assert os.getpid() != caller
    os.kill(os.getpid(), signal.SIGINT)
    return number

signal.signal(signal.SIGINT, signal.default_int_handler)
caller = os.getpid()
assert forking_is_safe()
print(mapped(interrupted, range(4), 2))
"""
