"""Progress of long work: how many, how fast, how long still."""

import logging
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

EVERY_S = 10.0


class Advance(Protocol):
    """Called with how many more are done."""

    def __call__(self, done: int = 1) -> None:
        """Count `done` more."""
        ...


class TracksProgress(Protocol):
    """Shows how far long work has come."""

    def track(self, what: str, total: int, log: logging.Logger) -> AbstractContextManager[Advance]:
        """Count up to `total`; `what` is a plural noun."""
        ...

    def say(self, words: str, log: logging.Logger) -> None:
        """One sentence for the person who waits."""
        ...


class LoggedProgress:
    """A line in the run's log every ten seconds, for the UI and for schedules."""

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        """Count up to `total`; `what` is a plural noun."""
        started = reported = time.monotonic()
        count = 0

        def advance(done: int = 1) -> None:
            nonlocal count, reported
            count += done
            now = time.monotonic()
            if now - reported >= EVERY_S:
                reported = now
                rate = count / (now - started)
                log.info(f"{count} of {total} {what}, {rate:.1f} a second, {(total - count) / rate:.0f} s left")

        yield advance
        log.info(f"{count} of {total} {what} in {time.monotonic() - started:.1f} s")

    def say(self, words: str, log: logging.Logger) -> None:
        """One sentence for the person who waits."""
        log.info(words)


class BarProgress:
    """A bar on the terminal with rate and time left, for the command line."""

    def __init__(self, console: Console, *, transient: bool = False) -> None:
        """Show bars on this console; a transient one is gone when it is full."""
        self.console, self.transient = console, transient

    @contextmanager
    def track(self, what: str, total: int, log: logging.Logger) -> Iterator[Advance]:
        """Count up to `total`; `what` is a plural noun. The log gets the final line only."""
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        # Where nothing moves, a bar that is to vanish would leave an empty line.
        hidden = self.transient and not self.console.is_interactive
        with Progress(*columns, console=self.console, transient=self.transient, disable=hidden) as bar:
            task = bar.add_task(what, total=total, rate="")

            def advance(done: int = 1) -> None:
                bar.advance(task, done)
                speed = bar.tasks[0].speed
                bar.update(task, rate=f"{speed:.1f}/s" if speed else "")

            yield advance
        log.info(f"{total} {what}")

    def say(self, words: str, log: logging.Logger) -> None:
        """One sentence for the person who waits."""
        self.console.print(words, soft_wrap=True, highlight=False, markup=False)
        log.info(words)
