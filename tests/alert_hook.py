"""A webhook on loopback that takes alerts, or refuses them as it is told.

with alert_hook() as hook:
    ...  # TOUCHSTONE_ALERT_WEBHOOK=hook.address("/services/some-token")
assert [one["kind"] for one in hook.taken] == ["run_failed"]
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class AlertHook:
    """`bodies` holds every request as it came, `taken` those that were answered with 200; `status` is answered next.

    `longest` is how many bytes it reads: what is longer is answered with `too_long`.
    """

    port: int = 0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    refuse_after: int | None = None
    longest: int | None = None
    too_long: int = 413
    bodies: list[bytes] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def address(self, path: str = "/hook") -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}{path}"

    def take(self, path: str, body: bytes) -> int:
        """One request, and the status that answers it."""
        self.paths.append(path)
        self.bodies.append(body)
        refused = self.refuse_after is not None and len(self.taken) >= self.refuse_after
        status = 503 if refused else self.status
        if self.longest is not None and len(body) > self.longest:
            status = self.too_long
        if status == 200:
            self.taken.append(json.loads(body))
        return status


@contextmanager
def alert_hook(port: int = 0) -> Iterator[AlertHook]:
    """The webhook in a thread of this process, until the block ends."""
    hook = AlertHook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status = hook.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            for name, value in hook.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    hook.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
