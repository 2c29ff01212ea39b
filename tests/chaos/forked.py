"""The command line in a process that has its libraries already: what takes longest about a small run is loading them.

This module imports nothing of the project: what the project reads of its environment it reads when it is imported.
"""

import gc
import multiprocessing
import os
import runpy
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

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

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        log: Path,
        errors: Path | None = None,
    ) -> None:
        """Start it; what it says goes to the log, and what it says on stderr there too or to a file of its own."""
        self._start(run, list(arguments), dict(environment), str(folder), str(log), str(errors or log))

    def _start(self, target: Callable[..., None], *given: object) -> None:
        CONTEXT.set_forkserver_preload(LIBRARIES)
        self._process = CONTEXT.Process(target=target, args=given)
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

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()


class ForkedProgram(Forked):
    """A program of the tests, which `python -m` would run, in such a process."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        log: Path,
        environment: Mapping[str, str] = os.environ,
        errors: Path | None = None,
    ) -> None:
        """Start it in this folder; what it says is appended to the log, and its stderr there too or to its own file."""
        given = (module, list(arguments), dict(environment), str(Path.cwd()), str(log), str(errors or log))
        self._start(run_program, *given)

    @property
    def returncode(self) -> int | None:
        """As `poll` says."""
        return self.poll()


class InteractiveProgram(ForkedProgram):
    """A program of the tests that reads lines, and whose words are looked at while it runs."""

    def __init__(self, module: str, arguments: Sequence[str], folder: Path) -> None:
        """Start it; the folder is empty, for what it reads and what it says."""
        folder.mkdir()
        self._lines, self._log = folder / "lines", folder / "log.txt"
        os.mkfifo(self._lines)
        self._log.touch()
        self._start(
            run_reading,
            str(self._lines),
            *(module, list(arguments), dict(os.environ), str(Path.cwd()), str(self._log), str(self._log)),
        )

    def tell(self, line: str) -> None:
        """Let it read a line; it has begun."""
        self._lines.write_text(f"{line}\n")

    def said(self) -> list[str]:
        """Its lines so far, without one that it has not finished."""
        return [line[:-1] for line in self._log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def line(self, words: str, timeout: float) -> str:
        """The first line with these words.

        Raises:
            AssertionError: It ended without one, or says none in time.
        """
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            ended = self.poll() is not None
            for line in self.said():
                if words in line:
                    return line
            if ended:
                break
            time.sleep(0.02)
        raise AssertionError(f"no line with '{words}': {self._log.read_text()}")


@contextmanager
def interactive_programs(module: str, folder: Path) -> Iterator[Callable[..., InteractiveProgram]]:
    """What starts such a program with these arguments, as often as it is wanted; none outlives the block."""
    started: list[InteractiveProgram] = []

    def start(*arguments: object) -> InteractiveProgram:
        own = folder / f"process_{len(started)}"
        started.append(InteractiveProgram(module, [str(one) for one in arguments], own))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()


def finished(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, words: Path
) -> subprocess.CompletedProcess[str]:
    """A command that ran to its end in such a process.

    Args:
        arguments: Of `touchstone`.
        environment: All variables that it finds.
        folder: Where it runs.
        words: An empty folder for what it says.
    """
    said, errors = words / "stdout.txt", words / "stderr.txt"
    status = Forked(arguments, environment, folder, said, errors).wait()
    return subprocess.CompletedProcess(list(arguments), status, said.read_text(), errors.read_text())


def run(arguments: list[str], environment: dict[str, str], folder: str, log: str, errors: str) -> None:
    """In the new process: what the script `touchstone` does, without drawing."""
    settle(environment, folder, log, errors)
    sys.argv = ["touchstone", *arguments]
    # Nothing that has partitions is imported before the command has named its study.
    from pipeline.command_line.main import run as command_line
    from reports.shared import figure, page
    from tests.one_pixel import ONE_PIXEL
    from tests.unsynced import without_syncing

    figure.png = lambda *_arguments, **_sizes: ONE_PIXEL
    page.picture_of = lambda *_arguments: ""
    without_syncing()
    command_line()


def run_program(
    module: str, arguments: list[str], environment: dict[str, str], folder: str, log: str, errors: str
) -> None:
    """In the new process: the program."""
    settle(environment, folder, log, errors)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__")


def run_reading(lines: str, *given: Any) -> None:
    """In the new process: the program, with a pipe to read from."""
    # For writing too: else opening it waits for the other side.
    sys.stdin = os.fdopen(os.open(lines, os.O_RDWR))
    run_program(*given)


def settle(environment: dict[str, str], folder: str, log: str, errors: str) -> None:
    """Take streams, variables and folder that a process is given."""
    # The libraries stay: no garbage collection need look at them again.
    gc.freeze()
    os.setsid()
    for stream, file in ((1, log), (2, errors)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    warnings.simplefilter("ignore")
    # It read the environment when it was imported: that of the process which holds the libraries.
    set_conf_env(conf)
