"""Parts of a command side by side in two processes, and what each prints in the order of the parts."""

import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

from rich.console import Console

from analysis.resampling.workers import ctrl_c_waits, forking_is_safe
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.ctrl_c import outside_imports

ENDS_WITHIN_S: Final = 20.0  # a Dagster run that is interrupted says so in its records first
THREADS_END_WITHIN_S: Final = 0.5


class Part(NamedTuple):
    """What is run, given the console that it prints on."""

    title: str
    run: Callable[[Console], object]


def shown_in_order(console: Console, parts: Sequence[Part]) -> None:
    """Run all parts; a failure is raised in its place, after what was printed before it.

    The first runs here, the others meanwhile one after the other in a second process. Where there is one core only, or
    forking is not safe, all run here.

    Args:
        console: Where to.
        parts: In the order in which they are shown; none needs another.

    Raises:
        UserError: The second process was ended from outside.
        BaseException: Whatever a part raised; no later part is shown then.
    """
    for thread in threading.enumerate():
        # That of a spinner ends a moment after it.
        if thread is not threading.current_thread():
            thread.join(THREADS_END_WITHIN_S)
    if not (forking_is_safe() and len(os.sched_getaffinity(0)) > 1):
        for part in parts:
            console.rule(part.title, align="left")
            part.run(console)
        return
    first, *others = parts
    with _second_process(console, others) as results:
        console.rule(first.title, align="left")
        first.run(console)
        for part in others:
            console.rule(part.title, align="left")
            with console.status("Running"):
                text, problem = _next(results, part)
            console.file.write(text)
            console.file.flush()
            if problem is not None:
                raise problem


def _next(results: Connection, part: Part) -> tuple[str, BaseException | None]:
    try:
        return results.recv()
    except EOFError:
        raise UserError(
            f"{part.title}: its process was ended from outside, perhaps because memory ran out. What was finished is "
            "kept; the same command goes on from there."
        ) from None


@contextmanager
def _second_process(console: Console, parts: Sequence[Part]) -> Iterator[Connection]:
    """A process that sends what each part printed and raised; whatever ends this one early interrupts it."""
    fork = get_context("fork")
    results, sent = fork.Pipe(duplex=False)
    look = {"width": console.width, "color_system": console.color_system}
    process = fork.Process(target=_begin, args=(results, sent, look, parts))
    with ctrl_c_waits():
        process.start()
    sent.close()
    try:
        yield results
    except BaseException:
        if process.is_alive() and process.pid is not None:
            os.kill(process.pid, signal.SIGINT)
        raise
    finally:
        results.close()
        process.join(ENDS_WITHIN_S)
        process.kill()


def _begin(results: Connection, sent: Connection, look: dict[str, Any], parts: Sequence[Part]) -> None:
    results.close()
    # Ctrl+C is for the first process, which ends this one; a shell's background ignores it, and this one with it.
    os.setsid()
    signal.signal(signal.SIGINT, outside_imports(signal.default_int_handler))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        with suppress(KeyboardInterrupt):
            _run(sent, look, parts)
    finally:
        from resources.runtime.dagster_databases import close_connections

        close_connections()  # a process that was forked calls nothing at its exit


def _run(sent: Connection, look: dict[str, Any], parts: Sequence[Part]) -> None:
    for part in parts:
        text, problem = StringIO(), None
        try:
            part.run(terminal(file=text, **look))
        except BaseException as raised:  # whatever it is, the first process raises it
            if isinstance(raised, Exception) and not isinstance(raised, UserError):
                # A traceback does not travel, and a user's error says its notes.
                raised.add_note("".join(traceback.format_exception(raised)))
            problem = raised
        try:
            sent.send((text.getvalue(), problem))
        except OSError:  # the first process ended
            return
        if problem is not None:
            return


def _end_with_parent() -> None:
    first = parent_process()
    assert first is not None
    first.join()
    os.kill(os.getpid(), signal.SIGINT)
