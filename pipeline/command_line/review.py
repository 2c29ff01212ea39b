"""`touchstone review`: the page on which people decide what judges differ about, until Ctrl+C."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.extras import require_extra
from resources.runtime.home import CHECKOUT

HOST = "127.0.0.1"
OWN_NAMES = (HOST, "localhost")
APP = CHECKOUT / "review" / "app.py"
# Light or dark as the reader's system is.
THEME = {
    "light.primaryColor": "#2b6cb0",
    "light.textColor": "#1a202c",
    "light.borderColor": "#cbd5e0",
    "light.secondaryBackgroundColor": "#f7fafc",
    "dark.primaryColor": "#2f74c0",
    "dark.backgroundColor": "#14181f",
    "dark.textColor": "#e6e9ee",
    "dark.borderColor": "#465062",
    "dark.secondaryBackgroundColor": "#1f2631",
}


def review(
    port: Annotated[int, typer.Option(help="Port of the page.", min=1, max=65535)] = 8501,
    name: Annotated[
        list[str] | None, typer.Option(help="Name under which a reverse proxy with a login shows the page.")
    ] = None,
) -> None:
    """Open the review page on this machine: votes on documents that judges differ about."""
    from resources.study import study_from_environment

    require_extra("review", "The review page")
    # Said here, before a server starts, in the words of the command line.
    _configured = study_from_environment().reliability
    console = terminal(stderr=True)
    # Ended by a signal, or started by a script in the background, this process would leave the server listening.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console.print(f"Review page: http://{HOST}:{port} in a few seconds; Ctrl+C stops it.", highlight=False)
    try:
        code = subprocess.run(server_command(port, names=name or ()), cwd=CHECKOUT, check=False).returncode
    except KeyboardInterrupt:
        console.print("Stopped.")
        return
    if code:
        raise UserError(f"The review page stopped. If port {port} is taken, try another: --port {port + 1}.")


def server_command(port: int, names: Sequence[str] = ()) -> list[str]:
    """Streamlit for this machine alone: no browser opened, nothing reported to anyone, no details of errors shown.

    Args:
        port: Where it listens.
        names: Of a reverse proxy's, under which it answers besides this machine's own. Under any other name it answers
            no one: a page elsewhere whose name is made to point at this machine would count as this page itself.
    """
    options = {
        "server.address": HOST,
        "server.port": str(port),
        # Streamlit's own defaults, said here so that no settings file of the user's turns them off: pages of other
        # addresses may neither read this one nor write to it.
        "server.enableCORS": "true",
        "server.enableXsrfProtection": "true",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        **{f"theme.{name}": value for name, value in THEME.items()},
    }
    # By `-m`, so that the checkout is where Python looks first.
    started = [sys.executable, "-m", "streamlit", "run", str(APP)]
    hosts = (f"--server.allowedHosts={name}" for name in (*OWN_NAMES, *names))
    return [*started, *(f"--{name}={value}" for name, value in options.items()), *hosts]
