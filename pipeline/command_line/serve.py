"""`touchstone serve`: web UI, daemon and code server as processes of their own, until Ctrl+C or SIGTERM."""

import os
import signal
import subprocess
import time
from typing import Annotated

import typer
from rich.console import Console

from pipeline.command_line.dev import beside_python, refuse_taken
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.home import CHECKOUT, Home, touchstone_home

HOST = "127.0.0.1"
WORKSPACE = CHECKOUT / "deploy" / "postgres" / "workspace.yaml"
PATIENCE_S = 30.0  # a run under way records that it was stopped
CODE_LOADS_WITHIN_S = 180.0
LOOKS_EVERY_S = 0.25
NAMES = ("code server", "web UI", "daemon")


def serve(
    port: Annotated[int, typer.Option(help="Port of the web UI.", min=0, max=65535)] = 3000,
    code_port: Annotated[
        int, typer.Option(help="Port on which the web UI and the daemon ask the code server.", min=0, max=65535)
    ] = 4266,
) -> None:
    """Run the web UI, the daemon and the code server on 127.0.0.1 until Ctrl+C; for a service that stays up."""
    from pipeline.instance import only_daemon, prepare_instance
    from pipeline.samples.prepare import prepare_samples

    console = terminal(stderr=True, soft_wrap=True, highlight=False)
    refuse_taken(HOST, port, "--port")
    refuse_taken(HOST, code_port, "--code-port")
    home = touchstone_home()
    prepare_instance(home)
    os.environ["TOUCHSTONE_CODE_SERVER_PORT"] = str(code_port)
    with only_daemon(home) as held:
        prepare_samples(home, console)
        _serve(home, console, port, code_port, held)


def _serve(home: Home, console: Console, port: int, code_port: int, held: list[int]) -> None:
    # Started by a script in the background, a process ignores Ctrl+C, and its children after it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    running: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in commands(port, code_port).items():
            # A session of its own: Ctrl+C at the terminal reaches this process alone, which stops them in order.
            # They hold the daemon's place, though this process is killed and they live on.
            running[name] = subprocess.Popen(command, cwd=CHECKOUT, start_new_session=True, pass_fds=held)
            if name == NAMES[0]:
                _wait_for_code(running[name], code_port)
            console.print(f"{name:12} process {running[name].pid}, {_address(name, port, code_port)}")
        console.print(f"Home: {home.base}. Ctrl+C stops all three.")
        while True:
            for name, process in running.items():
                if process.poll() is not None:
                    raise UserError(f"The {name} stopped with code {process.returncode}; its own words stand above.")
            time.sleep(LOOKS_EVERY_S)
    except KeyboardInterrupt:
        console.print("Stopping.")
    finally:
        # Nothing interrupts the end, however often Ctrl+C is pressed.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for name in reversed(running):
            _stop(running[name])
    console.print("All stopped.")


def commands(port: int, code_port: int) -> dict[str, list[str]]:
    """What runs, in the order in which it is started."""
    quiet = ["--log-level", "warning"]
    location = ["--location-name", "touchstone", "-f", str(CHECKOUT / "pipeline" / "definitions.py")]
    workspace = ["-w", str(WORKSPACE)]
    code = ["code-server", "start", "-h", HOST, "-p", str(code_port), *quiet, "-d", str(CHECKOUT), *location]
    # A run is started by the code server, with the program of this environment.
    return {
        NAMES[0]: [beside_python("dagster"), *code, "--use-python-environment-entry-point"],
        NAMES[1]: [beside_python("dagster-webserver"), "-h", HOST, "-p", str(port), *workspace],
        NAMES[2]: [beside_python("dagster-daemon"), "run", *workspace],
    }


def _address(name: str, port: int, code_port: int) -> str:
    addresses = {NAMES[0]: f"{HOST}:{code_port}", NAMES[1]: f"http://{HOST}:{port}"}
    return addresses.get(name, "schedules, sensors and the queue of runs")


def _wait_for_code(process: subprocess.Popen[bytes], code_port: int) -> None:
    """Return once the code server answers: a web UI that is there earlier shows an error until it looks again."""
    deadline = time.monotonic() + CODE_LOADS_WITHIN_S
    while not _answers(code_port):
        if process.poll() is not None:
            raise UserError("The code server did not start; its own words stand above.")
        if time.monotonic() > deadline:
            raise UserError(f"The code server does not answer on {HOST}:{code_port} after {CODE_LOADS_WITHIN_S:.0f} s.")
        time.sleep(LOOKS_EVERY_S)


def _answers(code_port: int) -> bool:
    from resources.runtime.dagster_internals import DagsterGrpcClient, DagsterUserCodeUnreachableError

    try:
        DagsterGrpcClient(host=HOST, port=code_port).ping("")
    except DagsterUserCodeUnreachableError:
        return False
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started, runs too: asked first, forced after a while."""
    if process.poll() is None:
        # To the whole group, as a terminal does: the code server alone would wait for its runs to end.
        os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    deadline = time.monotonic() + PATIENCE_S
    while group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(LOOKS_EVERY_S)
    if group_lives(process.pid):
        os.killpg(process.pid, signal.SIGKILL)


def group_lives(group: int) -> bool:
    """Whether a process group has a member that is there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
