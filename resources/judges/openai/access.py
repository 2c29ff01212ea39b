"""Where a model is reached: address, name, key and format of requests; no secret is ever shown."""

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address, ip_network
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from resources.configuration.openai_judge import ModelJudge, OpenAIJudge
from resources.configuration.providers import PROVIDERS, WireFormat
from resources.errors import UserError

ANTHROPIC_VERSION: Final = "2023-06-01"
_DATA: Final = "data:"
BASE_URL, API_KEY, MODEL = "OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"
VARIABLES: Final = (BASE_URL, MODEL, API_KEY)
OPENAI_URL: Final = PROVIDERS["openai"].base_url
NO_KEY: Final = "none"  # what is sent to a server of one's own that asks for no key
_SALT = "touchstone key id 1"
_ECHO = 6  # so many characters of a key's beginning or end betray it
_SHOWN = 400
_SECRET_FROM = 8  # a shorter key is a word such as "none", which answers hold too
_OWN_NAMES = ("localhost", ".localhost", ".local")
_OWN_NETWORKS = tuple(map(ip_network, ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))


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


@dataclass(frozen=True)
class Places:
    """What a person changes to set the key, the model and the address: names of variables or of keys in the file."""

    key: str = API_KEY
    model: str = MODEL
    base_url: str = BASE_URL


@dataclass(frozen=True)
class Access:
    """A server, a model there, and the key, which has no place in a representation or a message.

    `judge` begins messages about what is missing, `places` are named in them.
    """

    base_url: str
    model: str
    key: str = field(repr=False)
    dialect: Dialect = DIALECTS["openai"]
    judge: str = "The judge openai"
    places: Places = Places()

    @property
    def public_url(self) -> str:
        """The address without a closing slash."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))

    @property
    def is_openai(self) -> bool:
        """Whether it is OpenAI's own service."""
        return urlsplit(self.base_url).hostname == urlsplit(OPENAI_URL).hostname

    @property
    def is_own(self) -> bool:
        """Whether the server stands on this machine or in its own network, so that no one charges for it."""
        host = (urlsplit(self.base_url).hostname or "").rstrip(".")
        try:
            address = ip_address(host)
        except ValueError:
            return host == _OWN_NAMES[0] or host.endswith(_OWN_NAMES[1:])
        return any(address in network for network in _OWN_NETWORKS)

    @property
    def key_id(self) -> str:
        """Eight hex digits that tell this key from another and lead back to neither."""
        return hashlib.sha256(f"{_SALT}{self.key}".encode()).hexdigest()[:8]

    def masked(self, words: str) -> str:
        """A server's words without the key or what is left of it: servers echo its first and last characters."""
        betrays = ["***"] if self.key in ("", NO_KEY) else ["***", self.key[:_ECHO], self.key[-_ECHO:]]
        shown = words[:_SHOWN].split()
        return " ".join("***" if any(part in word for part in betrays) else word for word in shown)

    def without_key(self, text: str) -> str:
        """A text of any length with the whole key masked, also where JSON escapes parts of it."""
        return self._key_in_json.sub("***", text) if len(self.key) >= _SECRET_FROM else text

    @cached_property
    def _key_in_json(self) -> re.Pattern[str]:
        return re.compile(
            "".join(rf"(?:\\{{0,3}}{re.escape(sign)}|\\{{1,3}}u(?i:{ord(sign):04x}))" for sign in self.key)
        )


def access_of(configuration: OpenAIJudge, environment: Mapping[str, str] = os.environ) -> Access:
    """The server, model and key that configuration and environment name; a missing key is for `require_key`.

    Raises:
        UserError: There is no model, or the address is none. Everything that is missing is named at once.
    """
    if isinstance(configuration, ModelJudge):
        return _access_of_its_own(configuration, environment)
    base_url = environment.get(BASE_URL, "").strip()
    model = configuration.model or environment.get(MODEL, "").strip()
    key = environment.get(API_KEY, "").strip()
    missing = [MODEL] if not model else []
    if not model and not key and not base_url:
        missing.append(API_KEY)
    if missing:
        raise _missing(missing)
    if base_url:
        _refuse_if_no_address(base_url, Places())
    return Access(base_url or OPENAI_URL, model, key or (NO_KEY if base_url else ""))


def _access_of_its_own(judge: ModelJudge, environment: Mapping[str, str]) -> Access:
    """Address and key of one judge, which no other judge shares."""
    provider, model = judge.asked
    base_url = judge.base_url or (provider.base_url if provider else "")
    # A provider's key goes to no other address than its own, unless a person names the variable.
    key_variable = judge.key_variable or (provider.key_variable if provider and not judge.base_url else "")
    places = Places(key_variable, "`model`", "`base_url`")
    _refuse_if_no_address(base_url, places)
    key = environment.get(places.key, "").strip() if places.key else NO_KEY
    dialect = DIALECTS[provider.wire_format if provider else "openai"]
    called = f"The judge {judge.name}" if judge.name else f"The judge {model}"
    return Access(base_url, model, key, dialect, called, places)


def require_key(access: Access) -> None:
    """Refuse to ask without a usable key; a server of one's own may need none.

    Raises:
        UserError: There is no key, or it holds what no key holds.
    """
    if not access.key and access.places != Places():
        raise UserError(
            f"{access.judge} cannot be asked: {access.places.key} is not set. Set it to a key of {access.public_url}, "
            "or name another variable by `key_variable`."
        )
    if not access.key:
        raise _missing([API_KEY])
    if not access.key.isascii() or not access.key.isprintable() or " " in access.key:
        raise UserError(f"{access.places.key} holds a space, a line break or a letter that no key has. Set it again.")


def _refuse_if_no_address(base_url: str, places: Places) -> None:
    """Only what can be sent to; the address is not shown, because what is wrong with it may be a secret."""
    try:
        parts = urlsplit(base_url)
        host, _ = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:
        host = b""
    is_plain = base_url.isascii() and base_url.isprintable() and " " not in base_url
    if not host or not is_plain or parts.scheme not in ("http", "https"):
        raise UserError(
            f"{places.base_url} is no address of a server. Write it like {OPENAI_URL} or http://127.0.0.1:8000/v1."
        )
    if any(sign in base_url for sign in "@?#"):
        # The address is shown in messages and kept in the ledger.
        raise UserError(
            f"{places.base_url} holds more than an address: a user, a password, or something behind ? or #. Leave it "
            f"out, and put a secret into {places.key or 'the variable that `key_variable` names'}."
        )


def _missing(names: list[str]) -> UserError:
    verb = "is" if len(names) == 1 else "are"
    return UserError(
        f"The judge openai cannot be asked: {' and '.join(names)} {verb} not set. Set {MODEL} (or `model:` in the "
        f"judge's section), {API_KEY}, and {BASE_URL} for any server but OpenAI's own."
    )
