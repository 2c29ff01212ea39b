"""`touchstone review`: the page on which people decide what judges differ about, until Ctrl+C."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from resources.errors import UserError
from resources.home import CHECKOUT

HOST = "127.0.0.1"
APP = CHECKOUT / "review" / "app.py"
THEME = {"base": "light", "primaryColor": "#2b6cb0", "textColor": "#1a202c", "borderColor": "#cbd5e0"}


def review(port: Annotated[int, typer.Option(help="Port of the page.", min=1, max=65535)] = 8501) -> None:
    """Open the review page on this machine: votes on documents that judges differ about."""
    from resources.study import study_from_environment

    # Said here, before a server starts, in the words of the command line.
    _configured = study_from_environment().reliability
    console = Console(stderr=True)
    console.print(f"Review page: http://{HOST}:{port} in a few seconds; Ctrl+C stops it.", highlight=False)
    try:
        code = subprocess.run(server_command(port), cwd=CHECKOUT, check=False).returncode
    except KeyboardInterrupt:
        console.print("Stopped.")
        return
    if code:
        raise UserError(f"The review page stopped. If port {port} is taken, try another: --port {port + 1}.")


def server_command(port: int, app: Path = APP) -> list[str]:
    """Streamlit for this machine alone: no browser opened, nothing reported to anyone, no details of errors shown."""
    options = {
        "server.address": HOST,
        "server.port": str(port),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        **{f"theme.{name}": value for name, value in THEME.items()},
    }
    # By `-m`, so that the checkout is where Python looks first.
    started = [sys.executable, "-m", "streamlit", "run", str(app)]
    return [*started, *(f"--{name}={value}" for name, value in options.items())]
