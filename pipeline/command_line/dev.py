"""`touchstone dev`: the web UI and the daemon over the same home, until Ctrl+C."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from resources.errors import UserError
from resources.home import CHECKOUT, Home, touchstone_home

PATIENCE_S = 15


def dev(
    host: Annotated[str, typer.Option(help="Address to listen on; others than 127.0.0.1 let others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the web UI.")] = 3000,
) -> None:
    """Open the web UI and run the daemon (schedules, sensors, backfills) until Ctrl+C."""
    from pipeline.instance import only_daemon, prepare_instance
    from pipeline.samples.prepare import prepare_samples

    console = Console(stderr=True)
    home = touchstone_home()
    prepare_instance(home)
    with only_daemon(home):
        prepare_samples(home, console)
        _dev(home, console, host, port)


def _dev(home: Home, console: Console, host: str, port: int) -> None:
    shared = ["-w", str(CHECKOUT / "workspace.yaml"), "--code-server-log-level", "warning"]
    commands = (
        [beside_python("dagster-webserver"), "-h", host, "-p", str(port), *shared],
        [beside_python("dagster-daemon"), "run", *shared],
    )
    # Started by a script in the background, a process ignores Ctrl+C, and its children after it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console.print(f"Web UI: http://{host}:{port} in a few seconds; Ctrl+C stops it. Home: {home.base}", highlight=False)
    processes = [subprocess.Popen(command, cwd=CHECKOUT) for command in commands]
    try:
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        raise UserError(f"The web UI or the daemon stopped. If port {port} is taken, try another: --port {port + 1}.")
    except KeyboardInterrupt:
        console.print("Stopping.")
    finally:
        stop(processes)


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
