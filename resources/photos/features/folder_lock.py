"""One run at a time in a folder of features: two would give their shards the same names."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from upath import UPath

from resources.runtime.progress import TracksProgress

FILE: Final = ".lock"


@contextmanager
def alone_in(folder: UPath, progress: TracksProgress, log: logging.Logger) -> Iterator[None]:
    """Wait for the run that is there, and keep others out; the lock ends with the process, however it ends.

    An object store and Windows have no such locks: there the user keeps runs apart.

    Args:
        folder: Of the features; made where it is missing.
        progress: Shown while it waits.
        log: Of the run.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        yield
        return
    if not isinstance(folder, Path):
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE).open("a") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            log.info(f"Another run makes features in {folder}: this one waits for it.")
            with progress.track("other runs on these photos waited for", 1, log) as advance:
                flock(file, LOCK_EX)
                advance()
        yield
