"""Processes by their number and their start: living, over, uncollected, replaced, or in another container."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from pipeline import instance
from pipeline.instance import start_of_this_process, still_lives


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


def test_this_process_lives_by_its_own_start_and_where_no_start_was_noted() -> None:
    assert still_lives(os.getpid(), start_of_this_process()) is True
    assert still_lives(os.getpid(), "") is True


def test_a_number_that_another_process_has_by_now_is_not_the_process_that_began_earlier(
    child: subprocess.Popen[bytes],
) -> None:
    # The child's number with the start of its parent, which is older.
    assert still_lives(child.pid, start_of_this_process()) is False


def test_a_start_of_before_the_machine_was_started_again_is_over() -> None:
    _, *rest = start_of_this_process().split()
    assert still_lives(os.getpid(), " ".join(["another-boot", *rest])) is False


def test_a_process_of_another_container_is_not_seen() -> None:
    boot, _, ticks = start_of_this_process().split()
    assert still_lives(os.getpid(), f"{boot} pid:[1] {ticks}") is None


def test_a_killed_process_is_over_before_and_after_its_parent_collects_it(child: subprocess.Popen[bytes]) -> None:
    os.kill(child.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while still_lives(child.pid, ""):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.wait()
    assert still_lives(child.pid, "") is False


def test_where_there_is_no_table_of_processes_ps_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance, "PROC", instance.PROC / "none")
    assert still_lives(os.getpid(), start_of_this_process()) is True
    assert still_lives(os.getpid(), "Thu Jan  1 00:00:00 1970") is False
