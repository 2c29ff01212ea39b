"""Parts of a command in two processes: what they print stays in order, and no failure is lost."""

import os
import signal
import threading
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.command_line import side_by_side
from pipeline.command_line.side_by_side import Part, shown_in_order
from resources.errors import UserError

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="forking is safe on Linux only")


@pytest.fixture(autouse=True)
def may_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores, and no thread of another test that forbids to fork."""
    monkeypatch.setattr(side_by_side, "forking_is_safe", lambda: True)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1})


def printing(words: str) -> Callable[[Console], None]:
    return lambda console: console.print(f"{words} of {os.getpid()}")


def failing(problem: Exception) -> Callable[[Console], None]:
    def run(console: Console) -> None:
        console.print("it began")
        raise problem

    return run


def lines_of(console: Console) -> list[str]:
    assert isinstance(console.file, StringIO)
    return [line for line in console.file.getvalue().splitlines() if "──" not in line]


def test_what_is_printed_is_in_the_order_of_the_parts_and_the_first_is_of_this_process() -> None:
    console, ready = Console(file=StringIO(), width=80), threading.Event()
    parts = [Part("one", lambda shown: (time.sleep(0.2), printing("1")(shown), ready.set()))]
    parts += [Part(name, printing(name)) for name in ("2", "3")]
    shown_in_order(console, parts)
    words, processes = zip(*(line.split(" of ") for line in lines_of(console)), strict=True)
    assert words == ("1", "2", "3")
    assert int(processes[0]) == os.getpid() != int(processes[1])
    assert processes[1] == processes[2]


def test_a_part_that_fails_is_raised_after_what_it_printed_and_no_later_part_is_shown() -> None:
    console = Console(file=StringIO(), width=80)
    parts = [Part("a", printing("1")), Part("b", failing(UserError("no file"))), Part("c", printing("3"))]
    with pytest.raises(UserError, match="^no file$"):
        shown_in_order(console, parts)
    assert lines_of(console) == [f"1 of {os.getpid()}", "it began"]


def test_a_fault_of_the_second_process_says_where_it_happened() -> None:
    with pytest.raises(ValueError, match="no number") as raised:
        shown_in_order(
            Console(file=StringIO()), [Part("a", printing("1")), Part("b", failing(ValueError("no number")))]
        )
    assert "in run" in "".join(raised.value.__notes__)


def test_a_first_part_that_fails_interrupts_the_others(tmp_path: Path) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"

    def long(_console: Console) -> None:
        try:
            begun.touch()
            time.sleep(60)
        except KeyboardInterrupt:
            ended.touch()
            raise

    def first(_console: Console) -> None:
        while not begun.exists():
            time.sleep(0.01)
        raise UserError("no")

    with pytest.raises(UserError, match="no"):
        shown_in_order(Console(file=StringIO()), [Part("a", first), Part("b", long)])
    assert ended.exists()


def test_a_process_that_is_killed_is_said_to_be() -> None:
    killed = Part("Study B", lambda _console: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(UserError, match="Study B: its process was ended from outside, perhaps because memory ran out"):
        shown_in_order(Console(file=StringIO()), [Part("a", printing("1")), killed])


def test_on_one_core_all_run_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0})
    console = Console(file=StringIO(), width=80)
    shown_in_order(console, [Part("a", printing("1")), Part("b", printing("2"))])
    assert lines_of(console) == [f"1 of {os.getpid()}", f"2 of {os.getpid()}"]


def test_colours_are_those_of_the_terminal_and_nothing_moves() -> None:
    console = Console(file=StringIO(), width=80, force_terminal=True, color_system="256")

    def shown(one: Console) -> None:
        with one.status("Loading"):
            one.print("red", style="red")

    shown_in_order(console, [Part("a", lambda _console: None), Part("b", shown)])
    assert isinstance(console.file, StringIO)
    assert "\x1b[31mred\x1b[0m\n" in console.file.getvalue()
    assert "Loading" not in console.file.getvalue()
