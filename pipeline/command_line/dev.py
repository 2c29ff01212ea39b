"""`touchstone dev`: the web UI and the daemon over the same home, until Ctrl+C."""

import errno
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from typing import Annotated, Final

import typer
from rich.console import Console

from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, Home, touchstone_home

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
# As Dagster's loggers write a line: time, logger, level, words.
_LINE: Final = re.compile(r"\d{4}-\d\d-\d\d \S+ \S+ - (?P<logger>[\w.-]+) - (?P<level>[A-Z]+) - (?P<words>.*)")
_LAUNCH: Final = re.compile(r"\b(creating|launch|launched|launching)\b.* run", re.IGNORECASE)
_RUN: Final = re.compile(r" - RUN_\w+ - ")
# The daemon starts its code server anew once a minute, and the old one ends with this warning.
_REPLACED: Final = "No heartbeat received in"
PATIENCE_S = 15
LAST_WORDS_S = 1  # what a process started may hold its output open


def is_shown(line: str) -> bool:
    """Whether a line belongs into a log that people read.

    Warnings, errors, whatever has another form, and each run's beginning and end do; a tick that starts no run, the
    steps of a run and the end of a code server that was replaced do not.
    """
    found = _LINE.match(_COLOUR.sub("", line))
    if found is None:
        return True
    logger, level, words = found.groups()
    if level == "DEBUG":
        return _RUN.search(words) is not None
    if level == "INFO" and logger.startswith("dagster.daemon"):
        return _LAUNCH.search(words) is not None
    return not (logger == "dagster.code_server" and words.startswith(_REPLACED))


def pass_on(process: Popen[bytes], stopping: threading.Event) -> threading.Thread:
    """Copy what a process writes to this one's standard output, line by line, until it ends or all that it started.

    Not what it writes once it is stopped: Ctrl+C reaches it too, and while it loads it prints a traceback.
    """

    def copy() -> None:
        for line in process.stdout or ():
            if line.startswith(b"Traceback"):
                stopping.wait(LAST_WORDS_S)  # it may hear of Ctrl+C before this process does
            # Once nothing reads this output any more, as after `| head`, the process must not wait for it.
            with suppress(BrokenPipeError):
                if not stopping.is_set() and is_shown(line.decode(errors="replace")):
                    sys.stdout.buffer.write(line)
                    sys.stdout.buffer.flush()

    thread = threading.Thread(target=copy, name="log", daemon=True)
    thread.start()
    return thread


def dev(
    host: Annotated[str, typer.Option(help="Address to listen on; others than 127.0.0.1 let others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the web UI.", min=0, max=65535)] = 3000,
) -> None:
    """Open the web UI and run the daemon (schedules, sensors, backfills) until Ctrl+C."""
    from pipeline.instance import only_daemon, prepare_instance
    from pipeline.samples.prepare import prepare_samples

    console = terminal(stderr=True)
    refuse_taken(host, port, "--port")
    home = touchstone_home()
    prepare_instance(home)
    with only_daemon(home) as held:
        prepare_samples(home, console)
        _dev(home, console, host, port, held)


def _dev(home: Home, console: Console, host: str, port: int, held: list[int]) -> None:
    shared = ["-w", str(CHECKOUT / "workspace.yaml"), "--code-server-log-level", "warning"]
    commands = (
        [beside_python("dagster-webserver"), "-h", host, "-p", str(port), *shared],
        [beside_python("dagster-daemon"), "run", *shared],
    )
    # Started by a script in the background, a process ignores Ctrl+C, and its children after it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console.print(f"Web UI: http://{host}:{port} in a few seconds; Ctrl+C stops it. Home: {home.base}", highlight=False)
    # They hold the daemon's place, though this process is killed and they live on.
    processes = [
        subprocess.Popen(command, cwd=CHECKOUT, pass_fds=held, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for command in commands
    ]
    stopping = threading.Event()
    logs = [pass_on(process, stopping) for process in processes]
    try:
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        raise UserError("The web UI or the daemon stopped; its own words stand above.")
    except KeyboardInterrupt:
        stopping.set()
        console.print("Stopping.")
    finally:
        stop(processes)
        for log in logs:
            log.join(LAST_WORDS_S)


def refuse_taken(host: str, port: int, option: str) -> None:
    """Raise unless a server may listen there.

    Raises:
        UserError: Another process listens, or this machine has no such address.
    """
    from pipeline.instance import LEFT_BEHIND

    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        # As the servers do: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as fault:
            if fault.errno != errno.EADDRINUSE:
                raise UserError(f"Nothing can listen on {host}, port {port}: {fault.strerror}.") from fault
            raise UserError(
                f"Port {port} of {host} is taken. Try another: {option} {port + 1}. {LEFT_BEHIND}"
            ) from fault


def stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """End the processes: asked first, forced after a while."""
    for process in processes:
        process.send_signal(signal.SIGINT)
    for process in processes:
        try:
            process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()


def beside_python(program: str) -> str:
    """A program of this environment, whether or not the environment is activated."""
    return str(Path(sys.executable).parent / program)
