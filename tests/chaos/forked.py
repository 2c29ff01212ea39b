"""The command line in a process that has its libraries already: what takes longest about a small run is loading them.

This module imports nothing of the project: what the project reads of its environment it reads when it is imported.
"""

import multiprocessing
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from fsspec.config import conf, set_conf_env

LIBRARIES: Final = [
    "alembic.command",
    "cv2",
    "dagster",
    "openai",
    "pandas",
    "pandera.pandas",
    "pingouin",
    "pyarrow.parquet",
    "rich.progress",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.metrics",
    "skimage",
    "sqlalchemy",
    "typer",
]
CONTEXT = multiprocessing.get_context("forkserver")


class Forked:
    """A process as `subprocess.Popen` shows one, as far as the faults need it."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path) -> None:
        CONTEXT.set_forkserver_preload(LIBRARIES)
        self._process = CONTEXT.Process(target=run, args=(list(arguments), dict(environment), str(folder), str(log)))
        self._process.start()
        if self._process.pid is None:
            raise RuntimeError("the process did not start")
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Its exit code; none while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended.

        Raises:
            subprocess.TimeoutExpired: It runs on.
        """
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("touchstone", timeout or 0)
        return self._process.exitcode


def run(arguments: list[str], environment: dict[str, str], folder: str, log: str) -> None:
    """In the new process: what the script `touchstone` does, without drawing."""
    os.setsid()
    words = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(words, stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    warnings.simplefilter("ignore")
    # It read the environment when it was imported: that of the process which holds the libraries.
    set_conf_env(conf)
    sys.argv = ["touchstone", *arguments]
    from pipeline.command_line.main import run as command_line
    from tests.small_study import without_drawing
    from tests.unsynced import without_syncing

    without_syncing()
    with without_drawing():
        command_line()
