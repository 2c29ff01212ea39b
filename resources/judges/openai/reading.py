"""What an answer with status 200 holds: text, usage and who answered, whatever state it is in."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from resources.judges.openai.access import Access
from resources.judges.openai.client import MOST_BYTES, Body

KEPT_CHARACTERS: Final = 20_000  # of an answer that no end was seen of
_MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counts them; those served from a cache or written to one are part of `tokens_in`."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_written: int


@dataclass(frozen=True)
class Read:
    """An answer, or a fault; `state` only where the text alone does not say it, `usage` null where none came."""

    text: str | None
    state: str | None = None
    fault: str | None = None
    message: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    usage: Usage | None = None


def read_body(body: Body, is_whole: Callable[[str], bool], access: Access) -> Read:
    """Read one body; nothing in it, or missing from it, is an error of the program.

    `is_whole` tells of a text that ended at the limit of tokens whether it is complete all the same.
    """
    if not body.is_whole:
        begins = body.data[: 4 * KEPT_CHARACTERS].decode("utf-8", "replace")[:KEPT_CHARACTERS]
        return Read(
            access.without_key(begins),
            "invalid_json",
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
    if not isinstance(completion, dict):
        said = access.masked(text) or "nothing"
        return Read(None, fault="provider_error", message=f"the server's answer is no JSON object: {said[:200]}")
    known: dict[str, Any] = {
        "model": _text(completion.get("model")),
        "fingerprint": _text(completion.get("system_fingerprint")),
        "usage": _usage(completion.get("usage")),
    }
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        said = access.masked(json.dumps(completion.get("error"))) if "error" in completion else "it has no choices"
        return Read(None, fault="provider_error", message=f"the server sent no message: {said}", **known)
    if choice.get("finish_reason") == "error":
        said = access.masked(json.dumps(choice["error"])) if "error" in choice else "it does not say which"
        return Read(None, fault="provider_error", message=f"the answer ended with an error: {said}", **known)
    content = _content(message.get("content"))
    state, problem = _state(message, content, choice.get("finish_reason"), is_whole)
    if not is_utf8 and state is None:
        state, problem = "invalid_json", "the answer is not UTF-8; what could not be read is replaced"
    # What a refusal says is all that there is to keep of it.
    return Read(content or _text(message.get("refusal")), state, message=problem, **known)


def _state(
    message: Mapping[str, Any], content: str | None, finish: object, is_whole: Callable[[str], bool]
) -> tuple[str | None, str | None]:
    """State and problem where the server's own words decide; null where the text does."""
    if refusal := _text(message.get("refusal")):
        return "refused", f"the judge refused: {refusal[:200]}"
    if finish == "content_filter":
        return "refused", "the provider's content filter stopped the answer"
    if finish == "length":
        if not content:
            return "invalid_json", "no text within max_output_tokens: a model that reasons needs more of them"
        if not is_whole(content):
            return "invalid_json", "the answer was cut off at max_output_tokens"
    return None, None


def _content(content: object) -> str | None:
    """The text of a message, which some servers send in parts; anything else as JSON, so that nothing is lost."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        if all(isinstance(text, str) for text in texts) and len(texts) == len(content):
            return "".join(text for text in texts if isinstance(text, str))
    return json.dumps(content)


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
