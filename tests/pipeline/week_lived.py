"""The simulated week on each kind of database: lived once, by a process of its own, for as many tests as ask for it."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from resources.runtime.home import CHECKOUT
from tests.deploy.configured_study import environment
from tests.pipeline.week import stored_tables
from tests.pipeline.week_inputs import FREE, WEDNESDAY, write_configuration, write_inputs
from tests.small_relevance import AGREED

DATABASES = ["sqlite", "postgres"]
# The other one ends on Wednesday, where both are alike: until then automation ran, was killed and went on.
WHOLE = "sqlite"
PATIENCE_S = 1800.0


class Lived:
    """What a week left: its diary, its tables then and on Wednesday, and how its process ended, with its last words."""

    def __init__(self, folder: Path, exit_code: int) -> None:
        self.exit_code, self.words = exit_code, (folder / "log.txt").read_text()[-4000:]
        self.diary: dict[str, Any] = json.loads((folder / "diary.json").read_text())
        self.tables: dict[str, pd.DataFrame] = stored_tables(folder / "home" / "tables")
        self.on_wednesday: dict[str, pd.DataFrame] = stored_tables(folder / WEDNESDAY)


@contextmanager
def weeks_below(folder: Path, new_database: Callable[[], str]) -> Iterator[Callable[[str], Lived]]:
    """The week on a kind of database, lived when it is first asked for.

    Args:
        folder: Where each week has a folder of its own.
        new_database: Makes one on Postgres and gives its address.
    """
    lived: dict[str, Lived] = {}
    # The judge's address is part of who it is, so that both weeks need the same port. Bound here it stays ours: it is
    # given to nobody who asks for a free one, and the week's server may listen on it.
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]

    def week_on(database: str) -> Lived:
        if database not in lived:
            variables = {}
            if database == "postgres":
                variables["TOUCHSTONE_DATABASE_URL"] = new_database()
                variables["TOUCHSTONE_DAGSTER_YAML"] = str(CHECKOUT / "deploy" / "postgres" / "dagster.yaml")
            lived[database] = live_through(folder / database, port, variables)
        return lived[database]

    with held:
        yield week_on
    print({database: f"{week.diary['minutes']:.1f} minutes" for database, week in lived.items()})


def live_through(folder: Path, port: int, variables: dict[str, str]) -> Lived:
    """The week in a process of its own: settings and methods are those of the configuration that it starts with."""
    folder.mkdir()
    write_inputs(folder, [AGREED] * 6)
    write_configuration(folder, FREE)
    command = [sys.executable, "-W", "ignore", "-m", "tests.pipeline.week_days", str(folder), str(port)]
    command += ["whole"] if folder.name == WHOLE else []
    with (folder / "log.txt").open("w") as words:
        week = subprocess.Popen(
            command,
            cwd=CHECKOUT,
            env=environment(folder / "home", **variables),
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
        try:
            return Lived(folder, week.wait(PATIENCE_S))
        finally:
            if week.poll() is None:
                os.killpg(week.pid, signal.SIGKILL)
                week.wait()
