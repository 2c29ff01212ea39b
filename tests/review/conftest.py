"""A study with disputed queries on each database, the page over it, and a browser."""

import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
import sqlalchemy as sa

from pipeline.command_line.review import server_command
from resources.database.engine import open_engine
from resources.database.migrate import migrate
from tests.made_disputes import STUDY

CONFIGURATION = f"study: {STUDY}\nreliability:\n  queries: queries.csv\n  review:\n    documents_at_a_time: 4\n"


def write_study(folder: Path, more: str = "") -> dict[str, str]:
    """A home whose configuration asks for study D, with more keys of `review`; the environment that names it."""
    (folder / "touchstone.yaml").write_text(f"{CONFIGURATION}{more}", encoding="utf-8")
    (folder / "queries.csv").write_text("id,query\n", encoding="utf-8")
    return {"TOUCHSTONE_HOME": str(folder)}


@pytest.fixture
def study(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Engine]:
    """A study's empty database of each kind, which the page in this process opens."""
    yield from _study(database_url, tmp_path, monkeypatch)


@pytest.fixture
def study_on_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Engine]:
    """The same on SQLite alone, for what the page shows whatever the database."""
    yield from _study(f"sqlite:///{tmp_path / 'touchstone.db'}", tmp_path, monkeypatch)


def _study(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Engine]:
    import streamlit as st

    for name, value in write_study(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    st.cache_resource.clear()
    engine = open_engine(url)
    migrate(engine)
    yield engine
    engine.dispose()
    st.cache_resource.clear()


class Server:
    """The real server on a free loopback port over a SQLite home; stopped and started again at will."""

    def __init__(self, home: Path) -> None:
        self.home = home
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.start()

    def start(self) -> None:
        # Every query is offered to everyone, whichever reviewer had it on the screen in an earlier test.
        environment = {**os.environ, **write_study(self.home, "    overlap: 1\n")}
        root = Path(__file__).resolve().parents[2]
        with (self.home / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                server_command(self.port), cwd=root, env=environment, stdout=log, stderr=log
            )
        deadline = monotonic() + 30
        while monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}_stcore/health", timeout=1):
                    return
            except OSError:
                sleep(0.1)
        pytest.fail(f"the page did not start: {(self.home / 'server.log').read_text()}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def engine(home: Path) -> Iterator[sa.Engine]:
    """The database that the real server works on."""
    made = open_engine(f"sqlite:///{home / 'touchstone.db'}")
    migrate(made)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def server(home: Path, engine: sa.Engine) -> Iterator[Server]:
    started = Server(home)
    yield started
    started.stop()
