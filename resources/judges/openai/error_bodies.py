"""What a server says is wrong, in whichever form: OpenAI's, a text, a list (Google), details (FastAPI), or a page."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

BAD_REQUEST, UNPROCESSABLE = 400, 422
TIMED_OUT: Final = (408, 504, 524)
RATE_LIMITED: Final = 429
SERVER_ERROR: Final = 500
WORTH_REPEATING: Final = (408, 409, 425)
_MESSAGES: Final = ("message", "msg", "detail", "details", "error_message", "title", "reason")
_INSIDE: Final = ("error", "detail", "errors")
_TAGS: Final = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_LENGTH: Final = r"(\d+(?:\.\d+)?)\s*(milliseconds?|ms|hours?|h|minutes?|min|m|seconds?|secs?|s)(?![a-z])"
_LENGTHS: Final = re.compile(_LENGTH, re.IGNORECASE)
_ASKED_FOR: Final = re.compile(rf"(?:retry|try again|wait)\b[^0-9.]{{0,20}}((?:{_LENGTH}\s*)+)", re.IGNORECASE)
_DEEPEST: Final = 6
_WRONG: Final = "not valid|invalid|incorrect|wrong|expired|missing|revoked|disabled"
WRONG_KEY: Final = re.compile(
    rf"api[ _-]?key\b[^.]{{0,40}}\b({_WRONG}|not found)|\b({_WRONG})\b[^.]{{0,20}}\bapi[ _-]?key|api_key_invalid|"
    "invalid_api_key|authentication_error|unauthenticated",
    re.IGNORECASE,
)
_ERRORS: Final = range(400, 600)
# The status that each kind of error has where servers give one, by code or words; the first that fits counts.
_KINDS: Final = (
    (401, WRONG_KEY),
    (429, re.compile(r"rate.?limit|too.many.requests|resource.?exhausted|quota|throttl", re.IGNORECASE)),
    (404, re.compile(r"(model_)?not_found|\bmodel\b.{0,80}\b(not exist|not found)", re.IGNORECASE)),
    (403, re.compile(r"permission_(error|denied)", re.IGNORECASE)),
    (
        400,
        re.compile(
            r"invalid_(request|argument)|not.supported|unsupported|not.permitted|unrecognized|context.length|"
            r"unknown .{0,20}(name|parameter|field|argument)",
            re.IGNORECASE,
        ),
    ),
    (504, re.compile(r"time.?out|timed out|deadline", re.IGNORECASE)),
)


class Said(NamedTuple):
    """The server's own words, its code, the field that it names (both empty where it names none), seconds to wait."""

    message: str
    code: str = ""
    param: str = ""
    retry_after_s: float | None = None


class Refused(NamedTuple):
    """What a server says about a request that it refuses to take: the field by name, where it names one."""

    param: str
    message: str


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


def said_in(body: object, otherwise: str = "") -> Said:
    """What an error's body says.

    Args:
        body: As it came: read JSON, a text, or null.
        otherwise: The message where the body has none.
    """
    parts = _parts(body, _DEEPEST)
    message = "; ".join(dict.fromkeys(part.message for part in parts if part.message)) or otherwise
    waits = [part.retry_after_s for part in parts if part.retry_after_s is not None]
    code = next((part.code for part in parts if part.code), "")
    param = next((part.param for part in parts if part.param), "")
    return Said(message, code, param, max(waits, default=_asked_for(message)))


def has_error(body: object) -> bool:
    """Whether a body without an answer is an error's."""
    if isinstance(body, list):
        return any(has_error(part) for part in body)
    return isinstance(body, dict) and any(body.get(name) for name in (*_INSIDE, *_MESSAGES))


def status_in(body: object) -> int | None:
    """The status that an error which came with status 200 would have had; null where its body does not say."""
    said = said_in(body)
    words = f"{said.code} {said.message}"
    return _number_in(body, _DEEPEST) or next((status for status, kind in _KINDS if kind.search(words)), None)


def _number_in(body: object, depth: int) -> int | None:
    """A status that stands in a body as a number."""
    if depth == 0 or not isinstance(body, dict | list):
        return None
    if isinstance(body, list):
        return next((found for part in body if (found := _number_in(part, depth - 1))), None)
    for name in ("code", "status", "status_code"):
        value = body.get(name)
        number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) == 3 else value
        if isinstance(number, int) and number in _ERRORS:
            return number
    return next((found for name in _INSIDE if (found := _number_in(body.get(name), depth - 1))), None)


def _parts(body: object, depth: int) -> list[Said]:
    """Each error in a body; lists hold several."""
    if depth == 0 or not body:
        return []
    if isinstance(body, str):
        return [Said(" ".join(_TAGS.sub(" ", body).split()))]
    if isinstance(body, list):
        return [said for part in body for said in _parts(part, depth - 1)]
    if not isinstance(body, dict):
        return [Said(json.dumps(body))]
    inside = [
        said
        for name in _INSIDE
        if isinstance(body.get(name), dict | list | str)
        for said in _parts(body[name], depth - 1)
    ]
    message = next((text for name in _MESSAGES if isinstance(text := body.get(name), str) and text), "")
    code = next((str(body[name]) for name in ("code", "status", "type") if isinstance(body.get(name), str)), "")
    param = _param(body)
    shown = f"{param}: {message}" if message and param not in message else message
    own = Said(shown, code, param, _retry_delay(body))
    return [*inside, own] if inside else [own if message else own._replace(message=json.dumps(body))]


def _param(fields: Mapping[str, Any]) -> str:
    """The field that is wrong: `param`, or the last name of a place such as `["body", "seed"]`."""
    place = fields.get("loc")
    names = [part for part in place if isinstance(part, str)] if isinstance(place, list) else []
    return str(fields.get("param") or "") or ".".join(names[1:] if names[:1] == ["body"] else names)


def _retry_delay(fields: Mapping[str, Any]) -> float | None:
    """Seconds, from Google's `details` or a field `retry_after`."""
    details = fields.get("details")
    for part in (fields, *(details if isinstance(details, list) else [])):
        if not isinstance(part, dict):
            continue
        for name in ("retryDelay", "retry_delay", "retry_after", "retry_after_seconds"):
            value = part.get(name)
            is_length = isinstance(value, str | int | float) and not isinstance(value, bool)
            if is_length and (seconds := _seconds(str(value))) is not None:
                return seconds
    return None


def _asked_for(message: str) -> float | None:
    """Seconds, from words such as "Please try again in 1m2.5s"."""
    found = _ASKED_FOR.search(message)
    return _seconds(found[1]) if found else None


def _seconds(words: str) -> float | None:
    """Such as ``34s``, ``1m2.5s``, ``20 seconds``, or a number of seconds alone; null where that is no length."""
    try:
        seconds = float(words)
    except ValueError:
        lengths = _LENGTHS.findall(words)
        seconds = sum(float(number) * _unit_s(unit.lower()) for number, unit in lengths) if lengths else -1
    return seconds if seconds >= 0 else None


def _unit_s(unit: str) -> float:
    if unit.startswith(("ms", "milli")):
        return 0.001
    return {"h": 3600.0, "m": 60.0, "s": 1.0}[unit[0]]


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
