"""One request and what came of it, through OpenAI's own SDK on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import weakref
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from resources.errors import UserError
from resources.judges.openai.access import BASE_URL, Access
from resources.judges.openai.error_bodies import Said, said_in
from resources.judges.openai.request import Refused
from resources.runtime.network import prepare_network

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

MOST_BYTES: Final = 2_000_000  # an answer has a few hundred characters
CONNECT_S: Final = 10.0
BAD_REQUEST, UNPROCESSABLE = 400, 422
TIMED_OUT: Final = (408, 504, 524)
RATE_LIMITED: Final = 429
SERVER_ERROR: Final = 500
WORTH_REPEATING: Final = (408, 409, 425)


class Body(NamedTuple):
    """What came with status 200; `is_whole` is false where it was cut off at `MOST_BYTES`.

    `asked_s`: how many seconds to wait its headers ask for, which makes sense with an error alone.
    """

    data: bytes
    is_whole: bool
    asked_s: float | None = None


@dataclass(frozen=True)
class NoAnswer:
    """Why there is no answer; `status` is null where no status came, `may_be_billed` where a model may have run."""

    fault: Literal["rate_limited", "timeout", "provider_error"]
    message: str
    may_pass: bool
    may_be_billed: bool
    status: int | None = None
    code: str = ""
    refused: Refused | None = None
    retry_after_s: float | None = None


class Client:
    """Sends requests from any thread, many at a time, each exactly once."""

    def __init__(self, access: Access, timeout_s: float) -> None:
        """Nothing is opened before the first request."""
        self._access, self._timeout_s = access, timeout_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opened: list[AsyncOpenAI] = []

    def send(self, request: dict[str, Any]) -> Body | NoAnswer:
        """Send one request and wait for what comes of it, no longer than the timeout.

        Raises:
            UserError: The address is none that can be asked, or a proxy or certificates of the environment are none.
        """
        return asyncio.run_coroutine_threadsafe(self._send(request), self._running()).result()

    def open(self) -> None:
        """Load the SDK meanwhile, so that the first request need not wait for it."""
        asyncio.run_coroutine_threadsafe(self._ready(), self._running())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_run, args=(self._loop,), name="openai judge", daemon=True)
                thread.start()
                weakref.finalize(self, _stop, self._loop, thread, self._opened)
            return self._loop

    async def _ready(self) -> AsyncOpenAI:
        import httpx2
        import openai

        # Else it logs a line for every request.
        if (logger := logging.getLogger("httpx2")).level == logging.NOTSET:
            logger.setLevel(logging.WARNING)
        if not self._opened:
            prepare_network()
            timeout = httpx2.Timeout(self._timeout_s, connect=min(CONNECT_S, self._timeout_s))
            key, base_url = self._access.key, self._access.base_url
            # Key and images go to the address that a person gave, and to no other.
            transport = openai.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False)
            self._opened.append(
                openai.AsyncOpenAI(
                    api_key=key, base_url=base_url, timeout=timeout, max_retries=0, http_client=transport
                )
            )
        return self._opened[0]

    async def _send(self, request: dict[str, Any]) -> Body | NoAnswer:
        import httpx2
        import openai

        try:
            sdk = await self._ready()
            # The SDK's timeout is for each byte that comes; a server that drips would never meet it.
            async with (
                asyncio.timeout(self._timeout_s),
                # As extra body: the SDK looks at every part of named arguments one by one, for 2 ms a call.
                sdk.chat.completions.with_streaming_response.create(
                    model=request["model"], messages=[], extra_body=request
                ) as response,
            ):
                return await _read(response)
        except (httpx2.InvalidURL, ExceptionGroup) as problem:
            # A port that there is none of comes in a group.
            if isinstance(problem, ExceptionGroup) and problem.split(OverflowError)[1]:
                raise
            # Their words hold the address, of which any part may be a secret.
            raise UserError(f"{BASE_URL} is no address that can be asked.") from None
        except (TimeoutError, openai.APITimeoutError) as problem:
            reached = not isinstance(problem.__cause__, httpx2.ConnectTimeout)
            return NoAnswer("timeout", f"no answer within {self._timeout_s:g} s.", True, reached)
        except openai.APIStatusError as problem:
            return self._refusal(problem)
        except (openai.APIConnectionError, httpx2.HTTPError) as problem:
            cause = problem.__cause__ or problem
            reached = not isinstance(cause, httpx2.ConnectError)
            said = self._access.masked(str(cause) or type(cause).__name__)
            words = "the connection broke" if reached else f"{self._access.public_url} cannot be reached"
            return NoAnswer("provider_error", f"{words} ({said}).", True, reached)

    def _refusal(self, problem: APIStatusError) -> NoAnswer:
        status, error = problem.status_code, said_in(problem.body, problem.message)
        error = error._replace(message=self._access.masked(error.message))
        return no_answer_of(status, error, f"status {status}", retry_after(problem.response.headers))


def no_answer_of(status: int, error: Said, where: str, asked_s: float | None) -> NoAnswer:
    """What an error says of the call and of those to come.

    Args:
        status: Of the reply, or that the error would have had where it came within another.
        error: What the body says, without secrets.
        where: Begins the message.
        asked_s: Seconds to wait as the headers ask for; what the body asks for counts where they do not.
    """
    message = f"{where}: {error.message}"
    wait_s = error.retry_after_s if asked_s is None else asked_s
    if status == RATE_LIMITED:
        return NoAnswer("rate_limited", message, True, False, status, error.code, retry_after_s=wait_s)
    timed_out = status in TIMED_OUT
    may_pass = timed_out or status >= SERVER_ERROR or status in WORTH_REPEATING
    refused = Refused(error.param, error.message) if status in (BAD_REQUEST, UNPROCESSABLE) else None
    fault: Literal["timeout", "provider_error"] = "timeout" if timed_out else "provider_error"
    return NoAnswer(fault, message, may_pass, timed_out, status, error.code, refused, wait_s)


def retry_after(headers: Any) -> float | None:
    """Seconds to wait as a server asks for them: milliseconds, seconds or a date; null where it asks for none."""
    for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if seconds == seconds:
            return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


async def _read(response: Any) -> Body:
    data, asked_s = bytearray(), retry_after(response.headers)
    async for part in response.iter_bytes():
        data += part
        if len(data) > MOST_BYTES:
            return Body(bytes(data[:MOST_BYTES]), is_whole=False, asked_s=asked_s)
    return Body(bytes(data), is_whole=True, asked_s=asked_s)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, opened: list[AsyncOpenAI]) -> None:
    """Close the connections and end the thread; the last reference may go anywhere, in that very thread too."""

    async def close() -> None:
        for sdk in opened:
            await sdk.close()
        loop.stop()

    asyncio.run_coroutine_threadsafe(close(), loop)
    if thread is not threading.current_thread():
        thread.join(1)
