"""One request and what came of it: sent through OpenAI's own SDK, read whatever state its answer is in."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
import weakref
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from resources.errors import UserError
from resources.judges.answers import without_reasoning
from resources.judges.openai.access import Access
from resources.judges.openai.error_bodies import NoAnswer, has_error, no_answer_of, said_in, status_in
from resources.runtime.network import prepare_network

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

MOST_BYTES: Final = 2_000_000  # an answer has a few hundred characters
CONNECT_S: Final = 10.0
KEPT_CHARACTERS: Final = 20_000  # of an answer that no end was seen of
# Words of OpenAI, Anthropic, Google, Mistral, Cohere, DeepSeek, Zhipu, vLLM, TGI and Ollama; letter case differs. One
# that is none of these ends an answer before its time too: a part of a number is a number.
NORMAL_STOPS: Final = ("stop", "stop_sequence", "end_turn", "eos", "eos_token", "complete", "completed")
AT_THE_LIMIT: Final = ("length", "max_tokens", "max_output_tokens", "model_length", "error_limit")
FILTERS: Final = (
    "content_filter",
    "content_filtered",
    "safety",
    "image_safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "sensitive",
    "error_toxic",
    "guardrail_intervened",
)
ALLOWANCES: Final = ("requests", "tokens", "input-tokens", "output-tokens")
REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")
_REASONING_PARTS: Final = ("thinking", "reasoning")
# How an answer begins that was cut off, or that was streamed though no stream was asked for: its words are a judge's.
_PARTS_OF_ANSWERS: Final = ("{", "[", '"', "data:", "event:", "id:", ":")
_MOST_TOKENS = 1_000_000_000


class Body(NamedTuple):
    """What came with status 200; `is_whole` is false where it was cut off at `MOST_BYTES`.

    `asked_s`: how many seconds to wait its headers ask for, which makes sense with an error alone.
    """

    data: bytes
    is_whole: bool
    asked_s: float | None = None


class Client:
    """Sends requests from any thread, many at a time, each exactly once."""

    def __init__(self, access: Access, timeout_s: float) -> None:
        """Nothing is opened before the first request."""
        self._access, self._timeout_s = access, timeout_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opened: list[AsyncOpenAI] = []

    def send(self, request: dict[str, Any]) -> Read:
        """Send one request, wait for what comes of it, no longer than the timeout, and read it.

        Raises:
            UserError: The address is none that can be asked, or a proxy or certificates of the environment are none.
        """
        body = self._access.dialect.body_of(request)
        came = asyncio.run_coroutine_threadsafe(self._send(body), self._running()).result()
        return _read_body(came, self._access) if isinstance(came, Body) else Read(None, error=came)

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
            sdk = openai.AsyncOpenAI(
                api_key=key, base_url=base_url, timeout=timeout, max_retries=0, http_client=transport
            )
            # What the SDK finds in the environment: another key, and names that are no other provider's business.
            sdk.admin_api_key = None
            if not self._access.is_openai:
                sdk.organization = sdk.project = None
            self._opened.append(sdk)
        return self._opened[0]

    async def _send(self, request: dict[str, Any]) -> Body | NoAnswer:
        import httpx2
        import openai

        try:
            sdk = await self._ready()
            # The SDK's timeout is for each byte that comes; a server that drips would never meet it.
            async with (
                asyncio.timeout(self._timeout_s),
                self._posted(sdk, request) as response,
            ):
                return await _body_of(response)
        except (httpx2.InvalidURL, ExceptionGroup) as problem:
            # A port that there is none of comes in a group.
            if isinstance(problem, ExceptionGroup) and problem.split(OverflowError)[1]:
                raise
            # Their words hold the address, of which any part may be a secret.
            raise UserError(f"{self._access.places.base_url} is no address that can be asked.") from None
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

    @asynccontextmanager
    async def _posted(self, sdk: AsyncOpenAI, body: dict[str, Any]) -> AsyncIterator[Any]:
        """The server's response, read as it comes; a body given whole is not looked at part by part, 2 ms a call."""
        from openai import Omit

        dialect = self._access.dialect
        own = {"Authorization": Omit(), **dialect.headers(self._access.key)} if dialect.headers else {}
        headers: Any = {"X-Stainless-Raw-Response": "stream", **own}
        response: Any = await sdk.post(dialect.path, cast_to=object, body=body, options={"headers": headers})
        try:
            yield response
        finally:
            await response.close()

    def _refusal(self, problem: APIStatusError) -> NoAnswer:
        status, error = problem.status_code, said_in(problem.body, problem.message)
        error = error._replace(message=self._access.masked(error.message))
        return no_answer_of(status, error, f"status {status}", retry_after(problem.response.headers))


def retry_after(headers: Any) -> float | None:
    """Seconds to wait as a server asks for them: milliseconds, seconds or a date; null where it asks for none.

    Without such a header, until the last of Anthropic's allowances that are used up is filled again.
    """
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
        return _until_filled(headers)


def _until_filled(headers: Any) -> float | None:
    """Seconds, from a date such as 2026-01-31T10:00:00Z for each allowance of which nothing remains."""
    waits = []
    for kind in ALLOWANCES:
        if headers.get(f"anthropic-ratelimit-{kind}-remaining") != "0":
            continue
        try:
            filled = datetime.fromisoformat(headers.get(f"anthropic-ratelimit-{kind}-reset", ""))
            waits.append(max(0.0, filled.timestamp() - time.time()))
        except (TypeError, ValueError, OverflowError):
            continue
    return max(waits, default=None)


async def _body_of(response: Any) -> Body:
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


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counts them; those served from a cache or written to one are part of `tokens_in`."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_written: int


@dataclass(frozen=True)
class Read:
    """An answer, or why there is none; an error within status 200 counts as with the status that it should have had.

    `state` only where the text alone does not say it, `usage` null where none came.
    """

    text: str | None
    state: str | None = None
    message: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    usage: Usage | None = None
    error: NoAnswer | None = None


def _read_body(body: Body, access: Access) -> Read:
    """Read one body; nothing in it, or missing from it, is an error of the program."""
    if not body.is_whole:
        begins = body.data[: 4 * KEPT_CHARACTERS].decode("utf-8", "replace")[:KEPT_CHARACTERS]
        return Read(
            access.without_key(begins),
            "cut_off",
            message=f"an answer of more than {MOST_BYTES:,} bytes was cut off",
        )
    try:
        text, is_utf8 = body.data.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_utf8 = body.data.decode("utf-8", "replace"), False
    text = access.without_key(text)
    try:
        completion = json.loads(text)
    except (ValueError, RecursionError):
        completion = None
    if isinstance(completion, list) and has_error(completion):
        return Read(None, error=_error(completion, body, access, "status 200 with an error"))
    if not isinstance(completion, dict):
        plain = completion if isinstance(completion, str) else text
        if status_in(plain) is not None and not plain.lstrip().startswith(_PARTS_OF_ANSWERS):
            return Read(None, error=_error(plain, body, access, "status 200 with an error"))
        said = access.masked(text) or "nothing"
        return Read(None, error=_fault(f"the server's answer is no JSON object: {said[:200]}"))
    completion = access.dialect.completion_of(completion)
    known: dict[str, Any] = {
        "model": _text(completion.get("model")),
        "fingerprint": _text(completion.get("system_fingerprint")),
        "usage": _usage(completion.get("usage")),
    }
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        if has_error(completion):
            return Read(None, error=_error(completion, body, access, "status 200 with an error"), **known)
        return Read(None, error=_fault("the server sent no message: it has no choices"), **known)
    finish = choice.get("finish_reason")
    if str(finish).lower() == "error":
        where = "the answer ended with an error"
        if has_error(inside := {"error": choice.get("error") or completion.get("error")}):
            error = replace(_error(inside, body, access, where), may_be_billed=True)
            return Read(None, error=error, **known)
        return Read(None, error=_fault(f"{where}: it does not say which"), **known)
    content, reasoning = _apart(message)
    if has_error(inside := {"error": completion.get("error")}) and not (content or reasoning):
        return Read(None, error=_error(inside, body, access, "status 200 with an error"), **known)
    state, problem = _state(message, content, finish)
    if not is_utf8 and state is None:
        state, problem = "invalid_json", "the answer is not UTF-8; what could not be read is replaced"
    # What a refusal says is all that there is to keep of it.
    words = content or _text(message.get("refusal"))
    # Where there is nothing else the reasoning is kept, in the marks by which any text is known for it.
    return Read(words or (reasoning and f"<think>\n{reasoning}\n</think>"), state, message=problem, **known)


def _fault(message: str) -> NoAnswer:
    """A body that may be billed and that another attempt may come without."""
    return NoAnswer("provider_error", message, may_pass=True, may_be_billed=True)


def _error(found: object, body: Body, access: Access, where: str) -> NoAnswer:
    """An error within a body: as with the status that it names or means; one of unknown kind may pass."""
    said, status = said_in(found), status_in(found)
    said = said._replace(message=access.masked(said.message))
    if status is not None:
        return no_answer_of(status, said, where, body.asked_s)
    wait_s = said.retry_after_s if body.asked_s is None else body.asked_s
    return replace(_fault(f"{where}: {said.message}"), code=said.code, retry_after_s=wait_s)


def _state(message: Mapping[str, Any], content: str | None, finish: object) -> tuple[str | None, str | None]:
    """State and problem where the server's own words decide; null where the text does."""
    if refusal := _text(message.get("refusal")):
        return "refused", f"the judge refused: {refusal[:200]}"
    word = str(finish or "stop").lower()
    reason = f"finish_reason '{str(finish)[:40]}'"
    if word in NORMAL_STOPS:
        return None, None
    if word == "refusal":
        return "refused", f"the judge refused ({reason})"
    if word in FILTERS:
        return "filtered", f"the provider's content filter stopped the answer ({reason})"
    if word not in AT_THE_LIMIT:
        return "cut_off", f"the server ended the answer before its time ({reason})"
    if without_reasoning(content):
        return "cut_off", f"the answer was cut off at max_output_tokens ({reason})"
    return "cut_off", f"no answer within max_output_tokens ({reason}): a model that reasons needs more of them"


def _apart(message: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """A message's text and its reasoning; what is neither is text as JSON, so that nothing is lost."""
    content = message.get("content")
    reasoning = [text for name in REASONING_FIELDS if (text := _text(message.get(name)))][:1]
    if content is None or isinstance(content, str):
        return content, "".join(reasoning) or None
    texts = []
    for part in content if isinstance(content, list) else [content]:
        fields = part if isinstance(part, dict) else {"text": part}
        if fields.get("type") in _REASONING_PARTS:
            reasoning += _words(fields)
        elif isinstance(fields.get("text"), str):
            texts.append(fields["text"])
        else:
            return json.dumps(content), "".join(reasoning) or None
    return "".join(texts), "".join(reasoning) or None


def _words(part: object) -> list[str]:
    """The texts of a part of reasoning, at any depth."""
    if isinstance(part, list):
        return [word for one in part for word in _words(one)]
    if isinstance(part, dict):
        return [word for name in ("text", *_REASONING_PARTS) for word in _words(part.get(name))]
    return [part] if isinstance(part, str) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if tokens_in is None or tokens_out is None:
        return None
    total = _count(usage.get("total_tokens")) or 0
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached = min(_count(details.get("cached_tokens")) or 0, tokens_in)
    written = min(_count(details.get("cache_write_tokens")) or 0, tokens_in - cached)
    # Some servers leave the tokens of reasoning, which are billed as output, out of all but the total.
    return Usage(tokens_in, max(tokens_out, total - tokens_in), cached, written)


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count and isinstance(value, int) else None
