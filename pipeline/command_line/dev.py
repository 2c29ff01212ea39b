"""`touchstone dev`: the web UI and the daemon over the same home, until Ctrl+C."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.instance import prepare_instance
from pipeline.samples.prepare import prepare_samples
from resources.configuration.load import load_configuration
from resources.errors import UserError
from resources.home import CHECKOUT, touchstone_home


def dev(
    host: Annotated[str, typer.Option(help="Address to listen on; others than 127.0.0.1 let others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the web UI.")] = 3000,
) -> None:
    """Open the web UI and run the daemon (schedules, sensors, backfills) until Ctrl+C."""
    home = touchstone_home()
    load_configuration(home)
    prepare_samples(home, Console(stderr=True))
    prepare_instance(home)
    workspace = str(CHECKOUT / "workspace.yaml")
    commands = (
        [beside_python("dagster-webserver"), "-w", workspace, "-h", host, "-p", str(port)],
        [beside_python("dagster-daemon"), "run", "-w", workspace],
    )
    processes = [subprocess.Popen(command, cwd=CHECKOUT) for command in commands]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        while all(process.poll() is None for process in processes):
            time.sleep(0.5)
        raise UserError(
            f"The web UI or the daemon stopped. Is port {port} taken? Try `touchstone dev --port {port + 1}`."
        )
    except KeyboardInterrupt:
        Console(stderr=True).print("Stopping.")
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait(timeout=30)


def beside_python(program: str) -> str:
    """A program of this environment, whether or not the environment is activated."""
    return str(Path(sys.executable).parent / program)
