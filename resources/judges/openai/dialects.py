"""The formats in which servers take requests and answer: OpenAI's, and others that are translated from and to it."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from resources.configuration.providers import WireFormat

ANTHROPIC_VERSION: Final = "2023-06-01"
_DATA: Final = "data:"


class Dialect(NamedTuple):
    """One format: the path below the address, the headers that a key goes in, and both translations.

    `headers` null: the key goes as OpenAI's does. `body_of` makes a request of one in OpenAI's form, `completion_of`
    makes an answer in OpenAI's form; a body that is no answer, such as an error, stays as it is.
    """

    name: WireFormat
    path: str
    headers: Callable[[str], Mapping[str, str]] | None
    body_of: Callable[[dict[str, Any]], dict[str, Any]]
    completion_of: Callable[[dict[str, Any]], dict[str, Any]]


def _unchanged(body: dict[str, Any]) -> dict[str, Any]:
    return body


def _anthropic_headers(key: str) -> Mapping[str, str]:
    return {"x-api-key": key, "anthropic-version": ANTHROPIC_VERSION}


def anthropic_body(request: dict[str, Any]) -> dict[str, Any]:
    """A request to `/messages`: the system message apart, images as base64 parts, the form of the answer as output.

    A top_p of 1 changes nothing and is left out, because newer models take either it or a temperature; there is no
    seed, and an object without a schema cannot be asked for. What a person set is never left out.

    Source:
        https://platform.claude.com/docs/en/api/messages (parameters), build-with-claude/structured-outputs, .../effort.
    """
    *system, user = request["messages"]
    content = user["content"]
    body = {
        "model": request["model"],
        "max_tokens": request.get("max_tokens") or request.get("max_completion_tokens"),
        **{message["role"]: message["content"] for message in system},
        "messages": [{"role": "user", "content": content if isinstance(content, str) else [*map(_part, content)]}],
        "temperature": request["temperature"],
    }
    if request.get("top_p", 1) != 1:
        body["top_p"] = request["top_p"]
    output: dict[str, Any] = {}
    if (form := request.get("response_format", {})).get("type") == "json_schema":
        output["format"] = {"type": "json_schema", "schema": form["json_schema"]["schema"]}
    if (effort := request.get("reasoning_effort")) == "none":
        body["thinking"] = {"type": "disabled"}
    elif effort:
        output["effort"] = effort
    return body | ({"output_config": output} if output else {})


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] != "image_url":
        return part
    kind, _, data = part["image_url"]["url"].removeprefix(_DATA).partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def anthropic_completion(body: dict[str, Any]) -> dict[str, Any]:
    """An answer of `/messages`: its parts as content, `stop_reason` as the finish reason, tokens with those of caches.

    Anthropic counts tokens that a cache served or that were written to one next to `input_tokens`, OpenAI within them.
    """
    parts = body.get("content")
    if not isinstance(parts, list):
        return body
    # What a server keeps to itself of the reasoning has no words.
    content = [part for part in parts if not isinstance(part, dict) or part.get("type") != "redacted_thinking"]
    return {
        "model": body.get("model"),
        "usage": _usage(body.get("usage")),
        "choices": [{"message": {"content": content}, "finish_reason": body.get("stop_reason")}],
    }


def _usage(usage: object) -> object:
    if not isinstance(usage, dict):
        return usage
    read, cached, written = (
        usage.get(name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    counts = [count for count in (read, cached, written) if isinstance(count, int)]
    return {
        # A count that is none stays what it is: the reader of bodies refuses it.
        "prompt_tokens": sum(counts) if isinstance(read, int) else read,
        "completion_tokens": usage.get("output_tokens"),
        "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
    }


DIALECTS: Final[Mapping[WireFormat, Dialect]] = {
    "openai": Dialect("openai", "/chat/completions", None, _unchanged, _unchanged),
    "anthropic": Dialect("anthropic", "/messages", _anthropic_headers, anthropic_body, anthropic_completion),
}
