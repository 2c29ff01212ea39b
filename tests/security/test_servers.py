"""What listens, listens on this machine alone unless told, and takes no orders from pages of other addresses."""

import base64
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from inspect import signature
from pathlib import Path
from time import monotonic, sleep

import psutil  # type: ignore[import-untyped]
import pytest

from pipeline.command_line import dev, review, serve
from resources.runtime.home import CHECKOUT
from tests.review.conftest import CONFIGURATION

pytestmark = pytest.mark.slow

LOOPBACK = {"127.0.0.1", "::1"}
STARTS_WITHIN_S = 180.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def touchstone(*command: str) -> list[str]:
    return [sys.executable, "-c", "from pipeline.command_line.main import run; run()", *command]


@contextmanager
def started(program: list[str], home: Path, address: str) -> Iterator[psutil.Process]:
    """A program in a home of its own, once the address answers; in the end all that it started is gone."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "touchstone.yaml").write_text(CONFIGURATION, encoding="utf-8")
    (home / "queries.csv").write_text("id,query\n", encoding="utf-8")
    environment = {**os.environ, "TOUCHSTONE_HOME": str(home), "PYTHONPATH": str(CHECKOUT)}
    with (home / "said.log").open("w") as log:
        process = subprocess.Popen(
            program, cwd=CHECKOUT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        deadline = monotonic() + STARTS_WITHIN_S
        while not answers(address):
            if process.poll() is not None or monotonic() > deadline:
                pytest.fail(f"{program} did not start: {(home / 'said.log').read_text()}")
            sleep(0.2)
        yield psutil.Process(process.pid)
    finally:
        everything = of_session(process.pid)
        # What a program left behind that ended by itself is told by nobody to stop.
        patience_s = 60 if process.poll() is None else 0
        process.terminate()
        _gone, left = psutil.wait_procs(everything, timeout=patience_s)
        for one in left:
            one.kill()
        psutil.wait_procs(left, timeout=10)
    # A server that outlives the command that started it goes on listening, and nobody knows.
    assert not left


def of_session(leader: int) -> list[psutil.Process]:
    """What a program started, and itself, also after its own end: then its children are no longer known as such."""
    found = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError):
            if os.getsid(process.pid) == leader:
                found.append(process)
    return found


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):
            return True
    except OSError:
        return False


def listening(process: psutil.Process) -> set[tuple[str, int]]:
    """Addresses on which it and what it started wait for connections."""
    return {
        (one.laddr.ip, one.laddr.port)
        for each in (process, *process.children(recursive=True))
        for one in each.net_connections(kind="inet")
        if one.status == psutil.CONN_LISTEN
    }


def test_a_program_that_ends_at_once_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    lines = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"
    program = [sys.executable, "-c", lines]
    with (
        pytest.raises(pytest.fail.Exception, match="did not start"),
        started(program, tmp_path, f"http://127.0.0.1:{free_port()}"),
    ):
        pass
    left = int((tmp_path / "said.log").read_text())
    # Where nobody collects it, it stays as a name without a process.
    assert not psutil.pid_exists(left) or psutil.Process(left).status() == psutil.STATUS_ZOMBIE


@pytest.fixture(scope="module")
def review_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[psutil.Process, int]]:
    port = free_port()
    folder = tmp_path_factory.mktemp("review")
    with started(
        touchstone("review", "--port", str(port)), folder, f"http://127.0.0.1:{port}/_stcore/health"
    ) as process:
        yield process, port


def test_the_review_page_listens_on_this_machine_alone(review_page: tuple[psutil.Process, int]) -> None:
    process, port = review_page
    assert listening(process) == {("127.0.0.1", port)}


def test_the_web_ui_and_its_helpers_listen_on_this_machine_alone(tmp_path: Path) -> None:
    port = free_port()
    with started(touchstone("dev", "--port", str(port)), tmp_path, f"http://127.0.0.1:{port}/server_info") as process:
        found = listening(process)
    assert ("127.0.0.1", port) in found
    assert {address for address, _ in found} <= LOOPBACK


def test_every_server_command_names_loopback_where_nothing_else_is_said() -> None:
    assert signature(dev.dev).parameters["host"].default == "127.0.0.1"
    commands = serve.commands(3000, 4266)
    assert [commands[name][commands[name].index("-h") + 1] for name in ("code server", "web UI")] == ["127.0.0.1"] * 2
    assert "--server.address=127.0.0.1" in review.server_command(8501)


def test_no_file_of_the_deployments_opens_a_server_to_all() -> None:
    everywhere = re.compile(r"0\.0\.0\.0|\[::\](?!\w)|listen_addresses\s*=\s*'?\*|--host[= ]\*")
    told = {"deploy/k8s"}  # in a pod the address is the pod's own, and a Service decides who reaches it
    found = [
        path.relative_to(CHECKOUT).as_posix()
        for room in ("deploy", "pipeline", "review")
        for path in (CHECKOUT / room).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and everywhere.search(path.read_text(errors="replace"))
    ]
    assert not [file for file in found if not file.startswith(tuple(told))]


def test_rays_ports_which_others_reach_ask_for_a_token() -> None:
    for name in ("head.sh", "worker.sh"):
        text = (CHECKOUT / "deploy" / "ray" / name).read_text()
        assert 'export RAY_AUTH_MODE="${RAY_AUTH_MODE:-token}"' in text
    assert "--include-dashboard false" in (CHECKOUT / "deploy" / "ray" / "head.sh").read_text()


def status_of_socket(port: int, origin: str, host: str) -> int:
    """What the server answers to a page of `origin` that asks for the channel on which a session runs."""
    key = base64.b64encode(os.urandom(16)).decode()
    asked = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(asked.encode())
        return int(connection.recv(1000).split()[1])


def test_a_page_of_another_address_gets_no_session_of_the_review_page(
    review_page: tuple[psutil.Process, int],
) -> None:
    _, port = review_page
    assert status_of_socket(port, f"http://127.0.0.1:{port}", f"127.0.0.1:{port}") == 101
    assert status_of_socket(port, "https://evil.example", f"127.0.0.1:{port}") == 403
    # A name that is made to point here, so that the browser takes it for one and the same address.
    assert status_of_socket(port, f"http://evil.example:{port}", f"evil.example:{port}") == 403


def test_a_proxys_name_is_let_in_only_where_it_is_told() -> None:
    assert not [part for part in review.server_command(8501) if "review.example" in part]
    assert "--server.allowedHosts=review.example" in review.server_command(8501, names=["review.example"])


def test_a_settings_file_of_the_users_cannot_let_other_pages_in() -> None:
    command = review.server_command(8501)
    assert "--server.enableCORS=true" in command
    assert "--server.enableXsrfProtection=true" in command
