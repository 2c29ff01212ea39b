"""A server on loopback that speaks the chat-completions protocol and answers as it is told, call by call.

    with openai_server([rate_limited(retry_after="0"), answered()]) as server:
        ...  # OPENAI_BASE_URL=server.base_url, any key, any model
    assert len(server.requests) == 2

A script is a list, whose last entry is repeated, or a function from `Asked` to `Scripted`, called in the server's
thread. Without one every call gets a valid answer about its own item. `python -m tests.openai_server --latency 0.2`
runs it in a process of its own and prints the address.
"""

import argparse
import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

MODEL = "gpt-4o-2024-08-06"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 0}}
SUBSCORES = ("color_palette", "material_finish", "texture_identity", "texture_scale_placement")
_ITEM = re.compile(r'- item_id: ("(?:[^"\\]|\\.)*")')
_RUN = re.compile(r"- run_id: (\w+)")


@dataclass(frozen=True)
class Asked:
    """One request as it came: `number` counts from 1, `at` is `time.monotonic()`."""

    number: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: float

    @property
    def text(self) -> str:
        """All text parts of the user message."""
        content = self.body["messages"][-1]["content"]
        if isinstance(content, str):
            return content
        return "\n".join(part["text"] for part in content if part["type"] == "text")

    @property
    def item_id(self) -> str:
        """The item that is asked about."""
        found = _ITEM.search(self.text)
        return json.loads(found[1]) if found else ""

    @property
    def run_id(self) -> str:
        """The nonce."""
        found = _RUN.search(self.text)
        return found[1] if found else ""

    @property
    def images(self) -> list[str]:
        """The data URLs in order."""
        parts = self.body["messages"][-1]["content"]
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


@dataclass(frozen=True)
class Scripted:
    """One answer; text in it stands as it is, `None` is a valid answer about the item that was asked for.

    `held_until` holds the answer back until it is true. `cut` breaks the connection after half of the body; `drip_s`
    sends the body byte by byte with such pauses.
    """

    text: str | None = None
    status: int = 200
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    held_until: Callable[[], bool] | None = None
    cut: bool = False
    drip_s: float = 0.0
    finish_reason: str | None = "stop"
    refusal: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    model: str = MODEL
    fingerprint: str | None = "fp_1"

    def bytes_for(self, asked: Asked) -> bytes:
        """The body."""
        if self.raw is not None:
            return self.raw
        content = None if self.refusal is not None else valid_text(asked.item_id) if self.text is None else self.text
        message = {"role": "assistant", "content": content, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason, "logprobs": None}
        completion = {
            "id": f"chatcmpl-{asked.number}",
            "object": "chat.completion",
            "created": 1_780_000_000,
            "model": self.model,
            "system_fingerprint": self.fingerprint,
            "choices": [choice],
        }
        if self.usage is not None:
            completion["usage"] = self.usage
        return json.dumps(completion).encode()


Script = Callable[[Asked], Scripted] | Sequence[Scripted]


def valid_text(item_id: str, score: float = 70, **changed: Any) -> str:
    """An answer in the form asked for, all sub-scores alike."""
    said = {
        "item_id": item_id,
        "subscores": dict.fromkeys(SUBSCORES, score),
        "score": score,
        "rationale": ["the colours match", "the texture is coarser"],
    }
    return json.dumps(said | changed)


def answered(text: str | None = None, **changed: Any) -> Scripted:
    """An answer with status 200; without a text it is valid and about the right item."""
    return Scripted(text, **changed)


def failed(status: int, message: str = "no", code: str | None = None, param: str | None = None, **changed: Any) -> Any:
    """An error in OpenAI's form."""
    error = {"message": message, "type": "error", "code": code, "param": param}
    return Scripted(status=status, raw=json.dumps({"error": error}).encode(), **changed)


def rate_limited(retry_after: str | None = None, **headers: str) -> Scripted:
    """429, with `retry-after` (seconds or an HTTP date) or without."""
    asked_for = {} if retry_after is None else {"retry-after": retry_after}
    return failed(429, "Rate limit reached", "rate_limit_exceeded", headers=asked_for | headers)


def quota_used_up() -> Scripted:
    """429 that no waiting cures."""
    return failed(429, "You exceeded your current quota", "insufficient_quota")


@dataclass
class OpenAIServer:
    """`requests` holds what came, in order; `most_at_once` how many were under way together."""

    base_url: str
    script: Script = ()
    latency_s: float = 0.0
    requests: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    _under_way: int = 0

    async def answer(self, request: Request) -> Response:
        """One call of the protocol."""
        came = time.monotonic()
        body = await request.json()
        asked = Asked(len(self.requests) + 1, body, dict(request.headers), came)
        self.requests.append(asked)
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            scripted = self._next(asked)
            # Reading a large request is part of the time that the server takes.
            await asyncio.sleep(max(0.0, came + self.latency_s + scripted.delay_s - time.monotonic()))
            while scripted.held_until and not scripted.held_until():
                await asyncio.sleep(0.005)
        finally:
            self._under_way -= 1
        body = scripted.bytes_for(asked)
        headers = {"content-type": "application/json", "content-length": str(len(body)), **scripted.headers}
        if scripted.cut or scripted.drip_s:
            return StreamingResponse(_parts(scripted, body), scripted.status, headers)
        return Response(body, scripted.status, headers)

    def _next(self, asked: Asked) -> Scripted:
        if callable(self.script):
            return self.script(asked)
        return self.script[min(asked.number, len(self.script)) - 1] if self.script else Scripted()


async def _parts(scripted: Scripted, body: bytes) -> AsyncIterator[bytes]:
    for byte in body[: len(body) // 2] if scripted.cut else body:
        yield bytes([byte])
        if scripted.drip_s:
            await asyncio.sleep(scripted.drip_s)


@contextmanager
def openai_server(script: Script = (), latency_s: float = 0.0, port: int = 0) -> Iterator[OpenAIServer]:
    """The server in a thread of this process, on a free port where none is named, until the block ends."""
    server = OpenAIServer("", script, latency_s)
    running, socket = _uvicorn(server, port)
    thread = threading.Thread(target=running.run, args=([socket],), name="openai-server", daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.005)
    try:
        yield server
    finally:
        running.should_exit = running.force_exit = True
        thread.join(5)
        socket.close()


class _AtOnce(uvicorn.Server):
    """Ends when it is asked to; uvicorn looks ten times a second, and waits as long for open connections."""

    async def main_loop(self) -> None:
        await self.on_tick(0)
        while not self.should_exit:
            await asyncio.sleep(0.05)

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        for listening in (*self.servers, *(sockets or [])):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0.01)


def _uvicorn(server: OpenAIServer, port: int) -> tuple[uvicorn.Server, Any]:
    paths = ("/v1/chat/completions", "/v1/messages")
    application = Starlette(routes=[Route(path, server.answer, methods=["POST"]) for path in paths])
    config = uvicorn.Config(application, port=port, log_level="critical", access_log=False, lifespan="off")
    socket = config.bind_socket()
    server.base_url = f"http://127.0.0.1:{socket.getsockname()[1]}/v1"
    return _AtOnce(config), socket


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    alone = OpenAIServer("", (), given.latency)
    running, bound = _uvicorn(alone, given.port)
    print(alone.base_url, flush=True)
    running.run([bound])
